//! The write lock: one writer at a time.
//!
//! The lock is on a separate file, because a rebuild replaces the index by renaming: a lock on the
//! index itself would lock only the version that was opened. The system releases it when the
//! process ends, however it ends.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use tacit_fs::{LockMode, Wait};

use crate::{Appender, Error, IndexRebuild, IndexSpec, Opened};

/// The lock for writing an index, held until dropped.
#[derive(Debug)]
pub struct WriteLock {
    path: PathBuf,
    wait: Wait,
    /// Closing the file releases the lock.
    _file: File,
}

impl WriteLock {
    /// Waits for the lock of the index at `path`, which need not exist yet.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] when the wait is over, or an error about the lock file.
    pub fn acquire(path: &Path, wait: Wait) -> Result<Self, Error> {
        let name = tacit_fs::with_suffix(path, ".lock");
        let file = tacit_fs::open_to_write(&name).map_err(Error::io("open", &name))?;
        hold(&file, wait, path)?;
        Ok(Self { path: path.to_owned(), wait, _file: file })
    }

    /// Returns the path of the index.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn wait(&self) -> Wait {
        self.wait
    }

    /// Opens the index for adding and removing rows.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses to open or read the file.
    pub fn append(&mut self, spec: &IndexSpec) -> Result<Opened<Appender<'_>>, Error> {
        Appender::open(self, spec)
    }

    /// Starts a new version of the index, which replaces the old one when finished.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses to create the temporary file.
    pub fn rebuild(&mut self, spec: &IndexSpec) -> Result<IndexRebuild<'_>, Error> {
        IndexRebuild::begin(self, spec)
    }
}

/// Locks a file on behalf of the index at `path`.
pub(crate) fn hold(file: &File, wait: Wait, path: &Path) -> Result<(), Error> {
    match tacit_fs::lock(file, LockMode::Exclusive, wait).map_err(Error::io("lock", path))? {
        true => Ok(()),
        false => Err(Error::Busy { path: path.to_owned() }),
    }
}
