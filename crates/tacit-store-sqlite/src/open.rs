//! Opening and creating the database file.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tacit_fs::{failpoint, with_suffix};
use tacit_store::{StoreError, StoreResult};

use crate::error::explain;
use crate::migrate::{LATEST, migrate, version};
use crate::pending::PendingWork;
use crate::presence::DatabaseLock;
use crate::repair;
use crate::store::SqliteStore;
use crate::tally;
use crate::tally::WriteCounter;

/// What the database is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// Reading and writing; it must be there.
    Write,
    /// Reading and writing; it is created if it is not there.
    Create,
    /// As [`OpenMode::Write`], for a process that lives for milliseconds: the log is folded back by
    /// others.
    Brief,
    /// Reading; works on a file and in a directory that cannot be written.
    Read,
}

/// How the database is opened.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions {
    /// What for.
    pub access: OpenMode,
    /// How long to wait while another process holds the write lock.
    pub busy_timeout: Duration,
}

impl SqliteStore {
    /// Opens the database at `path` and brings its schema up to date.
    pub fn open(path: &Path, options: OpenOptions) -> StoreResult<SqliteStore> {
        match options.access {
            OpenMode::Create => create_private(path)?,
            OpenMode::Write | OpenMode::Brief | OpenMode::Read => {
                if !refuse_strangers(path)? {
                    return Err(StoreError::Missing { path: path.to_path_buf() });
                }
            }
        }
        let mut presence = DatabaseLock::shared(path, options.busy_timeout)?;
        // Whoever repairs is alone: what is unfinished here was left by a process that died.
        while !PendingWork::of(path).is_empty() && repair::is_unfinished(path) {
            drop(presence);
            let alone = DatabaseLock::alone(path, options.busy_timeout)?;
            repair::resume(path)?;
            drop(alone);
            presence = DatabaseLock::shared(path, options.busy_timeout)?;
        }
        let mut store = SqliteStore::open_connection(path, options)?;
        store.presence = Some(presence);
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
                    forbid_log(path)?;
                }
                connect(path, options, Mode::Immutable).map_err(|_| cause(path, error))
            }
            Err(error) => Err(cause(path, error)),
            Ok(store) => Ok(store),
        }
    }
}

/// Makes sure that there is nothing in the log, which is not read where nothing can be written:
/// an answer without the newest memories would be worse than none.
fn forbid_log(path: &Path) -> StoreResult<()> {
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

/// The reason for which the file cannot be opened, where the system tells more than SQLite does.
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
    /// For a file we cannot write beside: read as it is, without a lock. Writers that come along
    /// meanwhile are not seen, which is all that a read-only place allows.
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
    // Without this, a statement is compiled again as soon as a value is bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(fail)?;
    // Whoever only reads, or has no time, leaves the log to others.
    let leave_log = matches!(options.access, OpenMode::Read | OpenMode::Brief);
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leave_log)
        .map_err(fail)?;
    if leave_log {
        // Nor do they fold it back as they write: alone with the log, a process cannot begin it
        // anew, and the next one would read and copy all of it again.
        connection.pragma_update(None, "wal_autocheckpoint", 0).map_err(fail)?;
    }
    if failpoint::has_ticks() {
        // Also in the middle of a statement.
        let counted = || {
            failpoint::tick();
            false
        };
        connection.progress_handler(20, Some(counted)).map_err(fail)?;
    }
    // A process that stays reads the same pages for question after question: a cache of 16 MB holds
    // those of a store of 100,000. One that asks once fills no more than it reads.
    connection
        .execute_batch(
            "PRAGMA foreign_keys = ON;
             PRAGMA synchronous = FULL;
             PRAGMA temp_store = MEMORY;
             PRAGMA cache_size = -16384;",
        )
        .map_err(fail)?;
    if mode == Mode::ReadWrite {
        patiently(options.busy_timeout, || prepare(&mut connection, path))?;
    }
    connection.set_prepared_statement_cache_capacity(64);
    let tally = match mode {
        Mode::ReadWrite => WriteCounter::open(path),
        Mode::Immutable => None,
    };
    if let Some(tally) = &tally {
        tally.compare(path, &connection);
    }
    Ok(SqliteStore::new(connection, path.to_path_buf(), options.busy_timeout, tally))
}

/// Makes sure that the file is ours, that it has a log, and that its schema is up to date.
fn prepare(connection: &mut Connection, path: &Path) -> StoreResult<()> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    // Before anything is written: the file may be another program's.
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

/// Tries again while the database is busy, for as long as SQLite itself would wait.
///
/// SQLite does not wait where waiting could be for ever: two processes that both read the new file
/// and both want to give it its log are told at once that it is busy.
pub(crate) fn patiently(
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

/// Creates an empty file that only its owner can read, which SQLite then fills; its own files
/// beside it take over these permissions.
pub(crate) fn create_private(path: &Path) -> StoreResult<()> {
    let fail = |source| StoreError::Io { path: path.to_path_buf(), source };
    if refuse_strangers(path)? {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        tacit_fs::create_folder(parent).map_err(fail)?;
    }
    match tacit_fs::create_new(path) {
        // Another process was quicker.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(fail(error)),
        // A count that is there is that of a store that somebody removed.
        Ok(_) => tacit_fs::remove(&tally::file_of(path)).map_err(fail),
    }
}

/// Makes sure that the database and what SQLite keeps beside it are regular files of this user's,
/// where they are there: SQLite itself would follow a link and wait for a named pipe. Whether there
/// is a database.
fn refuse_strangers(path: &Path) -> StoreResult<bool> {
    let check = |path: &Path| {
        tacit_fs::check_file(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => {
                StoreError::Refused { path: path.to_path_buf(), why: source.to_string() }
            }
            // A file where a folder should be: there is no database below it.
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
