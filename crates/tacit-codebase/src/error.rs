//! What can go wrong with the files of a graph.

use std::path::{Path, PathBuf};

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
    /// The repository cannot be read.
    #[error(transparent)]
    Git(#[from] tacit_git::GitError),
}

impl CodebaseError {
    /// Whether a database is not what it should be, so that only making it again helps.
    pub(crate) fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
        let CodebaseError::Database { source, .. } = self else { return false };
        match source.sqlite_error_code() {
            Some(code) => matches!(code, DatabaseCorrupt | NotADatabase | Unknown),
            // Rows with something else in them.
            None => true,
        }
    }
}

/// What comes back.
pub type CodebaseResult<T> = Result<T, CodebaseError>;

pub(crate) fn io(path: &Path) -> impl Fn(std::io::Error) -> CodebaseError {
    move |source| CodebaseError::Io { path: path.to_path_buf(), source }
}

pub(crate) fn database(path: &Path) -> impl Fn(rusqlite::Error) -> CodebaseError {
    move |source| CodebaseError::Database { path: path.to_path_buf(), source }
}
