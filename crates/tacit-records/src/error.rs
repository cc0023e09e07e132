//! Why something was not done, with a code that agents and scripts can tell apart.

use std::path::PathBuf;

use tacit_core::FieldError;
use thiserror::Error;

use crate::category::RecordCategory;
use crate::record_time::RecordTime;

/// The result of doing something with records.
pub type RecordResult<T> = Result<T, RecordError>;

/// Why something was not done. Nothing was written.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum RecordError {
    #[error("{}", lines(.0))]
    Invalid(Vec<FieldError>),
    #[error("{}", .0.join("\n"))]
    Protected(Vec<String>),
    #[error(
        "`{path}` was retired on {at}; the same name cannot be used again within 24 hours of that"
    )]
    Resurrection { path: String, at: RecordTime },
    #[error("`{path}` is already there ({status})")]
    Exists { path: String, status: &'static str },
    #[error("`{path}` has changed: its hash is {found}, not {expected}")]
    Conflict { path: String, expected: String, found: String },
    #[error("`{path}` is {from}, so that it cannot be {to}")]
    Transition { path: String, from: &'static str, to: &'static str },
    #[error("there is no record `{0}`")]
    NotFound(String),
    #[error("`{name}` can mean {}", choices.join(" and "))]
    Ambiguous { name: String, choices: Vec<String> },
    #[error("`{path}` cannot be used: {why}")]
    Path { path: String, why: String },
    #[error("there are {max} records of category `{category}`, which is as many as are kept")]
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
    /// The code of this error.
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
