//! Databases of derived data. Losing one only costs the time to rebuild it.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::{CodebaseError, CodebaseResult, database, io};

/// Opens a database and creates its tables.
pub(crate) fn open(path: &Path, schema: &str) -> CodebaseResult<Connection> {
    let fail = database(path);
    if path.is_dir() {
        return Err(CodebaseError::PathBlocked { path: path.to_path_buf() });
    }
    if !tacit_fs::check_file(path).map_err(io(path))? {
        // SQLite would create it readable for others.
        match tacit_fs::create_new(path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(io(path)(error));
            }
            _ => {}
        }
    }
    let connection = Connection::open(path).map_err(&fail)?;
    connection
        .execute_batch(
            // Deleted rows are overwritten: they may hold a secret that no rule recognises.
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 10000;
             PRAGMA secure_delete = ON;",
        )
        .map_err(&fail)?;
    connection.execute_batch(schema).map_err(&fail)?;
    drop(fail);
    Ok(connection)
}

/// Opens an existing database read-only, even if its directory cannot be written.
pub(crate) fn open_read_only(path: &Path) -> CodebaseResult<Connection> {
    let fail = database(path);
    match tacit_fs::check_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            return Err(io(path)(error));
        }
        // SQLite reports everything else that may be wrong.
        _ => {}
    }
    let read = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let probe = |connection: Connection| {
        connection
            .execute_batch("PRAGMA busy_timeout = 10000; SELECT count(*) FROM sqlite_schema")?;
        Ok(connection)
    };
    match Connection::open_with_flags(path, read).and_then(probe) {
        Err(error)
            if matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
            ) =>
        {
            // The log cannot be created beside it, so no other process can write the database either.
            let uri = format!("file:{}?immutable=1", percent_encode(path));
            let flags = read | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(uri, flags).and_then(probe).map_err(fail)
        }
        opened => opened.map_err(fail),
    }
}

/// Percent-encodes a path for a URI.
fn percent_encode(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let shown = |byte: &u8| match plain(*byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    bytes.iter().map(shown).collect()
}

/// Removes a damaged database with its side files. The log goes first: it would be taken for that
/// of the next database.
pub(crate) fn remove_database(path: &Path) -> std::io::Result<()> {
    ["-wal", "-shm", ""]
        .iter()
        .try_for_each(|end| tacit_fs::remove(&tacit_fs::with_suffix(path, end)))
}

/// Runs work on derived files, and retries it after removing a file found to be damaged. The caller
/// must be the only writer of that file.
pub(crate) fn repairing<T>(work: impl Fn() -> CodebaseResult<T>) -> CodebaseResult<T> {
    // One piece of work may find up to three files damaged, one after the other.
    for _ in 0..3 {
        match work() {
            Err(error) if error.damaged().is_some_and(|path| remove_database(path).is_ok()) => {}
            done => return done,
        }
    }
    work()
}
