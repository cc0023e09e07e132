//! Conformance and own tests of the SQLite store.

mod bm25;
mod brief;
mod compared;
mod damage;
mod log;
mod migrations;
mod properties;
mod team_copy;

use std::path::Path;
use std::time::Duration;

use tacit_store_sqlite::{OpenMode, OpenOptions, SqliteStore};
use tempfile::TempDir;

fn options(access: OpenMode) -> OpenOptions {
    OpenOptions { access, busy_timeout: Duration::from_millis(200) }
}

fn create(path: &Path) -> SqliteStore {
    SqliteStore::open(path, options(OpenMode::Create)).expect("create")
}

fn empty() -> (SqliteStore, TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    (create(&directory.path().join("memory.db")), directory)
}

fn again(directory: &TempDir) -> SqliteStore {
    create(&directory.path().join("memory.db"))
}

mod story {
    tacit_store::conformance_tests!(super::empty, super::again);
}
