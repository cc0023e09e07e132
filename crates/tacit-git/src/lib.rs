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
pub use discover::{Repository, bare, discover};
pub use error::{GitError, GitResult};
pub use log::{commits, contents_at, files_of, head, read_log, touching};
pub use tracked::{ever_tracked, tracked, tracked_below};
pub use worktree::{is_ignored, uncommitted};
