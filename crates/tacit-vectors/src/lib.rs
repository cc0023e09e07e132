//! A derived, memory-mapped index of quantised vectors.
//!
//! The index is one file beside the database that it is built from. It can be deleted at any time
//! and is then rebuilt; its keys have no meaning to it. Opening maps the file and reads three
//! pages, whatever its size. A search scans small codes of every row with vector instructions, then
//! ranks the best candidates by exact cosine.
//!
//! ```
//! use tacit_fs::Wait;
//! use tacit_vectors::{Batch, Opened, IndexSpec, VectorIndex, WriteLock};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let path = dir.path().join("vectors");
//! let spec = IndexSpec::new("tacit-embed-s/int8", 3)?;
//! let mut lock = WriteLock::acquire(&path, Wait::Forever)?;
//! let mut rebuild = lock.rebuild(&spec)?;
//! rebuild.push(1, &[1.0, 0.0, 0.0])?;
//! rebuild.push(2, &[0.0, 1.0, 0.0])?;
//! rebuild.finish(10)?;
//!
//! if let Opened::Ready(mut appender) = lock.append(&spec)? {
//!     // Updates the file from `appender.generation()` to 11.
//!     appender.apply(&Batch { generation: 11, put: &[(3, &[0.9, 0.1, 0.0])], remove: &[2] })?;
//! }
//! drop(lock);
//!
//! if let Opened::Ready(index) = VectorIndex::open(&path, &spec)? {
//!     let hits = index.search(&[1.0, 0.0, 0.0], 10)?;
//!     assert_eq!(hits.iter().map(|hit| hit.key).collect::<Vec<_>>(), [1, 3]);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Synchronisation with the database
//!
//! The database increases a generation in every transaction that changes vectors, and every batch
//! has the generation that it brings the file to. A reader compares them
//! ([`VectorIndex::sync_state`]). A file that is behind can still be used; a writer updates it by
//! taking the lock, asking the database what has changed since [`Appender::generation`], and
//! applying that.
//!
//! # Concurrency
//!
//! Any number of readers, in any processes, can work beside one writer, which holds a lock file.
//! Readers take no lock: published bytes never change, the file never shrinks, and a rebuilt file
//! replaces the old one by renaming. A process killed at any point leaves the last published state.
//! After a power cut, opening detects rows that had not reached the disk.

mod append;
mod checksum;
mod encode;
mod error;
mod exact;
mod header;
mod index;
mod layout;
mod lock;
mod rebuild;
mod search;
mod top;

pub use self::{
    append::{Appender, Batch},
    error::{Error, Opened, RebuildReason},
    index::{RowCounts, SyncState, VectorIndex},
    lock::WriteLock,
    rebuild::IndexRebuild,
    search::VectorHit,
};

/// Maximum number of dimensions of a vector.
pub const MAX_DIMS: usize = 4096;

/// The model and dimensions of the vectors in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexSpec {
    model: String,
    dims: usize,
}

impl IndexSpec {
    /// Describes vectors of `dims` dimensions from this model.
    ///
    /// The model's identity should include everything that makes vectors incomparable when it
    /// changes: the model, its version, and any prefix or pooling.
    ///
    /// # Errors
    ///
    /// Fails if the number of dimensions is not supported.
    pub fn new(model: &str, dims: usize) -> Result<Self, Error> {
        if dims == 0 || dims > MAX_DIMS {
            return Err(Error::BadDims { dims });
        }
        Ok(Self { model: model.to_owned(), dims })
    }

    /// Returns the model's identity.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the number of dimensions.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.dims
    }
}
