//! Databases of what can be made again: losing one costs the time to make it.

use std::path::Path;

use rusqlite::Connection;

use crate::error::{CodebaseResult, database};

/// Opens a database, with its tables.
pub(crate) fn open(path: &Path, schema: &str) -> CodebaseResult<Connection> {
    let fail = database(path);
    let connection = Connection::open(path).map_err(&fail)?;
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 10000;",
        )
        .map_err(&fail)?;
    connection.execute_batch(schema).map_err(&fail)?;
    drop(fail);
    Ok(connection)
}
