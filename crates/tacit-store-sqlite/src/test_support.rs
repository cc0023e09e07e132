//! Ways to make databases that this version no longer makes.

use std::path::Path;

use rusqlite::Connection;
use tacit_core::Memory;

use crate::migrate::migrate_to;
use crate::row;
use crate::store::SqliteStore;

/// A database as the version with this schema made it.
pub fn create_at_version(path: &Path, version: i64) {
    let mut connection = Connection::open(path).expect("a new database");
    connection.pragma_update(None, "journal_mode", "wal").expect("a log");
    migrate_to(&mut connection, path, version).expect("a schema");
}

/// Writes a memory's rows and nothing else.
pub fn insert_raw(path: &Path, memory: &Memory) {
    let connection = Connection::open(path).expect("a database");
    let seq = row::put(&connection, memory, None).expect("a row");
    row::put_lists(&connection, seq, None, memory).expect("its lists");
}

/// A setting of a store's connection that is a number.
pub fn setting(store: &SqliteStore, name: &str) -> i64 {
    store.connection.pragma_query_value(None, name, |row| row.get(0)).expect("a number")
}
