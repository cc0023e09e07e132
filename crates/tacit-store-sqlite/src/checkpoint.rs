//! Checkpointing of a database that is about to be moved.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use tacit_store::{StoreError, StoreResult};

use crate::error::explain;

/// Writes the write-ahead log into the database and empties it. The caller has exclusive access
/// ([`crate::DatabaseLock::exclusive`]).
pub fn checkpoint(path: &Path) -> StoreResult<()> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(fail)?;
    let busy: i64 = connection
        .query_row("PRAGMA wal_checkpoint (TRUNCATE)", [], |row| row.get(0))
        .map_err(fail)?;
    if busy != 0 {
        return Err(StoreError::Busy);
    }
    connection.close().map_err(|(_, error)| fail(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::config::DbConfig;

    #[test]
    fn the_log_is_folded_into_the_database() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        let connection = Connection::open(&path).unwrap();
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        connection
            .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE facts (text TEXT)")
            .unwrap();
        drop(connection);
        let log = folder.path().join("memory.db-wal");
        assert!(log.metadata().unwrap().len() > 0);
        checkpoint(&path).unwrap();
        assert!(!log.exists());
    }

    #[test]
    fn garbage_cannot_be_checkpointed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        std::fs::write(&path, "garbage".repeat(1_000)).unwrap();
        assert!(checkpoint(&path).is_err());
    }
}
