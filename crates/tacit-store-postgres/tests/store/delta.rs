//! The changes that a replica fetches.

use std::time::Duration;

use tacit_core::Reasoning;
use tacit_store::conformance::{at, memory, store_all};
use tacit_store::{Action, ActionKind, Store};
use tacit_store::{Delta, SharedStore};
use tacit_store_postgres::fetch_delta;

use crate::database::{PROJECT, TestDatabase};

fn numbers(delta: &Delta) -> Vec<u8> {
    delta.memories.iter().map(|memory| memory.id.as_bytes()[15]).collect()
}

#[test]
fn deltas_contain_later_changes() {
    let database = TestDatabase::with_project();
    let settings = database.settings_of("ada");
    let fetch = |since, limit| {
        fetch_delta(&settings, PROJECT, since, limit, Duration::from_secs(20)).expect("a delta")
    };
    assert_eq!(fetch(0, 9), Delta::default());
    let mut store = database.open("ada");
    store_all(&mut store, &[memory(1, "one"), memory(2, "two")]);
    store_all(&mut store, &[memory(3, "three")]);
    let first = fetch(0, 1);
    assert_eq!((numbers(&first), first.upto, first.more), (vec![1, 2], 1, true), "a whole change");
    let second = fetch(first.upto, 9);
    assert_eq!((numbers(&second), second.upto, second.more), (vec![3], 2, false));
    assert_eq!(fetch(0, 9).memories.len(), 3);
    assert_eq!(fetch(2, 9), Delta { upto: 2, ..Delta::default() });

    let (before, mut after) = (memory(1, "one"), memory(1, "one"));
    after.observations = 5;
    let actor = "ada".parse().expect("a name");
    let reason = Reasoning::new("why").ok();
    let action = Action { kind: ActionKind::Edit, at: at(5), actor, reason, reverts: None };
    let mut transaction = store.begin(action).expect("begin");
    transaction.update(&before, &after).expect("update");
    transaction.remove(&memory(2, "two")).expect("remove");
    transaction.commit().expect("commit");
    let third = fetch(2, 9);
    assert_eq!(third.memories, [after]);
    assert_eq!((third.removed, third.upto), (vec![memory(2, "x").id], 3));
    assert_eq!(third.purged, []);
    assert_eq!(store.delta(2, 9).expect("a delta").upto, 3);

    let actor = "ada".parse().expect("a name");
    let action = Action { kind: ActionKind::Purge, at: at(6), actor, reason: None, reverts: None };
    let mut transaction = store.begin(action).expect("begin");
    transaction.remove(&memory(3, "three")).expect("remove");
    transaction.erase_history(&memory(3, "three").id).expect("erase");
    transaction.commit().expect("commit");
    let fourth = fetch(2, 9);
    assert_eq!(fourth.removed, [memory(2, "x").id, memory(3, "x").id]);
    assert_eq!(fourth.purged, [memory(3, "x").id]);
}
