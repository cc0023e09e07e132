//! The history in memory: identities of files, and the files that each commit touched.

use super::log::LoggedCommit;
use super::names::{FileNameHistory, NameEvent, TrackedFileId};

/// Commits with more files are bulk commits, which say nothing about any two of their files.
pub const BULK_COMMIT_FILES: usize = 100;

/// The part of a commit that is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSummary {
    /// The commit time, in seconds since 1970.
    pub at: i64,
    /// The number of files it touched.
    pub size: u32,
    /// The touched files, sorted; empty for a bulk commit.
    pub files: Vec<TrackedFileId>,
    /// The touched files of a bulk commit, sorted.
    pub bulk_files: Vec<TrackedFileId>,
}

impl CommitSummary {
    /// Returns true if it touched a file.
    #[must_use]
    pub fn touched(&self, file: TrackedFileId) -> bool {
        self.files.binary_search(&file).is_ok() || self.bulk_files.binary_search(&file).is_ok()
    }
}

/// The effect of a commit on the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppendedCommit {
    /// The stored part of the commit.
    pub past: CommitSummary,
    /// The events of names.
    pub events: Vec<NameEvent>,
}

/// The commits of a worktree with the identities of its files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// The identities of files.
    pub names: FileNameHistory,
    /// The commits, parents before children.
    pub commits: Vec<CommitSummary>,
}

impl History {
    /// Appends a commit, whose parents must be present.
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

    /// Builds a history from commits, parents first.
    #[must_use]
    pub fn from_commits(commits: &[LoggedCommit]) -> History {
        let mut history = History::default();
        for commit in commits {
            history.push(commit);
        }
        history
    }
}
