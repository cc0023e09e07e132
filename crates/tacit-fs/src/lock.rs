//! A file lock with a deadline. The system releases it when the process ends, even by a crash.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::open::open_to_write;

/// The time to wait for a lock that another process holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Waits until the lock is free.
    Forever,
    /// Gives up after this time.
    AtMost(Duration),
}

impl Wait {
    /// Tries once, without waiting.
    pub const NONE: Wait = Wait::AtMost(Duration::ZERO);
}

/// The way in which a lock is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMode {
    /// No other process holds the lock.
    Exclusive,
    /// Other processes may hold the lock too, if they share it.
    Shared,
}

/// A lock that is released on drop.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks the file at `path`, and creates the file if it is missing. Returns `None` if the lock
    /// was not free in time.
    pub fn exclusive(path: &Path, wait: Wait) -> io::Result<Option<Lock>> {
        let file = open_to_write(path)?;
        Ok(lock(&file, LockMode::Exclusive, wait)?.then_some(Lock { _file: file }))
    }
}

/// Locks an open file or folder. Returns `false` if the lock was not free in time.
pub fn lock(file: &File, mode: LockMode, wait: Wait) -> io::Result<bool> {
    let deadline = match wait {
        Wait::Forever => None,
        Wait::AtMost(limit) => Some(Instant::now() + limit),
    };
    let mut pause = Duration::from_micros(200);
    loop {
        let outcome = match (mode, deadline) {
            (LockMode::Exclusive, None) => file.lock().map_err(TryLockError::Error),
            (LockMode::Shared, None) => file.lock_shared().map_err(TryLockError::Error),
            (LockMode::Exclusive, Some(_)) => file.try_lock(),
            (LockMode::Shared, Some(_)) => file.try_lock_shared(),
        };
        match outcome {
            Ok(()) => return Ok(true),
            // A signal interrupted the call: try again.
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
