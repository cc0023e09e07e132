//! Cases about judged sessions, and about groups that are compared.

use tacit_core::{Fate, Usefulness};

use super::activity::{READ, event, session, update};
use super::*;
use crate::MemoryUses;

fn shown(event: &str, seconds: i64, withheld: bool) -> Injection {
    Injection {
        session: session("s"),
        agent: None,
        context: 0,
        at: at(seconds),
        layer: "session_started".into(),
        event: event.into(),
        memory: Some(memory(1, "alpha").id),
        text: "alpha".into(),
        tokens: 3,
        why: "because".into(),
        withheld,
        fate: None,
    }
}

fn record(store: &mut dyn Store, update: SessionUpdate, injections: Vec<Injection>) {
    let sessions = vec![update];
    let batch = ActivityBatch { sessions, injections, ..ActivityBatch::default() };
    store.record(&batch).expect("a record");
}

fn judge(store: &mut dyn Store, upto: i64, events: &[&str], fates: &[(&str, Fate)]) {
    let fate = |(event, fate): &(&str, Fate)| InjectionFate {
        event: (*event).to_owned(),
        memory: Some(memory(1, "alpha").id),
        text: "alpha".into(),
        judged: JudgedFate { fate: *fate, why: "why".into() },
    };
    let fates: Vec<InjectionFate> = fates.iter().map(fate).collect();
    let events: Vec<String> = events.iter().map(|event| (*event).to_owned()).collect();
    store.save_judgement(&session("s"), at(upto), &events, &fates).expect("a judgement");
}

pub fn sessions_are_judged_when_they_are_over_and_again_when_they_go_on(store: &mut dyn Store) {
    let due = |store: &dyn Store, silent| {
        store.sessions_to_judge(at(silent), 10).expect("sessions").len()
    };
    record(store, update("s", 1, SessionChange::Seen), vec![shown("w", 1, true)]);
    assert_eq!(due(store, 9), 0, "all of it was withheld");
    record(store, update("s", 2, SessionChange::Seen), vec![shown("a", 2, false)]);
    assert_eq!((due(store, 2), due(store, 3)), (0, 1), "open, then idle");
    record(store, update("s", 3, SessionChange::Ended("other".into())), vec![]);
    assert_eq!(due(store, 0), 1, "ended");
    judge(store, 3, &["a"], &[("a", Fate::Ignored)]);
    assert_eq!(due(store, 9), 0, "judged");
    record(store, update("s", 4, SessionChange::Seen), vec![]);
    assert_eq!((due(store, 4), due(store, 5)), (0, 1), "it went on");
}

pub fn judgements_replace_the_fates_of_their_events_alone(store: &mut dyn Store) {
    let injections = ["a", "b", "c"].map(|event| shown(event, 1, false)).to_vec();
    record(store, update("s", 1, SessionChange::Seen), injections);
    judge(store, 1, &["a", "b", "c"], &[("a", Fate::Ignored), ("b", Fate::Ignored)]);
    judge(store, 2, &["b", "c"], &[("c", Fate::Helped)]);
    let all = InjectionQuery { limit: 10, ..InjectionQuery::default() };
    let found = store.injections(&all).expect("injections").into_iter();
    let fates: Vec<_> = found.map(|one| (one.event, one.fate.map(|judged| judged.fate))).collect();
    let expected = [("c", Some(Fate::Helped)), ("b", None), ("a", Some(Fate::Ignored))];
    assert_eq!(fates, expected.map(|(event, fate)| (event.to_owned(), fate)));
}

pub fn sessions_keep_the_group_with_which_they_were_created(store: &mut dyn Store) {
    for (name, created) in [("none", None), ("shown", Some(false)), ("withheld", Some(true))] {
        for (seconds, held_out) in [(1, created), (2, Some(true)), (3, Some(false)), (4, None)] {
            let update = update(name, seconds, SessionChange::Seen);
            record(store, SessionUpdate { held_out, ..update }, vec![]);
        }
        let found = store.session(&session(name)).expect("read").expect("a session");
        assert_eq!(found.held_out, created, "{name}");
    }
}

pub fn counts_of_uses_are_replaced_as_a_whole(store: &mut dyn Store) {
    let uses = |number: u8, most: u32| MemoryUses {
        memory: memory_id(number),
        counts: Usefulness {
            judged: 1,
            sessions: 2,
            used: 3,
            helped: 4,
            contradicted: 5,
            flagged: 6,
            direct_judged: 7,
            direct_sessions: most,
        },
    };
    let all = [uses(1, 8), uses(2, u32::MAX)];
    store.set_memory_uses(&[all[1], all[0]]).expect("counts");
    assert_eq!(store.memory_uses().expect("counts"), all);
    store.set_memory_uses(&all[1..]).expect("counts");
    assert_eq!(store.memory_uses().expect("counts"), all[1..]);
    store.set_memory_uses(&[]).expect("counts");
    assert_eq!(store.memory_uses().expect("counts"), []);
}

pub fn resumed_sessions_are_open_and_late_reports_change_nothing(store: &mut dyn Store) {
    let changes = [
        (5, SessionChange::Seen),
        (9, SessionChange::Ended("logout".into())),
        (3, SessionChange::Seen),
        (8, SessionChange::Asked),
    ];
    for (seconds, change) in changes {
        record(store, update("s", seconds, change), vec![]);
    }
    let found = |store: &dyn Store| store.session(&session("s")).expect("read").expect("one");
    let ended = found(store);
    assert_eq!((ended.started_at, ended.last_at), (at(3), at(9)));
    assert_eq!((ended.ended.as_deref(), ended.asked), (Some("logout"), true));
    record(store, update("s", 9, SessionChange::Compacted), vec![]);
    assert_eq!((found(store).ended, found(store).context), (None, 1), "at the same time");
}

pub fn batches_whose_events_are_known_are_skipped(store: &mut dyn Store) {
    let batch = |events: &[&str], note: &str| ActivityBatch {
        sessions: vec![update("s", 1, SessionChange::Compacted)],
        events: events.iter().map(|id| event(id, "s", 1, READ)).collect(),
        injections: vec![shown("a", 1, false)],
        notes: vec![Note {
            id: note.into(),
            session: session("s"),
            at: at(1),
            text: "seen".into(),
            files: Vec::new(),
            record: tacit_core::log::NoteRecord::Observation,
        }],
    };
    let counts = |store: &dyn Store| {
        let all = InjectionQuery { limit: 99, ..InjectionQuery::default() };
        let injections = store.injections(&all).expect("injections").len();
        let notes = store.notes(&session("s"), &[], 99).expect("notes").len();
        let context = store.session(&session("s")).expect("read").map(|found| found.context);
        (injections, notes, context)
    };
    store.record_all(&[batch(&["a"], "n1"), batch(&["a"], "n2")]).expect("record");
    assert_eq!(counts(store), (1, 1, Some(1)), "the second has no new event");
    store.record(&batch(&["a", "b"], "n3")).expect("record");
    assert_eq!(counts(store), (2, 2, Some(2)), "one new event is enough");
    store.record(&batch(&[], "n3")).expect("record");
    assert_eq!(counts(store), (3, 2, Some(3)), "without events, notes alone are known");
    store.record_all(&[]).expect("record");
}
