//! Cases about observed sessions.

use tacit_core::EventName;
use tacit_core::log::LogKind;

use super::activity::{READ, event, path, session, update};
use super::*;
use crate::{
    ErrorOccurrences, FileAffinity, FilePairUse, LoggedSignal, ObservedState, ObservedTree,
    TreeUsage,
};

fn tree(name: &str, seconds: i64, uses: TreeUsage) -> ObservedTree {
    ObservedTree {
        tree: session(name),
        sessions: vec![(session(name), at(seconds))],
        at: at(seconds),
        state: ObservedState::Done,
        digest: format!("digest of {name}"),
        signals: vec![LoggedSignal { kind: "note".into(), body: "{}".into(), score: Some(0.7) }],
        usage: uses,
    }
}

fn uses(files: &[&str], a_first: bool, delta_ms: f64) -> TreeUsage {
    let pair = |a: &str, b: &str| FilePairUse { a: path(a), b: path(b), a_first, delta_ms };
    TreeUsage {
        files: files.iter().map(|file| (path(file), 2)).collect(),
        pairs: match files {
            [a, b] => vec![pair(a, b)],
            _ => vec![],
        },
        errors: vec![ErrorOccurrences {
            fingerprint: "f".into(),
            tool: "Bash".into(),
            message: "it failed".into(),
            count: 2,
            resolved_how: None,
        }],
    }
}

pub fn ended_idle_and_reported_sessions_are_observed(store: &mut dyn Store) {
    let log = |store: &mut dyn Store, name: &str, seconds, change, kind: LogKind| {
        let mut event = event(&format!("{name}{seconds}"), name, seconds, kind);
        event.session = session(name);
        let record = ActivityBatch {
            sessions: vec![update(name, seconds, change)],
            events: vec![event],
            ..ActivityBatch::default()
        };
        store.record(&record).expect("record");
    };
    log(
        store,
        "over",
        1,
        SessionChange::Ended("other".into()),
        LogKind::Client(EventName::SessionEnded),
    );
    log(store, "silent", 2, SessionChange::Seen, READ);
    log(store, "told", 50, SessionChange::Seen, LogKind::Check);
    log(store, "busy", 60, SessionChange::Seen, READ);
    let waiting = |store: &dyn Store| -> Vec<String> {
        let found = store.sessions_to_observe(at(10), 10).expect("sessions");
        found.into_iter().map(|session| session.id.to_string()).collect()
    };
    assert_eq!(waiting(store), ["over", "silent", "told"]);
    assert_eq!(store.sessions_to_observe(at(10), 1).expect("sessions").len(), 1);
    for (name, seconds, state) in [
        ("over", 1, ObservedState::Done),
        ("silent", 2, ObservedState::Waits),
        ("told", 50, ObservedState::Done),
    ] {
        let observed = ObservedTree { state, ..tree(name, seconds, TreeUsage::default()) };
        store.save_observed_tree(&observed).expect("keep");
    }
    assert_eq!(waiting(store), ["silent"]);
    // A session with new activity is observed again once it ends.
    log(store, "over", 70, SessionChange::Seen, READ);
    assert_eq!(waiting(store), ["silent"]);
    log(
        store,
        "over",
        80,
        SessionChange::Ended("other".into()),
        LogKind::Client(EventName::SessionEnded),
    );
    assert_eq!(waiting(store), ["silent", "over"]);
    let latest = store.latest_sessions(2).expect("sessions");
    let latest: Vec<_> =
        latest.iter().map(|(session, state)| (session.id.as_str(), *state)).collect();
    assert_eq!(latest, [("over", None), ("busy", None)]);
    assert_eq!(store.digests(2).expect("digests"), ["digest of told", "digest of silent"]);
    assert_eq!(store.tree_of(&session("told")).expect("tree"), Some(session("told")));
    assert_eq!(store.tree_of(&session("busy")).expect("tree"), None);
}

pub fn observed_usage_counts_each_session_once(store: &mut dyn Store) {
    let tie = |store: &dyn Store| store.file_affinity(&path("b.rs"), &path("a.rs")).expect("tie");
    assert_eq!(tie(store), None);
    for (number, delta) in [(1, 100.0), (2, 300.0), (3, 200.0)] {
        let observed = tree(&format!("s-{number}"), number, uses(&["a.rs", "b.rs"], true, delta));
        store.save_observed_tree(&observed).expect("keep");
        // Saving the same observation twice changes nothing.
        store.save_observed_tree(&observed).expect("keep");
    }
    let expected = FileAffinity { weight: 1.0, sessions: 3, delta_ms: 200.0, directional: true };
    assert_eq!(tie(store), Some(expected));
    assert_eq!(store.error_occurrences("f").expect("error").map(|error| error.count), Some(6));
    assert_eq!(store.signals(&session("s-1")).expect("signals").len(), 1);
    // A session that uses only one of the files lowers the weight.
    store.save_observed_tree(&tree("s-4", 4, uses(&["a.rs"], true, 0.0))).expect("keep");
    assert_eq!(tie(store).map(|tie| (tie.weight, tie.sessions)), Some((0.75, 3)));
    let linked = store.linked_files(&[path("a.rs")], 0.6, 5).expect("linked");
    assert_eq!(linked, [path("b.rs")]);
    // A session that is observed again counts as it is now.
    store.save_observed_tree(&tree("s-3", 9, uses(&["a.rs", "b.rs"], false, 500.0))).expect("keep");
    let expected = FileAffinity { weight: 0.75, sessions: 3, delta_ms: 300.0, directional: false };
    assert_eq!(tie(store), Some(expected));
    // Sessions that are merged into one tree count once.
    let mut joined = tree("s-1", 9, uses(&["a.rs", "b.rs"], true, 100.0));
    joined.sessions.push((session("s-2"), at(9)));
    store.save_observed_tree(&joined).expect("keep");
    assert_eq!(tie(store).map(|tie| tie.sessions), Some(2));
    assert_eq!(store.tree_of(&session("s-2")).expect("tree"), Some(session("s-1")));
}

pub fn directions_need_enough_sessions(store: &mut dyn Store) {
    let affinity = |store: &dyn Store| {
        let found = store.file_affinity(&path("a.rs"), &path("b.rs")).expect("affinity");
        found.map(|found| (found.sessions, found.directional))
    };
    for (number, a_first, expected) in
        [(1, true, false), (2, true, false), (3, true, true), (4, false, false), (5, true, true)]
    {
        let observed = tree(&format!("s-{number}"), number, uses(&["a.rs", "b.rs"], a_first, 1.0));
        store.save_observed_tree(&observed).expect("keep");
        assert_eq!(affinity(store), Some((number as u32, expected)), "after {number}");
    }
    // What sessions tell holds both ways; what the history tells, from one file to the other.
    let co_change = CoChange { file: path("b.rs"), other: path("c.rs"), weight: 0.9, count: 3 };
    store.set_co_changes(&[co_change], at(9)).expect("tie");
    let linked = |file: &str| store.linked_files(&[path(file)], 0.5, 9).expect("linked");
    assert_eq!(linked("a.rs"), [path("b.rs")]);
    assert_eq!(linked("b.rs"), [path("a.rs"), path("c.rs")]);
    assert_eq!(linked("c.rs"), []);
    assert_eq!(store.file_affinity(&path("b.rs"), &path("c.rs")).expect("affinity"), None);
    // A pair that no session uses any more is forgotten.
    for number in 1..=5 {
        let observed = tree(&format!("s-{number}"), 20 + number, uses(&["a.rs"], true, 1.0));
        store.save_observed_tree(&observed).expect("keep");
    }
    assert_eq!(affinity(store), None);
}
