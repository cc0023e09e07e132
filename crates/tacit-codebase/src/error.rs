//! What can go wrong with the files of a graph.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum CodebaseError {
    /// A file or directory of the graph cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A database of the graph cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    Database {
        /// Which.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// There is no graph yet.
    #[error("there is no code graph of `{}` yet", root.display())]
    Missing {
        /// The worktree.
        root: PathBuf,
    },
    /// The packed graph is not whole.
    #[error("the code graph `{}` is damaged", path.display())]
    Damaged {
        /// Its file.
        path: PathBuf,
    },
    /// A folder lies where a file of the graph belongs, or a file where its folder does.
    #[error("`{}` is in the way of the code graph", path.display())]
    PathBlocked {
        /// Which.
        path: PathBuf,
    },
    /// The repository cannot be read.
    #[error(transparent)]
    Git(#[from] tacit_git::GitError),
}

impl CodebaseError {
    /// The file that is damaged, if that is what is wrong: it can be made again.
    pub(crate) fn damaged(&self) -> Option<&Path> {
        match self {
            CodebaseError::Damaged { path } => Some(path),
            CodebaseError::Database { path, source } if is_damage(source) => Some(path),
            _ => None,
        }
    }

    /// Whether it is that something cannot be written. What is there can still be read.
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

/// Whether a database is not as it was written. Whatever its tables do not explain is: nobody else
/// writes them.
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

/// What comes back.
pub type CodebaseResult<T> = Result<T, CodebaseError>;

pub(crate) fn io(path: &Path) -> impl Fn(std::io::Error) -> CodebaseError {
    move |source| CodebaseError::Io { path: path.to_path_buf(), source }
}

pub(crate) fn database(path: &Path) -> impl Fn(rusqlite::Error) -> CodebaseError {
    move |source| CodebaseError::Database { path: path.to_path_buf(), source }
}
