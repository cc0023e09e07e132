//! Log rows of earlier versions and of unknown origin.

use rusqlite::Connection;
use serde_json::json;
use tacit_core::log::{ClientRecord, LogKind, LogRecord};
use tacit_core::{AgentEvent, Author, EventName, Quotations, Timestamp};
use tacit_store::{Action, ActionKind, ActivityBatch, ActivityStore, Event, EventQuery, Store};
use tacit_store_sqlite::{OpenMode, SqliteStore, test_support};

use crate::{create, options};

#[test]
fn unreadable_rows_do_not_hide_others() {
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

fn stopped(id: &str, session: &str, second: i64, cwd: Option<&str>) -> Event {
    let event = json!({
        "client": "claude", "session": session, "cwd": cwd, "transcript": "/t/\u{e9}\".jsonl",
        "agent": {"id": "a"}, "what": {"turn_stopped": {"last_message": id}},
    });
    let event: AgentEvent = serde_json::from_value(event).expect("an event");
    Event {
        id: id.into(),
        session: event.session.clone(),
        at: Timestamp::from_millis(second * 1_000).expect("a time"),
        record: LogRecord::Client(ClientRecord::new(&event, None).expect("a record")),
    }
}

#[test]
fn paths_are_stored_once_per_session() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    let mut store = create(&path);
    let mut written: Vec<Event> =
        (0..50).map(|number| stopped(&format!("e{number}"), "s", number, Some("/p"))).collect();
    written.push(stopped("elsewhere", "s", 50, Some("/p/sub")));
    written.push(stopped("nowhere", "s", 51, None));
    written.push(stopped("other", "s-2", 52, Some("/p")));
    for events in written.chunks(7) {
        let batch = ActivityBatch { events: events.to_vec(), ..ActivityBatch::default() };
        store.record(&batch).unwrap();
        store.record(&batch).unwrap();
    }
    let all = EventQuery { limit: 100, ..EventQuery::default() };
    let mut read = store.events(&all).unwrap();
    read.reverse();
    assert_eq!(read, written);
    let connection = Connection::open(&path).unwrap();
    let count = |sql: &str| -> i64 { connection.query_row(sql, [], |row| row.get(0)).unwrap() };
    assert_eq!(count("SELECT count(*) FROM agent_event_paths"), 4);
    for shared in ["/p", "jsonl", "session"] {
        let sql = format!("SELECT count(*) FROM agent_events WHERE instr(body, '{shared}')");
        assert_eq!(count(&sql), 0, "{shared}");
    }
    assert_eq!(store.check(true).unwrap().unreadable, []);

    // Without its paths an event is readable still.
    connection.execute("DELETE FROM agent_event_paths WHERE cwd = '/p/sub'", []).unwrap();
    let query = EventQuery { limit: 3, ..all.clone() };
    let read = store.events(&query).unwrap().pop().unwrap();
    let event = read.record.client().unwrap().event().unwrap();
    assert_eq!((read.id.as_str(), event.cwd), ("elsewhere", None));
    assert_eq!(store.check(true).unwrap().unreadable, []);

    store.delete_events(Timestamp::from_millis(52_000).unwrap()).unwrap();
    assert_eq!(store.events(&all).unwrap(), written[52..]);
    assert_eq!(count("SELECT count(*) FROM agent_event_paths"), 1);
}

#[test]
fn rows_of_earlier_versions_keep_their_own_paths() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    test_support::create_at_version(&path, 13);
    let old = stopped("old", "s", 1, Some("/old"));
    let row = old.record.encode().unwrap();
    Connection::open(&path)
        .unwrap()
        .execute(
            "INSERT INTO agent_events (id, session, at, kind, body) VALUES ('old', 's', 1000, ?, ?)",
            [&row.kind, &row.body],
        )
        .unwrap();
    let mut store = SqliteStore::open(&path, options(OpenMode::Write)).unwrap();
    let new = stopped("new", "s", 2, Some("/new"));
    let batch = ActivityBatch { events: vec![new.clone()], ..ActivityBatch::default() };
    store.record(&batch).unwrap();
    let query = EventQuery { limit: 9, ..EventQuery::default() };
    assert_eq!(store.events(&query).unwrap(), [new, old]);
    assert_eq!(store.check(true).unwrap().unreadable, []);
}

fn purge() -> Action {
    let at = Timestamp::from_millis(9_000).expect("a time");
    let actor = Author::new("ada").expect("a name");
    Action { kind: ActionKind::Purge, at, actor, reason: None, reverts: None }
}

#[test]
fn long_bodies_are_compressed_and_purged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    let mut store = create(&path);
    let long = |id: &str, word: &str| {
        let id = format!("{id} {}", format!("{word}\n").repeat(200));
        let mut event = stopped(&id, "s", 1, Some("/p"));
        event.id.truncate(1);
        event
    };
    let events = vec![long("a", "the \"password\" is blue"), long("b", "make: nothing to be done")];
    let batch = ActivityBatch { events: events.clone(), ..ActivityBatch::default() };
    store.record(&batch).unwrap();
    let all = EventQuery { limit: 9, ..EventQuery::default() };
    let read = store.events(&all).unwrap();
    assert_eq!(read, [events[1].clone(), events[0].clone()]);
    let connection = Connection::open(&path).unwrap();
    let size = |sql: &str| -> i64 { connection.query_row(sql, [], |row| row.get(0)).unwrap() };
    assert_eq!(size("SELECT max(length(body)) FROM agent_events"), 0);
    assert!(size("SELECT max(length(packed)) FROM agent_events") < 300);
    assert_eq!(store.check(true).unwrap().unreadable, []);

    let erase = |store: &mut SqliteStore, phrase: &str| {
        let mut transaction = store.begin(purge()).unwrap();
        let mut quotations = Quotations::default();
        quotations.add_lines(phrase, 8);
        let erased = transaction.erase_quotes(&quotations).unwrap();
        transaction.commit().unwrap();
        erased.iter().map(|erased| erased.rows).sum::<u64>()
    };
    assert_eq!(erase(&mut store, "the \"password\" is"), 1);
    assert_eq!(store.events(&all).unwrap(), events[1..]);

    connection.execute("UPDATE agent_events SET packed = x'789c00'", []).unwrap();
    let read = store.events(&all).unwrap();
    assert!(read[0].record.client().unwrap().event().is_err());
    let unreadable = store.check(true).unwrap().unreadable;
    assert_eq!((unreadable[0].table.as_str(), unreadable[0].rows), ("agent_events", 1));
    // An unreadable row may say anything.
    assert_eq!(erase(&mut store, "password"), 1);
}
