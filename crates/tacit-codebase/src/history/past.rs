//! A history in memory: who files are, and which of them each commit touched.

use super::log::Commit;
use super::names::{FileId, NameEvent, Names};

/// A commit that touches more files than this says nothing about any two of them.
pub const BULK: usize = 100;

/// What is kept of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// When it was made, in seconds since 1970.
    pub at: i64,
    /// How many files it touched.
    pub size: u32,
    /// Which, in order, each once; none if they were too many.
    pub files: Vec<FileId>,
    /// Which, if they were too many: it happened to each, and says nothing about any two.
    pub swept: Vec<FileId>,
}

impl Past {
    /// Whether it touched a file.
    #[must_use]
    pub fn touched(&self, file: FileId) -> bool {
        self.files.binary_search(&file).is_ok() || self.swept.binary_search(&file).is_ok()
    }
}

/// What a commit added to a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// What is kept of it.
    pub past: Past,
    /// What happened to names.
    pub events: Vec<NameEvent>,
}

/// A history.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// Who files are.
    pub names: Names,
    /// The commits, parents before children.
    pub commits: Vec<Past>,
}

impl History {
    /// Takes in a commit, after its parents.
    pub fn push(&mut self, commit: &Commit) -> Appended {
        let mut events = Vec::new();
        let mut files: Vec<FileId> =
            commit.changes.iter().map(|change| self.names.apply(change, &mut events)).collect();
        files.sort_unstable();
        files.dedup();
        let size = files.len() as u32 + commit.unnameable;
        let swept = if size as usize > BULK { std::mem::take(&mut files) } else { Vec::new() };
        let past = Past { at: commit.at, size, files, swept };
        self.commits.push(past.clone());
        Appended { past, events }
    }

    /// The history of commits.
    #[must_use]
    pub fn of(commits: &[Commit]) -> History {
        let mut history = History::default();
        for commit in commits {
            history.push(commit);
        }
        history
    }
}
