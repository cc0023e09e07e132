//! Databases of claude-mem and iflow: old and new, intact and damaged.

use std::path::PathBuf;

use proptest::prelude::*;
use rusqlite::Connection;
use tacit_bridges::claude_mem::{projects, read};
use tempfile::TempDir;

use crate::{drafts, skipped};

fn database(script: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("claude-mem.db");
    Connection::open(&path).expect("a database").execute_batch(script).expect("a script");
    (directory, path)
}

const CURRENT_SCHEMA: &str = r#"
    CREATE TABLE observations (
        id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,
        title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
        files_modified TEXT, prompt_number INTEGER, created_at TEXT, created_at_epoch INTEGER);
    CREATE TABLE session_summaries (
        id INTEGER PRIMARY KEY, project TEXT, request TEXT, learned TEXT, files_edited TEXT,
        created_at TEXT);
    INSERT INTO observations VALUES
        (1, 's', 'shop', NULL, 'bugfix', 'Pool leaked sockets after fork',
         'Children kept the parent''s sockets', '["The pool opens lazily","Forks share it"]',
         'Closing the pool before the fork stopped the leak.', '["gotcha","problem-solution"]',
         '["src/main.rs"]', '["src/pool.rs"]', 1, '2025-10-03T09:12:00.000Z', 1759482720000),
        (2, 's', 'shop', NULL, 'discovery', 'Prices are in cents', NULL, 'not json', NULL,
         '["gotcha"]', NULL, NULL, 2, '2025-10-04T09:12:00.000Z', 0),
        (3, 's', 'other', 'About another project', 'decision', NULL, NULL, NULL, NULL, NULL, NULL,
         NULL, 1, NULL, NULL),
        (4, 's', 'shop', ' ', 'change', NULL, NULL, '[]', '', NULL, NULL, NULL, 3, NULL, NULL);
    INSERT INTO session_summaries VALUES
        (1, 'shop', 'Fix the leak', 'Sockets survive a fork.', '["src/pool.rs"]', '2025-10-03'),
        (2, 'shop', 'Look around', NULL, NULL, '2025-10-05');
"#;

#[test]
fn observations_and_summaries_of_a_project_are_read() {
    let (_directory, path) = database(CURRENT_SCHEMA);
    let items = read(&path, "~/.claude-mem/claude-mem.db", Some("shop")).unwrap();
    let found = drafts(&items);
    let rows: Vec<(Option<&str>, &str, Option<&str>)> = found
        .iter()
        .map(|draft| (draft.name.as_deref(), draft.content.as_str(), draft.kind.as_deref()))
        .collect();
    assert_eq!(
        rows,
        [
            (
                Some("Pool leaked sockets after fork"),
                "Closing the pool before the fork stopped the leak.\n\n- The pool opens lazily\n- \
                 Forks share it",
                Some("error_pattern"),
            ),
            (Some("Prices are in cents"), "Prices are in cents", Some("gotcha")),
            (Some("Fix the leak"), "Sockets survive a fork.", Some("module_insight")),
        ]
    );
    assert_eq!(found[0].references, ["~/.claude-mem/claude-mem.db#observation 1, 2025-10-03"]);
    assert_eq!(found[0].tags, ["bugfix", "gotcha", "problem-solution"]);
    assert_eq!(found[0].source.as_deref(), Some("observer_inferred"));
    assert_eq!(found[0].generator.as_deref(), Some("claude-mem"));
    assert_eq!(items[0].paths, ["src/pool.rs", "src/main.rs"]);
    assert_eq!(
        skipped(&items),
        [(4, "the observation is empty"), (2, "the summary has no learnings")]
    );
    assert_eq!(drafts(&read(&path, "x", None).unwrap()).len(), 4);
    assert_eq!(projects(&path).unwrap(), [("shop".to_owned(), 3), ("other".to_owned(), 1)]);
}

#[test]
fn missing_columns_count_as_empty() {
    let (_directory, path) = database(
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, sdk_session_id TEXT, project TEXT,
                                    text TEXT, type TEXT);
         INSERT INTO observations VALUES (7, 's', 'shop', 'Tests need Docker', 'discovery');",
    );
    let items = read(&path, "old.db", Some("shop")).unwrap();
    assert_eq!(drafts(&items)[0].content, "Tests need Docker");
    assert_eq!(drafts(&items)[0].references, ["old.db#observation 7"]);
}

#[test]
fn reading_does_not_change_the_database() {
    let (_directory, path) = database(CURRENT_SCHEMA);
    let before = std::fs::read(&path).unwrap();
    read(&path, "x", None).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn other_databases_are_rejected() {
    let (directory, path) = database("CREATE TABLE notes (id INTEGER)");
    let error = read(&path, "x", None).unwrap_err();
    assert_eq!(error.to_string(), "not a claude-mem database: there is no table `observations`");
    assert!(read(&directory.path().join("missing.db"), "x", None).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn damaged_databases_do_not_panic(at in 0..8_192_usize, byte: u8, length in 1..64_usize) {
        let (_directory, path) = database(CURRENT_SCHEMA);
        let mut bytes = std::fs::read(&path).expect("a file");
        for offset in at..(at + length).min(bytes.len()) {
            bytes[offset] ^= byte;
        }
        std::fs::write(&path, &bytes).expect("a file");
        let _ = read(&path, "x", None);
        let _ = projects(&path);
    }
}

const IFLOW: &str = r#"
    CREATE TABLE entries (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL, reasoning TEXT,
        category TEXT NOT NULL, keywords TEXT, "references" TEXT, observation_count INTEGER,
        confidence TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, source TEXT NOT NULL,
        source_project TEXT, embedding BLOB);
    INSERT INTO entries VALUES
        ('a', 'Quote the FTS query', 'A dash is an operator in FTS5; quote each word.',
         'Searches for kebab-case failed', 'anti-patterns', '["fts5","sqlite"]', '["src/search.py"]',
         2, 'high', '2026-02-21T10:00:00Z', '', 'retro', '/home/ada/shop', x'00ff'),
        ('b', 'Retry the lock', 'Open the database with a timeout of 5 seconds.', NULL, 'patterns',
         NULL, NULL, 1, 'low', '2026-02-22', '', 'manual', 'shop', NULL),
        ('c', 'Elsewhere', 'Of another project.', NULL, 'heuristics', NULL, NULL, 1, 'low', '', '',
         'manual', 'other', NULL);
"#;

#[test]
fn learnings_of_iflow_are_read_for_a_project() {
    use tacit_bridges::iflow;

    let (_directory, path) = database(IFLOW);
    let items = iflow::read(&path, "memory.db", Some("shop")).unwrap();
    let found = drafts(&items);
    let rows: Vec<(Option<&str>, &str, Option<&str>)> = found
        .iter()
        .map(|draft| (draft.name.as_deref(), draft.references[0].as_str(), draft.kind.as_deref()))
        .collect();
    assert_eq!(
        rows,
        [
            (Some("Quote the FTS query"), "memory.db#entry 1, 2026-02-21", Some("gotcha")),
            (Some("Retry the lock"), "memory.db#entry 2, 2026-02-22", Some("pattern")),
        ]
    );
    assert_eq!(found[0].reasoning.as_deref(), Some("Searches for kebab-case failed"));
    assert_eq!(
        (&found[0].tags[..], &items[0].paths[..]),
        (&["fts5".to_owned(), "sqlite".to_owned()][..], &["src/search.py".to_owned()][..],)
    );
    assert_eq!(iflow::read(&path, "memory.db", None).unwrap().len(), 3);
    let known = iflow::projects(&path).unwrap();
    assert_eq!(known, [("shop".to_owned(), 2), ("other".to_owned(), 1)]);
    let (_directory, other) = database("CREATE TABLE notes (id INTEGER)");
    let refused = iflow::read(&other, "memory.db", None).unwrap_err().to_string();
    assert_eq!(refused, "not an iflow database: there is no table `entries`");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn damaged_databases_of_iflow_are_read_without_panic(at in 0_usize..8192, byte: u8) {
        let (_directory, path) = database(IFLOW);
        let mut bytes = std::fs::read(&path).expect("read");
        let at = at % bytes.len();
        bytes[at] = byte;
        std::fs::write(&path, bytes).expect("written");
        let _ = tacit_bridges::iflow::read(&path, "memory.db", Some("shop"));
        let _ = tacit_bridges::iflow::projects(&path);
    }
}
