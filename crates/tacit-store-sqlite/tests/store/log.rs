//! Rows of the log that an earlier version, or nobody we know, wrote.

use rusqlite::Connection;
use tacit_core::EventName;
use tacit_core::log::LogKind;
use tacit_store::{ActivityStore, EventQuery};
use tacit_store_sqlite::{OpenMode, SqliteStore};

use crate::{create, options};

#[test]
fn a_row_that_cannot_be_read_hides_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    drop(create(&path));
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            r#"INSERT INTO agent_events (id, session, at, kind, tool, subject, body) VALUES
                ('old', 's', 1, 'validation', 't', 'make', '{"passed":true,"command":"make"}'),
                ('half', 's', 2, 'validation', NULL, NULL, '{"passed"'),
                ('strange', 's', 3, 'dreamt', NULL, NULL, '{}'),
                ('bytes', 's', 4, 'validation', NULL, NULL, CAST(x'ff00' AS TEXT)),
                ('nowhere', 'not a session', 5, 'turn_stopped', NULL, NULL, '{}'),
                ('never', 's', 9223372036854775807, 'turn_stopped', NULL, NULL, '{}'),
                ('later', 's', 6, 'validation', NULL, NULL, '{"v":3,"passed":true}'),
                ('new', 's', 7, 'turn_stopped', NULL, NULL, '{"v":2,"client":"claude","session":"s","what":{"turn_stopped":{}}}');
            INSERT INTO agent_notes (id, session, at, kind, text, files, body) VALUES
                ('old', 's', 1, 'agent', 'said', '["a.rs"]', '{"type":"gotcha","by":"claude"}'),
                ('half', 's', 2, 'agent', 'said', '["a.rs"]', '{'),
                ('strange', 's', 3, 'dreamt', 'said', '[]', '{}'),
                ('files', 's', 4, 'agent', 'said', '[1]', '{}'),
                ('new', 's', 5, 'observation', 'seen', '[]', '{"v":2}');"#,
        )
        .unwrap();
    drop(connection);
    let store = SqliteStore::open(&path, options(OpenMode::Read)).unwrap();
    let all = EventQuery { limit: 100, ..EventQuery::default() };
    let ids = |query: &EventQuery| -> Vec<String> {
        store.events(query).unwrap().into_iter().map(|event| event.id).collect()
    };
    assert_eq!(ids(&all), ["new", "old"]);
    assert_eq!(ids(&EventQuery { kinds: vec![LogKind::Check], ..all.clone() }), ["old"]);
    assert_eq!(ids(&EventQuery { kinds: vec![EventName::TurnStopped.into()], ..all }), ["new"]);
    let notes = store.notes(&"s".parse().unwrap(), &[], 100).unwrap();
    let ids: Vec<&str> = notes.iter().map(|note| note.id.as_str()).collect();
    assert_eq!(ids, ["new", "old"]);
}
