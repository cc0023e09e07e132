//! Structured records: the part of memory that a team reads in a pull request.
//!
//! A record is a JSON file under `.claude/memory/`, in the folder of its category. What a record
//! is, what it may become, which one new information belongs to and when a session is worth one
//! are decided by pure functions over values; only [`files`] touches the disk. There is no
//! database here, no clock and no environment.

mod candidate;
mod category;
mod cud;
mod error;
pub mod files;
mod lifecycle;
mod merge;
mod protect;
mod record;
mod schema;
mod settings;
mod shape;
mod slug;
mod stamp;
mod text;
pub mod triage;

pub use candidate::{
    CANDIDATE_FLOOR, LIFECYCLE_EVENTS, Question, Selection, best_by_words, overlap, select,
};
pub use category::RecordCategory;
pub use cud::{Cud, Structural, resolve};
pub use error::{RecordError, RecordResult};
pub use lifecycle::{
    WINDOW_REASON, beyond_window, expired, expiry_reason, removable, unique_items, unique_warning,
};
pub use merge::{Merged, merge_files, merge_index, merge_records};
pub use protect::{
    RESURRECTION_HOURS, allow_create, archived, merged, new_record, redact, restored, retired,
    updated,
};
pub use record::{
    Change, Departure, MAX_CHANGES, MAX_FILES, MAX_TAGS, MAX_TITLE, Record, RecordStatus,
    SCHEMA_VERSION,
};
pub use schema::json_schema;
pub use settings::{CategorySettings, Settings};
pub use shape::{MAX_ITEMS, MAX_TEXT};
pub use slug::Slug;
pub use stamp::Stamp;
pub use text::{content_text, index_markdown, record_text};
