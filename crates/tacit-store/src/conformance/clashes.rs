//! Cases with two handles of one store: processes that read and write at the same time.

use super::activity::{READ, event, session, update};
use super::*;
use crate::{StoreError, StoreResult};

/// Opens another handle of the same store.
type Open<'a> = &'a (dyn Fn() -> Box<dyn Store> + Sync);

/// Repeats what another handle keeps from being done.
fn once_free<T>(mut work: impl FnMut() -> StoreResult<T>) -> T {
    loop {
        match work() {
            Err(StoreError::Busy) => std::thread::yield_now(),
            done => return done.expect("no other error"),
        }
    }
}

/// Runs `work` in threads that start together, each with a handle of its own. Returns what they return.
fn at_once<T: Send>(open: Open<'_>, work: impl Fn(u8, &mut dyn Store) -> T + Sync) -> Vec<T> {
    const THREADS: u8 = 3;
    let start = std::sync::Barrier::new(usize::from(THREADS));
    let run = |nth| {
        let mut handle = open();
        start.wait();
        work(nth, handle.as_mut())
    };
    let run = &run;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|nth| scope.spawn(move || run(nth))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

pub fn only_one_transaction_writes_at_a_time(store: &mut dyn Store, open: Open<'_>) {
    let kept = memory(1, "written first");
    store_all(store, std::slice::from_ref(&kept));
    let mut other = open();
    let mut first = begin(store);
    let before = first.read(&[kept.id]).expect("read").remove(0);
    let clash = other.try_begin(action(ActionKind::Edit)).map(drop);
    assert!(matches!(clash, Err(StoreError::Busy)), "{clash:?}");
    let mut after = before.clone();
    after.body.tags = with(1, Draft { tags: vec!["first".into()], ..plain() }).body.tags;
    first.update(&before, &after).expect("update");
    first.commit().expect("commit");

    // The second editor sees the first one's version before it writes, and both are in the history.
    let mut second = other.try_begin(action(ActionKind::Edit)).expect("begin");
    let before = second.read(&[kept.id]).expect("read").remove(0);
    assert_eq!(before, after);
    let mut last = before.clone();
    last.observations = 7;
    second.update(&before, &last).expect("update");
    second.commit().expect("commit");
    assert_eq!(store.read(&[kept.id]).expect("read"), [last]);
    let query = ChangeQuery { memory: Some(kept.id), limit: 9, ..ChangeQuery::default() };
    let changes = store.changes(&query).expect("changes");
    let changed: Vec<Vec<&str>> = changes[..2]
        .iter()
        .map(|change| {
            let fields = change.items[0].after.as_ref().expect("fields");
            fields.keys().map(String::as_str).collect()
        })
        .collect();
    assert_eq!(changed, [["observations"], ["tags"]]);
}

fn plain() -> Draft {
    Draft { content: "written first".into(), kind: Some("gotcha".into()), ..Draft::default() }
}

pub fn readers_see_only_committed_writes(store: &mut dyn Store, open: Open<'_>) {
    let kept = memory(1, "alpha committed");
    store_all(store, std::slice::from_ref(&kept));
    let reader = open();
    let mut transaction = begin(store);
    let new = memory(2, "alpha open");
    transaction.insert(&new).expect("insert");
    transaction.index(&new.id, &entry(&new)).expect("index");
    transaction.remove(&kept).expect("remove");
    transaction.claim_request("r-1").expect("claim");
    assert_eq!(transaction.read(&[kept.id, new.id]).expect("read"), std::slice::from_ref(&new));
    let seen = |reader: &dyn Store| {
        (list(reader, Filter::everything()), search(reader, "alpha", Filter::everything()))
    };
    assert_eq!(seen(reader.as_ref()), (vec![1], vec![1]));
    assert_eq!(reader.count_requests("r").expect("count"), 0);
    transaction.commit().expect("commit");
    assert_eq!(seen(reader.as_ref()), (vec![2], vec![2]));
    assert_eq!(reader.count_requests("r").expect("count"), 1);
}

/// The transaction is not dropped, as if its process were killed.
pub fn transactions_of_killed_processes_roll_back(store: &mut dyn Store, open: Open<'_>) {
    let lost = memory(1, "lost with its process");
    let mut other = open();
    let mut transaction = other.begin(action(ActionKind::Remember)).expect("begin");
    transaction.insert(&lost).expect("insert");
    transaction.index(&lost.id, &entry(&lost)).expect("index");
    transaction.claim_request("r-1").expect("claim");
    std::mem::forget(transaction);
    drop(other);
    assert_eq!(store.read(&[lost.id]).expect("read"), []);
    assert_eq!(search(store, "process", Filter::everything()), Vec::<u8>::new());
    assert_eq!(store.count_requests("").expect("count"), 0);
    let query = ChangeQuery { limit: 9, ..ChangeQuery::default() };
    assert_eq!(store.changes(&query).expect("changes"), []);
    assert_eq!(store.check(true).expect("check").problems, [] as [String; 0]);
    // Its lock is gone with it.
    store_all(store, &[lost]);
}

pub fn requests_are_claimed_by_one_of_many(store: &mut dyn Store, open: Open<'_>) {
    let claimed = at_once(open, |_, handle| {
        once_free(|| {
            let mut transaction = handle.begin(action(ActionKind::Import))?;
            let claimed = transaction.claim_request("once")?;
            transaction.commit()?;
            Ok(claimed)
        })
    });
    assert_eq!(claimed.iter().filter(|claimed| **claimed).count(), 1);
    assert_eq!(store.count_requests("once").expect("count"), 1);
}

pub fn writes_of_many_handles_are_all_kept(store: &mut dyn Store, open: Open<'_>) {
    const EACH: u8 = 6;
    // The first memory is there from the start, so that all threads can use it.
    store_all(store, &[memory(1, "alpha of all")]);
    at_once(open, |nth, handle| {
        for round in 0..EACH {
            let number = round * 3 + nth + 1;
            if number > 1 {
                let new = memory(number, &format!("alpha of handle {nth}"));
                once_free(|| {
                    let mut transaction = handle.begin(action(ActionKind::Remember))?;
                    transaction.insert(&new)?;
                    transaction.index(&new.id, &entry(&new))?;
                    transaction.commit()
                });
            }
            let record = ActivityBatch {
                sessions: vec![update("s", i64::from(number), SessionChange::Seen)],
                events: vec![event(&number.to_string(), "s", i64::from(number), READ)],
                ..ActivityBatch::default()
            };
            once_free(|| handle.record(&record));
            once_free(|| handle.record_access(&[memory_id(1)], at(i64::from(number))));
        }
    });
    let all: Vec<u8> = (1..=3 * EACH).collect();
    assert_eq!(list(store, Filter::everything()), all);
    let query = ChangeQuery { limit: 99, ..ChangeQuery::default() };
    let changes = store.changes(&query).expect("changes");
    assert_eq!(changes.len(), all.len());
    assert!(changes.windows(2).all(|pair| pair[0].id > pair[1].id));
    let events = EventQuery { limit: 99, ..EventQuery::default() };
    assert_eq!(store.count_events(&events).expect("count"), all.len());
    let first = store.read(&[memory_id(1)]).expect("read").remove(0);
    // Rows that a writer holds are skipped: a counter is not worth waiting for.
    assert!((1..=u64::from(3 * EACH)).contains(&first.usage.access_count));
    let found = store.session(&session("s")).expect("read").expect("a session");
    assert_eq!((found.started_at, found.last_at), (at(1), at(i64::from(3 * EACH))));
}

pub fn handles_see_each_others_vectors_and_links(store: &mut dyn Store, open: Open<'_>) {
    let other = open();
    let model = VectorModel { name: "m".into(), dims: 2 };
    store.add_model(&model).expect("add");
    store_all(store, &[memory(1, "text")]);
    let (key, kept) = other.pending(&model, 9).expect("pending").remove(0);
    let set = VectorSet {
        key,
        memory_updated_at: kept.updated_at,
        pieces: vec![vec![1.0, 0.0]],
        cues: Vec::new(),
    };
    assert_eq!(store.put_vectors(&model, &[set]).expect("put"), 1);
    assert_eq!(other.pending(&model, 9).expect("pending"), []);
    assert_eq!(other.vectors_of(&model, &[key]).expect("vectors").len(), 1);
}
