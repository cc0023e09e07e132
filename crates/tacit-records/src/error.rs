//! Errors of record operations, with codes that agents and scripts can distinguish.

use std::path::PathBuf;

use tacit_core::FieldError;
use thiserror::Error;

use crate::category::RecordCategory;
use crate::record_time::RecordTime;

/// The result of a record operation.
pub type RecordResult<T> = Result<T, RecordError>;

/// An error of a record operation. Nothing was written.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum RecordError {
    #[error("{}", lines(.0))]
    Invalid(Vec<FieldError>),
    #[error("{}", .0.join("\n"))]
    Protected(Vec<String>),
    #[error("`{path}` was retired on {at}; its name cannot be reused for 24 hours")]
    Resurrection { path: String, at: RecordTime },
    #[error("`{path}` already exists ({status})")]
    Exists { path: String, status: &'static str },
    #[error("`{path}` has changed: its hash is {found}, not {expected}")]
    Conflict { path: String, expected: String, found: String },
    #[error("`{path}` is {from}, so it cannot be {to}")]
    Transition { path: String, from: &'static str, to: &'static str },
    #[error("there is no record `{0}`")]
    NotFound(String),
    #[error("`{name}` is ambiguous: {}", choices.join(" or "))]
    Ambiguous { name: String, choices: Vec<String> },
    #[error("`{path}` cannot be used: {why}")]
    Path { path: String, why: String },
    #[error("category `{category}` is full: it has {}", record_count(*max))]
    Full { category: RecordCategory, max: u64 },
    #[error("category `{0}` is turned off")]
    Disabled(RecordCategory),
    #[error("`{path}` has an unresolved merge conflict on line {line}")]
    Unmerged { path: String, line: usize },
    #[error("another process is writing to the records in `{}`", .0.display())]
    Busy(PathBuf),
    #[error("cannot use `{}`: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl RecordError {
    /// Returns the code of this error.
    pub fn code(&self) -> &'static str {
        match self {
            RecordError::Invalid(_) => "VALIDATION_ERROR",
            RecordError::Protected(_) => "MERGE_ERROR",
            RecordError::Resurrection { .. } => "ANTI_RESURRECTION_ERROR",
            RecordError::Exists { .. } => "ALREADY_EXISTS",
            RecordError::Conflict { .. } => "OCC_CONFLICT",
            RecordError::Transition { .. } => "STATUS_ERROR",
            RecordError::NotFound(_) => "NOT_FOUND",
            RecordError::Ambiguous { .. } => "AMBIGUOUS",
            RecordError::Path { .. } => "PATH_ERROR",
            RecordError::Full { .. } => "CATEGORY_FULL",
            RecordError::Disabled(_) => "CATEGORY_DISABLED",
            RecordError::Unmerged { .. } => "MERGE_CONFLICT",
            RecordError::Busy(_) => "LOCKED",
            RecordError::Io { .. } => "IO_ERROR",
        }
    }
}

fn lines(errors: &[FieldError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// `1 record`, `2 records`.
pub(crate) fn record_count(number: u64) -> String {
    if number == 1 { "1 record".to_owned() } else { format!("{number} records") }
}
