//! Cases about the sessions of agents.

use tacit_core::log::{LogKind, LogRow, NoteRecord, decode};
use tacit_core::{EventName, Fate};

use super::*;

const STARTED: LogKind = LogKind::Client(EventName::SessionStarted);
pub(super) const READ: LogKind = LogKind::Client(EventName::ToolFinished);

pub(super) fn session(name: &str) -> SessionId {
    name.parse().expect("a session")
}

pub(super) fn path(name: &str) -> RepoPath {
    RepoPath::new(name).expect("a path")
}

pub(super) fn event(id: &str, name: &str, seconds: i64, kind: LogKind) -> Event {
    let row = LogRow {
        kind: kind.as_str().into(),
        tool: Some("Read".into()),
        subject: Some(format!("src/{id}.rs").into()),
        body: "{\"passed\":true}".into(),
    };
    Event {
        id: id.into(),
        session: session(name),
        at: at(seconds),
        record: decode(row).expect("a record"),
    }
}

pub(super) fn update(name: &str, seconds: i64, change: SessionChange) -> SessionUpdate {
    SessionUpdate {
        id: session(name),
        client: "claude".into(),
        at: at(seconds),
        change,
        held_out: None,
    }
}

pub fn sessions_and_events_are_logged_once(store: &mut dyn Store) {
    let record = ActivityBatch {
        sessions: vec![update("s-1", 1, SessionChange::Seen)],
        events: vec![event("a", "s-1", 1, STARTED), event("b", "s-1", 2, READ)],
        ..ActivityBatch::default()
    };
    store.record(&record).expect("record");
    // The same events again are skipped.
    store.record(&record).expect("record");
    let others = ActivityBatch {
        sessions: vec![
            update("s-1", 5, SessionChange::Compacted),
            update("s-1", 6, SessionChange::Asked),
            update("s-2", 7, SessionChange::Ended("logout".into())),
        ],
        events: vec![event("c", "s-2", 7, READ)],
        ..ActivityBatch::default()
    };
    store.record(&others).expect("record");
    let ids = |query: EventQuery| -> Vec<String> {
        store.events(&query).expect("events").into_iter().map(|event| event.id).collect()
    };
    let all = EventQuery { limit: 10, ..EventQuery::default() };
    assert_eq!(ids(all.clone()), ["c", "b", "a"]);
    assert_eq!(ids(EventQuery { limit: 1, ..all.clone() }), ["c"]);
    assert_eq!(ids(EventQuery { session: Some(session("s-1")), ..all.clone() }), ["b", "a"]);
    assert_eq!(ids(EventQuery { kinds: vec![READ], ..all.clone() }), ["c", "b"]);
    assert_eq!(ids(EventQuery { subject: Some("src/a.rs".into()), ..all.clone() }), ["a"]);
    let before = |id: &str| EventQuery { before: Some(id.into()), ..all.clone() };
    assert_eq!(ids(before("c")), ["b", "a"]);
    assert_eq!(ids(EventQuery { limit: 1, session: Some(session("s-1")), ..before("b") }), ["a"]);
    assert_eq!((ids(before("a")), ids(before("z"))), (vec![], vec![]));
    assert_eq!(store.count_events(&before("c")).expect("count"), 2);
    let event = store.events(&all).expect("events").pop().expect("an event");
    assert_eq!(event, self::event("a", "s-1", 1, STARTED));

    let first = store.session(&session("s-1")).expect("read").expect("a session");
    assert_eq!((first.started_at, first.last_at), (at(1), at(6)));
    assert_eq!((first.context, first.asked, first.ended), (1, true, None));
    let second = store.session(&session("s-2")).expect("read").expect("a session");
    assert_eq!(second.ended.as_deref(), Some("logout"));
    assert_eq!(store.session(&session("s-3")).expect("read"), None);

    // The first session is open; of the second, all events before the time are deleted.
    assert_eq!(store.delete_events(at(6)).expect("drop"), 0);
    assert_eq!(store.delete_events(at(100)).expect("drop"), 3);
    assert_eq!(store.events(&all).expect("events"), []);
}

pub fn injections_are_filtered_by_context(store: &mut dyn Store) {
    let kept = memory(1, "alpha");
    store_all(store, std::slice::from_ref(&kept));
    let injection = |context, event: &str, memory| Injection {
        session: session("s-1"),
        agent: (context > 0).then(|| "helper".to_owned()),
        context,
        at: at(3),
        layer: "prompt".into(),
        event: event.into(),
        memory,
        text: "alpha".into(),
        tokens: 12,
        why: "words".into(),
        withheld: false,
        fate: None,
    };
    let (first, second) = (injection(0, "a", Some(kept.id)), injection(1, "b", None));
    let record = ActivityBatch {
        injections: vec![first.clone(), second.clone()],
        ..ActivityBatch::default()
    };
    store.record(&record).expect("record");
    let find = |query: InjectionQuery| store.injections(&query).expect("injections");
    let all = InjectionQuery { limit: 10, ..InjectionQuery::default() };
    assert_eq!(find(all.clone()), [second.clone(), first.clone()]);
    assert_eq!(find(InjectionQuery { context: Some(1), ..all.clone() }), [second]);
    assert_eq!(
        find(InjectionQuery { events: vec!["a".into()], ..all.clone() }),
        std::slice::from_ref(&first)
    );
    assert_eq!(find(InjectionQuery { memory: Some(kept.id), ..all.clone() }), [first]);
    assert_eq!(store.injection_counts(None).expect("counts"), [(kept.id, 1)]);
    let other = memory(9, "never shown").id;
    assert_eq!(store.injection_counts(Some(&[other, kept.id])).expect("counts"), [(kept.id, 1)]);
    assert_eq!(store.injection_counts(Some(&[other])).expect("counts"), []);
    assert_eq!(find(InjectionQuery { session: Some(session("s-2")), ..all }), []);
}

pub fn fates_are_saved_with_their_injections(store: &mut dyn Store) {
    let kept = memory(1, "alpha");
    store_all(store, std::slice::from_ref(&kept));
    let injection = |event: &str, text: &str, memory, seconds, withheld| Injection {
        session: session("s-1"),
        agent: None,
        context: 0,
        at: at(seconds),
        layer: "prompt".into(),
        event: event.into(),
        memory,
        text: text.into(),
        tokens: 12,
        why: "words".into(),
        withheld,
        fate: None,
    };
    let record = ActivityBatch {
        injections: vec![
            injection("a", "alpha", Some(kept.id), 1, false),
            injection("a", "a note", None, 1, false),
            injection("b", "alpha", Some(kept.id), 2, true),
        ],
        ..ActivityBatch::default()
    };
    store.record(&record).expect("record");
    let fate = |event: &str, text: &str, memory, fate, why: &str| InjectionFate {
        event: event.into(),
        memory,
        text: text.into(),
        judged: JudgedFate { fate, why: why.into() },
    };
    let fates = [
        fate("a", "alpha", Some(kept.id), Fate::Ignored, "nothing refers to it"),
        fate("a", "alpha", Some(kept.id), Fate::Helped, "the next run passed"),
        fate("a", "a note", None, Fate::Cited, "its id was named"),
        fate("c", "alpha", Some(kept.id), Fate::Flagged, "of an unknown event"),
    ];
    store.set_fates(&fates).expect("fates");
    let read = |since| -> Vec<(String, Option<JudgedFate>, bool)> {
        let query = InjectionQuery { since, limit: 10, ..InjectionQuery::default() };
        let found = store.injections(&query).expect("injections");
        found.into_iter().map(|one| (one.text, one.fate, one.withheld)).collect()
    };
    let judged = |at: usize| Some(fates[at].judged.clone());
    let (first, second) = (
        [("a note".into(), judged(2), false), ("alpha".into(), judged(1), false)],
        ("alpha".into(), None, true),
    );
    assert_eq!(read(Some(at(2))), std::slice::from_ref(&second));
    assert_eq!(read(None), [&[second], &first[..]].concat());
    // A withheld memory was not shown.
    assert_eq!(store.injection_counts(None).expect("counts"), [(kept.id, 1)]);
}

pub fn notes_are_filtered_by_file(store: &mut dyn Store) {
    let note = |id: &str, files: &[&str]| Note {
        id: id.into(),
        session: session("s-1"),
        at: at(1),
        text: format!("note {id}"),
        files: files.iter().map(|file| path(file)).collect(),
        record: NoteRecord::Observation,
    };
    let (one, two) = (note("a", &["src/a.rs", "src/b.rs"]), note("b", &[]));
    let record = ActivityBatch {
        notes: vec![one.clone(), two.clone(), one.clone()],
        ..ActivityBatch::default()
    };
    store.record(&record).expect("record");
    let notes =
        |name: &str, files: &[RepoPath]| store.notes(&session(name), files, 10).expect("notes");
    assert_eq!(notes("s-1", &[]), [two, one.clone()]);
    assert_eq!(notes("s-1", &[path("src/b.rs")]), [one]);
    assert_eq!(notes("s-1", &[path("src/c.rs")]), []);
    assert_eq!(notes("s-2", &[]), []);
}

pub fn co_changes_link_files(store: &mut dyn Store) {
    let tie = |file: &str, other: &str, weight| CoChange {
        file: path(file),
        other: path(other),
        weight,
        count: 3,
    };
    let ties = [tie("a.rs", "b.rs", 0.7), tie("a.rs", "c.rs", 0.9), tie("a.rs", "d.rs", 0.5)];
    store.set_co_changes(&ties, at(1)).expect("tie");
    let linked = |store: &dyn Store, files: &[RepoPath], limit| -> Vec<String> {
        let linked = store.linked_files(files, 0.6, limit).expect("linked");
        linked.iter().map(ToString::to_string).collect()
    };
    assert_eq!(linked(store, &[path("a.rs")], 5), ["c.rs", "b.rs"]);
    assert_eq!(linked(store, &[path("a.rs")], 1), ["c.rs"]);
    assert_eq!(linked(store, &[path("a.rs"), path("c.rs")], 5), ["b.rs"]);
    assert_eq!(linked(store, &[], 5), Vec::<String>::new());
    // A co-change is directed: the reverse need not hold.
    assert_eq!(linked(store, &[path("b.rs")], 5), Vec::<String>::new());
    // Earlier co-changes are replaced.
    store.set_co_changes(&[tie("x.rs", "a.rs", 0.8)], at(2)).expect("tie");
    assert_eq!(linked(store, &[path("a.rs")], 5), Vec::<String>::new());
    assert_eq!(linked(store, &[path("q.rs"), path("x.rs")], 5), ["a.rs"]);

    let about = |number, file: &str| {
        with(
            number,
            Draft {
                content: format!("about {file}"),
                related_files: vec![file.into()],
                ..Draft::default()
            },
        )
    };
    store_all(store, &[about(1, "a.rs"), about(2, "b.rs"), about(3, "a.rs")]);
    let keys = store.keys_about(&[path("a.rs")], &Filter::default(), 10).expect("keys");
    let read = store.read_keys(&keys, &Filter::default()).expect("read");
    let ids: Vec<u8> = read.iter().map(|(_, memory)| memory.id.as_bytes()[15]).collect();
    assert_eq!(ids, [3, 1]);
    assert_eq!(store.keys_about(&[path("a.rs")], &Filter::default(), 1).expect("keys").len(), 1);
}
