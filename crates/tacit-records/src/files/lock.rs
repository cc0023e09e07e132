//! One writer at a time.
//!
//! The lock is on the folder itself, so that nothing is left behind that git would see. Where folders
//! cannot be opened it is on an empty file in it. The system lets go of it when a process ends,
//! however it ends.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::paths::failed;
use crate::error::{RecordError, RecordResult};

/// Waits for the right to write, for a limited time.
pub(super) fn acquire(root: &Path, wait: Duration) -> RecordResult<File> {
    let file = open(root).map_err(failed(root))?;
    let deadline = Instant::now() + wait;
    let mut pause = Duration::from_micros(200);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) if error.kind() != std::io::ErrorKind::Interrupted => {
                return Err(failed(root)(error));
            }
            Err(_) if Instant::now() >= deadline => return Err(RecordError::Busy(root.to_owned())),
            Err(_) => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
        }
    }
}

#[cfg(unix)]
fn open(root: &Path) -> std::io::Result<File> {
    File::open(root)
}

#[cfg(not(unix))]
fn open(root: &Path) -> std::io::Result<File> {
    File::options().create(true).append(true).open(root.join(".tacit-lock"))
}
