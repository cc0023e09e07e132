//! A copy of a project on a server: it moves forwards only, and is always complete up to its place.

use tacit_core::Memory;
use tacit_store::conformance::{entry, memory, memory_id};
use tacit_store::{
    Action, ActionKind, ChangeId, ChangeQuery, CopyOrigin, CopyStore, Delta, Filter, ListOrder,
    ListQuery, Store, StoreError,
};

use super::*;

fn origin() -> CopyOrigin {
    CopyOrigin { server: "postgres://db/tacit".into(), project: "github.com/acme/shop".into() }
}

/// Returns an answer of the server, the last one up to a change.
fn delta(memories: &[Memory], upto: ChangeId) -> Delta {
    Delta { memories: memories.to_vec(), upto, ..Delta::default() }
}

fn texts(store: &SqliteStore) -> Vec<String> {
    let query =
        ListQuery { filter: Filter::everything(), order: ListOrder::Oldest, limit: 100, offset: 0 };
    let memories = store.list(&query).expect("a list");
    memories.iter().map(|memory| memory.body.content.as_str().to_owned()).collect()
}

/// Creates a copy that includes the changes up to 10.
fn copy() -> (SqliteStore, TempDir) {
    let (mut store, folder) = empty();
    let first = delta(&[memory(1, "one"), memory(2, "two")], 10);
    store.refill(&origin(), &mut |_| Ok(first.clone()), &entry).expect("filled");
    (store, folder)
}

#[test]
fn changes_are_applied_in_order_and_once() {
    let (mut store, folder) = copy();
    let newer = delta(&[memory(2, "two, corrected")], 20);
    assert!(store.apply(&origin(), 10, &newer, &entry).unwrap());
    assert_eq!(store.copied_upto(&origin()).unwrap(), Some(20));
    // An answer that was asked for earlier and comes late, and one that leaves changes out.
    let late = delta(&[memory(2, "two, as it was")], 15);
    assert!(!store.apply(&origin(), 10, &late, &entry).unwrap());
    assert!(!store.apply(&origin(), 10, &newer, &entry).unwrap());
    let gap = delta(&[memory(3, "three")], 40);
    assert!(!store.apply(&origin(), 30, &gap, &entry).unwrap());
    // One that was asked for earlier, but covers more.
    let covers = delta(&[memory(2, "two, again"), memory(3, "three")], 30);
    assert!(store.apply(&origin(), 10, &covers, &entry).unwrap());
    drop(store);
    let store = again(&folder);
    assert_eq!(texts(&store), ["one", "two, again", "three"]);
    assert_eq!(store.copied_upto(&origin()).unwrap(), Some(30));
}

#[test]
fn removed_memories_vanish_with_their_history() {
    let (mut store, _folder) = copy();
    let action = Action {
        kind: ActionKind::Edit,
        at: tacit_store::conformance::at(5),
        actor: tacit_core::Author::new("ada").unwrap(),
        reason: None,
        reverts: None,
    };
    let mut transaction = store.begin(action).unwrap();
    transaction.update(&memory(1, "one"), &memory(1, "one, with a secret")).unwrap();
    transaction.commit().unwrap();
    let gone = Delta { removed: vec![memory_id(1), memory_id(9)], ..delta(&[], 11) };
    assert!(store.apply(&origin(), 10, &gone, &entry).unwrap());
    assert_eq!(texts(&store), ["two"]);
    let changes = store.changes(&ChangeQuery { limit: 10, ..ChangeQuery::default() }).unwrap();
    let left = changes.iter().flat_map(|change| &change.items);
    assert!(left.clone().count() > 0);
    assert!(left.into_iter().all(|item| item.before.is_none() && item.after.is_none()));
}

#[test]
fn a_copy_belongs_to_one_project() {
    let (mut store, _folder) = copy();
    let other = CopyOrigin { project: "github.com/acme/depot".into(), ..origin() };
    assert_eq!(store.copied_upto(&other).unwrap(), None);
    assert!(!store.apply(&other, 10, &delta(&[memory(3, "three")], 20), &entry).unwrap());
    store.end_copy().unwrap();
    assert_eq!(store.copied_upto(&origin()).unwrap(), None);
    assert!(!store.apply(&origin(), 10, &delta(&[memory(3, "three")], 20), &entry).unwrap());
    assert_eq!(texts(&store), ["one", "two"], "the memories stay");
}

#[test]
fn a_refill_that_fails_changes_nothing() {
    let (mut store, _folder) = copy();
    let mut answers =
        vec![Err(StoreError::Busy), Ok(Delta { more: true, ..delta(&[memory(3, "three")], 5) })];
    let failed = store.refill(&origin(), &mut |_| answers.pop().unwrap(), &entry);
    assert!(matches!(failed, Err(StoreError::Busy)), "{failed:?}");
    assert_eq!(texts(&store), ["one", "two"]);
    assert_eq!(store.copied_upto(&origin()).unwrap(), Some(10));
    // The pages of one that succeeds follow each other.
    let mut asked = Vec::new();
    let pages =
        [Delta { more: true, ..delta(&[memory(3, "three")], 5) }, delta(&[memory(4, "four")], 12)];
    let mut next = |after| {
        asked.push(after);
        Ok(pages[asked.len() - 1].clone())
    };
    assert_eq!(store.refill(&origin(), &mut next, &entry).unwrap(), 2);
    assert_eq!(asked, [0, 5]);
    assert_eq!(texts(&store), ["three", "four"]);
    assert_eq!(store.copied_upto(&origin()).unwrap(), Some(12));
}
