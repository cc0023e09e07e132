//! One writer at a time.
//!
//! The lock is on the folder itself, so that nothing is left behind that git would see. The system
//! lets go of it when a process ends, however it ends.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::paths::failed;
use crate::error::{RecordError, RecordResult};

/// Waits for the right to write, for a limited time.
pub(super) fn acquire(root: &Path, wait: Duration) -> RecordResult<File> {
    let file = File::open(root).map_err(failed(root))?;
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
