//! Files that are missing, locked, read-only, cut short or full of garbage.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tacit_core::Memory;
use tacit_store::{
    Action, ActionKind, ChangeQuery, Filter, ListOrder, ListQuery, Store, StoreError, conformance,
};
use tacit_store_sqlite::{
    OpenMode, OpenOptions, SalvageReport, SqliteStore, salvage, test_support,
};
use tacit_testkit::realistic::TestRandom;

#[test]
fn a_missing_database_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    for access in [OpenMode::Write, OpenMode::Read] {
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
    let second = SqliteStore::open(&path, super::options(OpenMode::Write)).unwrap();
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
    let error = SqliteStore::open(&path, super::options(OpenMode::Write)).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert_eq!(salvaged(&path).1, SalvageReport::default());
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

/// Salvages a database: its memories, and the counts.
fn salvaged(path: &Path) -> (Vec<Memory>, SalvageReport) {
    let folder = tempfile::tempdir().expect("it can be read");
    let new = folder.path().join("memory.db");
    let salvage = salvage(path, &new).expect("it can be read");
    let store = SqliteStore::open(&new, super::options(OpenMode::Write)).expect("it can be read");
    let query = ListQuery {
        filter: Filter::everything(),
        order: ListOrder::Oldest,
        limit: usize::MAX,
        offset: 0,
    };
    let mut memories = store.list(&query).expect("it can be read");
    assert_eq!(memories.len(), salvage.intact);
    let check = store.check(true).expect("it can be read");
    assert_eq!(check.problems, [] as [&str; 0], "what is saved is sound");
    store
        .changes(&ChangeQuery { limit: usize::MAX, ..ChangeQuery::default() })
        .expect("it can be read");
    memories.extend(salvage.from_history.iter().cloned());
    (memories, salvage)
}

/// A database of some memories, all in the main file.
fn filled(directory: &Path) -> (std::path::PathBuf, Vec<Memory>) {
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
    let mut dice = TestRandom::new(7);
    let mut saved = 0;
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
        if let Ok(store) = SqliteStore::open(&path, super::options(OpenMode::Write)) {
            let _ = store.stats();
            let _ = store.check(true);
            let _ = store.read(&[memories[0].id]);
        }
        let (found, _) = salvaged(&path);
        for memory in &found {
            assert!(memories.contains(memory), "round {round}: a memory that never was");
        }
        saved += found.len();
    }
    assert!(saved > 120 * 8, "only {saved} memories came back in 24 rounds");
}

#[test]
fn an_empty_file_becomes_a_database() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    fs::write(&path, "").unwrap();
    let mut store = SqliteStore::open(&path, super::options(OpenMode::Write)).unwrap();
    conformance::kept_as_given(&mut store);
}

#[test]
fn what_does_not_wait_leaves_writes_as_durable_and_as_patient_as_before() {
    let (store, directory) = super::empty();
    drop(store);
    let path = directory.path().join("memory.db");
    let patient = Duration::from_secs(30);
    let options = OpenOptions { access: OpenMode::Write, busy_timeout: patient };
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
    let saved = salvaged(&path).0.len();
    assert!(saved * 10 > memories.len() * 9, "only {saved} of {}", memories.len());
}

#[test]
fn history_sessions_and_relations_are_saved_as_well() {
    let directory = tempfile::tempdir().unwrap();
    let (path, memories) = filled(directory.path());
    let before = Connection::open(&path).unwrap();
    before
        .execute_batch(
            "INSERT INTO agent_sessions (id, client, started_at, last_at)
                 VALUES ('s-1', 'claude-code', 1000, 2000);
             INSERT INTO agent_events (id, session, at, kind, body)
                 VALUES ('e-1', 's-1', 1500, 'prompt', '{\"text\":\"hello\"}');
             INSERT INTO agent_events (id, session, at, kind, body)
                 VALUES ('e-2', 'not a\nsession', 1500, 'prompt', '{}');
             INSERT INTO observer_file_nodes (file_path, last_accessed_at) VALUES ('src/a.rs', 1);
             INSERT INTO requests (name, at) VALUES ('done before', 1);
             UPDATE sqlite_sequence SET seq = 500 WHERE name = 'memories';",
        )
        .unwrap();
    before.pragma_update(None, "wal_checkpoint", "truncate").unwrap();
    drop(before);
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("memory.db");
    let saved = salvage(&path, &new).unwrap();
    assert_eq!((saved.intact, saved.from_history.len(), saved.unreadable), (memories.len(), 0, 1));
    let after = Connection::open(&new).unwrap();
    let old = Connection::open(&path).unwrap();
    for (sql, both) in [
        ("SELECT group_concat(id || kind || actor) FROM changes", true),
        ("SELECT group_concat(change || hex(memory) || after) FROM change_items", true),
        ("SELECT group_concat(id || body) FROM agent_events WHERE id = 'e-1'", true),
        ("SELECT group_concat(id) FROM agent_sessions", true),
        ("SELECT group_concat(file_path) FROM observer_file_nodes", true),
        ("SELECT group_concat(name) FROM requests", true),
        ("SELECT group_concat(seq || hex(id)) FROM memories", true),
        ("SELECT CAST(seq AS TEXT) FROM sqlite_sequence WHERE name = 'memories'", true),
        ("SELECT group_concat(name) FROM sqlite_schema WHERE type = 'trigger'", true),
        ("SELECT group_concat(id) FROM agent_events", false),
    ] {
        let ask = |connection: &Connection| -> Option<String> {
            connection.query_row(sql, [], |row| row.get(0)).unwrap()
        };
        assert_eq!(ask(&old) == ask(&after), both, "{sql}: {:?} {:?}", ask(&old), ask(&after));
    }
}

#[test]
fn what_waits_in_the_log_is_saved_and_the_log_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    let mut store = super::create(&path);
    conformance::keep_all(&mut store, &[conformance::memory(1, "a fact in the log")]);
    let log = directory.path().join("memory.db-wal");
    let before = fs::read(&log).unwrap();
    assert!(!before.is_empty());
    let folder = tempfile::tempdir().unwrap();
    let saved = salvage(&path, &folder.path().join("memory.db")).unwrap();
    assert_eq!(saved.intact, 1);
    assert_eq!(fs::read(&log).unwrap(), before);
}

#[test]
fn rows_between_two_damaged_places_are_saved() {
    let directory = tempfile::tempdir().unwrap();
    let (path, memories) = filled(directory.path());
    let page = |text: &str| {
        let bytes = fs::read(&path).unwrap();
        let at = bytes.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
        at / 4096 * 4096
    };
    // Two leaves of the table of memories, near its beginning and its end.
    let places = [page("fact 10 xxx"), page("fact 110 xxx")];
    let mut bytes = fs::read(&path).unwrap();
    for place in places {
        bytes[place..place + 8].fill(0xff);
    }
    fs::write(&path, &bytes).unwrap();
    let (found, salvage) = salvaged(&path);
    assert!(salvage.intact >= memories.len() - 40, "{} of {}", salvage.intact, memories.len());
    assert_eq!(found.len(), memories.len(), "the history tells the rest");
    assert!(salvage.unreadable > 0);
}

#[test]
fn an_odd_version_is_told() {
    for (version, application, message) in [
        (-3, None, "it has schema version -3, which no version of tacit writes"),
        (tacit_store_sqlite::LATEST_SCHEMA, Some(7), "it is a database of some other program"),
        (99, Some(7), "it is a database of some other program"),
        (99, None, "has schema version 99; this version of tacit knows up to"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let (path, _) = filled(directory.path());
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", version).unwrap();
        if let Some(application) = application {
            connection.pragma_update(None, "application_id", application).unwrap();
        }
        drop(connection);
        let error = SqliteStore::open(&path, super::options(OpenMode::Write)).unwrap_err();
        assert!(error.to_string().contains(message), "{version}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_pipes_in_the_place_of_a_file_are_refused() {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let directory = tempfile::tempdir().unwrap();
        let (path, _) = filled(directory.path());
        let there = directory.path().join(format!("memory.db{ending}"));
        let elsewhere = directory.path().join("elsewhere");
        if there.exists() {
            fs::rename(&there, &elsewhere).unwrap();
        } else {
            fs::write(&elsewhere, "").unwrap();
        }
        std::os::unix::fs::symlink(&elsewhere, &there).unwrap();
        for access in [OpenMode::Write, OpenMode::Read, OpenMode::Brief, OpenMode::Create] {
            let error = SqliteStore::open(&path, super::options(access)).unwrap_err();
            assert!(matches!(error, StoreError::Refused { .. }), "{ending}: {error}");
            let message = format!("memory.db{ending}` is not used: it is a symbolic link");
            assert!(error.to_string().contains(&message), "{error}");
        }
    }
}
