//! The service behind the command line, the hooks and the MCP server.
//!
//! Memories enter through [`Engine::remember`] and leave through [`Engine::recall`]; edits,
//! forgetting and undo are here too. Wire formats and terminals are not: callers convert those to
//! this crate's types.

mod activity;
mod attest;
mod backup;
mod candidates;
mod capture;
mod capture_switch;
mod change;
mod code;
mod confidence;
mod config_file;
mod engine;
mod error;
mod fates;
mod file_links;
mod forget;
mod generation;
mod hyde;
mod inbox;
mod learning;
mod ledger;
mod life;
mod lookup;
mod maintenance;
mod modules;
mod observe;
mod past_sessions;
mod purge;
mod recall;
mod relations;
mod relocate;
pub mod remember;
mod repair;
mod requester;
mod semantic;
mod session_ends;
mod spool;
mod team;
mod transfer;
mod undo;
mod work;
mod written_cues;

pub use backup::{BackupFile, BackupOutcome, RestoredBackup};
pub use candidates::{MAX_LINKED_FILES, MIN_LINK_WEIGHT};
pub use capture_switch::{CaptureState, CaptureSwitch};
pub use change::ListChanges;
pub use code::{CodeIndex, FileCoverage, LinkReport, LocationMemories, RenameResolver};
pub use confidence::PlannedConfidence;
pub use config_file::{
    ConfigFile, ConfigFileError, ConfigOrigin, LoadedConfig, MigratedName, OldName,
};
pub use engine::{Engine, Requester, StoreAccess, StorePaths, StoreScope};
pub use error::{EngineError, EngineResult};
pub use forget::ForgetMode;
pub use generation::{GenerationError, GenerationPurpose};
pub use hyde::HypotheticalAnswer;
pub use inbox::{INBOX_FOLDER, inbox_size};
pub use learning::{
    LEARNING_CATEGORIES, Learning, SHORTEST_LEARNING, TOO_SHORT, confirmation, learning_category,
    learning_confidence, learning_name,
};
pub use ledger::{DailyTotal, Ledger, ModelCall, ModelCalls};
pub use life::{LifeReport, PlannedLife, ProjectState};
pub use lookup::StoredMemory;
pub use maintenance::{FailedStep, RunReport, StepReport};
pub use modules::{CardOutcome, CardWriter, ModuleCard, OrphanedCard};
pub use observe::{Explanation, ObservationSummary, SessionLog};
pub use past_sessions::PastSessionState;
pub use purge::{PurgeResult, TraceScan, quotes_in_file};
pub use recall::{
    OmittedResult, RecallPeriod, RecallRequest, RecallResult, RecallResults, ScoreBreakdown,
    SearchChannels,
};
pub use relocate::{RelocateError, relocate};
pub use remember::{
    RefusedRequest, RememberOutcome, RememberRequest, RememberResult, index_entry, redact_note,
    redact_record,
};
pub use repair::{DamagedCopy, RepairReport, StoreHealth, damaged_copies};
pub use semantic::Progress;
pub use spool::{RefusedEntry, Spool, SpoolEntry};
pub use tacit_observer::promotion::{Fate, PromotionStage, TraceEntry};
pub use tacit_recall::{CLEAR, RankProfile, RemovalReason, Strictness};
pub use tacit_store_sqlite::LostWrites;
pub use team::{
    CopyProgress, FollowReport, MoveReport, PreferencesReport, PreferencesState, StoreMove,
    TableDifference, TeamState,
};
pub use transfer::{
    EXPORT_HEADER, ImportLine, ImportOutcome, ImportPlan, ImportTrust, single_line_error,
};
pub use undo::UndoResult;
pub use work::{
    Consolidation, FinishedWork, MethodologyDefinition, MethodologyError, QaReportResult, Reporter,
    WorkContext, read_definition, spec_files,
};
