//! Who has the database open. The file may only be replaced while nobody has: a process that still
//! had the old one would write into it, and take the log of the new one away when it closes.
//!
//! The lock is on the directory, so that nothing has to be written to take it.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use tacit_fs::{LockMode, Wait};
use tacit_store::{StoreError, StoreResult};

/// That a process is the only one that has the database, or has it together with others.
#[derive(Debug)]
pub struct DatabaseLock {
    /// None where directories cannot be locked; there, nobody is kept out.
    _directory: Option<File>,
}

impl DatabaseLock {
    /// Together with others, unless one is to be alone.
    pub(crate) fn shared(database: &Path, patience: Duration) -> StoreResult<DatabaseLock> {
        take(database, patience, LockMode::Shared)
    }

    /// Alone; busy if another process has the database open for longer than there is patience.
    pub fn alone(database: &Path, patience: Duration) -> StoreResult<DatabaseLock> {
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
