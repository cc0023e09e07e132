//! Backups: complete copies of a database, made while others use it and checked before they count.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use tacit_core::{MemoryId, Quotations};
use tacit_fs::failpoint::step;
use tacit_fs::with_suffix;
use tacit_store::{Action, ErasedRows, Store, StoreError, StoreResult};

use crate::error::explain;
use crate::open::{OpenMode, OpenOptions, create_private, immutable_uri};
use crate::store::SqliteStore;

/// The name of a backup in the making, in the folder of the others. Names with a leading dot are
/// never listed.
const UNFINISHED: &str = ".unfinished.db";
/// The name of a backup that a purge rewrites.
const CLEANED: &str = ".cleaned.db";
/// The pages copied between two checks for a kill.
const PAGES: i32 = 1_024;

/// The contents of a database or a backup, by which two of them are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseContents {
    /// The number of memories.
    pub memories: u64,
    /// The number of the last change in the history; 0 if there is none.
    pub last_change: u64,
    /// The number of rows and the last row number of each table about sessions.
    sessions: Vec<(u64, u64)>,
}

/// Copies a database to a new file at `backup`, checks the copy and gives it its name. Other
/// processes may read and write meanwhile. If it fails, no file is left. Only one process may do so
/// at a time.
pub fn back_up(database: &Path, backup: &Path) -> StoreResult<DatabaseContents> {
    let folder = backup.parent().unwrap_or(Path::new("."));
    tacit_fs::create_folder(folder).map_err(|source| io(folder, source))?;
    let unfinished = folder.join(UNFINISHED);
    let done = copy_and_check(database, &unfinished).and_then(|contents| {
        step();
        fs::rename(&unfinished, backup).map_err(|source| io(backup, source))?;
        step();
        tacit_fs::sync_folder(folder).map_err(|source| io(folder, source))?;
        Ok(contents)
    });
    if done.is_err() {
        let _ = remove_unfinished(folder);
    }
    done
}

/// Removes a backup that was not completed.
pub fn remove_unfinished(folder: &Path) -> StoreResult<()> {
    [UNFINISHED, CLEANED].iter().try_for_each(|name| remove_database(&folder.join(name)))
}

fn copy_and_check(database: &Path, new: &Path) -> StoreResult<DatabaseContents> {
    let fail = |error: rusqlite::Error| explain(new, &error);
    remove_database(new)?;
    create_private(new)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let from = Connection::open_with_flags(database, flags).map_err(fail)?;
    let mut into = Connection::open_with_flags(new, flags).map_err(fail)?;
    // The file is flushed as a whole before it gets its name.
    into.execute_batch("PRAGMA synchronous = OFF").map_err(fail)?;
    // One read transaction: everything below sees the same state, and no writer waits for it.
    from.execute_batch("BEGIN").map_err(|error| explain(database, &error))?;
    let expected = contents_of(&from).map_err(|error| explain(database, &error))?;
    copy_pages(&from, &mut into).map_err(fail)?;
    drop(from);
    // A backup is one file.
    into.pragma_update(None, "journal_mode", "delete").map_err(fail)?;
    into.close().map_err(|(_, error)| fail(error))?;
    step();
    tacit_fs::open(new).and_then(|file| file.sync_all()).map_err(|source| io(new, source))?;
    let found = check_backup(new)?;
    if found != expected {
        let detail = "the copy has other contents than the database".to_owned();
        return Err(StoreError::Failed { path: new.to_path_buf(), detail });
    }
    Ok(found)
}

fn copy_pages(from: &Connection, into: &mut Connection) -> rusqlite::Result<()> {
    let backup = Backup::new(from, into)?;
    loop {
        step();
        match backup.step(PAGES)? {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            // The source is read in a transaction of its own, and nobody else knows the copy.
            _ => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Opens a backup, checks its pages, and returns its contents. Nothing is written beside it.
pub fn check_backup(backup: &Path) -> StoreResult<DatabaseContents> {
    let fail = |error: rusqlite::Error| explain(backup, &error);
    let connection = open_unchanged(backup)?;
    let problem: String =
        connection.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(fail)?;
    if problem != "ok" {
        return Err(StoreError::Damaged { path: backup.to_path_buf(), detail: problem });
    }
    contents_of(&connection).map_err(fail)
}

/// Returns the contents of a database that this process may have open too.
pub fn contents(database: &Path) -> StoreResult<DatabaseContents> {
    let fail = |error: rusqlite::Error| explain(database, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags).map_err(fail)?;
    contents_of(&connection).map_err(fail)
}

fn open_unchanged(backup: &Path) -> StoreResult<Connection> {
    tacit_fs::check_file(backup).map_err(|source| io(backup, source))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(immutable_uri(backup), flags)
        .map_err(|error| explain(backup, &error))
}

fn contents_of(connection: &Connection) -> rusqlite::Result<DatabaseContents> {
    let number = |sql: &str| -> rusqlite::Result<u64> {
        connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
    };
    let numbered = ["agent_events", "agent_notes", "agent_injections", "observer_signal_log"];
    let sessions = numbered.iter().map(|table| {
        let last = format!("SELECT coalesce(max(seq), 0) FROM {table}");
        Ok((number(&format!("SELECT count(*) FROM {table}"))?, number(&last)?))
    });
    let keyed = ["agent_sessions", "observer_sessions", "memory_vectors"];
    let others =
        keyed.iter().map(|table| Ok((number(&format!("SELECT count(*) FROM {table}"))?, 0)));
    Ok(DatabaseContents {
        memories: number("SELECT count(*) FROM memories")?,
        last_change: number("SELECT coalesce(max(id), 0) FROM changes")?,
        sessions: sessions.chain(others).collect::<rusqlite::Result<_>>()?,
    })
}

/// Removes memories, what the history says of them, and their quotations from a backup. The backup
/// is replaced by a cleaned and checked copy. Returns the erased rows; `None` if it has nothing of
/// them and stays as it is.
pub fn purge_backup(
    backup: &Path,
    ids: &[MemoryId],
    quotations: &Quotations,
    action: &Action,
) -> StoreResult<Option<Vec<ErasedRows>>> {
    let new = backup.with_file_name(CLEANED);
    let done = purge_copy(backup, &new, ids, quotations, action);
    if !matches!(done, Ok(Some(_))) {
        let _ = remove_database(&new);
        return done;
    }
    let folder = backup.parent().unwrap_or(Path::new("."));
    step();
    fs::rename(&new, backup).map_err(|source| io(backup, source))?;
    step();
    tacit_fs::sync_folder(folder).map_err(|source| io(folder, source))?;
    done
}

fn purge_copy(
    backup: &Path,
    new: &Path,
    ids: &[MemoryId],
    quotations: &Quotations,
    action: &Action,
) -> StoreResult<Option<Vec<ErasedRows>>> {
    let fail = |source| io(new, source);
    remove_database(new)?;
    create_private(new)?;
    let mut file = tacit_fs::open_to_write(new).map_err(fail)?;
    tacit_fs::open(backup)
        .and_then(|mut from| std::io::copy(&mut from, &mut file))
        .map_err(fail)?;
    drop(file);
    step();
    let options = OpenOptions { access: OpenMode::Write, busy_timeout: Duration::ZERO };
    let mut store = SqliteStore::open_connection(new, options)?;
    let mut transaction = store.begin(action.clone())?;
    let memories = transaction.read(ids)?;
    for memory in &memories {
        transaction.remove(memory)?;
    }
    let mut erased = Vec::new();
    if !memories.is_empty() {
        erased.push(ErasedRows { table: "memories".to_owned(), rows: memories.len() as u64 });
    }
    for id in ids {
        transaction.erase_history(id)?;
    }
    erased.extend(transaction.erase_quotes(quotations)?);
    if erased.is_empty() && !mentions(&store_history(backup)?, ids) {
        return Ok(None);
    }
    transaction.commit()?;
    for id in ids {
        tacit_store::ActivityStore::blank_injections(&mut store, id)?;
    }
    store.scrub()?;
    let memories =
        store.connection.query_row("SELECT count(*) FROM memories", [], |row| row.get::<_, i64>(0));
    let memories = memories.map_err(|error| explain(new, &error))?.unsigned_abs();
    store
        .connection
        .pragma_update(None, "journal_mode", "delete")
        .map_err(|error| explain(new, &error))?;
    drop(store);
    tacit_fs::open(new).and_then(|file| file.sync_all()).map_err(fail)?;
    if check_backup(new)?.memories != memories {
        let detail = "the cleaned backup has other contents than expected".to_owned();
        return Err(StoreError::Failed { path: new.to_path_buf(), detail });
    }
    Ok(Some(erased))
}

/// Returns the memories whose fields the history of a backup still has.
fn store_history(backup: &Path) -> StoreResult<Vec<Vec<u8>>> {
    let fail = |error: rusqlite::Error| explain(backup, &error);
    let connection = open_unchanged(backup)?;
    let sql =
        "SELECT DISTINCT memory FROM change_items WHERE before IS NOT NULL OR after IS NOT NULL";
    let mut statement = connection.prepare(sql).map_err(fail)?;
    let rows = statement.query_map([], |row| row.get(0)).map_err(fail)?;
    rows.collect::<rusqlite::Result<_>>().map_err(fail)
}

fn mentions(history: &[Vec<u8>], ids: &[MemoryId]) -> bool {
    ids.iter().any(|id| history.iter().any(|known| known.as_slice() == id.as_bytes()))
}

/// Deletes a database with SQLite's files beside it.
fn remove_database(path: &Path) -> StoreResult<()> {
    for ending in ["-wal", "-shm", "-journal", ""] {
        let path = with_suffix(path, ending);
        tacit_fs::remove(&path).map_err(|source| io(&path, source))?;
    }
    Ok(())
}

fn io(path: &Path, source: std::io::Error) -> StoreError {
    StoreError::Io { path: path.to_path_buf(), source }
}
