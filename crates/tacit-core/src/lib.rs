//! The domain model: memories, and the events of agents at work.
//!
//! The crate holds types, time, identifiers and rules for text, and does no input or output. Every
//! value is valid: text from outside is parsed by a constructor that names the invalid field.

pub mod calendar;
mod clock;
mod config;
mod domain;
mod event;
mod field;
mod holdout;
mod id;
pub mod log;
mod path;
mod text;

pub use clock::{Clock, Timestamp};
pub use config::{
    ColorChoice, CommandGuard, Config, ConfigError, ConfigKey, ConfigValue, DocumentedKey, KEYS,
    KeyKind, KeyName, RecordsCategoryConfig, RecordsConfig,
};
pub use domain::category::Category;
pub use domain::cue::{Cue, Cues};
pub use domain::details::{
    ContextCost, DeadEnd, Details, E2eObservation, ObservationType, PlainType, PrefetchPattern,
    TaskCalibration, TokensFrom, WorkUnitOutcome,
};
pub use domain::draft::{Draft, DraftRelation, default_review};
pub use domain::error_pattern::{ErrorFix, ErrorPattern, ErrorResolution, LineChange};
pub use domain::fate::Fate;
pub use domain::identity::ContentHash;
pub use domain::kind::{BuiltinType, CustomType, MemoryType};
pub use domain::life::{
    LearntMemory, LifeFacts, LifeStep, RECIPE_COMMIT_DAYS, depends_on_files, life_step, surplus,
};
pub use domain::memory::{Memory, MemoryBody, Origin, Trust, Usage};
pub use domain::placement::{Placement, Scope, Subject, Visibility};
pub use domain::propagation::{LEAST_CHANGE, RelatedMemory, derive_confidences};
pub use domain::recipe::{CheckKind, FileRole, RecipeStep, StepAction, StepFile, WorkflowRecipe};
pub use domain::record::{MemoryParseError, MemoryRecord};
pub use domain::relation::{Relation, RelationKind, RelationTarget, Relations};
pub use domain::status::{Review, StaleKind, Status, StatusKind};
pub use domain::upgrade::digest_of_token;
pub use domain::usefulness::{
    MOST_LOWERED, MOST_RAISED, SILENCED_INJECTIONS, SILENCED_SESSIONS, Silence, Usefulness,
};
pub use domain::values::{
    Author, BoundedSet, Citation, CommitSha, Confidence, Content, Files, FingerprintDigest,
    Generator, HalfLife, Module, Modules, NodeRef, Reasoning, Reference, References, RepoPath,
    SessionId, Sessions, Source, SymbolRef, Symbols, Tag, Tags, Title, UniversalPhase,
};
pub use domain::work_unit::WorkUnitRef;
pub use event::{
    AgentEvent, BatchCall, ClientName, CompactTrigger, EventKind, EventLimits, EventName,
    FailureCause, StartSource, Subagent, ToolFailure, ToolKind, ToolOutcome, ToolUse, VisitText,
    bytes_cut, shorten_text, visit_value,
};
pub use field::{FieldError, Problem};
pub use holdout::is_held_out;
pub use id::{IdSource, MemoryId, SHORT_ID_LENGTH, ShortId};
pub use path::normalise_path;
pub use text::bm25::{Bm25, inverse_document_frequency};
pub use text::clean::{Cleaned, clean, escape_tags};
pub use text::markdown::{
    BlockKind, MarkdownBlock, code_spans, lines_outside_fences, markdown_blocks, prose,
};
pub use text::open_points::open_points;
pub use text::prompt::pasted::{PromptPart, prompt_parts};
pub use text::prompt::requests::UserRequests;
pub use text::prompt::{is_client_note, own_words, task_of_prompt};
pub use text::quotation::Quotations;
pub use text::sentences::{end_sentence, sentences, shorten_at_sentence, shorten_at_word};
pub use text::similarity::{BANDS, Signature, jaccard};
pub use text::slash::SlashCommand;
pub use text::tokens::{Tokens, tokenize};
pub use text::visible::{visible, visible_line};
