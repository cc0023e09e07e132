//! What a graph depends on besides its sources: the folders in which files may come and go, rules
//! of what is ignored, manifests. Kept beside the graph, so that an answer need not look for them.

use tacit_graph::Language;

use crate::compiler_index;
use crate::open::{Codebase, OpenGraph};
use crate::times::Moment;
use crate::walk::{BUILT, Walked};

/// Looking at more than this takes longer than an answer may.
const MOST_LOOKED_AT: usize = 20_000;

/// A longer list is of more than can be looked at.
const LARGEST: u64 = 1 << 30;

/// So many are looked at before another thread is asked to help.
const WORTH_A_THREAD: usize = 500;

/// What matters once it is there, wherever rules of what is ignored apply.
fn may_come() -> impl Iterator<Item = &'static str> {
    BUILT.into_iter().chain([compiler_index::NAME, ".git/info/exclude"])
}

impl Codebase {
    /// Notes what a walk depended on. Where that cannot be noted, the next answer takes longer.
    pub(crate) fn note_looked_at(&self, walked: &Walked) {
        let is_source = |path: &&str| Language::of_path(path).is_some();
        let files = walked.files.iter().map(|entry| entry.path.as_str());
        let mut paths: Vec<&str> = files.filter(|path| !is_source(path)).collect();
        paths.extend(walked.around.iter().map(String::as_str));
        paths.sort_unstable();
        let (list, path) = (paths.join("\0"), self.file("looked"));
        if self.looked_at().is_some_and(|known| known == list) {
            return;
        }
        let _ = tacit_fs::replace_unsynced(&path, list.as_bytes());
    }

    /// What the last walk depended on besides sources, if that was noted.
    pub(crate) fn looked_at(&self) -> Option<String> {
        tacit_fs::read_text(&self.file("looked"), LARGEST).ok()
    }

    /// When any of what a graph depends on was last changed; none if something is gone, or nothing is
    /// known of it. Where that is very much, only what an answer `names` is looked at.
    pub(crate) fn last_change(
        &self,
        graph: &OpenGraph,
        names: impl FnOnce() -> Vec<String>,
    ) -> Option<Moment> {
        let around = self.looked_at()?;
        let packed = graph.packed();
        let sources = (0..packed.files()).map(|file| packed.path(file));
        let paths: Vec<&str> = sources.chain(around.split('\0')).collect();
        if paths.len() > MOST_LOOKED_AT {
            let named = names();
            return self.last_of(&named.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let (first, rest) = paths.split_at(paths.len().min(WORTH_A_THREAD).max(paths.len() / 2));
        let known = std::thread::scope(|scope| {
            let rest = (!rest.is_empty()).then(|| scope.spawn(|| self.last_of(rest)));
            let first = self.last_of(first)?;
            match rest {
                Some(rest) => Some(first.max(rest.join().ok()??)),
                None => Some(first),
            }
        })?;
        Some(may_come().filter_map(|path| self.change_of(path)).fold(known, Moment::max))
    }

    fn last_of(&self, paths: &[&str]) -> Option<Moment> {
        paths.iter().try_fold(Moment(0), |last, path| Some(last.max(self.change_of(path)?)))
    }

    /// When a file, or what is in a folder, was last changed; none if it is gone.
    pub(crate) fn change_of(&self, path: &str) -> Option<Moment> {
        Some(Moment::of_change(&std::fs::metadata(self.root.join(path)).ok()?))
    }
}
