//! Work: what its phases and units are called, what is being worked on, what one stage hands to the
//! next, what QA found, what came of a unit, and where unfinished work was left.
//!
//! A way of working is a TOML file; four are inside the program and others are the user's. This crate
//! reads text and computes: which file is read, and what is stored, is decided elsewhere.

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

pub use activity::SessionActivity;
pub use completion::Completion;
pub use current::{CurrentWork, UnitSource, WorkReport};
pub use definition::{HierarchyLevel, Methodology, TypeDefinition};
pub use infer::{SpecFiles, SpecLayout, is_trunk};
pub use outcome::{FinishedUnit, UnitHistory};
pub use qa::{QaIssue, QaSeverity};
pub use read::{DefinitionError, MAX_DEFINITION_BYTES};
pub use relay::{Relay, RelayedMemory, is_volatile};
pub use runner::TestRun;
pub use shipped::{NATIVE, SHIPPED, ShippedDefinition, shipped_methodology};
pub use unfinished::{Unfinished, last_state};
pub use work_state::{FieldKind, StateField};

/// A question to a text model. Whoever asks it takes out secrets before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelQuestion {
    /// The task, which is the same each time.
    pub task: &'static str,
    /// The data it is about.
    pub about: String,
    /// The most tokens of an answer.
    pub max_tokens: u32,
}
