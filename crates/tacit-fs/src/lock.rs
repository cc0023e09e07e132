//! A lock with a deadline. The system releases it when a process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::open::open_to_write;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks the file at `path`, which is created if it is not there. Returns `None` if another
    /// process holds the lock for longer than `patience`.
    pub fn exclusive(path: &Path, patience: Duration) -> io::Result<Option<Lock>> {
        let file = open_to_write(path)?;
        Ok(lock_file(&file, File::try_lock, patience)?.then_some(Lock { _file: file }))
    }
}

/// Locks an open file or folder with `try_lock` or `try_lock_shared`. Returns `false` if the lock
/// cannot be had within `patience`.
pub fn lock_file(
    file: &File,
    attempt: fn(&File) -> Result<(), TryLockError>,
    patience: Duration,
) -> io::Result<bool> {
    let deadline = Instant::now() + patience;
    let mut pause = Duration::from_micros(200);
    loop {
        match attempt(file) {
            Ok(()) => return Ok(true),
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Interrupted => {
                return Err(error);
            }
            Err(_) => {}
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}
