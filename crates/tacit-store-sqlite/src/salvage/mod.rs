//! Saving what can still be read from a damaged database into a new one beside it.
//!
//! Every table is copied row by row, past whatever cannot be read (`copy.rs`). What no reader of
//! ours would take is left out (`sound.rs`), and so is what belongs to something that was lost
//! (`orphans.rs`). Indexes are made anew by whoever asked for this.

pub(crate) mod copy;
mod orphans;
pub(crate) mod sound;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};
use tacit_core::{Memory, MemoryId};
use tacit_fs::failpoint::step;
use tacit_store::{StoreResult, apply_patch};

use crate::error::explain;
use crate::migrate::{LATEST, migrate, migrate_to};
use crate::row::{self, COLUMNS};
use crate::{lists, open};

/// Counts of the rows saved from a damaged database.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SalvageReport {
    /// Number of memories whose rows were whole.
    pub intact: usize,
    /// Memories whose rows were lost and that the history still tells. They are not in the new
    /// database yet.
    pub from_history: Vec<Memory>,
    /// Number of other rows copied: history, sessions, vectors and so on.
    pub rows: usize,
    /// Least number of rows that were seen and could not be used.
    pub unreadable: usize,
}

/// Copies what can be read from `damaged` to a new database at `new`, which must not be there. The
/// damaged file is not changed; what waits in its log is copied as well.
pub fn salvage(damaged: &Path, new: &Path) -> StoreResult<SalvageReport> {
    let fail = |error: rusqlite::Error| explain(new, &error);
    open::create_private(new)?;
    let mut into = Connection::open(new).map_err(fail)?;
    // Nobody reads the new file before it is complete and flushed.
    into.execute_batch(
        "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;",
    )
    .map_err(fail)?;
    let from = source(damaged);
    migrate_to(&mut into, new, from.as_ref().map_or(LATEST, version))?;
    step();
    let mut salvage = SalvageReport::default();
    if let Some(from) = &from {
        let copied = copy::copy_all(from, &mut into).map_err(fail)?;
        salvage.rows = copied.rows;
        salvage.unreadable = copied.unreadable;
    }
    step();
    migrate(&mut into, new)?;
    let transaction = into.transaction().map_err(fail)?;
    let (kept, dropped) = memories(&transaction).map_err(fail)?;
    salvage.rows = salvage.rows.saturating_sub(kept.len() + dropped);
    salvage.intact = kept.len();
    salvage.unreadable += dropped;
    salvage.unreadable += orphans::remove(&transaction).map_err(fail)?;
    salvage.from_history =
        told(&transaction).into_iter().filter(|memory| !kept.contains(&memory.id)).collect();
    transaction.commit().map_err(fail)?;
    step();
    into.close().map_err(|(_, error)| fail(error))?;
    Ok(salvage)
}

fn source(damaged: &Path) -> Option<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(damaged, flags).ok()?;
    // Otherwise SQLite refuses a file that is shorter than its header says as a whole.
    let _ = connection.pragma_update(None, "writable_schema", true);
    Some(connection)
}

/// The version by which the damaged database was written, as far as it can be told.
fn version(connection: &Connection) -> i64 {
    let found = connection.pragma_query_value(None, "user_version", |row| row.get(0));
    found.ok().filter(|found| (1..=LATEST).contains(found)).unwrap_or(LATEST)
}

/// Removes the rows of memories that cannot be understood, and gives the others their lists anew.
/// Returns the memories that stay and how many went.
fn memories(connection: &Connection) -> rusqlite::Result<(BTreeSet<MemoryId>, usize)> {
    let mut kept: Vec<(i64, Memory)> = Vec::new();
    let mut broken: Vec<i64> = Vec::new();
    {
        let sql = format!("SELECT {COLUMNS} FROM memories m ORDER BY m.seq");
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            match row::memory(row) {
                Ok(memory) => kept.push((row.get(0)?, memory)),
                Err(_) => broken.push(row.get(0)?),
            }
        }
    }
    for table in ["memory_files", "memory_modules", "memory_tags", "memory_sessions"] {
        connection.execute(&format!("DELETE FROM {table}"), [])?;
    }
    connection.execute("DELETE FROM memory_relations", [])?;
    for seq in &broken {
        connection.execute("DELETE FROM memories WHERE seq = ?", [seq])?;
    }
    // The bands are written again when the memory is indexed.
    connection.execute("UPDATE memories SET bands = NULL", [])?;
    for (seq, memory) in &kept {
        lists::put(connection, *seq, None, memory)?;
        connection
            .prepare_cached("UPDATE memories SET lists = ? WHERE seq = ?")?
            .execute(rusqlite::params![lists::text_of(&memory.body), seq])?;
    }
    Ok((kept.into_iter().map(|(_, memory)| memory.id).collect(), broken.len()))
}

/// The memories as the history tells them.
fn told(connection: &Connection) -> Vec<Memory> {
    let mut told: BTreeMap<MemoryId, Map<String, Value>> = BTreeMap::new();
    let sql = "SELECT memory, before, after FROM change_items ORDER BY rowid";
    let Ok(mut statement) = connection.prepare(sql) else { return Vec::new() };
    let Ok(mut rows) = statement.query([]) else { return Vec::new() };
    while let Ok(Some(row)) = rows.next() {
        let (Ok(bytes), Ok(before), Ok(after)) = (
            row.get::<_, [u8; 16]>(0),
            row.get::<_, Option<String>>(1),
            row.get::<_, Option<String>>(2),
        ) else {
            continue;
        };
        let Some(id) = MemoryId::from_bytes(bytes) else { continue };
        let patch = after.and_then(|json| serde_json::from_str::<Map<String, Value>>(&json).ok());
        match (before, patch) {
            (None, Some(fields)) => drop(told.insert(id, fields)),
            (Some(_), Some(patch)) => {
                if let Some(fields) = told.get_mut(&id) {
                    apply_patch(fields, &patch);
                }
            }
            (Some(_), None) => drop(told.remove(&id)),
            // A purge leaves nothing to be brought back.
            (None, None) => drop(told.remove(&id)),
        }
    }
    told.into_values().filter_map(|fields| Memory::from_json(Value::Object(fields)).ok()).collect()
}
