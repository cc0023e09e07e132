//! The store beside that of SQLite: both are given the same.

use std::time::Duration;

use tacit_store::conformance::{same_ranking, same_states};
use tacit_store_sqlite::{OpenMode, OpenOptions, SqliteStore};
use tacit_testkit::realistic;
use tempfile::TempDir;

use crate::conformance::store;

fn sqlite() -> (SqliteStore, TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let options =
        OpenOptions { access: OpenMode::Create, busy_timeout: Duration::from_millis(200) };
    let store = SqliteStore::open(&directory.path().join("memory.db"), options).expect("a store");
    (store, directory)
}

#[test]
fn the_same_operations_lead_to_the_same_state() {
    same_states(3, sqlite, store);
}

#[test]
fn the_same_memories_are_ranked_alike() {
    let ((mut one, _keep), (mut other, _keep_too)) = (sqlite(), store());
    same_ranking(&mut one, &mut other, realistic::draft);
}
