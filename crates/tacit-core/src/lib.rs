//! What a memory is, and what is told of an agent at work.
//!
//! Types, time, identifiers, and the rules for text live here; input and output of any kind do
//! not. Every value of a type in this crate is valid: text from the outside becomes one through a
//! constructor that checks it and names the field that is wrong.

mod clock;
mod config;
mod domain;
mod event;
mod field;
mod id;
pub mod log;
mod path;
mod text;

pub use clock::{Clock, Timestamp};
pub use config::{
    ColorChoice, Config, ConfigError, ConfigValue, KEYS, Key, KeyKind, RecordsCategoryConfig,
    RecordsConfig,
};
pub use domain::category::Category;
pub use domain::details::{
    ContextCost, DeadEnd, Details, E2eObservation, ObservationType, PlainType, PrefetchPattern,
    TaskCalibration, TokensFrom, WorkUnitOutcome,
};
pub use domain::draft::{Draft, DraftRelation, default_review};
pub use domain::error_pattern::{ErrorFix, ErrorPattern, ErrorResolution, LineChange};
pub use domain::identity::ContentHash;
pub use domain::kind::{BuiltinType, CustomType, MemoryType};
pub use domain::memory::{Memory, MemoryBody, Origin, Trust, Usage};
pub use domain::placement::{Placement, Scope, Subject};
pub use domain::recipe::{CheckKind, FileRole, RecipeStep, StepAction, StepFile, WorkflowRecipe};
pub use domain::record::{MemoryParseError, MemoryRecord};
pub use domain::relation::{Relation, RelationKind, RelationTarget, Relations};
pub use domain::status::{Review, Status, StatusKind};
pub use domain::upgrade::digest_of_token;
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
pub use id::{IdSource, MemoryId, SHORT_ID_LENGTH, ShortId};
pub use path::plain_path;
pub use text::bm25::{Bm25, rarity};
pub use text::clean::{Cleaned, clean, harmless};
pub use text::markdown::{
    BlockKind, MarkdownBlock, code_spans, markdown_blocks, outside_fences, prose,
};
pub use text::similarity::{BANDS, Signature, jaccard};
pub use text::slash::SlashCommand;
pub use text::tokens::{Tokens, tokenize};
pub use text::visible::{visible, visible_line};
