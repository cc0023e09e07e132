//! Databases of what can be made again: losing one costs the time to make it.

use std::path::Path;

use rusqlite::Connection;

use crate::error::{CodebaseResult, database, io};

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

/// Takes a database away, with what belongs to it.
pub(crate) fn remove(path: &Path) -> CodebaseResult<()> {
    for ending in ["-wal", "-shm", ""] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        match std::fs::remove_file(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(io(path)(error));
            }
            _ => {}
        }
    }
    Ok(())
}
