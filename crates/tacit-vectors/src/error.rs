//! Errors, and the reasons to rebuild an index.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// An error of an index; the message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file operation failed.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// The operation, as a verb.
        action: &'static str,
        /// The file of the operation.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The content of an index does not match its checksums.
    #[error("the vector index `{}` is damaged ({detail}); rebuild it from the database", path.display())]
    Damaged {
        /// The index.
        path: PathBuf,
        /// The damaged part.
        detail: String,
    },
    /// Another process held the write lock for longer than the caller would wait.
    #[error("the vector index `{}` is being written by another process; try again later", path.display())]
    Busy {
        /// The index.
        path: PathBuf,
    },
    /// The number of dimensions is not supported.
    #[error("vectors of {dims} dimensions cannot be indexed; use 1 to {max}", max = crate::MAX_DIMS)]
    BadDims {
        /// The requested number.
        dims: usize,
    },
    /// A vector has the wrong number of dimensions.
    #[error("a vector of {found} dimensions does not fit `{}`, which has {expected}", path.display())]
    WrongDims {
        /// The index.
        path: PathBuf,
        /// The dimensions of the index.
        expected: usize,
        /// The dimensions of the vector.
        found: usize,
    },
    /// A vector contains infinity or NaN.
    #[error("{detail} for `{}` has an infinite or undefined component", path.display())]
    NotFinite {
        /// The index.
        path: PathBuf,
        /// A description of the vector.
        detail: String,
    },
    /// A batch is older than the index.
    #[error("`{}` is at generation {at}; a batch for generation {given} is too old", path.display())]
    Backwards {
        /// The index.
        path: PathBuf,
        /// The generation of the index.
        at: u64,
        /// The generation of the batch.
        given: u64,
    },
    /// The index has reached the maximum number of rows.
    #[error("the vector index `{}` is full; rebuild it", path.display())]
    Full {
        /// The index.
        path: PathBuf,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    pub(crate) fn damaged(path: &Path, detail: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), detail: detail.into() }
    }
}

/// The reason why an index must be rebuilt before use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RebuildReason {
    /// The file does not exist.
    Absent,
    /// The file was written by another version, or is not an index.
    OtherFormat,
    /// The file contains vectors of another model.
    OtherModel {
        /// The model of the file, possibly truncated.
        found: String,
    },
    /// The vectors in the file have another length.
    OtherDims {
        /// The dimensions of the file.
        found: usize,
    },
    /// The header or the last rows do not match their checksums, or the file is too short.
    Damaged(String),
}

impl fmt::Display for RebuildReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => write!(f, "there is no vector index yet"),
            Self::OtherFormat => write!(f, "the vector index has another format"),
            Self::OtherModel { found } => write!(f, "the vector index is of model `{found}`"),
            Self::OtherDims { found } => write!(f, "the vector index has {found} dimensions"),
            Self::Damaged(detail) => write!(f, "the vector index is damaged: {detail}"),
        }
    }
}

/// The result of opening an index.
#[derive(Debug)]
pub enum Opened<T> {
    /// The index can be used.
    Ready(T),
    /// The index must be rebuilt first, for this reason.
    Rebuild(RebuildReason),
}

impl<T> Opened<T> {
    /// Returns the index if it can be used.
    pub fn ready(self) -> Option<T> {
        match self {
            Self::Ready(ready) => Some(ready),
            Self::Rebuild(_) => None,
        }
    }

    /// Returns the reason to rebuild, if there is one.
    pub fn reason(&self) -> Option<&RebuildReason> {
        match self {
            Self::Ready(_) => None,
            Self::Rebuild(reason) => Some(reason),
        }
    }
}
