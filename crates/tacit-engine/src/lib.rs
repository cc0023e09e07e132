//! The one service all doors use.
//!
//! Everything enters through [`Engine::remember`] and leaves through [`Engine::recall`]; what
//! happens to a memory in between (edits, forgetting, undoing) is here too. Wire formats and
//! terminals are not: doors turn those into this crate's types.

mod activity;
mod attest;
mod candidates;
mod capture;
mod change;
mod code;
mod config_file;
mod engine;
mod error;
mod forget;
mod generation;
mod hyde;
mod inbox;
mod learning;
mod ledger;
mod lookup;
mod maintenance;
mod modules;
mod observe;
mod purge;
mod recall;
mod relocate;
pub mod remember;
mod repair;
mod semantic;
mod switch;
mod transfer;
mod undo;
mod voice;
mod work;

pub use candidates::{LINKED, LINKED_FILES};
pub use code::{Code, Known, KnownAbout, Linking, Whereabouts};
pub use config_file::{ConfigFile, ConfigFileError, ConfigOrigin, LoadedConfig, OldName};
pub use engine::{Engine, Needs, Places, Shelf, Voice};
pub use error::{EngineError, EngineResult};
pub use forget::Departure;
pub use generation::{NotGenerated, Purpose};
pub use hyde::Supposed;
pub use inbox::{INBOX, inbox_size};
pub use learning::{
    LEARNING_CATEGORIES, Learning, SHORTEST_LEARNING, TOO_SHORT, confirmation, learning_category,
    learning_confidence, learning_name,
};
pub use ledger::{Call, Calls, Ledger, Total};
pub use lookup::Found;
pub use maintenance::FailedStep;
pub use modules::{CardKept, GoneCard, ModuleCard, Wording};
pub use observe::{Explanation, Observed};
pub use purge::Purged;
pub use recall::{Answers, Channels, Omitted, Period, Recall, Recalled, Why};
pub use relocate::{RelocateError, relocate};
pub use remember::{Outcome, Remembered, Request, index_entry, redact_note, redact_record};
pub use repair::{DamagedCopy, Health, Repair, damaged_copies};
pub use semantic::Progress;
pub use switch::{CaptureState, Switch};
pub use tacit_observer::promotion::{Considered, Fate};
pub use tacit_recall::{Profile, Removal, Strictness};
pub use tacit_store_sqlite::Losses;
pub use transfer::{EXPORT_HEADER, ImportPlan, ImportedAs, Incoming, Standing, in_one_line};
pub use undo::Undone;
pub use work::{
    Consolidated, Definition, Finished, Here, MethodologyError, QaNoted, Reporter, read_definition,
    spec_files,
};
