//! Cases about the pages of every list, and the order of equal rows.

use std::fmt::Debug;

use super::activity::{READ, event, path, session, update};
use super::*;
use crate::{ObservedState, ObservedTree, TreeUsage};

/// Checks that a list of any length is the beginning of the longest one, and that its rows differ.
fn check_prefixes<T: Debug + PartialEq>(what: &str, least: usize, list: impl Fn(usize) -> Vec<T>) {
    let all = list(1_000);
    assert!(all.len() >= least, "{what}: {all:?}");
    for (nth, row) in all.iter().enumerate() {
        assert!(!all[..nth].contains(row), "{what} repeats {row:?}");
    }
    for limit in 0..=all.len() {
        assert_eq!(list(limit), all[..limit], "{what}, {limit}");
    }
}

/// Memories that are equal in everything that orders them but their identifiers.
fn equal_memories() -> Vec<Memory> {
    // They are stored in another order than that of their identifiers.
    [5, 2, 8, 1, 9, 3, 7, 4, 6]
        .into_iter()
        .map(|number| {
            let related_files = vec!["src/a.rs".to_owned()];
            let tags = vec![format!("tag-{number}")];
            let session = Some(format!("s-{number}"));
            let content = "alpha beta".into();
            let mut memory =
                with(number, Draft { content, related_files, tags, session, ..Draft::default() });
            memory.created_at = at(1);
            memory.updated_at = at(1);
            memory.usage.last_accessed_at = at(1);
            memory
        })
        .collect()
}

pub fn equal_memories_are_ordered_by_identifier(store: &mut dyn Store) {
    store_all(store, &equal_memories());
    let ascending: Vec<u8> = (1..=9).collect();
    let descending: Vec<u8> = (1..=9).rev().collect();
    for (order, expected) in [
        (ListOrder::Newest, &descending),
        (ListOrder::Oldest, &ascending),
        (ListOrder::Changed, &descending),
        (ListOrder::Used, &descending),
        (ListOrder::Confidence, &descending),
    ] {
        let page = |limit, offset| -> Vec<u8> {
            let query = ListQuery { filter: Filter::default(), order, limit, offset };
            let listed = store.list(&query).expect("list");
            listed.iter().map(|memory| memory.id.as_bytes()[15]).collect()
        };
        assert_eq!(&page(99, 0), expected, "{order:?}");
        let pages: Vec<u8> = (0..5).flat_map(|nth| page(2, nth * 2)).collect();
        assert_eq!(&pages, expected, "{order:?} in pages");
    }
}

pub fn equal_matches_are_the_newest_by_identifier(store: &mut dyn Store) {
    store_all(store, &equal_memories());
    let find = |store: &dyn Store, limit, newest| -> Vec<u8> {
        let tokens = tokenize("alpha");
        let query = TextQuery { tokens, filter: Filter::default(), limit, newest };
        let hits = store.search_text(&query).expect("search");
        hits.iter().map(|hit| hit.id.as_bytes()[15]).collect()
    };
    assert_eq!(find(store, 99, None), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // The last stored ones are 6, 4, 7 and 3.
    assert_eq!(find(store, 3, None), [4, 6, 7]);
    assert_eq!(find(store, 99, Some(4)), [3, 4, 6, 7]);
    assert_eq!(find(store, 2, Some(4)), [4, 6]);
    // However many are equal.
    let many: Vec<Memory> = (20..120).rev().map(|number| memory(number, "alpha beta")).collect();
    store_all(store, &many);
    assert_eq!(find(store, 3, None), [20, 21, 22]);
    let few = Filter { until: Some(at(30)), ..Filter::default() };
    assert_eq!(search(store, "alpha", few), [20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
}

pub fn pages_of_memories_are_prefixes_of_the_full_list(store: &mut dyn Store) {
    let memories = equal_memories();
    store_all(store, &memories);
    for changed in &memories[..6] {
        edit(store, changed, |memory| memory.observations = 7);
    }
    let model = VectorModel { name: "m".into(), dims: 2 };
    store.add_model(&model).expect("add");
    let store = &*store;
    check_prefixes("changes", 7, |limit| {
        store.changes(&ChangeQuery { limit, ..ChangeQuery::default() }).expect("changes")
    });
    check_prefixes("unlinked", 9, |limit| store.unlinked(limit).expect("unlinked"));
    check_prefixes("pending", 9, |limit| store.pending(&model, limit).expect("pending"));
    check_prefixes("keys", 9, |limit| {
        store.keys_about(&[path("src/a.rs")], &Filter::default(), limit).expect("keys")
    });
    check_prefixes("tags", 9, |limit| store.frequent_tags(99, limit).expect("tags"));
    check_prefixes("terms", 2, |limit| store.terms_with_prefix("", limit).expect("terms"));
    check_prefixes("recent", 9, |limit| store.recent_sessions(limit).expect("sessions"));
    let numbers: Vec<u8> = store
        .pending(&model, 3)
        .expect("pending")
        .iter()
        .map(|(_, memory)| memory.id.as_bytes()[15])
        .collect();
    assert_eq!(numbers, [6, 4, 7], "the last stored one first");
}

pub fn pages_of_sessions_are_prefixes_of_the_full_list(store: &mut dyn Store) {
    for number in 0..6 {
        let name = format!("s-{}", number * 5 % 6);
        let batch = ActivityBatch {
            sessions: vec![update(&name, 1, SessionChange::Ended("over".into()))],
            events: vec![
                event(&format!("e{number}"), &name, 1, READ),
                event(&format!("f{number}"), "s-0", 1, READ),
            ],
            injections: vec![samples::injection(number, &name), samples::injection(number, "s-0")],
            notes: vec![Note {
                id: format!("n{number}"),
                session: session("s-0"),
                at: at(1),
                text: "the same".into(),
                files: vec![path("src/a.rs")],
                record: tacit_core::log::NoteRecord::Observation,
            }],
        };
        store.record(&batch).expect("record");
    }
    let injection =
        Injection { withheld: false, memory: Some(memory_id(1)), ..samples::injection(1, "s") };
    let injections = (0..6)
        .map(|nth| Injection { session: session(&format!("s-{nth}")), ..injection.clone() })
        .collect();
    store.record(&ActivityBatch { injections, ..ActivityBatch::default() }).expect("record");
    let open = &*store;
    check_prefixes("events", 12, |limit| {
        open.events(&EventQuery { limit, ..EventQuery::default() }).expect("events")
    });
    check_prefixes("notes", 6, |limit| {
        open.notes(&session("s-0"), &[path("src/a.rs")], limit).expect("notes")
    });
    check_prefixes("to judge", 6, |limit| open.sessions_to_judge(at(9), limit).expect("sessions"));
    check_prefixes("to observe", 6, |limit| {
        open.sessions_to_observe(at(9), limit).expect("sessions")
    });
    check_prefixes("latest", 6, |limit| open.latest_sessions(limit).expect("sessions"));
    let names: Vec<String> = open
        .sessions_to_observe(at(9), 9)
        .expect("sessions")
        .into_iter()
        .map(|session| session.id.to_string())
        .collect();
    assert_eq!(names, ["s-0", "s-1", "s-2", "s-3", "s-4", "s-5"], "by name where idle alike");
    let shown = InjectionQuery { limit: 3, ..InjectionQuery::default() };
    let last = open.injections(&shown).expect("injections");
    let names: Vec<&str> = last.iter().map(|one| one.session.as_str()).collect();
    assert_eq!(names, ["s-5", "s-4", "s-3"], "the last stored one first");

    for number in 0..4 {
        let name = session(&format!("s-{number}"));
        let observed = ObservedTree {
            tree: name.clone(),
            sessions: vec![(name, at(1))],
            at: at(1),
            state: ObservedState::Done,
            digest: format!("digest {number}"),
            signals: Vec::new(),
            usage: TreeUsage::default(),
        };
        store.save_observed_tree(&observed).expect("keep");
    }
    check_prefixes("digests", 4, |limit| store.digests(limit).expect("digests"));
    let ties: Vec<CoChange> = ["d.rs", "b.rs", "c.rs", "e.rs"]
        .map(|other| CoChange { file: path("a.rs"), other: path(other), weight: 0.5, count: 2 })
        .into();
    store.set_co_changes(&ties, at(1)).expect("ties");
    check_prefixes("linked", 4, |limit| {
        store.linked_files(&[path("a.rs")], 0.1, limit).expect("linked")
    });
    let linked = store.linked_files(&[path("a.rs")], 0.1, 9).expect("linked");
    assert_eq!(linked, ["b.rs", "c.rs", "d.rs", "e.rs"].map(path));
}

pub fn vectors_page_in_whole_generations(store: &mut dyn Store) {
    let model = VectorModel { name: "m".into(), dims: 2 };
    store.add_model(&model).expect("add");
    store_all(store, &equal_memories());
    while let [first, rest @ ..] = &store.pending(&model, 3).expect("pending")[..] {
        let sets: Vec<VectorSet> = std::iter::once(first)
            .chain(rest)
            .map(|(key, memory)| VectorSet {
                key: *key,
                memory_updated_at: memory.updated_at,
                pieces: vec![vec![1.0, 0.0], vec![0.0, 1.0]],
                cues: vec![vec![0.5, 0.5]],
            })
            .collect();
        store.put_vectors(&model, &sets).expect("put");
    }
    let whole = store.vectors_since(&model, 0, 1_000).expect("since");
    assert_eq!((whole.rows.len(), whole.generation, whole.more), (27, 3, false));
    let mut read = Vec::new();
    let mut generation = 0;
    loop {
        let page = store.vectors_since(&model, generation, 1).expect("since");
        assert_eq!(page.rows.len(), 9, "a whole generation");
        assert!(page.rows.windows(2).all(|pair| pair[0].0 < pair[1].0), "ordered by key");
        read.extend(page.rows);
        generation = page.generation;
        if !page.more {
            break;
        }
    }
    assert_eq!((read, generation), (whole.rows, 3));
}
