//! Migrations from every earlier schema; later schemas are rejected.

use rusqlite::Connection;
use serde_json::json;
use tacit_core::{
    BoundedSet, Confidence, Details, MemoryId, Placement, Relation, RelationTarget, Relations,
    RepoPath, Subject, Timestamp,
};
use tacit_store::{
    ActivityStore, CoChange, FileAffinity, Filter, ListOrder, ListQuery, ObserverStore, Store,
    StoreError, conformance,
};
use tacit_store_sqlite::{LATEST_SCHEMA, OpenMode, SqliteStore, test_support};

#[test]
fn every_version_migrates_to_the_latest() {
    for version in 0..LATEST_SCHEMA {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("memory.db");
        test_support::create_at_version(&path, version);
        let kept = conformance::memory(1, "kept through every version");
        if version > 0 {
            // The table of memories has existed since the first version.
            test_support::insert_raw(&path, std::slice::from_ref(&kept));
        }
        let store = SqliteStore::open(&path, super::options(OpenMode::Write)).unwrap();
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
fn old_rows_are_readable_and_upgraded() {
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
    kept.body.tags = BoundedSet::collect(["db", "pool"].map(|tag| tag.parse().unwrap())).unwrap();
    kept.body.files = BoundedSet::collect([file.clone()]).unwrap();
    kept.body.modules = BoundedSet::collect(["db".parse().unwrap()]).unwrap();
    kept.body.origin.sessions = BoundedSet::collect(["s-1".parse().unwrap()]).unwrap();
    kept.body.relations = Relations::collect([
        relation(RelationTarget::File(file)),
        relation(RelationTarget::Memory(kept.id)),
    ])
    .unwrap();
    let mut store = SqliteStore::open(&path, super::options(OpenMode::Create)).unwrap();
    conformance::store_all(&mut store, std::slice::from_ref(&kept));
    let change = |sql: &str| Connection::open(&path).unwrap().execute(sql, []).unwrap();
    // Rows as an earlier version left them.
    change("UPDATE memories SET lists = NULL");
    assert_eq!(store.read(&[kept.id]).unwrap(), [kept.clone()]);
    assert_eq!(store.upgrade_rows(10).unwrap(), 1);
    assert_eq!(store.upgrade_rows(10).unwrap(), 0);
    assert_eq!(store.read(&[kept.id]).unwrap(), [kept]);
    assert_eq!(store.check(true).unwrap().problems, Vec::<String>::new());
    change("UPDATE memories SET lists = '[[\"other\"],[],[],[],[]]'");
    let problems = store.check(true).unwrap().problems;
    assert_eq!(problems, ["1 memories have other lists than their tables"]);
}

#[test]
fn old_conclusions_become_fields() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    test_support::create_at_version(&path, 11);
    let mut observed = conformance::memory(
        1,
        "`cargo test` failed 2 times: error[E0308]: mismatched types (test `expires`). It passed \
         after `src/a.rs` was changed: `ttl: u32` became `ttl: u64`.",
    );
    let mut told = conformance::memory(2, "error[E0433]: this one is told by a person");
    let mut edited = conformance::memory(3, "A person found better words for this one");
    let kind = "error_pattern".parse().unwrap();
    for memory in [&mut observed, &mut told, &mut edited] {
        let details = Details::from_json(&kind, None).unwrap();
        memory.body.subject = Subject::new(details, Placement::global()).unwrap();
    }
    let tags = ["cheat-sheet", "zqghijklmnopabcdefq"].map(|tag| tag.parse().unwrap());
    observed.body.tags = BoundedSet::collect(tags.clone()).unwrap();
    edited.body.tags = BoundedSet::collect(tags).unwrap();
    let mut recipe = conformance::memory(4, "Adding a command:\n1. Change `src/main.rs`");
    let steps = json!({
        "task_pattern": "adding a command", "success_count": 3,
        "last_validated_at": "2026-11-15T10:00:00Z",
        "steps": [
            {"order": 1, "description": "Change `src/main.rs`", "canonical_file": "src/main.rs"},
            {"order": 2, "description": "Run the tests (`cargo test`)"},
            {"order": 3, "description": "tell the others"},
        ],
    });
    let details = Details::from_json(&"workflow_recipe".parse().unwrap(), Some(steps)).unwrap();
    recipe.body.subject = Subject::new(details, Placement::global()).unwrap();
    let before = [observed.clone(), told.clone(), edited.clone(), recipe.clone()];
    test_support::insert_raw(&path, &before);
    let label = "INSERT INTO memory_text (rowid, title, body, labels) VALUES (?, '', 'zqghijq', ?)";
    let connection = Connection::open(&path).unwrap();
    for (seq, word) in
        [(1, "zqmmmmmmmmmmmmmmmmq"), (2, "error zqpppppppppppppppp zqppppppppppppppppq")]
    {
        connection.execute(label, (seq, word)).unwrap();
    }
    drop(connection);
    let store = SqliteStore::open(&path, super::options(OpenMode::Write)).unwrap();
    let read = store.read(&[observed.id, edited.id]).unwrap();
    assert_eq!(
        read[0].body.subject.details().to_json().unwrap(),
        json!({
            "fingerprint": "0123456789abcdef",
            "fix": {
                "failing_command": "cargo test", "error": "error[E0308]: mismatched types",
                "failed_test": "expires", "failures": 2,
                "resolution": {
                    "files": ["src/a.rs"], "changes": [{"removed": "ttl: u32", "added": "ttl: u64"}],
                },
            },
        })
    );
    assert_eq!(
        read[1].body.subject.details().to_json().unwrap(),
        json!({"fingerprint": "0123456789abcdef"})
    );
    for (now, before) in read.iter().zip([&observed, &edited]) {
        assert_eq!(
            now.body.tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>(),
            ["cheat-sheet"]
        );
        assert_eq!(now.content_hash(), before.content_hash(), "the same learning");
        assert_eq!((&now.body.content, now.updated_at), (&before.body.content, before.updated_at));
    }
    let read = store.read(&[recipe.id]).unwrap();
    assert_eq!(
        read[0].body.subject.details().to_json().unwrap()["steps"],
        json!([
            {
                "order": 1, "action": {"edit": {"named": "src/main.rs"}},
                "canonical_file": "src/main.rs",
            },
            {"order": 2, "action": {"check": {"kind": "test", "runner": "cargo test"}}},
            {"order": 3, "description": "tell the others"},
        ])
    );
    assert_ne!(read[0].content_hash(), recipe.content_hash());
    let columns: Vec<(Option<String>, Vec<u8>)> = Connection::open(&path)
        .unwrap()
        .prepare("SELECT failing_command, content_hash FROM memories ORDER BY seq")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let commands: Vec<Option<&str>> =
        columns.iter().map(|(command, _)| command.as_deref()).collect();
    assert_eq!(commands, [Some("cargo test"), None, None, None]);
    assert_eq!(columns[3].1, read[0].content_hash().as_bytes());
    let from_error = |fingerprint: &str| -> Vec<MemoryId> {
        let filter = Filter { fingerprint: fingerprint.parse().ok(), ..Filter::default() };
        let order = ListOrder::Oldest;
        let query = ListQuery { filter, order, limit: 9, offset: 0 };
        store.list(&query).unwrap().into_iter().map(|memory| memory.id).collect()
    };
    assert_eq!(from_error("0123456789abcdef"), [observed.id, edited.id]);
    assert_eq!(from_error("9999999999999999"), [told.id]);
    assert_eq!(from_error("6666666666666666"), [], "its tag says better");
    assert!(store.check(true).unwrap().problems.is_empty());
}

#[test]
fn session_usage_survives_the_history_migration() {
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
    let mut store = SqliteStore::open(&path, super::options(OpenMode::Write)).unwrap();
    let file = |name| RepoPath::new(name).unwrap();
    let expected = FileAffinity { weight: 0.75, sessions: 3, delta_ms: 200.0, directional: true };
    assert_eq!(store.file_affinity(&file("b.rs"), &file("a.rs")).unwrap(), Some(expected.clone()));
    let told = CoChange { file: file("a.rs"), other: file("b.rs"), weight: 0.9, count: 4 };
    let at = Timestamp::from_millis(6).unwrap();
    for ties in [vec![told], Vec::new()] {
        store.set_co_changes(&ties, at).unwrap();
        assert_eq!(
            store.file_affinity(&file("a.rs"), &file("b.rs")).unwrap(),
            Some(expected.clone())
        );
        assert_eq!(store.linked_files(&[file("b.rs")], 0.6, 5).unwrap(), [file("a.rs")]);
    }
}

#[test]
fn newer_databases_are_rejected() {
    let (store, directory) = super::empty();
    drop(store);
    let path = directory.path().join("memory.db");
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", LATEST_SCHEMA + 1).unwrap();
    drop(connection);
    let error = SqliteStore::open(&path, super::options(OpenMode::Write)).unwrap_err();
    assert!(
        matches!(error, StoreError::TooNew { found, known, .. } if found == known + 1),
        "{error}"
    );
}

#[test]
fn databases_of_other_programs_are_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let bytes = std::fs::read(&path).unwrap();
    for access in [OpenMode::Read, OpenMode::Write, OpenMode::Create] {
        let error = SqliteStore::open(&path, super::options(access)).unwrap_err();
        assert!(error.to_string().contains("belongs to another program"), "{error}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn concurrent_migrations_run_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    test_support::create_at_version(&path, 1);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let options = tacit_store_sqlite::OpenOptions {
                    access: OpenMode::Write,
                    busy_timeout: std::time::Duration::from_secs(10),
                };
                SqliteStore::open(&path, options).unwrap();
            });
        }
    });
}

#[test]
fn history_is_append_only() {
    let (mut store, directory) = super::empty();
    conformance::stored_memories_read_back_unchanged(&mut store);
    let connection = Connection::open(directory.path().join("memory.db")).unwrap();
    for sql in [
        "UPDATE changes SET actor = 'somebody'",
        "DELETE FROM changes",
        "UPDATE change_items SET after = '{}'",
        "DELETE FROM change_items",
    ] {
        let error = connection.execute(sql, []).unwrap_err();
        assert!(error.to_string().contains("append-only"), "{sql}: {error}");
    }
}
