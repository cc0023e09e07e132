//! Every earlier schema leads to the present one, and a later one is left alone.

use rusqlite::Connection;
use tacit_core::{Bounded, Confidence, Relation, Relations, RepoPath, Target, Timestamp};
use tacit_store::{
    ActivityStore, FileTie, ObservedTie, ObserverStore, Store, StoreError, conformance,
};
use tacit_store_sqlite::{Access, LATEST_SCHEMA, SqliteStore, test_support};

#[test]
fn every_version_leads_to_the_latest() {
    for version in 0..LATEST_SCHEMA {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("memory.db");
        test_support::create_at_version(&path, version);
        let kept = conformance::memory(1, "kept through every version");
        if version > 0 {
            // The table of memories has been there since the first version.
            test_support::insert_raw(&path, &kept);
        }
        let store = SqliteStore::open(&path, super::options(Access::Write)).unwrap();
        let read = store.read(&[kept.id]).unwrap();
        assert_eq!(read.len(), usize::from(version > 0), "from version {version}");
        assert!(store.check(true).unwrap().problems.is_empty());
        let found: i64 = Connection::open(&path)
            .unwrap()
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        assert_eq!(found, LATEST_SCHEMA);
    }
}

#[test]
fn lists_of_rows_of_before_are_read_and_then_completed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    let mut kept = conformance::memory(1, "kept with its lists");
    let relation = |target| Relation {
        target,
        kind: "supersedes".parse().unwrap(),
        confidence: Confidence::HIGH,
        auto_extracted: true,
    };
    let file = RepoPath::new("src/ü \"pool\".rs").unwrap();
    kept.said.tags = Bounded::collect(["db", "pool"].map(|tag| tag.parse().unwrap())).unwrap();
    kept.said.files = Bounded::collect([file.clone()]).unwrap();
    kept.said.modules = Bounded::collect(["db".parse().unwrap()]).unwrap();
    kept.said.origin.sessions = Bounded::collect(["s-1".parse().unwrap()]).unwrap();
    kept.said.relations =
        Relations::collect([relation(Target::File(file)), relation(Target::Memory(kept.id))])
            .unwrap();
    let mut store = SqliteStore::open(&path, super::options(Access::Create)).unwrap();
    conformance::keep_all(&mut store, std::slice::from_ref(&kept));
    let change = |sql: &str| Connection::open(&path).unwrap().execute(sql, []).unwrap();
    // As an earlier version leaves them.
    change("UPDATE memories SET lists = NULL");
    assert_eq!(store.read(&[kept.id]).unwrap(), [kept.clone()]);
    assert_eq!(store.complete_rows(10).unwrap(), 1);
    assert_eq!(store.complete_rows(10).unwrap(), 0);
    assert_eq!(store.read(&[kept.id]).unwrap(), [kept]);
    assert_eq!(store.check(true).unwrap().problems, Vec::<String>::new());
    change("UPDATE memories SET lists = '[[\"other\"],[],[],[],[]]'");
    let problems = store.check(true).unwrap().problems;
    assert_eq!(problems, ["1 memories have other lists than their tables"]);
}

#[test]
fn what_sessions_showed_of_files_is_kept_when_history_joins_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    test_support::create_at_version(&path, 7);
    Connection::open(&path)
        .unwrap()
        .execute_batch(
            "INSERT INTO observer_co_access_edges
             (file_a, file_b, weight, raw_count, avg_time_delta_ms, directional, last_observed_at,
              forward_count) VALUES ('a.rs', 'b.rs', 0.75, 3, 200.0, 1, 5, 3)",
        )
        .unwrap();
    let mut store = SqliteStore::open(&path, super::options(Access::Write)).unwrap();
    let file = |name| RepoPath::new(name).unwrap();
    let expected = ObservedTie { weight: 0.75, sessions: 3, delta_ms: 200.0, directional: true };
    assert_eq!(store.tie(&file("b.rs"), &file("a.rs")).unwrap(), Some(expected.clone()));
    let told = FileTie { file: file("a.rs"), other: file("b.rs"), weight: 0.9, count: 4 };
    let at = Timestamp::from_millis(6).unwrap();
    for ties in [vec![told], Vec::new()] {
        store.tie_files(&ties, at).unwrap();
        assert_eq!(store.tie(&file("a.rs"), &file("b.rs")).unwrap(), Some(expected.clone()));
        assert_eq!(store.linked_files(&[file("b.rs")], 0.6, 5).unwrap(), [file("a.rs")]);
    }
}

#[test]
fn a_database_from_the_future_is_left_alone() {
    let (store, directory) = super::empty();
    drop(store);
    let path = directory.path().join("memory.db");
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", LATEST_SCHEMA + 1).unwrap();
    drop(connection);
    let error = SqliteStore::open(&path, super::options(Access::Write)).unwrap_err();
    assert!(
        matches!(error, StoreError::TooNew { found, known, .. } if found == known + 1),
        "{error}"
    );
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let bytes = std::fs::read(&path).unwrap();
    for access in [Access::Read, Access::Write, Access::Create] {
        let error = SqliteStore::open(&path, super::options(access)).unwrap_err();
        assert!(error.to_string().contains("some other program"), "{error}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn processes_that_migrate_at_once_do_it_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    test_support::create_at_version(&path, 1);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let options = tacit_store_sqlite::OpenOptions {
                    access: Access::Write,
                    busy_timeout: std::time::Duration::from_secs(10),
                };
                SqliteStore::open(&path, options).unwrap();
            });
        }
    });
}

#[test]
fn the_history_cannot_be_rewritten() {
    let (mut store, directory) = super::empty();
    conformance::kept_as_given(&mut store);
    let connection = Connection::open(directory.path().join("memory.db")).unwrap();
    for sql in [
        "UPDATE changes SET actor = 'nobody'",
        "DELETE FROM changes",
        "UPDATE change_items SET after = '{}'",
        "DELETE FROM change_items",
    ] {
        let error = connection.execute(sql, []).unwrap_err();
        assert!(error.to_string().contains("append-only"), "{sql}: {error}");
    }
}
