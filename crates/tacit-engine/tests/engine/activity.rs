//! Session activity.

use std::fs;

use tacit_core::log::{CheckoutNote, LogRow, NoteRecord, decode};
use tacit_core::{Clock, IdSource, Timestamp, UniversalPhase};
use tacit_engine::{StoreAccess, StoreScope};
use tacit_store::{ActivityBatch, Event, EventQuery, Filter};

use super::{World, draft, keep, request};

fn event(id: &str, at: Timestamp) -> Event {
    let row = LogRow {
        kind: "tool_starting".into(),
        tool: Some("Bash".into()),
        subject: Some("ls".into()),
        body: "{}".into(),
    };
    Event {
        id: id.into(),
        session: "s-1".parse().expect("a session"),
        at,
        record: decode(row).expect("a record"),
    }
}

#[test]
fn spooled_events_are_written_first_and_once() {
    let world = World::new();
    let now = world.clock.now();
    for name in ["a", "b"] {
        let record = ActivityBatch { events: vec![event(name, now)], ..ActivityBatch::default() };
        world.paths().spool_batch(&world.ids.next_id(now), &record).expect("kept");
    }
    let broken = world.paths().project.join("events").join("0.json");
    fs::write(&broken, "{half").expect("written");
    let mut engine = world.open(StoreAccess::Session);
    let record = || ActivityBatch { events: vec![event("c", now)], ..ActivityBatch::default() };
    engine.record(record()).expect("recorded");
    engine.record(record()).expect("recorded");
    let query = EventQuery { limit: 10, ..EventQuery::default() };
    let ids: Vec<String> =
        engine.events(&query).expect("events").into_iter().map(|event| event.id).collect();
    assert_eq!(ids, ["c", "b", "a"]);
    let left: Vec<_> = fs::read_dir(world.paths().project.join("events"))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    assert_eq!(left, ["0.broken"]);
}

#[test]
fn a_long_spool_is_written_in_parts_while_an_agent_waits() {
    const WAITING: usize = 450;
    let world = World::new();
    let now = world.clock.now();
    let name = |number: usize| format!("e{number:04}");
    let batch = |number: usize| {
        let events = vec![event(&name(number), now)];
        ActivityBatch { events, ..ActivityBatch::default() }
    };
    // Identifiers of one millisecond have no order.
    let at =
        |number: usize| Timestamp::from_millis(now.as_millis() + number as i64).expect("a time");
    for number in 0..WAITING {
        world.paths().spool_batch(&world.ids.next_id(at(number)), &batch(number)).expect("kept");
    }
    let stored = || -> Vec<String> {
        let engine = world.open(StoreAccess::Session);
        let query = EventQuery { limit: WAITING * 2, ..EventQuery::default() };
        let events = engine.events(&query).expect("events").into_iter();
        events.map(|event| event.id).rev().collect()
    };
    let waiting = || world.paths().event_spool().len().expect("a spool");
    let mut expected = Vec::new();
    for (round, left) in [(0, 251), (1, 52), (2, 0)] {
        world.clock.advance(WAITING as i64);
        let mut engine = world.open(StoreAccess::Session).in_a_hurry();
        engine.flush_events().expect("settled");
        // The new event does not overtake those that wait.
        engine.record(batch(WAITING + round)).expect("recorded");
        assert_eq!(waiting(), left);
        expected.extend((expected.len()..WAITING + round + 1 - left).map(name));
        assert_eq!(stored(), expected);
    }
    assert_eq!(expected.len(), WAITING + 3);
}

#[test]
fn a_long_spool_is_written_whole_by_others() {
    const WAITING: usize = 450;
    let world = World::new();
    let now = world.clock.now();
    for number in 0..WAITING {
        let events = vec![event(&format!("e{number}"), now)];
        let record = ActivityBatch { events, ..ActivityBatch::default() };
        world.paths().spool_batch(&world.ids.next_id(now), &record).expect("kept");
    }
    let mut engine = world.open(StoreAccess::Session);
    engine.flush_events().expect("settled");
    assert!(world.paths().event_spool().is_empty());
    assert_eq!(engine.count_events(&EventQuery::default()).expect("a number"), WAITING);
}

#[test]
fn spooled_events_of_earlier_versions_are_written() {
    let world = World::new();
    let waiting = r#"{"sessions":[{"id":"s-1","client":"claude","at":"2026-11-15T09:30:00Z","change":"Seen"}],
        "events":[{"id":"e","session":"s-1","at":"2026-11-15T09:30:00Z","kind":"turn_stopped","tool":null,"subject":null,
                   "body":"{\"client\":\"claude\",\"session\":\"s-1\",\"what\":{\"turn_stopped\":{}}}"}],
        "injections":[],
        "notes":[{"id":"n","session":"s-1","at":"2026-11-15T09:30:00Z","kind":"place","text":"main","files":["src/a.rs"],
                  "body":"{\"branch\":\"main\",\"worktree\":\"/p\"}"}]}"#;
    let folder = world.paths().project.join("events");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("0.json"), waiting).expect("written");
    let mut engine = world.open(StoreAccess::Session);
    engine.flush_events().expect("settled");
    let query = EventQuery { limit: 10, ..EventQuery::default() };
    let events = engine.events(&query).expect("events");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].record.check(), Ok(()));
    let notes = engine.notes(&events[0].session, &["src/a.rs".parse().expect("a path")], 10);
    let place =
        CheckoutNote { branch: Some("main".into()), worktree: Some("/p".into()), client: None };
    assert_eq!(notes.expect("notes")[0].record, NoteRecord::Checkout(place));
}

#[test]
fn top_memories_are_proven_and_fit_the_phase() {
    let world = World::new();
    let mut engine = world.engine();
    keep(&mut engine, "said by a person");
    let guessed = |text: &str| tacit_core::Draft {
        source: Some("observer_inferred".into()),
        kind: Some("gotcha".into()),
        ..draft(text)
    };
    engine.remember(StoreScope::Project, request(guessed("guessed once"))).expect("stored");
    for _ in 0..2 {
        engine.remember(StoreScope::Project, request(guessed("guessed twice"))).expect("stored");
    }
    let best = |phase| -> Vec<String> {
        let found = engine.top_memories(None, &Filter::default(), phase, 5).expect("found");
        found.iter().map(|found| found.memory.body.content.to_string()).collect()
    };
    // A gotcha weighs 1.5 in implementation and 0.8 in exploration, an insight 1.2 and 1.3.
    assert_eq!(best(Some(UniversalPhase::Implement)), ["guessed twice", "said by a person"]);
    assert_eq!(best(Some(UniversalPhase::Explore)), ["said by a person", "guessed twice"]);
}
