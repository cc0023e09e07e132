//! Locks on the use of the database. The file may only be replaced while no process has it open: a
//! process with the old file would write to it, and delete the new one's log on closing.
//!
//! The directory is locked, so that taking the lock writes nothing.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use tacit_fs::{LockMode, Wait};
use tacit_store::{StoreError, StoreResult};

/// A shared or exclusive lock on the use of a database.
#[derive(Debug)]
pub struct DatabaseLock {
    /// `None` if directories cannot be locked; then the lock excludes no other process.
    _directory: Option<File>,
}

impl DatabaseLock {
    /// Takes a shared lock, unless another process has an exclusive one.
    pub(crate) fn shared(database: &Path, patience: Duration) -> StoreResult<DatabaseLock> {
        take(database, patience, LockMode::Shared)
    }

    /// Takes an exclusive lock. Fails with busy if another process has the database open for longer
    /// than `patience`.
    pub fn exclusive(database: &Path, patience: Duration) -> StoreResult<DatabaseLock> {
        take(database, patience, LockMode::Exclusive)
    }
}

fn take(database: &Path, patience: Duration, hold: LockMode) -> StoreResult<DatabaseLock> {
    let directory = database.parent().and_then(|parent| tacit_fs::open_folder(parent).ok());
    let Some(directory) = directory else { return Ok(DatabaseLock { _directory: None }) };
    match tacit_fs::lock(&directory, hold, Wait::AtMost(patience)) {
        Ok(true) => Ok(DatabaseLock { _directory: Some(directory) }),
        Ok(false) => Err(StoreError::Busy),
        Err(_) => Ok(DatabaseLock { _directory: None }),
    }
}
