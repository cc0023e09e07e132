//! The timeline of a session in pages.

use serde_json::Value;
use tacit_core::Timestamp;
use tacit_core::log::{LogRow, NoteRecord, decode};
use tacit_engine::{StoreAccess, StoreScope};
use tacit_store::{ActivityBatch, Event, Note, SessionChange, SessionUpdate};

use super::Panel;

fn moment(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_794_738_000_000 + 1_000 * seconds).expect("a moment")
}

/// Logs a session with an event each two seconds, and a note behind each fourth of them.
fn log(panel: &Panel, events: i64) {
    let session = "long".parse::<tacit_core::SessionId>().expect("a session");
    let event = |number: i64| {
        let row = LogRow {
            kind: "tool_finished".into(),
            tool: Some("Read".into()),
            subject: Some(format!("src/{number}.rs").into()),
            body: "{\"passed\":true}".into(),
        };
        Event {
            id: format!("e.{number}"),
            session: session.clone(),
            at: moment(2 * number),
            record: decode(row).expect("a record"),
        }
    };
    let note = |number: i64| Note {
        id: format!("n{number}"),
        session: session.clone(),
        at: moment(2 * number + 1),
        text: format!("note {number}"),
        files: Vec::new(),
        record: NoteRecord::Observation,
    };
    let seen = SessionUpdate {
        id: session.clone(),
        client: "claude".into(),
        at: moment(0),
        change: SessionChange::Seen,
        held_out: None,
    };
    let batch = ActivityBatch {
        sessions: vec![seen],
        events: (0..events).map(event).collect(),
        notes: (0..events).step_by(4).map(note).collect(),
        ..ActivityBatch::default()
    };
    let app = panel.app();
    let mut engine = app.engine(StoreAccess::Write(StoreScope::Project)).expect("a store");
    engine.record(batch).expect("a log");
}

/// Returns the subjects of the entries of a page, and the place of the earlier ones.
fn page(answer: &Value) -> (Vec<String>, Option<String>) {
    let entries = answer["timeline"].as_array().expect("a timeline");
    let about = |entry: &Value| {
        let text = entry["subject"].as_str().or(entry["text"].as_str());
        text.expect("a text").to_owned()
    };
    (entries.iter().map(about).collect(), answer["earlier"].as_str().map(str::to_owned))
}

#[test]
fn a_long_session_is_read_page_by_page_from_its_end() {
    let panel = Panel::start();
    log(&panel, 10);
    let whole = page(&panel.get("/sessions/long").json());
    assert_eq!((whole.0.len(), whole.1), (13, None), "ten events and three notes");
    let mut read: Vec<String> = Vec::new();
    let mut address = "/sessions/long?limit=4".to_owned();
    let mut pages = 0;
    loop {
        let answer = panel.get(&address).json();
        assert_eq!(answer["events"], 10, "all of them, whatever is shown");
        let (entries, earlier) = page(&answer);
        read.splice(0..0, entries);
        pages += 1;
        let Some(place) = earlier else { break };
        address = format!("/sessions/long?limit=4&before={place}");
    }
    assert_eq!((read, pages), (whole.0, 3), "nothing is missing or shown twice");
    for wrong in ["e.1", "x.e.1", "9"] {
        assert_eq!(panel.get(&format!("/sessions/long?before={wrong}")).status, 400, "{wrong}");
    }
    assert_eq!(page(&panel.get("/sessions/long?before=1.gone").json()), (vec![], None));
}
