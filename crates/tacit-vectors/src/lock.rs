//! One writer at a time.
//!
//! The lock is held on a file of its own beside the index, because the index itself is replaced by
//! renaming: a lock on it would be a lock on whichever version one had opened. The system lets go
//! of it when a process ends, however it ends.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use tacit_fs::{LockMode, Wait};

use crate::{Appender, Error, Opened, Rebuild, Spec};

/// The right to write an index, held until dropped.
#[derive(Debug)]
pub struct WriteLock {
    path: PathBuf,
    wait: Wait,
    /// Closing the file lets go of the lock.
    _file: File,
}

impl WriteLock {
    /// Waits for the right to write the index at `path`, which need not exist yet.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] when the wait is over, or what the system says about the lock file.
    pub fn acquire(path: &Path, wait: Wait) -> Result<Self, Error> {
        let name = tacit_fs::with_suffix(path, ".lock");
        let file = tacit_fs::open_to_write(&name).map_err(Error::io("open", &name))?;
        hold(&file, wait, path)?;
        Ok(Self { path: path.to_owned(), wait, _file: file })
    }

    /// The index this lock is for.
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
    /// When the system refuses to open or read the file.
    pub fn append(&mut self, spec: &Spec) -> Result<Opened<Appender<'_>>, Error> {
        Appender::open(self, spec)
    }

    /// Begins a new version of the index, which takes the old one's place when finished.
    ///
    /// # Errors
    ///
    /// When the system refuses to create the temporary file.
    pub fn rebuild(&mut self, spec: &Spec) -> Result<Rebuild<'_>, Error> {
        Rebuild::begin(self, spec)
    }
}

/// Locks a file on behalf of the index at `path`, waiting as told.
pub(crate) fn hold(file: &File, wait: Wait, path: &Path) -> Result<(), Error> {
    match tacit_fs::lock(file, LockMode::Exclusive, wait).map_err(Error::io("lock", path))? {
        true => Ok(()),
        false => Err(Error::Busy { path: path.to_owned() }),
    }
}
