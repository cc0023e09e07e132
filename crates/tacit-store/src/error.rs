//! What can go wrong with a store, told apart by what the user can do about it.

use std::path::PathBuf;

use thiserror::Error;

/// The result of asking a store for something.
pub type StoreResult<T> = Result<T, StoreError>;

/// Why a store could not do what it was asked.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no store there.
    #[error("there is no database at `{}`", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Other processes kept it locked for longer than we wait.
    #[error("the database is locked by another process")]
    Busy,
    /// Its contents are not what a store writes.
    #[error("the database at `{}` is damaged: {detail}", path.display())]
    Damaged {
        /// Where it is.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// A newer version wrote it.
    #[error(
        "the database at `{}` has schema version {found}; this version of tacit knows up to {known}",
        path.display()
    )]
    TooNew {
        /// Where it is.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version known here.
        known: i64,
    },
    /// It, or the directory it is in, cannot be written.
    #[error("the database at `{}` cannot be written: {detail}", path.display())]
    ReadOnly {
        /// Where it is.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// A stranger could have put the file there.
    #[error("`{}` is not used: {why}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The reason why it is not trusted.
        why: String,
    },
    /// No space is left.
    #[error("no space is left for the database at `{}`", path.display())]
    Full {
        /// Where it is.
        path: PathBuf,
    },
    /// The file system refused.
    #[error("cannot use `{}`: {source}", path.display())]
    Io {
        /// What was used.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Anything else; a defect.
    #[error("the database at `{}` failed: {detail}", path.display())]
    Failed {
        /// Where it is.
        path: PathBuf,
        /// What was said.
        detail: String,
    },
}
