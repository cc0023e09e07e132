//! What can go wrong, and why an index may have to be rebuilt.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// A failure that names the file and says what is wrong with it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused an operation on a file.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was attempted.
        action: &'static str,
        /// The file it was attempted on.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The body of an index contradicts its checksums.
    #[error("the vector index `{}` is damaged ({what}); rebuild it from the database", path.display())]
    Damaged {
        /// The index.
        path: PathBuf,
        /// Where the damage shows.
        what: String,
    },
    /// Another process holds the write lock for longer than the caller is willing to wait.
    #[error("the vector index `{}` is being written by another process; try again later", path.display())]
    Busy {
        /// The index.
        path: PathBuf,
    },
    /// No index can have that many dimensions.
    #[error("vectors of {dims} dimensions cannot be indexed; between 1 and {max} can", max = crate::MAX_DIMS)]
    BadDims {
        /// The number asked for.
        dims: usize,
    },
    /// A vector does not have the index's number of dimensions.
    #[error("a vector of {found} dimensions does not fit `{}`, which holds {expected}", path.display())]
    WrongDims {
        /// The index.
        path: PathBuf,
        /// The dimensions of the index.
        expected: usize,
        /// The dimensions of the vector.
        found: usize,
    },
    /// A vector contains an infinity or a NaN.
    #[error("{what} for `{}` has an infinite or undefined component", path.display())]
    NotFinite {
        /// The index.
        path: PathBuf,
        /// Which vector it is.
        what: String,
    },
    /// A batch would take the index back in time.
    #[error("`{}` is at generation {at} already; a batch for generation {given} came too late", path.display())]
    Backwards {
        /// The index.
        path: PathBuf,
        /// The generation the file is in step with.
        at: u64,
        /// The generation of the batch.
        given: u64,
    },
    /// The index holds as many rows as its numbering allows.
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

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }
}

/// Why an index cannot be used as it is: in every case the answer is to rebuild it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RebuildReason {
    /// There is no file yet.
    Absent,
    /// It was written by another version of this code, or is no index at all.
    OtherFormat,
    /// It holds vectors of another model.
    OtherModel {
        /// The model the file was made for, possibly cut short.
        found: String,
    },
    /// It holds vectors of another length.
    OtherDims {
        /// The dimensions of the file.
        found: usize,
    },
    /// Its header or the end of its body contradicts its checksums, or its length.
    Damaged(String),
}

impl fmt::Display for RebuildReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => write!(f, "there is no vector index yet"),
            Self::OtherFormat => write!(f, "the vector index has another format"),
            Self::OtherModel { found } => write!(f, "the vector index is of model `{found}`"),
            Self::OtherDims { found } => write!(f, "the vector index has {found} dimensions"),
            Self::Damaged(what) => write!(f, "the vector index is damaged: {what}"),
        }
    }
}

/// What opening an index came to.
#[derive(Debug)]
pub enum Opened<T> {
    /// It can be used.
    Ready(T),
    /// It has to be rebuilt first, and this is why.
    Rebuild(RebuildReason),
}

impl<T> Opened<T> {
    /// Returns the index, if it can be used.
    pub fn ready(self) -> Option<T> {
        match self {
            Self::Ready(ready) => Some(ready),
            Self::Rebuild(_) => None,
        }
    }

    /// Why it cannot be used, if so.
    pub fn reason(&self) -> Option<&RebuildReason> {
        match self {
            Self::Ready(_) => None,
            Self::Rebuild(reason) => Some(reason),
        }
    }
}
