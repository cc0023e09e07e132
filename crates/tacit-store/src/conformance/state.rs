//! The visible state of a store, to compare two of them.

use std::collections::HashMap;
use std::fmt::Debug;

use super::samples::FILES;
use super::*;
use crate::{StoreResult, StoreStats, TextHit, TransferRow, TransferTable};

/// Named parts of a state, in a fixed order.
type Parts = Vec<(String, String)>;

/// Returns all rows of a table, read in small pages.
///
/// # Panics
///
/// If the store fails, or returns a page that is too long.
pub fn rows_of(store: &dyn Store, table: TransferTable) -> Vec<TransferRow> {
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let page = store.transfer_rows(table, after.as_deref(), 7).expect("a page");
        assert!(page.rows.len() <= 7);
        rows.extend(page.rows);
        match page.next {
            Some(next) => after = Some(next),
            None => return rows,
        }
    }
}

/// Returns all rows of a store, with numbers of changes that do not depend on the numbers which
/// transactions that rolled back took.
fn comparable_rows(store: &dyn Store, table: TransferTable) -> Vec<String> {
    let mut rows = rows_of(store, table);
    let mut ranks = HashMap::new();
    for row in &mut rows {
        if let TransferRow::Change(change) = row {
            let rank = ranks.len() as i64 + 1;
            ranks.insert(change.id, rank);
            change.id = rank;
            change.reverts = change.reverts.map(|id| ranks.get(&id).copied().unwrap_or(-id));
        }
    }
    let mut texts: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
    // Only some tables have an order that readers see.
    if !matches!(
        table,
        TransferTable::Memories
            | TransferTable::Changes
            | TransferTable::Links
            | TransferTable::Models
            | TransferTable::Events
            | TransferTable::Injections
            | TransferTable::Notes
    ) {
        texts.sort();
    }
    texts
}

fn told<T: Debug>(result: StoreResult<T>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("failed: {error}"),
    }
}

/// The treatment of the generations of vectors, which start afresh in a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenerationCheck {
    /// Generations must be equal.
    Compared,
    /// Generations may differ.
    Ignored,
}

/// Asserts that two stores have the same visible state.
///
/// # Panics
///
/// If they differ; the message names the part.
pub fn assert_same_state(
    one: &dyn Store,
    other: &dyn Store,
    generations: GenerationCheck,
    when: &str,
) {
    let [one, other] = [one, other].map(|store| parts(store, generations));
    for (left, right) in one.into_iter().zip(other) {
        assert!(
            left == right,
            "{}: `{}` differs\n  one: {}\nother: {}",
            when,
            left.0,
            left.1,
            right.1
        );
    }
}

fn parts(store: &dyn Store, generations: GenerationCheck) -> Parts {
    let mut parts = Parts::new();
    let mut tell = |name: String, text: String| parts.push((name, text));
    for table in TransferTable::ALL {
        let rows = comparable_rows(store, table);
        tell(format!("number of {}", table.as_str()), told(store.count_rows(table)));
        for (nth, row) in rows.iter().enumerate() {
            tell(format!("{} {nth}", table.as_str()), row.clone());
        }
        tell(format!("rows of {}", table.as_str()), rows.len().to_string());
    }
    memories(store, &mut tell);
    searches(store, &mut tell);
    derived(store, generations, &mut tell);
    sessions(store, &mut tell);
    parts
}

fn ids(memories: StoreResult<Vec<Memory>>) -> StoreResult<Vec<MemoryId>> {
    memories.map(|memories| memories.into_iter().map(|memory| memory.id).collect())
}

fn filters() -> Vec<(&'static str, Filter)> {
    let everything = Filter::everything;
    vec![
        ("default", Filter::default()),
        ("everything", everything()),
        ("type", Filter { types: vec!["gotcha".parse().expect("a type")], ..everything() }),
        ("tag", Filter { tags: vec![Tag::new("tag-1").expect("a tag")], ..everything() }),
        ("folder", Filter { files: vec![path("src")], ..everything() }),
        ("stale", Filter { stale: Some(true), ..Filter::default() }),
        ("confident", Filter { min_confidence: Confidence::new(0.5).ok(), ..Filter::default() }),
        ("session", Filter { sessions: vec![session("s-1")], ..everything() }),
        ("recent", Filter { since: Some(at(2)), until: Some(at(4)), ..everything() }),
    ]
}

fn memories(store: &dyn Store, tell: &mut impl FnMut(String, String)) {
    for (name, filter) in filters() {
        tell(format!("count {name}"), told(store.count(&filter)));
        for order in [
            ListOrder::Newest,
            ListOrder::Oldest,
            ListOrder::Changed,
            ListOrder::Used,
            ListOrder::Confidence,
        ] {
            let query = ListQuery { filter: filter.clone(), order, limit: 9, offset: 2 };
            tell(format!("list {name} {order:?}"), told(ids(store.list(&query))));
        }
    }
    let all: Vec<MemoryId> = (0..16).map(memory_id).collect();
    tell("relating".into(), told(ids(store.relating_to(&all))));
    tell("short".into(), told(store.find_by_short_id(0..=u32::MAX)));
    tell("tags".into(), told(store.frequent_tags(1_000_000, 9)));
    tell("unlinked".into(), told(ids(store.unlinked(99))));
    tell("links".into(), told(store.links()));
    tell("files in use".into(), told(store.files_in_use()));
    let files: Vec<RepoPath> = FILES.map(path).into();
    let about = store.keys_about(&files[1..4], &Filter::default(), 9).and_then(|keys| {
        let read = store.read_keys(&keys, &Filter::everything())?;
        Ok(read.into_iter().map(|(_, memory)| memory.id).collect::<Vec<_>>())
    });
    tell("about".into(), told(about));
    let stats = store.stats().map(|stats| StoreStats { bytes: 0, ..stats });
    tell("stats".into(), told(stats));
    let check = store.check(false).map(|check| (check.problems, check.unindexed, check.newest));
    tell("check".into(), told(check));
    let without_vectors = store.check(true).map(|check| check.without_vectors);
    tell("without vectors".into(), told(without_vectors));
    let undoable = ChangeQuery { undoable: true, limit: 99, ..ChangeQuery::default() };
    let changes = store.changes(&undoable).map(|changes| {
        changes.into_iter().map(|change| (change.action, change.items)).collect::<Vec<_>>()
    });
    tell(
        "undoable".into(),
        told(changes.map(|changes| {
            // The numbers of undone changes depend on the store.
            let without =
                |(action, items): (Action, _)| (Action { reverts: None, ..action }, items);
            changes.into_iter().map(without).collect::<Vec<_>>()
        })),
    );
    tell("number of undoable".into(), told(store.count_changes(&undoable)));
    tell("requests".into(), told(store.count_requests("r-")));
}

fn searches(store: &dyn Store, tell: &mut impl FnMut(String, String)) {
    for words in
        ["pool", "fork close", "retry E0308 webhook", "--force src/db/pool.rs", "naïve", "数据库"]
    {
        for (name, newest, limit) in [("all", None, 50), ("few", None, 3), ("newest", Some(4), 9)] {
            for filter in [Filter::default(), Filter::everything()] {
                let query = TextQuery { tokens: tokenize(words), filter, limit, newest };
                let hits = store.search_text(&query).map(|hits| {
                    let hit = |hit: TextHit| (hit.id, format!("{:.9}", hit.score));
                    hits.into_iter().map(hit).collect::<Vec<_>>()
                });
                tell(format!("search {name} `{words}`"), told(hits));
            }
        }
    }
    let terms = ["pool", "fork", "naïve", "unknown", "数据", "--force"];
    // The number of memories is approximate.
    tell("terms".into(), told(store.count_terms(&terms).map(|counts| counts.documents)));
    for beginning in ["", "s", "tag", "數", "--"] {
        let found = store.terms_with_prefix(beginning, 40);
        tell(format!("terms with `{beginning}`"), told(found));
    }
}

fn derived(store: &dyn Store, generations: GenerationCheck, tell: &mut impl FnMut(String, String)) {
    let models = store.models().expect("models");
    for state in models {
        let model = state.model.clone();
        let name = &model.name;
        tell(format!("model {name}"), format!("{} {}", state.active, state.pending));
        let pending = store.pending(&model, 99);
        let pending = pending.map(|rows| rows.into_iter().map(|row| row.1.id).collect::<Vec<_>>());
        tell(format!("pending {name}"), told(pending));
        if generations == GenerationCheck::Ignored {
            continue;
        }
        tell(format!("generation of {name}"), state.generation.to_string());
        let since = store.vectors_since(&model, 1, 4).map(|page| {
            let keys: Vec<u64> = page.rows.iter().map(|(key, _)| key.memory).collect();
            let read = store.read_keys(&keys, &Filter::everything()).expect("memories");
            let ids: HashMap<u64, MemoryId> =
                read.into_iter().map(|(key, memory)| (key, memory.id)).collect();
            let rows: Vec<_> = page
                .rows
                .into_iter()
                .map(|(key, vector)| (ids.get(&key.memory).copied(), key.part, vector))
                .collect();
            (rows, page.generation, page.more)
        });
        tell(format!("vectors of {name}"), told(since));
    }
}

fn sessions(store: &dyn Store, tell: &mut impl FnMut(String, String)) {
    tell("recent".into(), told(store.recent_sessions(9)));
    tell("latest".into(), told(store.latest_sessions(9)));
    tell("to judge".into(), told(store.sessions_to_judge(at(60), 9)));
    tell("to observe".into(), told(store.sessions_to_observe(at(60), 9)));
    tell("digests".into(), told(store.digests(9)));
    tell("uses".into(), told(store.memory_uses()));
    tell("shown".into(), told(store.injection_counts(None)));
    tell("transcripts".into(), told(store.transcripts()));
    for name in ["s-0", "s-1", "s-4"] {
        let id = session(name);
        let events = EventQuery { session: Some(id.clone()), limit: 9, ..EventQuery::default() };
        tell(format!("session {name}"), told(store.session(&id)));
        tell(format!("events {name}"), told(store.events(&events)));
        tell(format!("number of events {name}"), told(store.count_events(&events)));
        tell(format!("notes {name}"), told(store.notes(&id, &[path(FILES[0])], 9)));
        tell(format!("tree {name}"), told(store.tree_of(&id)));
        tell(format!("signals {name}"), told(store.signals(&id)));
        let shown = InjectionQuery { session: Some(id), limit: 9, ..InjectionQuery::default() };
        tell(format!("injections {name}"), told(store.injections(&shown)));
    }
    for fingerprint in ["f0", "f1"] {
        tell(format!("error {fingerprint}"), told(store.error_occurrences(fingerprint)));
    }
    for one in FILES {
        let linked = store.linked_files(&[path(one)], 0.1, 9);
        tell(format!("linked {one}"), told(linked));
        for other in FILES {
            let affinity = store.file_affinity(&path(one), &path(other));
            tell(format!("affinity {one} {other}"), told(affinity));
        }
    }
}
