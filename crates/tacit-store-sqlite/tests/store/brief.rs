//! Short-lived processes, one after another.

use tacit_core::Timestamp;
use tacit_core::log::{LogRow, decode};
use tacit_store::{
    ActivityBatch, ActivityStore, Event, EventQuery, SessionChange, SessionUpdate, StoreResult,
};
use tacit_store_sqlite::{OpenMode, SqliteStore};

use crate::{create, options};

fn event(number: usize) -> Event {
    let row = LogRow {
        kind: "tool_finished".into(),
        tool: None,
        subject: None,
        body: "x".repeat(16 * 1024).into(),
    };
    Event {
        id: format!("e{number}"),
        session: "s".parse().expect("a session"),
        at: moment(number),
        record: decode(row).expect("a record"),
    }
}

fn moment(number: usize) -> Timestamp {
    Timestamp::from_millis(1_000 + number as i64).expect("a moment")
}

fn seen(number: usize, change: SessionChange) -> SessionUpdate {
    let id = "s".parse().expect("a session");
    SessionUpdate { id, client: "claude".into(), at: moment(number), change, held_out: None }
}

#[test]
fn wal_does_not_grow_with_every_process() -> StoreResult<()> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("memory.db");
    drop(create(&path));
    let mut longest = 0;
    for number in 0..200 {
        let mut store = SqliteStore::open(&path, options(OpenMode::Brief))?;
        store.record(&ActivityBatch { events: vec![event(number)], ..ActivityBatch::default() })?;
        drop(store);
        let log = std::fs::metadata(directory.path().join("memory.db-wal")).expect("a log");
        longest = longest.max(log.len());
    }
    assert!(longest > 64 * 1024, "the log is left to others: {longest}");
    assert!(longest < 1280 * 1024, "but not for ever: {longest}");
    let store = SqliteStore::open(&path, options(OpenMode::Read))?;
    let all = EventQuery { limit: 1_000, ..EventQuery::default() };
    assert_eq!(store.events(&all)?.len(), 200);
    Ok(())
}

#[test]
fn readers_checkpoint_a_long_wal() -> StoreResult<()> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("memory.db");
    drop(create(&path));
    let killed = rusqlite::Connection::open(&path).expect("the database");
    killed.pragma_update(None, "wal_autocheckpoint", 0).expect("a setting");
    let leave = rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    killed.set_db_config(leave, true).expect("a setting");
    let sql = "INSERT INTO common_terms (term, documents) VALUES (hex(zeroblob(1000000)), 1)";
    killed.execute(sql, []).expect("a long row");
    drop(killed);
    let log = || std::fs::metadata(directory.path().join("memory.db-wal")).map_or(0, |it| it.len());
    assert!(log() > 2_000_000);
    drop(SqliteStore::open(&path, options(OpenMode::Read))?);
    assert_eq!(log(), 0);
    Ok(())
}

#[test]
fn known_events_are_not_written_again() -> StoreResult<()> {
    let directory = tempfile::tempdir().expect("a directory");
    let mut store = create(&directory.path().join("memory.db"));
    let record = ActivityBatch {
        sessions: vec![seen(1, SessionChange::Compacted)],
        events: vec![event(1)],
        ..ActivityBatch::default()
    };
    store.record_all(&[record.clone(), record.clone()])?;
    store.record(&record)?;
    let session = store.session(&"s".parse().expect("a session"))?.expect("it was seen");
    assert_eq!(session.context, 1);
    Ok(())
}

#[test]
fn late_events_do_not_resume_a_session() -> StoreResult<()> {
    let directory = tempfile::tempdir().expect("a directory");
    let mut store = create(&directory.path().join("memory.db"));
    let id = "s".parse().expect("a session");
    let tell = |store: &mut SqliteStore, number, change| {
        let sessions = vec![seen(number, change)];
        store.record(&ActivityBatch {
            sessions,
            events: vec![event(number)],
            ..ActivityBatch::default()
        })
    };
    tell(&mut store, 5, SessionChange::Ended("other".into()))?;
    tell(&mut store, 4, SessionChange::Seen)?;
    assert_eq!(store.session(&id)?.and_then(|session| session.ended).as_deref(), Some("other"));
    tell(&mut store, 6, SessionChange::Seen)?;
    assert_eq!(store.session(&id)?.and_then(|session| session.ended), None);
    Ok(())
}

#[test]
fn old_events_are_deleted_except_in_open_sessions() -> StoreResult<()> {
    let directory = tempfile::tempdir().expect("a directory");
    let mut store = create(&directory.path().join("memory.db"));
    let events: Vec<Event> = (0..10).map(event).collect();
    store.record(&ActivityBatch { events, ..ActivityBatch::default() })?;
    assert_eq!(store.delete_events(moment(4))?, 4);
    assert_eq!(store.delete_events(moment(4))?, 0);
    let sessions = vec![seen(50, SessionChange::Seen)];
    store.record(&ActivityBatch { sessions, ..ActivityBatch::default() })?;
    assert_eq!(store.delete_events(moment(40))?, 0, "it goes on");
    let sessions = vec![seen(51, SessionChange::Ended("other".into()))];
    store.record(&ActivityBatch { sessions, ..ActivityBatch::default() })?;
    assert_eq!(store.delete_events(moment(100))?, 6);
    Ok(())
}
