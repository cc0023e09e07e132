//! Reading what can still be read from a damaged database.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};
use tacit_core::{Memory, MemoryId};
use tacit_store::apply_patch;

use crate::row::{self, COLUMNS};

/// What was read from a damaged database.
#[derive(Debug, Default)]
pub struct Salvage {
    /// Memories whose rows were whole.
    pub intact: Vec<Memory>,
    /// Memories whose rows were lost and that the history still tells.
    pub from_history: Vec<Memory>,
}

/// Reads row by row, from both ends, past whatever cannot be read, and then fills the gaps from
/// the history. The file is not changed.
pub fn salvage(path: &Path) -> Salvage {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(connection) = Connection::open_with_flags(path, flags) else {
        return Salvage::default();
    };
    // Otherwise SQLite refuses a file that is shorter than its header says as a whole.
    let _ = connection.pragma_update(None, "writable_schema", true);
    let mut intact: BTreeMap<MemoryId, Memory> = BTreeMap::new();
    for order in ["ASC", "DESC"] {
        // Without the index of identifiers: a scan of the table alone survives damage elsewhere.
        let sql = format!("SELECT {COLUMNS} FROM memories m NOT INDEXED ORDER BY m.seq {order}");
        let Ok(mut statement) = connection.prepare(&sql) else { continue };
        let Ok(mut rows) = statement.query([]) else { continue };
        while let Ok(Some(row)) = rows.next() {
            if let Ok(memory) = row::memory(row) {
                intact.entry(memory.id).or_insert(memory);
            }
        }
    }
    let from_history = history(&connection)
        .into_iter()
        .filter(|memory| !intact.contains_key(&memory.id))
        .collect();
    Salvage { intact: intact.into_values().collect(), from_history }
}

/// The memories as the history tells them, as far as it can be read.
fn history(connection: &Connection) -> Vec<Memory> {
    let mut told: BTreeMap<MemoryId, Map<String, Value>> = BTreeMap::new();
    let sql = "SELECT memory, before, after FROM change_items NOT INDEXED ORDER BY rowid";
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
            (None, None) => {}
        }
    }
    told.into_values().filter_map(|fields| Memory::from_json(Value::Object(fields)).ok()).collect()
}
