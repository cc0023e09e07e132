//! Errors of the engine, by what the user can do about them.

use std::path::PathBuf;

use tacit_core::{FieldError, Memory, MemoryId, MemoryParseError, Problem, Timestamp};
use tacit_store::{ChangeId, StoreError};
use thiserror::Error;

/// The result of an engine operation.
pub type EngineResult<T> = Result<T, EngineError>;

/// The error of an engine operation.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{}", list(.0))]
    Invalid(Vec<FieldError>),
    #[error("`{}` has no memory yet", root.display())]
    NotInitialised { root: PathBuf },
    #[error("no memory has the id `{text}`")]
    NoSuchMemory { text: String },
    #[error("no session is called `{text}`")]
    NoSuchSession { text: String },
    #[error("`{text}` is not a memory id")]
    NotAnId { text: String },
    #[error("`{text}` is ambiguous: it matches {} memories", matches.len())]
    Ambiguous { text: String, matches: Vec<Memory> },
    #[error("this was forgotten on {at} ({reason})")]
    RecentlyForgotten { id: MemoryId, at: Timestamp, reason: String },
    #[error("ask the user first: {0}")]
    AskFirst(String),
    #[error("only a person can {0}")]
    PersonOnly(&'static str),
    #[error("memory {} follows `{file}`", id.short())]
    FollowsFile { id: MemoryId, file: String },
    #[error("this duplicates memory {}", .0.short())]
    Duplicate(MemoryId),
    #[error("memory {} is already {state}", id.short())]
    AlreadyInState { id: MemoryId, state: &'static str },
    #[error("there is nothing to undo")]
    NothingToUndo,
    #[error("the last change was a purge (change {0}), which cannot be undone")]
    LastWasPurge(ChangeId),
    #[error("there is no change {0}")]
    NoSuchChange(ChangeId),
    #[error("change {change} cannot be undone: {why}")]
    CannotUndo { change: ChangeId, why: String },
    #[error("cannot embed: {0}")]
    Embedding(String),
    #[error("the vector index cannot be used: {0}")]
    Vectors(String),
    #[error("your role on `{server}` does not allow this purge, so nothing was changed")]
    MayNotPurge { server: String },
    #[error("the answer to the purge was lost: {0}")]
    PurgeUnanswered(StoreError),
    #[error("the project already has memories on `{server}`")]
    NotEmpty { server: String },
    #[error("line {line}: {problem}")]
    Import { line: usize, problem: String },
    #[error("cannot use `{}`: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("cannot be written as JSON: {0}")]
    Serialise(#[from] serde_json::Error),
}

impl From<FieldError> for EngineError {
    fn from(error: FieldError) -> EngineError {
        EngineError::Invalid(vec![error])
    }
}

impl From<MemoryParseError> for EngineError {
    fn from(error: MemoryParseError) -> EngineError {
        match error {
            MemoryParseError::Field(error) => error.into(),
            MemoryParseError::Json(text) => FieldError::new("memory", Problem::rule(text)).into(),
        }
    }
}

impl EngineError {
    /// Returns true if retrying later may help.
    pub fn is_busy(&self) -> bool {
        matches!(
            self,
            EngineError::Store(
                StoreError::Busy
                    | StoreError::Unreachable { .. }
                    | StoreError::NotConnected { .. }
                    | StoreError::Untrusted { .. }
                    | StoreError::NoPassword { .. }
            )
        )
    }

    /// Returns true if this process may not write to the store, as in an agent's sandbox.
    pub fn is_read_only(&self) -> bool {
        match self {
            EngineError::Store(StoreError::ReadOnly { .. }) => true,
            EngineError::Store(StoreError::Io { source, .. }) | EngineError::Io { source, .. } => {
                use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
                matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem)
            }
            _ => false,
        }
    }
}

fn list(errors: &[FieldError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
