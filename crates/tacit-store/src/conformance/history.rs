//! Cases about transactions and the history.

use super::*;
use crate::{Change, apply_patch};

pub fn dropped_transactions_roll_back(store: &mut dyn Store) {
    let lost = memory(1, "this is lost");
    let mut transaction = begin(store);
    transaction.insert(&lost).expect("insert");
    assert_eq!(transaction.read(&[lost.id]).expect("read").len(), 1);
    drop(transaction);
    assert_eq!(store.read(&[lost.id]).expect("read"), []);
    let changes = store.changes(&ChangeQuery { limit: 9, ..ChangeQuery::default() });
    assert_eq!(changes.expect("changes"), []);
}

pub fn history_records_every_change(store: &mut dyn Store) {
    let before = memory(1, "before");
    store_all(store, std::slice::from_ref(&before));
    let after = edit(store, &before, |memory| memory.observations = 7);
    let mut transaction = begin(store);
    transaction.remove(&after).expect("remove");
    let number = transaction.commit().expect("commit").expect("a change");

    let query = ChangeQuery { memory: Some(before.id), limit: 9, ..ChangeQuery::default() };
    let changes = store.changes(&query).expect("changes");
    assert_eq!(changes.len(), 3);
    assert_eq!(changes[0].id, number);
    let [removed, edited, kept] =
        [&changes[0].items[0], &changes[1].items[0], &changes[2].items[0]];
    assert!(removed.after.is_none() && kept.before.is_none());
    let old = edited.before.as_ref().expect("before");
    let new = edited.after.as_ref().expect("after");
    assert_eq!((old["observations"].as_u64(), new["observations"].as_u64()), (Some(1), Some(7)));
    assert_eq!(old.len(), 1);
    let told = serde_json::Value::Object(kept.after.clone().expect("after"));
    assert_eq!(Memory::from_json(told).expect("a memory"), before);
    assert_eq!(changes[1].action, action(ActionKind::Edit));

    let same = store.read(&[before.id]).expect("read");
    assert_eq!(same, []);
    let query = ChangeQuery { limit: 1, without_items: true, ..ChangeQuery::default() };
    let newest = store.changes(&query).expect("changes");
    assert_eq!((newest[0].id, newest[0].items.len()), (number, 0));
    let together = [memory(2, "stored with another"), memory(3, "and the other")];
    store_all(store, &together);
    let query = ChangeQuery { memory: Some(together[1].id), limit: 9, ..ChangeQuery::default() };
    let of_one = store.changes(&query).expect("changes");
    let ids: Vec<_> =
        of_one.iter().flat_map(|change| &change.items).map(|item| item.memory).collect();
    assert_eq!(ids, [together[1].id], "the items of the others are left out");
    let query = ChangeQuery { id: Some(number), limit: 9, ..ChangeQuery::default() };
    assert_eq!(store.changes(&query).expect("changes"), [changes[0].clone()]);
    let query = ChangeQuery { after: Some(changes[2].id), limit: 9, ..ChangeQuery::default() };
    assert_eq!(store.changes(&query).expect("changes").len(), 3);
}

pub fn erased_history_has_no_fields(store: &mut dyn Store) {
    let kept = memory(1, "a secret that must go");
    store_all(store, std::slice::from_ref(&kept));
    let mut transaction = begin(store);
    transaction.remove(&kept).expect("remove");
    transaction.erase_history(&kept.id).expect("erase");
    transaction.commit().expect("commit");
    let query = ChangeQuery { memory: Some(kept.id), limit: 9, ..ChangeQuery::default() };
    let changes = store.changes(&query).expect("changes");
    assert_eq!(changes.len(), 2);
    let items = changes.iter().flat_map(|change| &change.items);
    assert!(items.clone().all(|item| item.before.is_none() && item.after.is_none()));
}

pub fn requests_can_be_claimed_once(store: &mut dyn Store) {
    let mut transaction = begin(store);
    assert!(transaction.claim_request("r-1").expect("claim"));
    drop(transaction);
    let mut transaction = begin(store);
    assert!(transaction.claim_request("r-1").expect("claim"), "a dropped claim is none");
    transaction.commit().expect("commit");
    let mut transaction = begin(store);
    assert!(!transaction.claim_request("r-1").expect("claim"));
    assert!(transaction.claim_request("r-2").expect("claim"));
    transaction.commit().expect("commit");
    for (beginning, count) in [("", 2), ("r-", 2), ("r-1", 1), ("r-11", 0), ("s", 0)] {
        assert_eq!(store.count_requests(beginning).expect("count"), count, "{beginning}");
    }
}

pub fn accesses_are_counted_outside_the_history(store: &mut dyn Store) {
    let kept = memory(1, "shown twice");
    store_all(store, std::slice::from_ref(&kept));
    store.record_access(&[kept.id], at(50)).expect("touch");
    store.record_access(&[kept.id, memory(9, "not there").id], at(40)).expect("touch");
    let read = &store.read(&[kept.id]).expect("read")[0];
    assert_eq!((read.usage.access_count, read.usage.last_accessed_at), (2, at(50)));
    assert_eq!(read.updated_at, kept.updated_at);
    let changes = store.changes(&ChangeQuery { limit: 9, ..ChangeQuery::default() });
    assert_eq!(changes.expect("changes").len(), 1);
}

pub fn changes_can_be_undone_and_done_again(store: &mut dyn Store) {
    let first = memory(1, "before");
    store_all(store, std::slice::from_ref(&first));
    let second = edit(store, &first, |memory| {
        memory.body = with(
            1,
            Draft { tags: vec!["new".into()], content: "after".into(), ..Draft::default() },
        )
        .body;
        memory.updated_at = at(5);
    });
    let last = |store: &dyn Store| {
        let query = ChangeQuery { limit: 1, ..ChangeQuery::default() };
        store.changes(&query).expect("changes").remove(0)
    };
    let edited = last(store);
    // Undoing gives back every field; undoing that gives the edit back.
    let mut revert = |change: &Change, expected: &Memory| {
        let reverts = Some(change.id);
        let undo = Action { reverts, ..action(ActionKind::Undo) };
        let mut transaction = store.begin(undo).expect("begin");
        let now = transaction.read(&[first.id]).expect("read").remove(0);
        let serde_json::Value::Object(mut fields) = now.to_json() else { panic!("no fields") };
        apply_patch(&mut fields, change.items[0].before.as_ref().expect("fields"));
        let then = Memory::from_json(serde_json::Value::Object(fields)).expect("a memory");
        assert_eq!(&then, expected);
        transaction.update(&now, &then).expect("update");
        transaction.commit().expect("commit").expect("a change");
        last(store)
    };
    let undone = revert(&edited, &first);
    let redone = revert(&undone, &second);
    assert_eq!(redone.action.reverts, Some(undone.id));
    let of = |id| {
        let query = ChangeQuery { id: Some(id), limit: 1, ..ChangeQuery::default() };
        store.changes(&query).expect("changes").remove(0)
    };
    assert_eq!(of(edited.id).reverted_by, None, "in force again");
    assert_eq!(of(undone.id).reverted_by, Some(redone.id));
    let undoable = |after| {
        let query = ChangeQuery { undoable: true, after, limit: 9, ..ChangeQuery::default() };
        let found = store.changes(&query).expect("changes");
        assert_eq!(store.count_changes(&query).expect("count"), found.len());
        found.into_iter().map(|change| change.id).collect::<Vec<_>>()
    };
    assert_eq!(undoable(None).len(), 2, "undos are none");
    assert_eq!(undoable(Some(edited.id)), [] as [i64; 0]);
    assert_eq!(store.read(&[first.id]).expect("read"), [second]);
}
