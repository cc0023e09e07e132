//! Learns memories from the logs of agent sessions.
//!
//! The crate is pure: its input is the log of a session tree, the digests of earlier ones and the
//! time; it reads no file and asks no model. Start reading in `pipeline.rs`.

pub mod application;
mod code_lines;
mod command_form;
pub mod corrections;
mod cues;
mod digest;
pub mod fates;
mod file_edit;
mod files;
pub mod findings;
mod fingerprint;
mod git_commits;
pub mod lessons;
pub mod log;
pub mod observations;
mod outcomes;
mod pipeline;
pub mod promotion;
mod read_files;
pub mod recipes;
pub mod reverts;
pub mod rules;
pub mod scratchpad;
pub mod session_tree;
mod shell;
pub mod signals;
mod task_prefix;
mod tasks;
mod text;
mod timeline;
pub mod turns;
pub mod validation;
mod work_left;

pub use command_form::{runs_command, runs_form};
pub use digest::{LintRule, SessionDigest, estimate_tokens};
pub use file_edit::FileEdit;
pub use files::module;
pub use fingerprint::{Fingerprint, error_fingerprint, error_lines, without_escapes};
pub use git_commits::{CommitCommand, GitCommit, commit_commands, git_commits, program};
pub use outcomes::{ErrorCase, FailedCheckStreak, Resolution, SessionOutcome};
pub use pipeline::{Conclusions, ExaminedTree, KnownMemories, examine, learn};
pub use read_files::read_files;
pub use shell::{
    CommandSeparator, JoinedCommand, joined_commands, redirected_files, simple_commands,
};
pub use tasks::{MAX_TASK_FILE, ProjectTask, TASK_FILES, TaskDefinitions, TaskRunner};
pub use timeline::{CommandRun, FailedCall, StepKind, Timeline, TimelineStep};
pub use work_left::{OpenCheck, WorkLeft, open_checks, shown_checks};
