//! Sessions that are judged: which are due, what a judgement replaces, and the group of a session.

use tacit_core::{Fate, MemoryId, Timestamp, Usefulness};
use tacit_store::{
    ActivityBatch, ActivityStore, Injection, InjectionFate, InjectionQuery, JudgedFate, MemoryUses,
    SessionChange, SessionUpdate,
};
use tacit_store_sqlite::SqliteStore;

use crate::create;

fn moment(number: i64) -> Timestamp {
    Timestamp::from_millis(1_000 + number).expect("a moment")
}

fn memory() -> MemoryId {
    "01a1dec1-b840-7000-8000-000000000001".parse().expect("an id")
}

fn update(at: i64, change: SessionChange, held_out: Option<bool>) -> SessionUpdate {
    let id = "s".parse().expect("a session");
    SessionUpdate { id, client: "claude".into(), at: moment(at), change, held_out }
}

fn shown(event: &str, at: i64, withheld: bool) -> Injection {
    Injection {
        session: "s".parse().expect("a session"),
        agent: None,
        context: 0,
        at: moment(at),
        layer: "session_started".into(),
        event: event.into(),
        memory: Some(memory()),
        text: "alpha".into(),
        tokens: 3,
        why: "because".into(),
        withheld,
        fate: None,
    }
}

fn record(store: &mut SqliteStore, update: SessionUpdate, injections: Vec<Injection>) {
    let sessions = vec![update];
    let batch = ActivityBatch { sessions, injections, ..ActivityBatch::default() };
    store.record(&batch).expect("a record");
}

fn due(store: &SqliteStore, silent: i64) -> usize {
    store.sessions_to_judge(moment(silent), 10).expect("sessions").len()
}

fn judge(store: &mut SqliteStore, upto: i64, events: &[&str], fates: &[(&str, Fate)]) {
    let fate = |(event, fate): &(&str, Fate)| InjectionFate {
        event: (*event).to_owned(),
        memory: Some(memory()),
        text: "alpha".into(),
        judged: JudgedFate { fate: *fate, why: "why".into() },
    };
    let fates: Vec<InjectionFate> = fates.iter().map(fate).collect();
    let events: Vec<String> = events.iter().map(|event| (*event).to_owned()).collect();
    let session = "s".parse().expect("a session");
    store.save_judgement(&session, moment(upto), &events, &fates).expect("a judgement");
}

#[test]
fn a_session_is_due_when_it_is_over_and_again_when_it_goes_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut store = create(&directory.path().join("memory.db"));
    record(&mut store, update(1, SessionChange::Seen, None), vec![shown("w", 1, true)]);
    assert_eq!(due(&store, 9), 0, "all of it was withheld");
    record(&mut store, update(2, SessionChange::Seen, None), vec![shown("a", 2, false)]);
    assert_eq!((due(&store, 2), due(&store, 3)), (0, 1), "open, then idle");
    record(&mut store, update(3, SessionChange::Ended("other".into()), None), vec![]);
    assert_eq!(due(&store, 0), 1, "ended");
    judge(&mut store, 3, &["a"], &[("a", Fate::Ignored)]);
    assert_eq!(due(&store, 9), 0, "judged");
    record(&mut store, update(4, SessionChange::Seen, None), vec![]);
    assert_eq!((due(&store, 4), due(&store, 5)), (0, 1), "it went on");
}

#[test]
fn a_judgement_replaces_the_fates_of_its_events_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut store = create(&directory.path().join("memory.db"));
    let injections = ["a", "b", "c"].map(|event| shown(event, 1, false)).to_vec();
    record(&mut store, update(1, SessionChange::Seen, None), injections);
    judge(&mut store, 1, &["a", "b", "c"], &[("a", Fate::Ignored), ("b", Fate::Ignored)]);
    judge(&mut store, 2, &["b", "c"], &[("c", Fate::Helped)]);
    let all = InjectionQuery { limit: 10, ..InjectionQuery::default() };
    let found = store.injections(&all).expect("injections").into_iter();
    let fates: Vec<_> = found.map(|one| (one.event, one.fate.map(|judged| judged.fate))).collect();
    let expected = [("c", Some(Fate::Helped)), ("b", None), ("a", Some(Fate::Ignored))];
    assert_eq!(fates, expected.map(|(event, fate)| (event.to_owned(), fate)));
}

#[test]
fn a_session_keeps_the_group_with_which_it_was_created() {
    for created in [None, Some(false), Some(true)] {
        let directory = tempfile::tempdir().expect("a directory");
        let mut store = create(&directory.path().join("memory.db"));
        for (at, group) in [(1, created), (2, Some(true)), (3, Some(false)), (4, None)] {
            record(&mut store, update(at, SessionChange::Seen, group), vec![]);
        }
        let session = store.session(&"s".parse().expect("a session")).expect("a session");
        assert_eq!(session.expect("a session").held_out, created);
    }
}

#[test]
fn counts_of_uses_are_replaced_as_a_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut store = create(&directory.path().join("memory.db"));
    let counts = Usefulness {
        judged: 1,
        sessions: 2,
        used: 3,
        helped: 4,
        contradicted: 5,
        flagged: 6,
        direct_judged: 7,
        direct_sessions: 8,
    };
    let uses = [MemoryUses { memory: memory(), counts }];
    store.set_memory_uses(&uses).expect("counts");
    assert_eq!(store.memory_uses().expect("counts"), uses);
    store.set_memory_uses(&[]).expect("counts");
    assert_eq!(store.memory_uses().expect("counts"), []);
}
