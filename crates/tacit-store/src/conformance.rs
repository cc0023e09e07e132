//! The conformance tests of every store.
//!
//! A store's tests call [`conformance_tests!`](crate::conformance_tests) with a function that creates
//! an empty store, and one that opens it again; each case becomes a test. [`same_states`] and
//! [`same_ranking`] compare two stores, which may be of different kinds.

use tacit_core::{
    Author, Confidence, Cue, Details, Draft, Memory, MemoryId, Reasoning, Relation, RelationKind,
    RelationTarget, Relations, RepoPath, SessionId, Signature, Status, StatusKind, Tag, Timestamp,
    jaccard, tokenize,
};

use crate::{
    Action, ActionKind, ActivityBatch, ChangeQuery, CoChange, EmbeddedPart, Event, EventQuery,
    Filter, IndexEntry, Injection, InjectionFate, InjectionQuery, JudgedFate, ListOrder, ListQuery,
    Note, SessionChange, SessionUpdate, Store, TextQuery, Transaction, VectorModel, VectorSet,
    WorkUnitFilter,
};

/// Returns a time some seconds after the start of the test.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_794_738_600_000 + seconds * 1_000).expect("a moment")
}

/// Returns the memory with this number and text.
pub fn memory(number: u8, text: &str) -> Memory {
    with(number, Draft { content: text.into(), kind: Some("gotcha".into()), ..Draft::default() })
}

/// Returns the identifier of the memory with this number.
pub fn memory_id(number: u8) -> MemoryId {
    MemoryId::from_parts(at(i64::from(number)), [number; 10])
}

fn with(number: u8, draft: Draft) -> Memory {
    let body = draft.check(Confidence::HIGH).expect("a valid draft");
    Memory::new(memory_id(number), body, at(i64::from(number)))
}

fn action(kind: ActionKind) -> Action {
    let actor = Author::new("ada").expect("a name");
    Action { kind, at: at(0), actor, reason: None, reverts: None }
}

/// Returns the entry of a memory in the index.
pub fn entry(memory: &Memory) -> IndexEntry {
    let body = &memory.body;
    let text = tokenize(body.content.as_str());
    IndexEntry {
        title: body.title.as_ref().map(|title| tokenize(title.as_str())).unwrap_or_default(),
        signature: Signature::of(&text),
        embedding_hash: (body.subject.memory_type().as_str() != "context_cost").then(|| {
            text.joined().bytes().fold(7, |sum, byte| sum * 31 % 1_000_003 + u64::from(byte))
        }),
        text,
        labels: tokenize(&body.tags.iter().map(Tag::as_str).collect::<Vec<_>>().join(" ")),
        cues: tokenize(&body.cues.iter().map(Cue::as_str).collect::<Vec<_>>().join("\n")),
        fingerprint: match body.subject.details() {
            Details::ErrorPattern(error) => Some(error.fingerprint.clone()),
            _ => None,
        },
    }
}

/// Stores and indexes memories in one change.
pub fn store_all(store: &mut dyn Store, memories: &[Memory]) {
    let mut transaction = store.begin(action(ActionKind::Remember)).expect("begin");
    for memory in memories {
        transaction.insert(memory).expect("insert");
        transaction.index(&memory.id, &entry(memory)).expect("index");
    }
    transaction.commit().expect("commit");
}

fn edit(store: &mut dyn Store, before: &Memory, change: impl FnOnce(&mut Memory)) -> Memory {
    let mut after = before.clone();
    change(&mut after);
    let mut transaction = store.begin(action(ActionKind::Edit)).expect("begin");
    transaction.update(before, &after).expect("update");
    transaction.index(&after.id, &entry(&after)).expect("index");
    transaction.commit().expect("commit");
    after
}

fn list(store: &dyn Store, filter: Filter) -> Vec<u8> {
    let query = ListQuery { filter, order: ListOrder::Oldest, limit: 100, offset: 0 };
    store.list(&query).expect("list").iter().map(|memory| memory.id.as_bytes()[15]).collect()
}

fn search(store: &dyn Store, text: &str, filter: Filter) -> Vec<u8> {
    let query = TextQuery { tokens: tokenize(text), filter, limit: 10, newest: None };
    let hits = store.search_text(&query).expect("search");
    assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score), "{hits:?}");
    hits.iter().map(|hit| hit.id.as_bytes()[15]).collect()
}

fn begin(store: &mut dyn Store) -> Box<dyn Transaction + '_> {
    store.begin(action(ActionKind::Remember)).expect("begin")
}

#[expect(missing_docs, reason = "each case's name says what it shows")]
mod activity;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod clashes;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod filters;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod history;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod judgements;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod limits;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod links;
mod macros;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod memories;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod observed;
mod operations;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod pages;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod purge;
mod ranking;
mod samples;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod search;
mod sequences;
mod state;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod texts;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod transfer;
#[expect(missing_docs, reason = "each case's name says what it shows")]
mod vectors;

pub use activity::*;
pub use clashes::*;
pub use filters::*;
pub use history::*;
pub use judgements::*;
pub use limits::*;
pub use links::*;
pub use memories::*;
pub use observed::*;
pub use operations::Operation;
pub use pages::*;
pub use purge::*;
pub use ranking::same_ranking;
pub use search::*;
pub use sequences::{filled, operation, same_states};
pub use state::{GenerationCheck, assert_same_state, rows_of};
pub use texts::*;
pub use transfer::*;
pub use vectors::*;
