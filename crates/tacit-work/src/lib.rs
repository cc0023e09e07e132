//! Work: what its phases and units are called, what is being worked on, what one stage hands to the
//! next, what QA found, what came of a unit, and where unfinished work was left.
//!
//! A way of working is a TOML file; four are inside the program and others are the user's. This crate
//! reads text and computes: which file is read, and what is stored, is decided elsewhere.

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
mod trail;
mod unfinished;
mod unit;
mod work_state;

pub use completion::Completion;
pub use current::{KnownBy, Report, Work};
pub use definition::{Level, Methodology, TypeDefinition};
pub use infer::{Layout, SpecFiles, is_trunk};
pub use outcome::{Course, Done};
pub use qa::{QaIssue, Severity};
pub use read::{DefinitionError, MOST_BYTES};
pub use relay::{Relay, RelayedMemory, is_volatile};
pub use runner::TestRun;
pub use shipped::{NATIVE, SHIPPED, Shipped, shipped};
pub use trail::Trail;
pub use unfinished::{Unfinished, last_state};
pub use work_state::{FieldKind, StateField};

/// A question to a text model. Whoever asks it takes out secrets before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The task, which is the same each time.
    pub task: &'static str,
    /// The data it is about.
    pub about: String,
    /// The most tokens of an answer.
    pub max_tokens: u32,
}
