//! Structured records: the memories that a team reviews in pull requests.
//!
//! A record is a JSON file under `.claude/memory/`, in the folder of its category. Validation,
//! merging, candidate selection and triage are pure functions; only [`files`] accesses the disk.
//! There is no database, clock or environment here.

mod action;
mod candidate;
mod category;
mod error;
pub mod files;
mod lifecycle;
mod merge;
mod protect;
mod record;
mod record_time;
mod schema;
mod settings;
mod shape;
mod slug;
mod text;
pub mod triage;

pub use action::{AllowedAction, RecordAction, resolve_action};
pub use candidate::{
    CANDIDATE_FLOOR, CandidateQuery, CandidateSelection, LIFECYCLE_EVENTS, best_by_words, overlap,
    select_candidate,
};
pub use category::RecordCategory;
pub use error::{RecordError, RecordResult};
pub use lifecycle::{
    WINDOW_REASON, expiry_reason, is_expired, is_removable, sessions_beyond_window, unique_items,
    unique_warning,
};
pub use merge::{MergeResult, merge_files, merge_index, merge_records};
pub use protect::{
    RESURRECTION_HOURS, allow_create, apply_update, archive, merge_fields, new_record, redact,
    restore, retire,
};
pub use record::{
    MAX_CHANGES, MAX_FILES, MAX_TAGS, MAX_TITLE, Record, RecordChange, RecordStatus,
    SCHEMA_VERSION, StatusChange,
};
pub use record_time::RecordTime;
pub use schema::json_schema;
pub use settings::{CategorySettings, RecordSettings};
pub use shape::{MAX_ITEMS, MAX_TEXT};
pub use slug::Slug;
pub use text::{IndexForm, content_text, index_markdown, note_text, record_text};
