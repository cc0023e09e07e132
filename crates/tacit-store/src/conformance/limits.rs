//! Cases about empty arguments, repeated writes and the smallest and largest numbers.

use super::activity::{path, session};
use super::*;

pub fn empty_stores_have_nothing(store: &mut dyn Store) {
    let all = Filter::everything;
    assert_eq!(list(store, all()), [] as [u8; 0]);
    assert_eq!(store.count(&all()).expect("count"), 0);
    assert_eq!(search(store, "anything", all()), [] as [u8; 0]);
    let none = store.count_terms(&["a"]).expect("count");
    assert_eq!((none.memories, none.documents), (0, vec![0]));
    assert_eq!(store.terms_with_prefix("", 9).expect("terms"), []);
    assert_eq!(store.frequent_tags(9, 9).expect("tags"), []);
    assert_eq!(store.models().expect("models"), []);
    assert_eq!(store.files_in_use().expect("files"), []);
    assert_eq!(store.recent_sessions(9).expect("sessions"), []);
    assert_eq!(store.latest_sessions(9).expect("sessions"), []);
    assert_eq!(store.transcripts().expect("transcripts"), [] as [String; 0]);
    assert_eq!(store.unreadable().expect("rows"), []);
    assert_eq!(store.digests(9).expect("digests"), [] as [String; 0]);
    assert_eq!(store.memory_uses().expect("uses"), []);
    assert_eq!(store.injection_counts(None).expect("counts"), []);
    assert_eq!(store.error_occurrences("f").expect("error"), None);
    assert_eq!(store.signals(&session("s")).expect("signals"), []);
    let check = store.check(true).expect("check");
    assert_eq!((check.problems, check.newest), (vec![], None));
    let stats = store.stats().expect("stats");
    assert_eq!((stats.by_status, stats.changes), (vec![], 0));
    assert_eq!(store.upgrade_rows(9).expect("upgrade"), 0);
    assert_eq!(store.queue_missing_vectors().expect("queue"), 0);
}

pub fn empty_arguments_find_and_change_nothing(store: &mut dyn Store) {
    let kept = memory(1, "alpha");
    store_all(store, std::slice::from_ref(&kept));
    assert_eq!(store.read_keys(&[], &Filter::everything()).expect("read"), []);
    assert_eq!(store.relating_to(&[]).expect("read"), []);
    assert_eq!(store.keys_about(&[], &Filter::everything(), 9).expect("keys"), [] as [u64; 0]);
    assert_eq!(store.count_terms(&[]).expect("count").documents, [] as [u64; 0]);
    assert_eq!(store.injection_counts(Some(&[])).expect("counts"), []);
    store.record_access(&[], at(1)).expect("access");
    store.set_fates(&[]).expect("fates");
    store.save_links(&[]).expect("links");
    store.set_co_changes(&[], at(1)).expect("ties");
    store.put_rows(&[], &entry).expect("rows");
    let query = TextQuery {
        tokens: tokenize("alpha"),
        filter: Filter::everything(),
        limit: 0,
        newest: None,
    };
    assert_eq!(store.search_text(&query).expect("search"), []);
    let empty = begin(store).commit().expect("commit");
    assert_eq!(empty, None, "nothing changed");
    let changes = store.changes(&ChangeQuery { limit: 9, ..ChangeQuery::default() });
    assert_eq!(changes.expect("changes").len(), 1);
}

pub fn limits_may_be_zero_or_huge(store: &mut dyn Store) {
    let about = |number: u8| {
        let related_files = vec!["src/a.rs".to_owned()];
        let tags = vec!["tag".to_owned()];
        let content = format!("alpha {number}");
        with(number, Draft { content, related_files, tags, ..Draft::default() })
    };
    store_all(store, &[about(1), about(2)]);
    for (limit, expected) in [(0, 0), (1, 1), (2, 2), (usize::MAX, 2)] {
        let filter = Filter::default;
        let order = ListOrder::Newest;
        let query = ListQuery { filter: filter(), order, limit, offset: 0 };
        assert_eq!(store.list(&query).expect("list").len(), expected);
        let tokens = tokenize("alpha");
        let query = TextQuery { tokens, filter: filter(), limit, newest: None };
        assert_eq!(store.search_text(&query).expect("search").len(), expected);
        let keys = store.keys_about(&[path("src/a.rs")], &filter(), limit).expect("keys");
        assert_eq!(keys.len(), expected);
        assert_eq!(store.unlinked(limit).expect("unlinked").len(), expected);
        let changes = store.changes(&ChangeQuery { limit, ..ChangeQuery::default() });
        assert_eq!(changes.expect("changes").len(), expected.min(1));
        let tags = store.frequent_tags(u64::MAX, limit).expect("tags");
        assert_eq!(tags.len(), expected.min(1));
        let terms = store.terms_with_prefix("alpha", limit).expect("terms");
        assert_eq!(terms.len(), expected.min(1));
    }
    let query = ListQuery {
        filter: Filter::default(),
        order: ListOrder::Newest,
        limit: 9,
        offset: usize::MAX,
    };
    assert_eq!(store.list(&query).expect("list"), []);
}

pub fn unchanged_memories_are_no_change(store: &mut dyn Store) {
    let kept = memory(1, "alpha");
    store_all(store, std::slice::from_ref(&kept));
    let mut used = kept.clone();
    used.usage.access_count = 9;
    let mut transaction = begin(store);
    transaction.update(&kept, &kept).expect("update");
    transaction.update(&kept, &used).expect("usage alone is no change");
    transaction.index(&kept.id, &entry(&kept)).expect("index");
    transaction.index(&kept.id, &entry(&kept)).expect("index again");
    assert_eq!(transaction.commit().expect("commit"), None);
    assert_eq!(store.read(&[kept.id]).expect("read"), [kept]);
    assert_eq!(search(store, "alpha", Filter::default()), [1]);
    let terms = store.count_terms(&["alpha"]).expect("count");
    assert_eq!(terms.documents, [1]);
}

pub fn a_memory_is_inserted_once(store: &mut dyn Store) {
    let kept = memory(1, "alpha");
    store_all(store, std::slice::from_ref(&kept));
    let mut transaction = begin(store);
    assert!(transaction.insert(&kept).is_err());
    drop(transaction);
    let mut transaction = begin(store);
    let other = memory(2, "beta");
    transaction.insert(&other).expect("the store is usable");
    transaction.commit().expect("commit");
    assert_eq!(store.read(&[kept.id, other.id]).expect("read"), [kept, other]);
}

pub fn counters_have_limits(store: &mut dyn Store) {
    let mut kept = memory(1, "alpha");
    kept.usage.access_count = i64::MAX as u64;
    kept.observations = u32::MAX;
    store_all(store, std::slice::from_ref(&kept));
    store.record_access(&[kept.id], at(99)).expect("access");
    let read = store.read(&[kept.id]).expect("read").remove(0);
    assert_eq!((read.usage.access_count, read.observations), (i64::MAX as u64, u32::MAX));
}

pub fn keys_are_never_reused(store: &mut dyn Store) {
    let key = |store: &dyn Store| {
        let query = TextQuery {
            tokens: tokenize("alpha"),
            filter: Filter::default(),
            limit: 9,
            newest: None,
        };
        store.search_text(&query).expect("search")[0].key
    };
    let kept = memory(1, "alpha");
    let mut last = 0;
    for _ in 0..3 {
        store_all(store, std::slice::from_ref(&kept));
        let key = key(store);
        assert!(key > last);
        last = key;
        let mut transaction = begin(store);
        transaction.remove(&kept).expect("remove");
        transaction.commit().expect("commit");
    }
    assert_eq!(store.read_keys(&[last], &Filter::everything()).expect("read"), []);
}
