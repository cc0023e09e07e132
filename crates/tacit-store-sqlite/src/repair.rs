//! Replacement of a damaged database with what could be salvaged.
//!
//! The new database is built beside the old one and verified; then one rename puts it in place. At
//! every moment `memory.db` is either the damaged or the repaired database. A killed process leaves
//! a note (`pending.rs`), by which the next one that opens the store removes the unfinished
//! database or finishes the exchange.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};
use tacit_fs::failpoint::step;
use tacit_fs::with_suffix;
use tacit_store::{StoreError, StoreResult};

use crate::checkpoint::checkpoint;
use crate::error::explain;
use crate::lock::DatabaseLock;
use crate::open::{OpenMode, OpenOptions, create_private, immutable_uri};
use crate::pending::PendingWork;
use crate::salvage::{SalvageReport, salvage};
use crate::store::SqliteStore;
use crate::write_counter;

/// The name of the note.
const NOTE: &str = "repair.json";
/// The suffix of a damaged database that was replaced; a timestamp follows.
const DAMAGED: &str = ".damaged-";
/// The suffix of an intact database that was replaced by a backup; a timestamp follows.
const REPLACED: &str = ".replaced-";

/// The note for the next process.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    /// The new name of the damaged database; `None` until the new one is complete.
    kept: Option<String>,
}

/// A repair by a process with exclusive access.
#[derive(Debug)]
pub struct DatabaseRepair {
    database: PathBuf,
    finished: bool,
    _alone: DatabaseLock,
}

impl DatabaseRepair {
    /// Starts a repair. `alone` proves that no other process has the database open.
    pub fn begin(database: &Path, alone: DatabaseLock) -> StoreResult<DatabaseRepair> {
        resume(database)?;
        let repair =
            DatabaseRepair { database: database.to_path_buf(), finished: false, _alone: alone };
        repair.note(None)?;
        Ok(repair)
    }

    /// Builds the new database from everything readable.
    pub fn salvage(&self) -> StoreResult<(SqliteStore, SalvageReport)> {
        let new = with_suffix(&self.database, ".repair");
        let saved = salvage(&self.database, &new)?;
        step();
        let options =
            OpenOptions { access: OpenMode::Create, busy_timeout: Duration::from_secs(5) };
        Ok((SqliteStore::open_connection(&new, options)?, saved))
    }

    /// Verifies that the closed new database is intact and has `memories` memories, and replaces
    /// the damaged one, which is kept under a name with `stamp`. Returns that name.
    pub fn finish(self, memories: usize, stamp: &str) -> StoreResult<PathBuf> {
        step();
        let new = with_suffix(&self.database, ".repair");
        verify(&new, memories)?;
        tacit_fs::open(&new).and_then(|file| file.sync_all()).map_err(|source| io(&new, source))?;
        step();
        let kept = free_name(&self.database, DAMAGED, stamp);
        self.put_in_place(kept)
    }

    /// Replaces the database with a copy of a backup that has `memories` memories. The present
    /// database is kept under a name with `stamp`, which also says whether it was intact. Returns
    /// that name.
    pub fn restore(self, backup: &Path, memories: usize, stamp: &str) -> StoreResult<PathBuf> {
        let new = with_suffix(&self.database, ".repair");
        create_private(&new)?;
        let mut file = tacit_fs::open_to_write(&new).map_err(|source| io(&new, source))?;
        tacit_fs::open(backup)
            .and_then(|mut from| std::io::copy(&mut from, &mut file))
            .map_err(|source| io(&new, source))?;
        drop(file);
        step();
        let options =
            OpenOptions { access: OpenMode::Create, busy_timeout: Duration::from_secs(5) };
        // Migrates a backup of an earlier version.
        drop(SqliteStore::open_connection(&new, options)?);
        verify(&new, memories)?;
        tacit_fs::open(&new).and_then(|file| file.sync_all()).map_err(|source| io(&new, source))?;
        step();
        // A damaged database is kept as it is, with its log.
        let is_intact = checkpoint(&self.database).is_ok();
        let suffix = if is_intact { REPLACED } else { DAMAGED };
        let kept = free_name(&self.database, suffix, stamp);
        self.put_in_place(kept)
    }

    fn put_in_place(mut self, kept: PathBuf) -> StoreResult<PathBuf> {
        self.note(Some(&kept))?;
        // From here on, the exchange can only be completed.
        self.finished = true;
        exchange(&self.database, &kept)?;
        Ok(kept)
    }

    fn note(&self, kept: Option<&Path>) -> StoreResult<()> {
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let bytes = serde_json::to_vec(&Note { kept: kept.and_then(name) }).map_err(Into::into);
        bytes
            .and_then(|bytes| PendingWork::of(&self.database).begin(NOTE, &bytes))
            .map(drop)
            .map_err(|source| io(&self.database, source))
    }
}

impl Drop for DatabaseRepair {
    /// Undoes a failed repair.
    fn drop(&mut self) {
        if !self.finished {
            let _ = undo(&self.database);
        }
    }
}

/// Finishes or undoes an interrupted repair. The caller must have exclusive access.
pub(crate) fn resume(database: &Path) -> StoreResult<()> {
    let fail = |source| io(database, source);
    let pending = PendingWork::of(database);
    if pending.is_empty() {
        return Ok(());
    }
    let Some(bytes) = pending.read(NOTE).map_err(fail)? else {
        return pending.tidy().map_err(fail);
    };
    match serde_json::from_slice::<Note>(&bytes).ok().and_then(|note| note.kept) {
        // Only a file name: the note must not lead elsewhere.
        Some(kept) if is_name_of(database, &kept) => {
            exchange(database, &database.with_file_name(kept))
        }
        _ => undo(database),
    }
}

/// Returns true if a repair is unfinished.
pub(crate) fn is_unfinished(database: &Path) -> bool {
    PendingWork::of(database).read(NOTE).is_ok_and(|note| note.is_some())
}

/// Returns the copies that repairs kept of a database, oldest first, without their logs.
pub fn damaged_copies(database: &Path) -> Vec<PathBuf> {
    copies(database, DAMAGED)
}

/// Returns the intact databases that were replaced by a backup, oldest first.
pub fn replaced_copies(database: &Path) -> Vec<PathBuf> {
    copies(database, REPLACED)
}

fn copies(database: &Path, suffix: &str) -> Vec<PathBuf> {
    let Some(folder) = database.parent() else { return Vec::new() };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut copies: Vec<PathBuf> = names
        .filter(|name| {
            has_suffix(database, name, suffix) && !name.ends_with("-wal") && !name.ends_with("-shm")
        })
        .map(|name| database.with_file_name(name))
        .collect();
    copies.sort_unstable();
    copies
}

/// Returns the write-ahead log of a copy.
pub fn wal_of(copy: &Path) -> PathBuf {
    with_suffix(copy, "-wal")
}

fn is_name_of(database: &Path, name: &str) -> bool {
    [DAMAGED, REPLACED].iter().any(|suffix| has_suffix(database, name, suffix))
}

fn has_suffix(database: &Path, name: &str, suffix: &str) -> bool {
    let own = database.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix(own.as_ref()).is_some_and(|rest| rest.starts_with(suffix))
        && !name.contains(['/', '\\'])
}

/// Returns an unused name for the replaced database.
fn free_name(database: &Path, suffix: &str, stamp: &str) -> PathBuf {
    let name = |number: u32| match number {
        1 => with_suffix(database, &format!("{suffix}{stamp}")),
        _ => with_suffix(database, &format!("{suffix}{stamp}-{number}")),
    };
    let free = |path: &PathBuf| [path, &wal_of(path)].iter().all(|path| !path.exists());
    (1..u32::MAX).map(name).find(free).unwrap_or_else(|| name(u32::MAX))
}

/// Keeps the damaged database and its log under another name, and puts the new one in place. Every
/// step is idempotent.
fn exchange(database: &Path, kept: &Path) -> StoreResult<()> {
    let fail = |source| io(database, source);
    let new = with_suffix(database, ".repair");
    let folder = database.parent().unwrap_or(Path::new("."));
    if new.exists() {
        // A deleted database is replaced too.
        if !kept.exists() && database.exists() {
            tacit_fs::link_or_copy(database, kept).map_err(fail)?;
        }
        let (log, kept_log) = (with_suffix(database, "-wal"), wal_of(kept));
        if log.metadata().is_ok_and(|meta| meta.len() > 0) && !kept_log.exists() {
            tacit_fs::link_or_copy(&log, &kept_log).map_err(fail)?;
        }
        tacit_fs::sync_folder(folder).map_err(fail)?;
        // SQLite would take the damaged database's log for that of the new one.
        for ending in ["-wal", "-shm", "-journal"] {
            tacit_fs::remove(&with_suffix(database, ending)).map_err(fail)?;
        }
        tacit_fs::sync_folder(folder).map_err(fail)?;
        step();
        fs::rename(&new, database).map_err(fail)?;
        step();
        tacit_fs::sync_folder(folder).map_err(fail)?;
    }
    tacit_fs::remove(&write_counter::file_of(database)).map_err(fail)?;
    remove_new(database)?;
    PendingWork::of(database).complete(NOTE).map_err(fail)
}

fn undo(database: &Path) -> StoreResult<()> {
    remove_new(database)?;
    PendingWork::of(database).complete(NOTE).map_err(|source| io(database, source))
}

fn remove_new(database: &Path) -> StoreResult<()> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let path = with_suffix(database, &format!(".repair{ending}"));
        tacit_fs::remove(&path).map_err(|source| io(&path, source))?;
    }
    Ok(())
}

/// Checks that the new database is intact, complete, and has no log.
fn verify(new: &Path, memories: usize) -> StoreResult<()> {
    let fail = |error: rusqlite::Error| explain(new, &error);
    let wrong = |detail: String| StoreError::Failed { path: new.to_path_buf(), detail };
    if with_suffix(new, "-wal").metadata().is_ok_and(|meta| meta.len() > 0) {
        return Err(wrong("its log could not be folded back".into()));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(immutable_uri(new), flags).map_err(fail)?;
    let integrity: String =
        connection.pragma_query_value(None, "integrity_check", |row| row.get(0)).map_err(fail)?;
    let count: i64 = connection
        .query_row("SELECT count(*) FROM memories", [], |row| row.get(0))
        .map_err(fail)?;
    if integrity != "ok" {
        return Err(wrong(integrity));
    }
    if count.unsigned_abs() != memories as u64 {
        return Err(wrong(format!("it has {count} memories instead of {memories}")));
    }
    Ok(())
}

fn io(path: &Path, source: std::io::Error) -> StoreError {
    StoreError::Io { path: path.to_path_buf(), source }
}
