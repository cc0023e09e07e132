//! Errors of stores, by what the user can do about them.

use std::path::PathBuf;

use thiserror::Error;

/// The result of a store operation.
pub type StoreResult<T> = Result<T, StoreError>;

/// The error of a store operation.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database does not exist.
    #[error("there is no database at `{}`", path.display())]
    Missing {
        /// The expected path.
        path: PathBuf,
    },
    /// Other processes held the lock for longer than the timeout.
    #[error("the database is locked by another process")]
    Busy,
    /// The contents are damaged.
    #[error("the database at `{}` is damaged: {detail}", path.display())]
    Damaged {
        /// The path of the database.
        path: PathBuf,
        /// The damage that was found.
        detail: String,
    },
    /// A newer version wrote the database.
    #[error(
        "the database at `{}` has schema version {found}; this version of tacit knows up to {known}",
        path.display()
    )]
    TooNew {
        /// The path of the database.
        path: PathBuf,
        /// The schema version of the database.
        found: i64,
        /// The newest schema version that this program knows.
        known: i64,
    },
    /// An older version wrote the database, and this program may not upgrade it.
    #[error(
        "the database at `{}` has schema version {found}, but this version of tacit needs {needed}",
        path.display()
    )]
    OldSchema {
        /// The address of the database.
        path: PathBuf,
        /// The schema version of the database.
        found: i64,
        /// The schema version that this program needs.
        needed: i64,
    },
    /// The server does not answer, or not in time.
    #[error("the server at `{server}` cannot be reached: {detail}")]
    Unreachable {
        /// The address of the server, without a password.
        server: String,
        /// The cause.
        detail: String,
    },
    /// The project is in a team, but this process has no connection to the team's server.
    #[error("this project is not connected to its team at `{server}`: {detail}")]
    NotConnected {
        /// The address of the server, without a password.
        server: String,
        /// The cause.
        detail: String,
    },
    /// The server does not prove who it is, or offers no encryption, as the address demands.
    #[error("the server at `{server}` cannot be trusted: {detail}")]
    Untrusted {
        /// The address of the server, without a password.
        server: String,
        /// The cause.
        detail: String,
    },
    /// The user's password for the server cannot be looked up.
    #[error("there is no password for the server at `{server}`: {detail}")]
    NoPassword {
        /// The address of the server, without a password.
        server: String,
        /// The cause.
        detail: String,
    },
    /// The server refuses the user, or what the user wants to do.
    #[error("the server at `{server}` rejected the request: {detail}")]
    Denied {
        /// The address of the server, without a password.
        server: String,
        /// The cause.
        detail: String,
    },
    /// The database or its directory is read-only.
    #[error("the database at `{}` cannot be written: {detail}", path.display())]
    ReadOnly {
        /// The path of the database.
        path: PathBuf,
        /// The cause.
        detail: String,
    },
    /// The file may belong to somebody else.
    #[error("`{}` is not used: {why}", path.display())]
    Refused {
        /// The rejected file.
        path: PathBuf,
        /// The reason why it is not trusted.
        why: String,
    },
    /// The disk is full.
    #[error("no space is left for the database at `{}`", path.display())]
    Full {
        /// The path of the database.
        path: PathBuf,
    },
    /// The file system reported an error.
    #[error("cannot use `{}`: {source}", path.display())]
    Io {
        /// The affected path.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Any other error; a defect.
    #[error("the database at `{}` failed: {detail}", path.display())]
    Failed {
        /// The path of the database.
        path: PathBuf,
        /// The message of the database.
        detail: String,
    },
}
