//! Ways of working as data: what the phases of work are called, how its units nest and are named,
//! what one stage hands to the next, and how unfinished work is told.
//!
//! A definition is a TOML file; four are inside the program and others are the user's. This crate
//! reads text and computes: which file is read, and what is remembered, is decided elsewhere.

mod completion;
mod definition;
mod infer;
mod pattern;
mod raw;
mod read;
mod relay;
mod shipped;
mod template;
mod unit;
mod work_state;

pub use completion::{Completed, Completion};
pub use definition::{Level, Methodology, TypeDefinition};
pub use infer::{Inferred, Layout, SpecFiles, is_trunk};
pub use read::{DefinitionError, MOST_BYTES};
pub use relay::{Relay, RelayedMemory};
pub use shipped::{NATIVE, SHIPPED, Shipped, shipped};
pub use work_state::{FieldKind, StateField};
