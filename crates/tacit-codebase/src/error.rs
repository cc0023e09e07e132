//! Errors of the code graph and its files.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// An error of the code graph.
#[derive(Debug, thiserror::Error)]
pub enum CodebaseError {
    /// A file or directory cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A database cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    Database {
        /// The database file.
        path: PathBuf,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// The graph has not been built yet.
    #[error("there is no code graph of `{}` yet", root.display())]
    Missing {
        /// The root of the worktree.
        root: PathBuf,
    },
    /// A derived file is damaged.
    #[error("the code graph `{}` is damaged", path.display())]
    Damaged {
        /// The damaged file.
        path: PathBuf,
    },
    /// A directory is in the place of a file, or a file in the place of a directory.
    #[error("`{}` is in the way of the code graph", path.display())]
    PathBlocked {
        /// The path that is in the way.
        path: PathBuf,
    },
    /// The repository cannot be read.
    #[error(transparent)]
    Git(#[from] tacit_git::GitError),
}

impl CodebaseError {
    /// Returns the damaged file, which can be rebuilt.
    pub(crate) fn damaged(&self) -> Option<&Path> {
        match self {
            CodebaseError::Damaged { path } => Some(path),
            CodebaseError::Database { path, source } if is_damage(source) => Some(path),
            _ => None,
        }
    }

    /// Returns true if something cannot be written. Existing files can still be read.
    #[must_use]
    pub fn is_unwritable(&self) -> bool {
        use std::io::ErrorKind;
        match self {
            CodebaseError::Io { source, .. } => matches!(
                source.kind(),
                ErrorKind::PermissionDenied
                    | ErrorKind::ReadOnlyFilesystem
                    | ErrorKind::StorageFull
                    | ErrorKind::QuotaExceeded
            ),
            CodebaseError::Database { source, .. } => matches!(
                source.sqlite_error_code(),
                Some(
                    ErrorCode::ReadOnly
                        | ErrorCode::PermissionDenied
                        | ErrorCode::CannotOpen
                        | ErrorCode::DiskFull
                )
            ),
            _ => false,
        }
    }
}

/// Returns true if a database is damaged. Any error that its environment does not explain counts,
/// because only Tacit writes these tables.
fn is_damage(error: &rusqlite::Error) -> bool {
    !matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::CannotOpen
                | ErrorCode::DiskFull
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::OperationInterrupted
                | ErrorCode::OutOfMemory
                | ErrorCode::SystemIoFailure
        )
    )
}

/// The result of an operation on the code graph.
pub type CodebaseResult<T> = Result<T, CodebaseError>;

pub(crate) fn io(path: &Path) -> impl Fn(std::io::Error) -> CodebaseError {
    move |source| CodebaseError::Io { path: path.to_path_buf(), source }
}

pub(crate) fn database(path: &Path) -> impl Fn(rusqlite::Error) -> CodebaseError {
    move |source| CodebaseError::Database { path: path.to_path_buf(), source }
}
