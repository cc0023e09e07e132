//! Work: methodologies with their phases and units, the current work, relays between stages, QA
//! findings, outcomes, and unfinished work.
//!
//! A methodology is a TOML file; four are built in, others belong to the user. This crate only
//! parses and computes; callers read files and store results.

mod activity;
mod completion;
pub mod consolidate;
mod current;
mod definition;
mod infer;
mod outcome;
mod pattern;
mod qa;
mod raw;
mod read;
pub mod reflexion;
mod relay;
mod runner;
pub mod scope;
mod shipped;
mod template;
mod unfinished;
mod unit;
mod work_state;
pub mod written_state;

pub use activity::SessionActivity;
pub use completion::Completion;
pub use current::{CurrentWork, UnitSource, WorkReport};
pub use definition::{HierarchyLevel, Methodology, TypeDefinition};
pub use infer::{SpecFiles, SpecLayout, is_trunk};
pub use outcome::{FinishedUnit, UnitHistory};
pub use qa::{QaIssue, QaSeverity, open_qa_reports};
pub use read::{DefinitionError, MAX_DEFINITION_BYTES};
pub use relay::{Relay, RelayedMemory, is_volatile};
pub use runner::TestRun;
pub use shipped::{NATIVE, SHIPPED, ShippedDefinition, shipped_methodology};
pub use unfinished::{
    SessionEnd, SessionResult, UnfinishedWork, UnresolvedCheck, earlier_state, failing_commands,
    last_state, uncommitted_files,
};
pub use work_state::{FieldKind, StateField};

/// A question to a text model. The caller must redact secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelQuestion {
    /// The constant task.
    pub task: &'static str,
    /// The data it is about.
    pub about: String,
    /// Maximum number of tokens in the answer.
    pub max_tokens: u32,
}
