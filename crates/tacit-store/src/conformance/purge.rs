//! Cases about purges: quotations, texts of injections, the history, old events.

use tacit_core::Quotations;
use tacit_core::log::{LogKind, NoteRecord};

use super::activity::{READ, event, path, session, update};
use super::*;
use crate::{ErrorOccurrences, LoggedSignal, ObservedState, ObservedTree, TreeUsage};

/// A text that is purged.
const SECRET: &str = "the staging database is restored every night";

fn quotations() -> Quotations {
    let mut quotations = Quotations::default();
    quotations.add(SECRET);
    quotations
}

/// Erases the quotations and returns the number of rows.
fn erase(store: &mut dyn Store) -> u64 {
    let mut transaction = store.begin(action(ActionKind::Purge)).expect("begin");
    let erased = transaction.erase_quotes(&quotations()).expect("erase");
    transaction.commit().expect("commit");
    assert!(erased.iter().all(|erased| erased.rows > 0), "{erased:?}");
    erased.iter().map(|erased| erased.rows).sum()
}

fn note(id: &str, text: &str) -> Note {
    Note {
        id: id.into(),
        session: session("s"),
        at: at(1),
        text: text.into(),
        files: Vec::new(),
        record: NoteRecord::Observation,
    }
}

fn said(id: &str, text: &str) -> Event {
    let json = serde_json::json!({
        "client": "claude", "session": "s", "cwd": "/p", "transcript": "/t.jsonl",
        "what": {"turn_stopped": {"last_message": text}},
    });
    let said: tacit_core::AgentEvent = serde_json::from_value(json).expect("an event");
    let record = tacit_core::log::ClientRecord::new(&said, None).expect("a record");
    let record = tacit_core::log::LogRecord::Client(record);
    Event { id: id.into(), session: session("s"), at: at(1), record }
}

pub fn quotations_in_sessions_are_erased(store: &mut dyn Store) {
    let mut injection = samples::injection(1, "s");
    injection.text = format!("shown: {SECRET}");
    injection.why = "harmless".into();
    let other = Injection { text: "harmless".into(), ..injection.clone() };
    let long = format!("{}{SECRET}", "something else entirely\n".repeat(300));
    let batch = ActivityBatch {
        events: vec![said("short", SECRET), said("long", &long), said("other", "harmless")],
        injections: vec![injection, other.clone()],
        notes: vec![note("quoting", SECRET), note("other", "harmless")],
        ..ActivityBatch::default()
    };
    store.record(&batch).expect("record");
    assert_eq!(erase(store), 4);
    let events = store.events(&EventQuery { limit: 9, ..EventQuery::default() }).expect("events");
    assert_eq!(events, batch.events[2..]);
    assert_eq!(store.notes(&session("s"), &[], 9).expect("notes"), batch.notes[1..]);
    let shown = InjectionQuery { limit: 9, ..InjectionQuery::default() };
    let left = store.injections(&shown).expect("injections");
    assert_eq!(left[0], other);
    assert_eq!((left[1].text.as_str(), left[1].why.as_str()), ("", "harmless"));
    assert_eq!(erase(store), 0);
}

pub fn quotations_in_observations_are_erased(store: &mut dyn Store) {
    let tree = |name: &str, text: &str| ObservedTree {
        tree: session(name),
        sessions: vec![(session(name), at(1))],
        at: at(1),
        state: ObservedState::Done,
        digest: serde_json::json!({ "digest": text }).to_string(),
        signals: vec![LoggedSignal {
            kind: "note".into(),
            body: serde_json::json!({ "signal": text }).to_string(),
            score: None,
        }],
        usage: TreeUsage {
            files: vec![(path("a.rs"), 1)],
            errors: vec![ErrorOccurrences {
                fingerprint: name.into(),
                tool: "Bash".into(),
                message: text.into(),
                count: 1,
                resolved_how: None,
            }],
            ..TreeUsage::default()
        },
    };
    store.save_observed_tree(&tree("quoting", SECRET)).expect("keep");
    store.save_observed_tree(&tree("other", "harmless")).expect("keep");
    // The digest's row, with the share of the tree, the signal and the error.
    assert_eq!(erase(store), 3);
    assert_eq!(store.digests(9).expect("digests"), [tree("other", "harmless").digest]);
    assert_eq!(store.signals(&session("quoting")).expect("signals"), []);
    assert_eq!(store.signals(&session("other")).expect("signals").len(), 1);
    assert_eq!(store.error_occurrences("quoting").expect("error"), None);
    assert!(store.error_occurrences("other").expect("error").is_some());
    assert_eq!(store.tree_of(&session("quoting")).expect("tree"), Some(session("quoting")));
}

pub fn quotations_in_the_history_are_blanked(store: &mut dyn Store) {
    let quoting = memory(1, &format!("see also: {SECRET}"));
    let still = memory(2, &format!("it is so: {SECRET}"));
    store_all(store, &[quoting.clone(), still.clone()]);
    let after = edit(store, &quoting, |memory| memory.body = super::memory(1, "harmless").body);
    let reason = Reasoning::new(format!("because {SECRET}")).ok();
    let mut transaction =
        store.begin(Action { reason, ..action(ActionKind::Edit) }).expect("begin");
    let mut twice = after.clone();
    twice.observations = 2;
    transaction.update(&after, &twice).expect("update");
    transaction.commit().expect("commit");

    // Two changes of the first memory, and a reason.
    assert_eq!(erase(store), 3);
    let of = |id| ChangeQuery { memory: Some(id), limit: 9, ..ChangeQuery::default() };
    let changes = store.changes(&of(quoting.id)).expect("changes");
    assert_eq!(changes.len(), 3);
    assert!(changes.iter().all(|change| change.action.reason.is_none()));
    let told = format!("{changes:?}");
    assert!(!told.contains("staging") && told.contains("[purged]"), "{told}");
    // A memory that still says the same keeps its history.
    let changes = store.changes(&of(still.id)).expect("changes");
    assert!(format!("{changes:?}").contains(SECRET));
    assert_eq!(store.read(&[still.id]).expect("read"), [still]);
    // The history is append-only again.
    edit(store, &twice, |memory| memory.observations = 3);
    assert_eq!(store.changes(&of(quoting.id)).expect("changes").len(), 4);
}

pub fn nothing_is_erased_for_no_quotation(store: &mut dyn Store) {
    let batch = ActivityBatch { notes: vec![note("n", SECRET)], ..ActivityBatch::default() };
    store.record(&batch).expect("record");
    let mut transaction = store.begin(action(ActionKind::Purge)).expect("begin");
    assert_eq!(transaction.erase_quotes(&Quotations::default()).expect("erase"), []);
    transaction.erase_quotes(&quotations()).expect("erase");
    drop(transaction);
    let left = store.notes(&session("s"), &[], 9).expect("notes");
    assert_eq!(left.len(), 1, "a dropped transaction erases nothing");
}

pub fn texts_of_injections_are_blanked(store: &mut dyn Store) {
    let shown = |number: u8, memory: Option<u8>| Injection {
        memory: memory.map(memory_id),
        ..samples::injection(number, "s")
    };
    let injections = vec![shown(1, Some(1)), shown(2, Some(1)), shown(3, Some(2)), shown(4, None)];
    let batch = ActivityBatch { injections: injections.clone(), ..ActivityBatch::default() };
    store.record(&batch).expect("record");
    assert_eq!(store.blank_injections(&memory_id(1)).expect("blank"), 2);
    assert_eq!(store.blank_injections(&memory_id(9)).expect("blank"), 0);
    let query = InjectionQuery { limit: 9, ..InjectionQuery::default() };
    let mut left = store.injections(&query).expect("injections");
    left.reverse();
    let blank =
        |one: &Injection| Injection { text: String::new(), why: String::new(), ..one.clone() };
    let expected = [&[blank(&injections[0]), blank(&injections[1])], &injections[2..]].concat();
    assert_eq!(left, expected);
}

pub fn reasons_go_with_their_memories(store: &mut dyn Store) {
    let (one, two) = (memory(1, "alpha"), memory(2, "beta"));
    let mut change = |memories: &[&Memory], reason: &str| {
        let reason = Reasoning::new(reason).ok();
        let kind = ActionKind::Remember;
        let mut transaction = store.begin(Action { reason, ..action(kind) }).expect("begin");
        for memory in memories {
            transaction.insert(memory).expect("insert");
        }
        transaction.commit().expect("commit");
    };
    change(&[&one], "of the first alone");
    change(&[&two, &memory(3, "gamma")], "of both");
    let reason = Reasoning::new("of the purge").ok();
    let purge = Action { reason, ..action(ActionKind::Purge) };
    let mut transaction = store.begin(purge).expect("begin");
    for memory in [&one, &two] {
        transaction.remove(memory).expect("remove");
        transaction.erase_history(&memory.id).expect("erase");
    }
    transaction.commit().expect("commit");
    let query = ChangeQuery { limit: 9, ..ChangeQuery::default() };
    let reasons: Vec<_> = store
        .changes(&query)
        .expect("changes")
        .into_iter()
        .map(|change| change.action.reason.map(|reason| reason.to_string()))
        .collect();
    assert_eq!(reasons, [Some("of the purge".to_owned()), Some("of both".to_owned()), None]);
    let undoable = ChangeQuery { undoable: true, ..query };
    let kinds: Vec<ActionKind> = store
        .changes(&undoable)
        .expect("changes")
        .into_iter()
        .map(|change| change.action.kind)
        .collect();
    assert_eq!(kinds, [ActionKind::Purge, ActionKind::Remember], "an emptied change is none");
    assert_eq!(store.count_changes(&undoable).expect("count"), 2);
}

pub fn events_of_past_and_open_sessions_are_told_apart(store: &mut dyn Store) {
    let mut log = |name: &str, seconds: i64, change: SessionChange| {
        let id = format!("{name}{seconds}");
        let batch = ActivityBatch {
            sessions: vec![update(name, seconds, change)],
            events: vec![event(
                &id,
                name,
                seconds,
                LogKind::Client(tacit_core::EventName::ToolFailed),
            )],
            ..ActivityBatch::default()
        };
        store.record(&batch).expect("record");
    };
    log("past", 1, SessionChange::Seen);
    log("open", 2, SessionChange::Seen);
    log("ended", 3, SessionChange::Seen);
    log("open", 20, SessionChange::Seen);
    log("ended", 21, SessionChange::Ended("over".into()));
    // Read from a transcript later than events that are newer.
    log("past", 4, SessionChange::Ended("over".into()));
    store.save_observed_tree(&samples::tree(1, 3)).expect("keep");
    assert_eq!(store.delete_events(at(10)).expect("delete"), 3);
    let left: Vec<String> = store
        .events(&EventQuery { limit: 9, ..EventQuery::default() })
        .expect("events")
        .into_iter()
        .map(|event| event.id)
        .collect();
    assert_eq!(left, ["ended21", "open20", "open2"]);
    assert_eq!(store.signals(&samples::tree(1, 3).tree).expect("signals"), [], "old signals go");
    let kinds = EventQuery { kinds: vec![READ], limit: 9, ..EventQuery::default() };
    assert_eq!(store.count_events(&kinds).expect("count"), 0);
}

pub fn transcripts_go_with_the_last_event_of_their_session(store: &mut dyn Store) {
    let batch = ActivityBatch {
        sessions: vec![update("s", 1, SessionChange::Ended("over".into()))],
        events: vec![said("a", "one"), said("b", "two")],
        ..ActivityBatch::default()
    };
    store.record(&batch).expect("record");
    assert_eq!(store.transcripts().expect("transcripts"), ["/t.jsonl"]);
    assert_eq!(store.delete_events(at(9)).expect("delete"), 2);
    assert_eq!(store.transcripts().expect("transcripts"), [] as [String; 0]);
}

pub fn scrubbing_keeps_what_is_left(store: &mut dyn Store) {
    let gone = memory(1, "alpha secret");
    store_all(store, &[gone.clone(), memory(2, "alpha beta")]);
    let mut transaction = begin(store);
    transaction.remove(&gone).expect("remove");
    transaction.erase_history(&gone.id).expect("erase");
    transaction.commit().expect("commit");
    store.scrub().expect("scrub");
    assert_eq!(search(store, "alpha", Filter::everything()), [2]);
    assert_eq!(store.terms_with_prefix("secret", 9).expect("terms"), []);
    assert_eq!(store.check(true).expect("check").problems, [] as [String; 0]);
}

pub fn readable_rows_are_not_quarantined(store: &mut dyn Store) {
    let batch = ActivityBatch { notes: vec![note("n", "text")], ..ActivityBatch::default() };
    store.record(&batch).expect("record");
    assert_eq!(store.unreadable().expect("rows"), []);
    let file = std::path::Path::new("never written");
    assert_eq!(store.quarantine(file, at(1)).expect("quarantine"), 0);
    assert!(!file.exists());
    assert_eq!(store.notes(&session("s"), &[], 9).expect("notes"), batch.notes);
}
