//! One writer at a time.
//!
//! The lock is held on a file of its own beside the index, because the index itself is replaced by
//! renaming: a lock on it would be a lock on whichever version one had opened. The system lets go
//! of it when a process ends, however it ends.

use std::{
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::{Appender, Error, Opened, Rebuild, Spec};

/// How long to wait for another writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Until it is done.
    Forever,
    /// No longer than this; then the answer is [`Error::Busy`].
    AtMost(Duration),
}

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
        let name = with_suffix(path, ".lock");
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
    let deadline = match wait {
        Wait::Forever => None,
        Wait::AtMost(limit) => Some(Instant::now() + limit),
    };
    let mut pause = Duration::from_micros(200);
    loop {
        let outcome = match deadline {
            None => file.lock().map_err(TryLockError::Error),
            Some(_) => file.try_lock(),
        };
        match (outcome, deadline) {
            (Ok(()), _) => return Ok(()),
            // A signal is no reason to give up.
            (Err(TryLockError::Error(error)), _) if error.kind() == io::ErrorKind::Interrupted => {}
            (Err(TryLockError::Error(error)), _) => return Err(Error::io("lock", path)(error)),
            (Err(TryLockError::WouldBlock), Some(deadline)) if Instant::now() < deadline => {
                thread::sleep(pause.min(deadline.saturating_duration_since(Instant::now())));
                pause = (pause * 2).min(Duration::from_millis(10));
            }
            (Err(TryLockError::WouldBlock), _) => {
                return Err(Error::Busy { path: path.to_owned() });
            }
        }
    }
}

/// A path with something added to its last component.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
