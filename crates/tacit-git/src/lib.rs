//! Reading git repositories. Nothing here writes to git.

mod discover;
mod log;
mod tracked;

pub use discover::{Repository, bare, discover};
pub use log::{GitError, GitResult, commits, contents_at, head, read_log, touching, uncommitted};
pub use tracked::{tracked, tracked_below};
