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
pub use change::ListChanges;
pub use code::{CodeIndex, FileCoverage, LinkReport, LocationMemories, RenameResolver};
pub use config_file::{ConfigFile, ConfigFileError, LoadedConfig, Origin as ConfigOrigin};
pub use engine::{Engine, Requester, StoreAccess, StorePaths, StoreScope};
pub use error::{EngineError, EngineResult};
pub use forget::ForgetMode;
pub use generation::{GenerationError, GenerationPurpose};
pub use hyde::HypotheticalAnswer;
pub use inbox::{INBOX, inbox_size};
pub use learning::{
    LEARNING_CATEGORIES, Learning, SHORTEST_LEARNING, TOO_SHORT, confirmation, learning_category,
    learning_confidence, learning_name,
};
pub use ledger::{DailyTotal, Ledger, ModelCall, ModelCalls};
pub use lookup::StoredMemory;
pub use maintenance::FailedStep;
pub use modules::{CardOutcome, CardWriter, ModuleCard, OrphanedCard};
pub use observe::{Explanation, ObservationSummary};
pub use purge::PurgeResult;
pub use recall::{
    OmittedResult, RecallPeriod, RecallRequest, RecallResult, RecallResults, ScoreBreakdown,
    SearchChannels,
};
pub use relocate::{RelocateError, relocate};
pub use remember::{
    RememberOutcome, RememberRequest, RememberResult, index_entry, redact_note, redact_record,
};
pub use repair::{DamagedCopy, RepairReport, StoreHealth, damaged_copies};
pub use semantic::Progress;
pub use switch::{CaptureState, CaptureSwitch};
pub use tacit_observer::promotion::{Fate, TraceEntry};
pub use tacit_recall::{RankProfile, RemovalReason, Strictness};
pub use tacit_store_sqlite::LostWrites;
pub use transfer::{
    EXPORT_HEADER, ImportLine, ImportOutcome, ImportPlan, ImportTrust, in_one_line,
};
pub use undo::UndoResult;
pub use work::{
    Consolidation, FinishedWork, MethodologyDefinition, MethodologyError, QaReportResult, Reporter,
    WorkContext, read_definition, spec_files,
};
