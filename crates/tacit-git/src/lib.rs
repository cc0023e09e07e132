//! Reading git repositories. Nothing here writes to git but the settings of a merge driver.
//!
//! Every process of git is started by `spawn`, so that no repository chooses a program to run.

mod config;
mod discover;
mod error;
mod log;
mod spawn;
mod tracked;
mod worktree;

pub use config::{remove_section, set_config, user_name};
pub use discover::{Repository, discover, discover_bare};
pub use error::{GitError, GitResult};
pub use log::{changed_files, commits_touching, contents_at, head_commit, list_commits, read_log};
pub use tracked::{ever_tracked, tracked_below, tracked_files};
pub use worktree::{is_ignored, uncommitted_files};
