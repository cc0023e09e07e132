//! Learns memories from the logs of agent sessions.
//!
//! The crate is pure: its input is the log of a session tree, the digests of earlier ones and the
//! time; it reads no file and asks no model. Start reading in `pipeline.rs`.

pub mod application;
pub mod corrections;
mod digest;
mod file_edit;
mod files;
pub mod findings;
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
mod work_left;

pub use digest::{SessionDigest, estimate_tokens};
pub use file_edit::FileEdit;
pub use files::module;
pub use fingerprint::{Fingerprint, error_fingerprint, error_lines, without_escapes};
pub use git_commits::{CommitCommand, GitCommit, commit_commands, git_commits, program};
pub use pipeline::{Conclusions, KnownMemories, learn};
pub use shell::{
    CommandSeparator, JoinedCommand, joined_commands, redirected_files, simple_commands,
};
pub use timeline::{CommandRun, FailedCall, StepKind, Timeline, TimelineStep};
pub use work_left::{OpenCheck, WorkLeft, is_trial, open_checks, shown_checks};
