//! Helpers that create databases of earlier versions.

use std::path::Path;

use rusqlite::Connection;
use tacit_core::Memory;

use crate::migrate::{LATEST, migrate_to};
use crate::store::SqliteStore;
use crate::{lists, row};

/// Creates a database with an earlier schema.
pub fn create_at_version(path: &Path, version: i64) {
    let mut connection = Connection::open(path).expect("a new database");
    connection.pragma_update(None, "journal_mode", "wal").expect("a log");
    migrate_to(&mut connection, path, version).expect("a schema");
}

/// Inserts the rows of memories only, without columns that the database lacks.
pub fn insert_raw(path: &Path, memories: &[Memory]) {
    let mut whole = Connection::open_in_memory().expect("a database");
    migrate_to(&mut whole, path, LATEST).expect("a schema");
    for memory in memories {
        let seq = row::put(&whole, memory, None).expect("a row");
        lists::put(&whole, seq, None, memory).expect("its lists");
    }
    whole.execute("ATTACH ? AS old", [path.to_str().expect("a path")]).expect("the old one");
    for table in ["memories", "memory_files", "memory_modules", "memory_tags", "memory_sessions"] {
        let columns: String = whole
            .query_row(
                "SELECT group_concat(name, ', ') FROM pragma_table_info(?, 'old')",
                [table],
                |row| row.get(0),
            )
            .expect("columns");
        let sql = format!("INSERT INTO old.{table} ({columns}) SELECT {columns} FROM main.{table}");
        whole.execute(&sql, []).expect("rows");
    }
}

/// Returns a numeric pragma of a store's connection.
pub fn setting(store: &SqliteStore, name: &str) -> i64 {
    store.connection.pragma_query_value(None, name, |row| row.get(0)).expect("a number")
}
