//! Chapters about what sessions were seen to do.

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
        uses,
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

pub fn sessions_wait_to_be_observed(store: &mut dyn Store) {
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
        store.keep_observed(&observed).expect("keep");
    }
    assert_eq!(waiting(store), ["silent"]);
    // What goes on is looked at again once it is over.
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

pub fn what_is_observed_counts_once(store: &mut dyn Store) {
    let tie = |store: &dyn Store| store.tie(&path("b.rs"), &path("a.rs")).expect("tie");
    assert_eq!(tie(store), None);
    for (number, delta) in [(1, 100.0), (2, 300.0), (3, 200.0)] {
        let observed = tree(&format!("s-{number}"), number, uses(&["a.rs", "b.rs"], true, delta));
        store.keep_observed(&observed).expect("keep");
        // The same look again changes nothing.
        store.keep_observed(&observed).expect("keep");
    }
    let expected = FileAffinity { weight: 1.0, sessions: 3, delta_ms: 200.0, directional: true };
    assert_eq!(tie(store), Some(expected));
    assert_eq!(store.error_seen("f").expect("error").map(|error| error.count), Some(6));
    assert_eq!(store.signals(&session("s-1")).expect("signals").len(), 1);
    // A session that uses one without the other makes them less of a pair.
    store.keep_observed(&tree("s-4", 4, uses(&["a.rs"], true, 0.0))).expect("keep");
    assert_eq!(tie(store).map(|tie| (tie.weight, tie.sessions)), Some((0.75, 3)));
    let linked = store.linked_files(&[path("a.rs")], 0.6, 5).expect("linked");
    assert_eq!(linked, [path("b.rs")]);
    // A session that is looked at again counts as it is now.
    store.keep_observed(&tree("s-3", 9, uses(&["a.rs", "b.rs"], false, 500.0))).expect("keep");
    let expected = FileAffinity { weight: 0.75, sessions: 3, delta_ms: 300.0, directional: false };
    assert_eq!(tie(store), Some(expected));
    // Sessions that turn out to be one count as one.
    let mut joined = tree("s-1", 9, uses(&["a.rs", "b.rs"], true, 100.0));
    joined.sessions.push((session("s-2"), at(9)));
    store.keep_observed(&joined).expect("keep");
    assert_eq!(tie(store).map(|tie| tie.sessions), Some(2));
    assert_eq!(store.tree_of(&session("s-2")).expect("tree"), Some(session("s-1")));
}
