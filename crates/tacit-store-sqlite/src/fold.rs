//! Folding the log back into a database that is about to be moved.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use tacit_store::{StoreError, StoreResult};

use crate::error::explain;

/// Writes everything in the log into the database and empties the log. The caller is alone with the
/// database ([`crate::DatabaseLock::alone`]).
pub fn fold_log(path: &Path) -> StoreResult<()> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(fail)?;
    let busy: i64 = connection
        .pragma_query_value(None, "wal_checkpoint(TRUNCATE)", |row| row.get(0))
        .map_err(fail)?;
    if busy != 0 {
        return Err(StoreError::Busy);
    }
    connection.close().map_err(|(_, error)| fail(error))
}
