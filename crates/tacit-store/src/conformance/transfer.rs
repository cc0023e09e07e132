//! Cases about copies of whole stores.

use super::activity::{READ, event, session, update};
use super::*;
use crate::{
    InjectionRow, MemoryRow, ModelRow, RequestRow, StoreResult, TransferRow, TransferTable,
    VectorsRow, digest_of_rows,
};

fn all_rows(store: &dyn Store) -> Vec<Vec<TransferRow>> {
    TransferTable::ALL.map(|table| rows_of(store, table)).into()
}

/// Copies a store in small pieces.
fn copy(from: &dyn Store, to: &mut dyn Store) -> StoreResult<()> {
    for table in TransferTable::ALL {
        for rows in rows_of(from, table).chunks(5) {
            to.put_rows(rows, &entry)?;
        }
    }
    Ok(())
}

pub fn copies_are_equal(store: &mut dyn Store, empty: &mut dyn Store) {
    filled(store);
    for (table, rows) in TransferTable::ALL.into_iter().zip(all_rows(store)) {
        assert!(!rows.is_empty(), "the sample has no {}", table.as_str());
        assert_eq!(store.count_rows(table).expect("count"), rows.len() as u64, "{table:?}");
        assert!(rows.iter().all(|row| row.table() == table), "{table:?}");
    }
    copy(store, empty).expect("copy");
    assert_same_state(store, empty, GenerationCheck::Ignored, "after a copy");
    let rows = all_rows(store);
    assert_eq!(all_rows(empty), rows);
    // A second copy changes nothing, not even what readers of vectors look at.
    let models = empty.models().expect("models");
    copy(store, empty).expect("copy again");
    assert_eq!(all_rows(empty), rows);
    assert_eq!(empty.models().expect("models"), models);
    let digest = |store: &dyn Store| digest_of_rows(all_rows(store).iter().flatten());
    assert_eq!(digest(store), digest(empty));
    assert_eq!(empty.check(true).expect("check").problems, [] as [String; 0]);
}

pub fn interrupted_copies_resume(store: &mut dyn Store, empty: &mut dyn Store) {
    filled(store);
    let (mut rows, mut after) = (0, None);
    // Each page is stored before the next is read; the first is stored twice.
    loop {
        let page = store.transfer_rows(TransferTable::Memories, after.as_deref(), 3).expect("rows");
        empty.put_rows(&page.rows, &entry).expect("put");
        if rows == 0 {
            empty.put_rows(&page.rows, &entry).expect("put again");
        }
        rows += page.rows.len();
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(rows as u64, store.count_rows(TransferTable::Memories).expect("count"));
    let table = TransferTable::Memories;
    assert_eq!(rows_of(empty, table), rows_of(store, table));
    // The same place leads to the same rows after a later write.
    let first = store.transfer_rows(table, None, 2).expect("rows");
    let place = first.next.expect("more");
    let second = store.transfer_rows(table, Some(&place), 2).expect("rows");
    store_all(store, &[memory(99, "written meanwhile")]);
    assert_eq!(store.transfer_rows(table, Some(&place), 2).expect("rows"), second);
    let last = rows_of(store, table).pop().expect("rows");
    assert_eq!(
        last,
        TransferRow::Memory(Box::new(MemoryRow { memory: memory(99, "written meanwhile") }))
    );
    assert!(store.transfer_rows(table, Some("no place"), 2).is_err());
}

pub fn changed_rows_replace_copied_ones(store: &mut dyn Store, empty: &mut dyn Store) {
    let (one, two) = (memory(1, "alpha"), memory(2, "beta"));
    store_all(store, &[one.clone(), two]);
    let batch = ActivityBatch {
        sessions: vec![update("s", 1, SessionChange::Seen)],
        events: vec![event("e", "s", 1, READ)],
        injections: vec![samples::injection(1, "s"), samples::injection(1, "s")],
        ..ActivityBatch::default()
    };
    store.record(&batch).expect("record");
    copy(store, empty).expect("copy");
    // A purge blanks the copied history and texts too, once it is copied.
    edit(store, &one, |memory| memory.body = super::memory(1, "gamma").body);
    let mut transaction = begin(store);
    transaction.erase_history(&one.id).expect("erase");
    transaction.commit().expect("commit");
    store.blank_injections(&memory_id(1)).expect("blank");
    store.record_access(&[one.id], at(77)).expect("access");
    let ended = vec![update("s", 5, SessionChange::Ended("over".into()))];
    store.record(&ActivityBatch { sessions: ended, ..ActivityBatch::default() }).expect("record");
    copy(store, empty).expect("copy again");
    assert_eq!(all_rows(empty), all_rows(store));
    let injections = empty.count_rows(TransferTable::Injections).expect("count");
    assert_eq!(injections, 2, "equal injections are told apart by their number");
    assert_eq!(search(empty, "alpha", Filter::everything()), [] as [u8; 0]);
    assert_eq!(search(empty, "gamma", Filter::everything()), [1]);
}

pub fn later_changes_continue_the_numbers(store: &mut dyn Store, empty: &mut dyn Store) {
    for number in 1..=3 {
        store_all(store, &[memory(number, &format!("fact {number}"))]);
    }
    let newest = |store: &dyn Store| {
        let query = ChangeQuery { limit: 1, ..ChangeQuery::default() };
        store.changes(&query).expect("changes").remove(0)
    };
    copy(store, empty).expect("copy");
    assert_eq!(newest(empty), newest(store));
    let last = newest(store).id;
    store_all(empty, &[memory(4, "written to the copy")]);
    assert!(newest(empty).id > last);
    let undo = Action { reverts: Some(last), ..action(ActionKind::Undo) };
    let mut transaction = empty.begin(undo).expect("begin");
    transaction.remove(&memory(3, "fact 3")).expect("remove");
    transaction.commit().expect("commit");
    let query = ChangeQuery { id: Some(last), limit: 1, ..ChangeQuery::default() };
    let undone = empty.changes(&query).expect("changes").remove(0);
    assert_eq!(undone.reverted_by, Some(newest(empty).id));
}

pub fn rows_without_their_memory_are_skipped(store: &mut dyn Store) {
    let model = ModelRow { name: "m".into(), dims: 2, active: true };
    let vectors = |name: &str, number: u8| {
        TransferRow::Vectors(VectorsRow {
            model: name.into(),
            dims: 2,
            memory: memory_id(number),
            pending: false,
            pieces: vec![(0, vec![1.0, 0.0])],
            cues: vec![(2, vec![0.0, 1.0])],
        })
    };
    let links = TransferRow::Links(crate::LinksRow {
        memory: memory_id(9),
        linked_at: Some(at(1)),
        links: Vec::new(),
    });
    let kept = TransferRow::Memory(Box::new(MemoryRow { memory: memory(1, "alpha") }));
    let rows = [
        kept.clone(),
        links,
        TransferRow::Model(model.clone()),
        vectors("m", 9),
        vectors("unknown", 1),
        vectors("m", 1),
    ];
    store.put_rows(&rows, &entry).expect("put");
    assert_eq!(rows_of(store, TransferTable::Vectors), [vectors("m", 1)]);
    assert_eq!(rows_of(store, TransferTable::Links), []);
    assert_eq!(rows_of(store, TransferTable::Memories), [kept]);
    assert_eq!(rows_of(store, TransferTable::Models), [TransferRow::Model(model)]);
    // Nothing of it is in the history.
    assert_eq!(store.count_changes(&ChangeQuery::default()).expect("count"), 0);
    let model = VectorModel { name: "m".into(), dims: 2 };
    let page = store.vectors_since(&model, 0, 9).expect("vectors");
    assert_eq!((page.rows.len(), page.generation), (2, 1));
}

pub fn a_copy_that_panics_stores_nothing(store: &mut dyn Store) {
    let request = TransferRow::Request(RequestRow { name: "a".into(), at: at(1) });
    let kept = TransferRow::Memory(Box::new(MemoryRow { memory: memory(1, "alpha") }));
    let rows = [request.clone(), kept];
    let panics = |_: &Memory| -> IndexEntry { panic!("a defect of the index") };
    let put = std::panic::AssertUnwindSafe(|| store.put_rows(&rows, &panics));
    assert!(std::panic::catch_unwind(put).is_err());
    assert_eq!(store.count_requests("").expect("count"), 0);
    assert_eq!(list(store, Filter::everything()), [] as [u8; 0]);
    store.put_rows(&[request], &entry).expect("the store is usable");
    let mut transaction = begin(store);
    assert!(!transaction.claim_request("a").expect("claim"), "it was copied");
}

/// Checks that rows survive another store, which may be of another kind: a filled store is copied to
/// it, and from there to a third one like the first.
pub fn copies_survive_another_store(
    store: &mut dyn Store,
    other: &mut dyn Store,
    back: &mut dyn Store,
) {
    filled(store);
    copy(store, other).expect("copy");
    assert_same_state(store, other, GenerationCheck::Ignored, "in the other store");
    copy(other, back).expect("copy back");
    assert_eq!(all_rows(back), all_rows(store));
    let digest = |store: &dyn Store| digest_of_rows(all_rows(store).iter().flatten());
    assert_eq!((digest(other), digest(back)), (digest(store), digest(store)));
}

pub fn rows_survive_a_file(store: &mut dyn Store) {
    filled(store);
    for row in all_rows(store).into_iter().flatten() {
        let line = serde_json::to_string(&row).expect("JSON");
        let read: TransferRow = serde_json::from_str(&line).expect("a row");
        assert_eq!(read, row, "{line}");
    }
    let shown = InjectionRow { injection: samples::injection(1, "s"), nth: 3 };
    let row = TransferRow::Injection(shown);
    assert_eq!(row.table(), TransferTable::Injections);
    assert_eq!(TransferTable::from_word("injections"), Some(row.table()));
    assert!(store.session(&session("s-0")).expect("read").is_some());
}
