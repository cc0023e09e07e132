//! Sessions and what follows from them: everybody has their own.

use serde_json::json;
use tacit_core::log::{ClientRecord, LogRecord, NoteRecord};
use tacit_core::{AgentEvent, Fate, Quotations, SessionId, Usefulness};
use tacit_store::TeamRole;
use tacit_store::conformance::{at, entry, memory, store_all};
use tacit_store::{
    Action, ActionKind, ActivityBatch, ActivityStore, Event, EventQuery, Injection, InjectionFate,
    InjectionQuery, JudgedFate, LoggedSignal, MemoryUses, Note, ObservedSessionRow, ObservedState,
    ObservedTree, ObserverStore, SessionChange, SessionUpdate, Store, TransferRow, TransferStore,
    TransferTable, TreeUsage,
};
use tacit_store_postgres::PostgresStore;

use crate::conformance::store;

const TEXT: &str = "never point the billing worker at the staging database";

fn session(name: &str) -> SessionId {
    name.parse().expect("a session")
}

fn event(id: &str, name: &str, text: &str) -> Event {
    let event = json!({
        "client": "claude", "session": name, "cwd": "/p\u{0}q", "transcript": "/t.jsonl",
        "what": {"turn_stopped": {"last_message": text}},
    });
    let event: AgentEvent = serde_json::from_value(event).expect("an event");
    let record = ClientRecord::new(&event, Some(format!("cat {text}"))).expect("a record");
    Event { id: id.into(), session: session(name), at: at(1), record: LogRecord::Client(record) }
}

fn batch(name: &str, text: &str) -> ActivityBatch {
    ActivityBatch {
        sessions: vec![SessionUpdate {
            id: session(name),
            client: "claude".into(),
            at: at(1),
            change: SessionChange::Ended(format!("over {text}")),
            held_out: None,
        }],
        events: vec![event("e", name, text)],
        injections: vec![Injection {
            session: session(name),
            agent: None,
            context: 0,
            at: at(1),
            layer: "prompt".into(),
            event: "e".into(),
            memory: Some(memory(1, "x").id),
            text: text.into(),
            tokens: 3,
            why: text.into(),
            withheld: false,
            fate: None,
        }],
        notes: vec![Note {
            id: "n".into(),
            session: session(name),
            at: at(1),
            text: text.into(),
            files: Vec::new(),
            record: NoteRecord::Observation,
        }],
    }
}

fn observed(name: &str, text: &str) -> ObservedTree {
    ObservedTree {
        tree: session(name),
        sessions: vec![(session(name), at(1))],
        at: at(1),
        state: ObservedState::Done,
        digest: json!({"said": text}).to_string(),
        signals: vec![LoggedSignal {
            kind: "note".into(),
            body: json!({"said": text}).to_string(),
            score: None,
        }],
        usage: TreeUsage::default(),
    }
}

fn events(store: &PostgresStore) -> Vec<Event> {
    store.events(&EventQuery { limit: 9, ..EventQuery::default() }).expect("events")
}

fn injections(store: &PostgresStore) -> Vec<Injection> {
    store.injections(&InjectionQuery { limit: 9, ..InjectionQuery::default() }).expect("injections")
}

#[test]
fn a_member_cannot_see_the_sessions_of_others() {
    let (mut ada, database) = store();
    let mut bob = database.member("bob", TeamRole::Reader);
    ada.record(&batch("s", "by ada")).expect("record");
    ada.save_observed_tree(&observed("mine", "by ada, for her eyes")).expect("observed");
    ada.save_observed_tree(&observed("s", "by ada")).expect("observed");
    // Without the owner's share in the counters, what was concluded is the team's.
    let page = ada.transfer_rows(TransferTable::ObservedSessions, None, 9).expect("rows");
    let shared = page.rows.into_iter().filter_map(|row| match row {
        TransferRow::ObservedSession(row) if row.session == session("s") => {
            Some(TransferRow::ObservedSession(ObservedSessionRow { usage: None, ..row }))
        }
        _ => None,
    });
    ada.put_rows(&shared.collect::<Vec<_>>(), &entry).expect("put");
    // Equal names of events and sessions are no clash.
    bob.record(&batch("s", "by bob")).expect("record");
    assert_eq!(events(&ada), [event("e", "s", "by ada")]);
    assert_eq!(events(&bob), [event("e", "s", "by bob")]);
    assert_eq!(injections(&bob)[0].text, "by bob");
    assert_eq!(bob.notes(&session("s"), &[], 9).expect("notes")[0].text, "by bob");
    let ended = |store: &PostgresStore| store.session(&session("s")).expect("read").unwrap().ended;
    assert_eq!(ended(&ada).as_deref(), Some("over by ada"));
    assert_eq!(ended(&bob).as_deref(), Some("over by bob"));
    assert_eq!(bob.signals(&session("s")).expect("signals"), []);
    assert_eq!(bob.injection_counts(None).expect("counts"), [(memory(1, "x").id, 1)]);
    assert_eq!(bob.sessions_to_judge(at(9), 9).expect("sessions").len(), 1);
    assert_eq!(bob.sessions_to_observe(at(9), 9).expect("sessions").len(), 1);
    assert_eq!(ada.sessions_to_observe(at(9), 9).expect("sessions"), []);
    assert_eq!(bob.digests(9).expect("digests"), [json!({"said": "by ada"}).to_string()]);
    assert_eq!(bob.count_rows(TransferTable::Events).expect("count"), 1);
    assert_eq!(bob.delete_events(at(9)).expect("deleted"), 1);
    assert_eq!(events(&ada).len(), 1);
}

#[test]
fn uses_of_memories_are_added_up() {
    let (mut ada, database) = store();
    let mut bob = database.member("bob", TeamRole::Contributor);
    store_all(&mut ada, &[memory(1, "one"), memory(2, "two")]);
    let of = |number: u8, judged: u32| MemoryUses {
        memory: memory(number, "x").id,
        counts: Usefulness { judged, sessions: 1, ..Usefulness::default() },
    };
    ada.set_memory_uses(&[of(1, 2), of(2, 1)]).expect("uses");
    bob.set_memory_uses(&[of(1, 3)]).expect("uses");
    let counts = |store: &PostgresStore| -> Vec<(u32, u32)> {
        let uses = store.memory_uses().expect("uses");
        uses.iter().map(|uses| (uses.counts.judged, uses.counts.sessions)).collect()
    };
    assert_eq!(counts(&ada), [(5, 2), (1, 1)]);
    ada.set_memory_uses(&[]).expect("uses");
    assert_eq!(counts(&bob), [(3, 1)]);
}

#[test]
fn activity_does_not_wait_for_writers() {
    let (mut ada, database) = store();
    let mut other = database.open("ada");
    let action = Action {
        kind: ActionKind::Remember,
        at: at(0),
        actor: tacit_core::Author::new("ada").expect("a name"),
        reason: None,
        reverts: None,
    };
    let mut writing = ada.begin(action).expect("a transaction");
    writing.insert(&memory(1, "text")).expect("insert");
    other.record(&batch("s", "meanwhile")).expect("record");
    assert_eq!(events(&other).len(), 1);
    writing.commit().expect("commit");
}

#[test]
fn batches_of_one_call_are_recorded_one_after_another() {
    let (mut store, _database) = store();
    let mut second = batch("s", "second");
    second.sessions[0].change = SessionChange::Seen;
    second.events.clear();
    second.notes.clear();
    let mut third = batch("s", "third");
    third.events.push(event("f", "s", "new"));
    store.record_all(&[batch("s", "first"), batch("s", "again"), second, third]).expect("record");
    let ids: Vec<String> = events(&store).into_iter().map(|event| event.id).collect();
    assert_eq!(ids, ["f", "e"]);
    let texts: Vec<String> = injections(&store).into_iter().map(|shown| shown.text).collect();
    assert_eq!(texts, ["third", "second", "first"]);
    let read = store.session(&session("s")).expect("read").expect("a session");
    assert_eq!(read.ended.as_deref(), Some("over third"));
    assert_eq!(store.notes(&session("s"), &[], 9).expect("notes")[0].text, "first");
}

#[test]
fn every_character_survives() {
    let (mut store, _database) = store();
    let text = "a\0b\u{1}c\u{1}0 \u{fffd}é";
    let written = batch("s", text);
    store.record(&written).expect("record");
    assert_eq!(events(&store), written.events);
    assert_eq!(injections(&store), written.injections);
    assert_eq!(store.notes(&session("s"), &[], 9).expect("notes"), written.notes);
    let about =
        EventQuery { subject: Some(format!("cat {text}")), limit: 9, ..EventQuery::default() };
    assert_eq!(store.events(&about).expect("events").len(), 1);
    let judged = JudgedFate { fate: Fate::Helped, why: text.into() };
    let fate = InjectionFate {
        event: "e".into(),
        memory: Some(memory(1, "x").id),
        text: text.into(),
        judged: judged.clone(),
    };
    store.save_judgement(&session("s"), at(1), &["e".into()], &[fate]).expect("judged");
    assert_eq!(injections(&store)[0].fate, Some(judged));
    assert_eq!(store.sessions_to_judge(at(9), 9).expect("sessions"), []);
    store.save_observed_tree(&ObservedTree { digest: text.into(), ..observed("s", text) }).unwrap();
    assert_eq!(store.digests(9).expect("digests"), [text]);
}

#[test]
fn unreadable_rows_are_skipped_and_quarantined() {
    let (mut store, database) = store();
    store.record(&batch("s", "kept")).expect("record");
    let ada = database.user("ada");
    database.run(&format!(
        "INSERT INTO tacit.agent_events (project, owner, id, session, at, kind, body) VALUES
             (1, '{ada}', 'half', 's', 2, 'validation', '{{\"passed\"'),
             (1, '{ada}', 'never', 's', 9223372036854775807, 'turn_stopped', '{{}}');
         INSERT INTO tacit.agent_notes (project, owner, id, session, at, kind, text, files, body)
         VALUES (1, '{ada}', 'files', 's', 1, 'observation', 'said', '[1]', '{{\"v\":2}}')"
    ));
    assert_eq!(events(&store).len(), 1);
    assert_eq!(store.notes(&session("s"), &[], 9).expect("notes").len(), 1);
    let found = store.unreadable().expect("unreadable");
    let found: Vec<_> = found.iter().map(|rows| (rows.table.as_str(), rows.rows)).collect();
    assert_eq!(found, [("agent_events", 2), ("agent_notes", 1)]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("quarantine.jsonl");
    assert_eq!(store.quarantine(&file, at(9)).expect("quarantine"), 3);
    let lines = std::fs::read_to_string(&file).expect("lines");
    assert_eq!(lines.lines().count(), 3);
    assert!(lines.contains("\"id\":\"never\""), "{lines}");
    assert_eq!(store.unreadable().expect("unreadable"), []);
    assert_eq!(store.quarantine(&file, at(9)).expect("quarantine"), 0);
}

#[test]
fn curators_blank_what_others_were_shown() {
    let (mut ada, database) = store();
    let mut bob = database.member("bob", TeamRole::Contributor);
    store_all(&mut ada, &[memory(1, TEXT)]);
    ada.record(&batch("s", TEXT)).expect("record");
    bob.record(&batch("s", TEXT)).expect("record");
    assert_eq!(bob.blank_injections(&memory(1, "x").id).expect("blank"), 1);
    assert_eq!((injections(&bob)[0].text.as_str(), injections(&ada)[0].text.as_str()), ("", TEXT));
    bob.record(&ActivityBatch { events: vec![event("x", "s", "y")], ..batch("s", TEXT) }).unwrap();
    assert_eq!(ada.blank_injections(&memory(1, "x").id).expect("blank"), 3);
    assert!(injections(&bob).iter().all(|shown| shown.text.is_empty() && shown.why.is_empty()));
    // What is not known by its memory is erased by its owner alone.
    let mut quotations = Quotations::default();
    quotations.add(TEXT);
    let action = Action {
        kind: ActionKind::Purge,
        at: at(0),
        actor: tacit_core::Author::new("ada").expect("a name"),
        reason: None,
        reverts: None,
    };
    let mut transaction = ada.begin(action).expect("a transaction");
    let erased = transaction.erase_quotes(&quotations).expect("erase");
    transaction.commit().expect("commit");
    let tables: Vec<&str> = erased.iter().map(|rows| rows.table.as_str()).collect();
    assert_eq!(tables, ["agent_events", "agent_notes"]);
    assert_eq!((events(&ada).len(), events(&bob).len()), (0, 2));
}
