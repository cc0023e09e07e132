//! Files that are missing, locked, read-only, cut short or full of garbage.

use std::fs;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tacit_core::Memory;
use tacit_store::{Action, ActionKind, Store, StoreError, conformance};
use tacit_store_sqlite::{Access, OpenOptions, SqliteStore, salvage, test_support};
use tacit_testkit::realistic::Dice;

#[test]
fn a_missing_database_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    for access in [Access::Write, Access::Read] {
        let error = SqliteStore::open(&path, super::options(access)).unwrap_err();
        assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    }
    assert!(!path.exists(), "looking must not create");
}

#[test]
fn a_locked_database_is_busy_for_writers_and_open_to_readers() {
    let (mut store, directory) = super::empty();
    conformance::kept_as_given(&mut store);
    let path = directory.path().join("memory.db");
    let locker = Connection::open(&path).unwrap();
    locker.execute_batch("BEGIN IMMEDIATE").unwrap();
    let second = SqliteStore::open(&path, super::options(Access::Write)).unwrap();
    assert_eq!(second.stats().unwrap().by_status, [("active".to_owned(), 1)]);
    let error = store.touch(&[], conformance::at(0)).unwrap_err();
    assert!(matches!(error, StoreError::Busy), "{error}");
}

#[test]
fn garbage_is_damage() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    fs::write(&path, "this is not a database, but it is longer than a header would be".repeat(99))
        .unwrap();
    let error = SqliteStore::open(&path, super::options(Access::Write)).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert_eq!(salvage(&path).intact, []);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let (mut store, directory) = super::empty();
    conformance::kept_as_given(&mut store);
    for entry in fs::read_dir(directory.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{:?} {mode:o}", entry.path());
    }
}

/// A database of some memories, all in the main file.
fn filled(directory: &std::path::Path) -> (std::path::PathBuf, Vec<Memory>) {
    let path = directory.join("memory.db");
    let mut store = super::create(&path);
    let memories: Vec<Memory> = (1..=120)
        .map(|number| conformance::memory(number, &format!("fact {number} {}", "x".repeat(400))))
        .collect();
    conformance::keep_all(&mut store, &memories);
    drop(store);
    Connection::open(&path)
        .and_then(|connection| connection.pragma_update(None, "wal_checkpoint", "truncate"))
        .expect("checkpoint");
    (path, memories)
}

#[test]
fn a_file_cut_short_or_overwritten_never_panics_and_gives_back_what_is_whole() {
    let mut dice = Dice::new(7);
    let mut salvaged = 0;
    for round in 0..24 {
        let directory = tempfile::tempdir().unwrap();
        let (path, memories) = filled(directory.path());
        let mut bytes = fs::read(&path).unwrap();
        if round % 2 == 0 {
            bytes.truncate(dice.below(bytes.len()));
        } else {
            let start = 4096 + dice.below(bytes.len() - 8192);
            bytes[start..start + 4096].fill(0xa5);
        }
        fs::write(&path, &bytes).unwrap();
        if let Ok(store) = SqliteStore::open(&path, super::options(Access::Write)) {
            let _ = store.stats();
            let _ = store.check(true);
            let _ = store.read(&[memories[0].id]);
        }
        let salvage = salvage(&path);
        for memory in salvage.intact.iter().chain(&salvage.from_history) {
            assert!(memories.contains(memory), "round {round}: a memory that never was");
        }
        salvaged += salvage.intact.len() + salvage.from_history.len();
    }
    assert!(salvaged > 120 * 8, "only {salvaged} memories came back in 24 rounds");
}

#[test]
fn an_empty_file_becomes_a_database() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    fs::write(&path, "").unwrap();
    let mut store = SqliteStore::open(&path, super::options(Access::Write)).unwrap();
    conformance::kept_as_given(&mut store);
}

#[test]
fn what_does_not_wait_leaves_writes_as_durable_and_as_patient_as_before() {
    let (store, directory) = super::empty();
    drop(store);
    let path = directory.path().join("memory.db");
    let patient = Duration::from_secs(30);
    let options = OpenOptions { access: Access::Write, busy_timeout: patient };
    let mut store = SqliteStore::open(&path, options).unwrap();
    let locker = Connection::open(&path).unwrap();
    locker.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = Instant::now();
    let error = store.touch(&[], conformance::at(0)).unwrap_err();
    assert!(matches!(error, StoreError::Busy), "{error}");
    let action = Action {
        kind: ActionKind::Edit,
        at: conformance::at(0),
        actor: "test".parse().unwrap(),
        reason: None,
        reverts: None,
    };
    assert!(matches!(store.begin_now(action.clone()), Err(StoreError::Busy)));
    assert!(began.elapsed() < patient / 2, "{:?}", began.elapsed());
    drop(locker);
    store.begin_now(action).unwrap().commit().unwrap();
    assert_eq!(test_support::setting(&store, "busy_timeout"), 30_000);
    assert_eq!(test_support::setting(&store, "synchronous"), 2, "FULL");
}

#[test]
fn a_file_without_its_last_page_gives_back_nearly_everything() {
    let directory = tempfile::tempdir().unwrap();
    let (path, memories) = filled(directory.path());
    let length = fs::metadata(&path).unwrap().len();
    fs::File::options().write(true).open(&path).unwrap().set_len(length - 4096).unwrap();
    let salvage = salvage(&path);
    let saved = salvage.intact.len() + salvage.from_history.len();
    assert!(saved * 10 > memories.len() * 9, "only {saved} of {}", memories.len());
}
