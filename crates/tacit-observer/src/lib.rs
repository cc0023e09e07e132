//! From what agents did to what the project knows.
//!
//! Everything here is a function of values: the log of a session tree, what is kept of earlier ones,
//! and the moment. `pipeline.rs` is the way from one to the other, top to bottom. Nothing is read or
//! written, and no model is asked.

pub mod application;
pub mod corrections;
mod digest;
mod file_edit;
mod files;
mod fingerprint;
mod git_commits;
pub mod log;
mod pipeline;
pub mod promotion;
pub mod recipes;
pub mod reverts;
pub mod rules;
pub mod scratchpad;
pub mod session_tree;
mod shell;
pub mod signals;
mod text;
mod timeline;
pub mod validation;

pub use digest::{SessionDigest, estimated_tokens};
pub use file_edit::FileEdit;
pub use files::module;
pub use fingerprint::{Fingerprint, error_fingerprint, error_lines, without_escapes};
pub use git_commits::{CommitCommand, GitCommit, commit_commands, git_commits, program};
pub use pipeline::{Conclusions, KnownMemories, learn};
pub use shell::{
    CommandSeparator, JoinedCommand, joined_commands, redirected_files, simple_commands,
};
pub use timeline::{CommandRun, StepKind, Timeline, TimelineStep};
