//! Opening and creation of the database file.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tacit_fs::{failpoint, with_suffix};
use tacit_store::{StoreError, StoreResult};

use crate::error::explain;
use crate::lock::DatabaseLock;
use crate::migrate::{LATEST, migrate, version};
use crate::pending::PendingWork;
use crate::repair;
use crate::store::SqliteStore;
use crate::write_counter;
use crate::write_counter::WriteCounter;

/// The mode in which the database is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// Read and write an existing database.
    Write,
    /// Read and write; create the database if it is missing.
    Create,
    /// Like [`OpenMode::Write`], for a process that lives for milliseconds and leaves checkpoints
    /// to others.
    Brief,
    /// Read only; works without write permission on the file and directory.
    Read,
}

/// The options of opening a database.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions {
    /// The mode to open in.
    pub access: OpenMode,
    /// The time to wait for another process's write lock.
    pub busy_timeout: Duration,
}

impl SqliteStore {
    /// Opens the database at `path` and migrates its schema.
    pub fn open(path: &Path, options: OpenOptions) -> StoreResult<SqliteStore> {
        match options.access {
            OpenMode::Create => create_private(path)?,
            OpenMode::Write | OpenMode::Brief | OpenMode::Read => {
                if !check_ownership(path)? {
                    return Err(StoreError::Missing { path: path.to_path_buf() });
                }
            }
        }
        let mut lock = DatabaseLock::shared(path, options.busy_timeout)?;
        // Repairs are exclusive, so an unfinished one was left by a dead process.
        while !PendingWork::of(path).is_empty() && repair::is_unfinished(path) {
            drop(lock);
            let alone = DatabaseLock::exclusive(path, options.busy_timeout)?;
            repair::resume(path)?;
            drop(alone);
            lock = DatabaseLock::shared(path, options.busy_timeout)?;
        }
        let mut store = SqliteStore::open_connection(path, options)?;
        store.lock = Some(lock);
        Ok(store)
    }

    pub(crate) fn open_connection(path: &Path, options: OpenOptions) -> StoreResult<SqliteStore> {
        match connect(path, options, Mode::ReadWrite) {
            Err(
                error @ (StoreError::ReadOnly { .. }
                | StoreError::Io { .. }
                | StoreError::Full { .. }),
            ) if options.access == OpenMode::Read => {
                if tacit_fs::open(path).is_ok() {
                    require_empty_wal(path)?;
                }
                connect(path, options, Mode::Immutable).map_err(|_| cause(path, error))
            }
            Err(error) => Err(cause(path, error)),
            Ok(store) => Ok(store),
        }
    }
}

/// Fails if the write-ahead log is not empty. It cannot be read without write permission, and
/// results without the newest memories would be misleading.
fn require_empty_wal(path: &Path) -> StoreResult<()> {
    let log = with_suffix(path, "-wal");
    if log.metadata().is_ok_and(|meta| meta.len() > 0) {
        let detail = format!(
            "its newest memories are in `{}`, which cannot be read without writing beside it",
            log.display()
        );
        return Err(StoreError::ReadOnly { path: path.to_path_buf(), detail });
    }
    Ok(())
}

/// Returns the operating system's error, if it says more than SQLite's.
fn cause(path: &Path, error: StoreError) -> StoreError {
    if !matches!(error, StoreError::Io { .. }) {
        return error;
    }
    let Err(source) = tacit_fs::open(path) else { return error };
    StoreError::Io { path: path.to_path_buf(), source }
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    ReadWrite,
    /// Reads the file as is, without locks or the log, because nothing can be written beside it.
    /// Concurrent writes are not seen.
    Immutable,
}

fn connect(path: &Path, options: OpenOptions, mode: Mode) -> StoreResult<SqliteStore> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let mut connection = match mode {
        Mode::ReadWrite => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(path, flags).map_err(fail)?
        }
        Mode::Immutable => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_NO_MUTEX
                | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(immutable_uri(path), flags).map_err(fail)?
        }
    };
    connection.busy_timeout(options.busy_timeout).map_err(fail)?;
    // Otherwise binding a value recompiles the statement.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(fail)?;
    // Readers and short-lived processes leave checkpoints to others.
    let leave_log = matches!(options.access, OpenMode::Read | OpenMode::Brief);
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leave_log)
        .map_err(fail)?;
    if leave_log {
        // They do not checkpoint while writing either: the sole user of a log cannot restart it, so
        // the next process would copy all of it again.
        connection.pragma_update(None, "wal_autocheckpoint", 0).map_err(fail)?;
    }
    if failpoint::has_ticks() {
        // Also interrupt in the middle of a statement.
        let counted = || {
            failpoint::tick();
            false
        };
        connection.progress_handler(20, Some(counted)).map_err(fail)?;
    }
    // A long-running process reads the same pages for every query: 16 MB hold those of a store of
    // 100,000 memories. A single query fills only what it reads.
    connection
        .execute_batch(
            "PRAGMA foreign_keys = ON;
             PRAGMA synchronous = FULL;
             PRAGMA temp_store = MEMORY;
             PRAGMA cache_size = -16384;",
        )
        .map_err(fail)?;
    if matches!(options.access, OpenMode::Write | OpenMode::Create) {
        // Deleted rows are overwritten with zeros. Hooks have no time for it.
        connection.pragma_update(None, "secure_delete", true).map_err(fail)?;
    }
    if mode == Mode::ReadWrite {
        retry_while_busy(options.busy_timeout, || prepare(&mut connection, path))?;
    }
    connection.set_prepared_statement_cache_capacity(64);
    let write_counter = match mode {
        Mode::ReadWrite => WriteCounter::open(path),
        Mode::Immutable => None,
    };
    if let Some(write_counter) = &write_counter {
        write_counter.compare(path, &connection);
    }
    Ok(SqliteStore::new(connection, path.to_path_buf(), options.busy_timeout, write_counter))
}

/// Checks that the file is ours, enables the write-ahead log, and migrates the schema.
fn prepare(connection: &mut Connection, path: &Path) -> StoreResult<()> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    // Checked before any write: the file may belong to another program.
    let version = version(connection, path)?;
    let journal: String =
        connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(fail)?;
    if journal != "wal" {
        connection.pragma_update(None, "journal_mode", "wal").map_err(fail)?;
    }
    if version < LATEST {
        migrate(connection, path)?;
    }
    Ok(())
}

/// Retries while the database is busy, for at most `limit`.
///
/// SQLite reports busy at once where waiting could deadlock, such as when two processes both switch
/// a new file to write-ahead logging.
pub(crate) fn retry_while_busy(
    limit: Duration,
    mut step: impl FnMut() -> StoreResult<()>,
) -> StoreResult<()> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(1);
    loop {
        match step() {
            Err(StoreError::Busy) if Instant::now() < deadline => {
                std::thread::sleep(pause.min(deadline.saturating_duration_since(Instant::now())));
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            done => return done,
        }
    }
}

/// Creates an empty file that only its owner can read. SQLite's own files inherit its permissions.
pub(crate) fn create_private(path: &Path) -> StoreResult<()> {
    let fail = |source| StoreError::Io { path: path.to_path_buf(), source };
    if check_ownership(path)? {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        tacit_fs::create_folder(parent).map_err(fail)?;
    }
    match tacit_fs::create_new(path) {
        // Another process created it first.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(fail(error)),
        // A leftover counter belongs to a deleted store.
        Ok(_) => tacit_fs::remove(&write_counter::file_of(path)).map_err(fail),
    }
}

/// Checks that the database and SQLite's files beside it are regular files of this user, because
/// SQLite would follow links and block on named pipes. Returns false if there is no database.
fn check_ownership(path: &Path) -> StoreResult<bool> {
    let check = |path: &Path| {
        tacit_fs::check_file(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => {
                StoreError::Refused { path: path.to_path_buf(), why: source.to_string() }
            }
            // The parent path is a file, so there is no database.
            std::io::ErrorKind::NotADirectory => StoreError::Missing { path: path.to_path_buf() },
            _ => StoreError::Io { path: path.to_path_buf(), source },
        })
    };
    if !check(path)? {
        return Ok(false);
    }
    for ending in ["-wal", "-shm", "-journal"] {
        check(&with_suffix(path, ending))?;
    }
    Ok(true)
}

pub(crate) fn immutable_uri(path: &Path) -> PathBuf {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => {
                uri.push(char::from(*byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    PathBuf::from(uri)
}
