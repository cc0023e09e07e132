//! A lock with a deadline. The system releases it when a process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::open::open_to_write;

/// The wait for a lock that another process holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Until it is free.
    Forever,
    /// No longer than this.
    AtMost(Duration),
}

impl Wait {
    /// Not at all.
    pub const NONE: Wait = Wait::AtMost(Duration::ZERO);
}

/// The mode of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMode {
    /// By one process.
    Exclusive,
    /// Together with others that hold it likewise.
    Shared,
}

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks the file at `path`, which is created if it is not there. Returns `None` if the wait
    /// was in vain.
    pub fn exclusive(path: &Path, wait: Wait) -> io::Result<Option<Lock>> {
        let file = open_to_write(path)?;
        Ok(lock(&file, LockMode::Exclusive, wait)?.then_some(Lock { _file: file }))
    }
}

/// Locks an open file or folder. Returns `false` if the wait was in vain.
pub fn lock(file: &File, hold: LockMode, wait: Wait) -> io::Result<bool> {
    let deadline = match wait {
        Wait::Forever => None,
        Wait::AtMost(limit) => Some(Instant::now() + limit),
    };
    let mut pause = Duration::from_micros(200);
    loop {
        let outcome = match (hold, deadline) {
            (LockMode::Exclusive, None) => file.lock().map_err(TryLockError::Error),
            (LockMode::Shared, None) => file.lock_shared().map_err(TryLockError::Error),
            (LockMode::Exclusive, Some(_)) => file.try_lock(),
            (LockMode::Shared, Some(_)) => file.try_lock_shared(),
        };
        match outcome {
            Ok(()) => return Ok(true),
            // A signal is no reason to give up.
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Interrupted => {
                return Err(error);
            }
            Err(_) => {}
        }
        let Some(deadline) = deadline else { continue };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}
