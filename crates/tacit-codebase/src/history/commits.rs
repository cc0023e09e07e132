//! A history in memory: who files are, and which of them each commit touched.

use super::log::LoggedCommit;
use super::names::{FileNames, NameEvent, TrackedFileId};

/// A commit that touches more files than this says nothing about any two of them.
pub const BULK_COMMIT_FILES: usize = 100;

/// What is kept of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSummary {
    /// When it was made, in seconds since 1970.
    pub at: i64,
    /// How many files it touched.
    pub size: u32,
    /// Which, in order, each once; none if they were too many.
    pub files: Vec<TrackedFileId>,
    /// Which, if they were too many: it happened to each, and says nothing about any two.
    pub bulk_files: Vec<TrackedFileId>,
}

impl CommitSummary {
    /// Whether it touched a file.
    #[must_use]
    pub fn touched(&self, file: TrackedFileId) -> bool {
        self.files.binary_search(&file).is_ok() || self.bulk_files.binary_search(&file).is_ok()
    }
}

/// What a commit added to a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppendedCommit {
    /// What is kept of it.
    pub past: CommitSummary,
    /// What happened to names.
    pub events: Vec<NameEvent>,
}

/// A history.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// Who files are.
    pub names: FileNames,
    /// The commits, parents before children.
    pub commits: Vec<CommitSummary>,
}

impl History {
    /// Takes in a commit, after its parents.
    pub fn push(&mut self, commit: &LoggedCommit) -> AppendedCommit {
        let mut events = Vec::new();
        let mut files: Vec<TrackedFileId> =
            commit.changes.iter().map(|change| self.names.apply(change, &mut events)).collect();
        files.sort_unstable();
        files.dedup();
        let size = files.len() as u32 + commit.unnameable;
        let bulk_files =
            if size as usize > BULK_COMMIT_FILES { std::mem::take(&mut files) } else { Vec::new() };
        let past = CommitSummary { at: commit.at, size, files, bulk_files };
        self.commits.push(past.clone());
        AppendedCommit { past, events }
    }

    /// The history of commits.
    #[must_use]
    pub fn of(commits: &[LoggedCommit]) -> History {
        let mut history = History::default();
        for commit in commits {
            history.push(commit);
        }
        history
    }
}
