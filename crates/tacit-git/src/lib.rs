//! Reads git repositories. It writes only the configuration of a merge driver, and new repositories.
//!
//! All git processes are started by `spawn`, so that no repository can choose a program to run.

mod branches;
mod config;
mod create;
mod discover;
mod error;
mod log;
mod objects;
mod spawn;
mod squash;
#[cfg(test)]
mod test_git;
mod tracked;
mod worktree;

pub use branches::{BranchState, Branches, is_ancestor};
pub use config::{remote_url, remove_section, set_config, user_name};
pub use create::create_repository;
pub use discover::{Repository, discover, discover_bare};
pub use error::{GitError, GitResult};
pub use log::{
    changed_files, commit_since, commits_touching, contents_at, head_commit, list_commits, read_log,
};
pub use objects::{GitReference, TreeFile, read_blob, references, tree_files};
pub use squash::is_squashed;
pub use tracked::{
    changed_since_index, committed_since, ever_tracked, tracked_below, tracked_files,
};
pub use worktree::{committed_below, is_ignored, uncommitted_files};
