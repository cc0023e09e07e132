//! Conversion of SQLite errors to store errors.

use std::path::Path;

use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::{Error, ErrorCode};
use tacit_store::StoreError;

/// Converts an error of the database at `path`.
pub(crate) fn explain(path: &Path, error: &Error) -> StoreError {
    let path = path.to_path_buf();
    let detail = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, detail },
        Some(ErrorCode::NotADatabase) => {
            StoreError::Damaged { path, detail: "it is not an SQLite database".into() }
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { path, detail }
        }
        Some(ErrorCode::DiskFull) => StoreError::Full { path },
        // The shared-memory file could not grow, so the disk is full.
        Some(ErrorCode::SystemIoFailure)
            if error.sqlite_error().is_some_and(|e| e.extended_code == SQLITE_IOERR_SHMSIZE) =>
        {
            StoreError::Full { path }
        }
        Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => {
            StoreError::Io { path, source: std::io::Error::other(detail) }
        }
        _ => StoreError::Failed { path, detail },
    }
}

/// Converts the error of a value that cannot be encoded as JSON.
pub(crate) fn unwritable(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::ToSqlConversionFailure(Box::new(error))
}

/// Returns the error of a row that no version of tacit wrote.
pub(crate) fn damaged(path: &Path, detail: impl Into<String>) -> StoreError {
    StoreError::Damaged { path: path.to_path_buf(), detail: detail.into() }
}
