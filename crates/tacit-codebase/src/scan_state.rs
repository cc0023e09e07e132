//! What a graph depends on besides its sources: the folders in which files may come and go, rules
//! of what is ignored, manifests. Kept beside the graph, so that an answer need not look for them.

use tacit_graph::Language;

use crate::compiler_index;
use crate::mtime::FileTime;
use crate::open::{Codebase, OpenGraph};
use crate::walk::{BUILD_OUTPUTS, WalkResult};

/// Looking at more than this takes longer than an answer may.
const MAX_STAT_PATHS: usize = 20_000;

/// A longer list is of more than can be looked at.
const MAX_STATE_BYTES: u64 = 1 << 30;

/// So many are looked at before another thread is asked to help.
const PATHS_PER_THREAD: usize = 500;

/// What matters once it is there, wherever rules of what is ignored apply.
fn optional_inputs() -> impl Iterator<Item = &'static str> {
    BUILD_OUTPUTS.into_iter().chain([compiler_index::NAME, ".git/info/exclude"])
}

impl Codebase {
    /// Notes what a walk depended on. Where that cannot be noted, the next answer takes longer.
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

    /// What the last walk depended on besides sources, if that was noted.
    pub(crate) fn scan_state(&self) -> Option<String> {
        tacit_fs::read_text(&self.file("looked"), MAX_STATE_BYTES).ok()
    }

    /// When any of what a graph depends on was last changed; none if something is gone, or nothing is
    /// known of it. Where that is very much, only what an answer `answer_paths` is looked at.
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

    /// When a file, or what is in a folder, was last changed; none if it is gone.
    pub(crate) fn changed_at(&self, path: &str) -> Option<FileTime> {
        Some(FileTime::changed_at(&std::fs::metadata(self.root.join(path)).ok()?))
    }
}
