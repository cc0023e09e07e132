//! The inputs of a graph other than its sources: directories in which files may come and go, ignore
//! rules, manifests. Their list is stored beside the graph, so that a query need not search for
//! them.

use tacit_graph::Language;

use crate::compiler_index;
use crate::mtime::FileTime;
use crate::open::{Codebase, OpenGraph};
use crate::walk::{BUILD_OUTPUTS, WalkResult};

/// Checking more paths would take longer than a query may.
const MAX_STAT_PATHS: usize = 20_000;

/// Longer lists have more paths than can be checked.
const MAX_STATE_BYTES: u64 = 1 << 30;

/// Number of paths that are checked before a second thread helps.
const PATHS_PER_THREAD: usize = 500;

/// Returns files that matter as soon as they exist.
fn optional_inputs() -> impl Iterator<Item = &'static str> {
    BUILD_OUTPUTS.into_iter().chain([compiler_index::NAME, ".git/info/exclude"])
}

impl Codebase {
    /// Stores the inputs of a walk. If that fails, the next query takes longer.
    pub(crate) fn save_scan_state(&self, walked: &WalkResult) {
        let is_source = |path: &&str| Language::of_path(path).is_some();
        let files = walked.files.iter().map(|entry| entry.path.as_str());
        let mut paths: Vec<&str> = files.filter(|path| !is_source(path)).collect();
        paths.extend(walked.scan_inputs.iter().map(String::as_str));
        paths.sort_unstable();
        let (list, path) = (paths.join("\0"), self.file("looked"));
        if self.scan_state().is_some_and(|known| known == list) {
            return;
        }
        let _ = tacit_fs::replace_unsynced(&path, list.as_bytes());
    }

    /// Returns the stored inputs of the last walk.
    pub(crate) fn scan_state(&self) -> Option<String> {
        tacit_fs::read_text(&self.file("looked"), MAX_STATE_BYTES).ok()
    }

    /// Returns the time of the latest change to any input of a graph, or `None` if an input is gone
    /// or the inputs are unknown. If there are very many, only `answer_paths` are checked.
    pub(crate) fn last_change(
        &self,
        graph: &OpenGraph,
        answer_paths: impl FnOnce() -> Vec<String>,
    ) -> Option<FileTime> {
        let scan_inputs = self.scan_state()?;
        let packed = graph.packed();
        let sources = (0..packed.files()).map(|file| packed.path(file));
        let paths: Vec<&str> = sources.chain(scan_inputs.split('\0')).collect();
        if paths.len() > MAX_STAT_PATHS {
            let named = answer_paths();
            return self.latest_change(&named.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let (first, rest) = paths.split_at(paths.len().min(PATHS_PER_THREAD).max(paths.len() / 2));
        let known = std::thread::scope(|scope| {
            let rest = (!rest.is_empty()).then(|| scope.spawn(|| self.latest_change(rest)));
            let first = self.latest_change(first)?;
            match rest {
                Some(rest) => Some(first.max(rest.join().ok()??)),
                None => Some(first),
            }
        })?;
        Some(optional_inputs().filter_map(|path| self.changed_at(path)).fold(known, FileTime::max))
    }

    fn latest_change(&self, paths: &[&str]) -> Option<FileTime> {
        paths.iter().try_fold(FileTime(0), |last, path| Some(last.max(self.changed_at(path)?)))
    }

    /// Returns the time of the last change to a file or directory, or `None` if it is gone.
    pub(crate) fn changed_at(&self, path: &str) -> Option<FileTime> {
        Some(FileTime::changed_at(&std::fs::metadata(self.root.join(path)).ok()?))
    }
}
