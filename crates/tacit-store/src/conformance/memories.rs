//! Cases about memories.

use super::*;

pub fn stored_memories_read_back_unchanged(store: &mut dyn Store) {
    let kept = memory(1, "close the pool before the fork");
    store_all(store, std::slice::from_ref(&kept));
    assert_eq!(store.read(&[kept.id]).expect("read"), [kept]);
}

pub fn reads_keep_the_requested_order(store: &mut dyn Store) {
    let memories: Vec<Memory> = (1..=5).map(|n| memory(n, &format!("fact {n}"))).collect();
    store_all(store, &memories);
    let stranger = memory(9, "never kept").id;
    let ids = [memories[3].id, stranger, memories[0].id, memories[3].id];
    let read = store.read(&ids).expect("read");
    assert_eq!(read, [memories[3].clone(), memories[0].clone(), memories[3].clone()]);
    assert_eq!(store.read(&[]).expect("read"), []);
}

pub fn updates_replace_all_fields(store: &mut dyn Store) {
    let before = with(
        1,
        Draft {
            tags: vec!["old".into(), "both".into()],
            related_files: vec!["a.rs".into()],
            ..Draft { content: "before".into(), ..Draft::default() }
        },
    );
    store_all(store, std::slice::from_ref(&before));
    let after = edit(store, &before, |memory| {
        memory.body = with(
            1,
            Draft {
                tags: vec!["new".into(), "both".into()],
                related_files: vec!["b.rs".into(), "c.rs".into()],
                session: Some("s-1".into()),
                ..Draft { content: "after".into(), ..Draft::default() }
            },
        )
        .body;
        memory.observations = 2;
    });
    assert_eq!(store.read(&[before.id]).expect("read"), [after]);
}

pub fn removed_memories_are_gone_from_the_index(store: &mut dyn Store) {
    let gone = memory(1, "remove this sentence");
    store_all(store, std::slice::from_ref(&gone));
    let mut transaction = begin(store);
    transaction.remove(&gone).expect("remove");
    transaction.commit().expect("commit");
    assert_eq!(store.read(&[gone.id]).expect("read"), []);
    assert!(search(store, "sentence", Filter::everything()).is_empty());
    store_all(store, std::slice::from_ref(&gone));
    assert_eq!(search(store, "sentence", Filter::everything()), [1]);
}

pub fn lists_follow_the_requested_order(store: &mut dyn Store) {
    let mut memories: Vec<Memory> = (1..=4).map(|n| memory(n, &format!("fact {n}"))).collect();
    memories[0].updated_at = at(99);
    memories[1].usage.last_accessed_at = at(99);
    memories[2].body.confidence = Confidence::LOW;
    store_all(store, &memories);
    let ordered = |order, limit, offset| -> Vec<u8> {
        let query = ListQuery { filter: Filter::default(), order, limit, offset };
        let listed = store.list(&query).expect("list");
        listed.iter().map(|memory| memory.id.as_bytes()[15]).collect()
    };
    assert_eq!(ordered(ListOrder::Newest, 10, 0), [4, 3, 2, 1]);
    assert_eq!(ordered(ListOrder::Oldest, 2, 1), [2, 3]);
    assert_eq!(ordered(ListOrder::Changed, 10, 0), [1, 4, 3, 2]);
    assert_eq!(ordered(ListOrder::Used, 10, 0), [2, 4, 3, 1]);
    assert_eq!(ordered(ListOrder::Confidence, 10, 0), [4, 2, 1, 3]);
}

pub fn short_id_ranges_find_memories(store: &mut dyn Store) {
    let kept = memory(0x2a, "text");
    store_all(store, std::slice::from_ref(&kept));
    let find = |range| store.find_by_short_id(range).expect("find").len();
    let value = kept.id.short().value();
    assert_eq!(find(value..=value), 1);
    assert_eq!(find(0..=u32::MAX), 1);
    assert_eq!(find(value + 1..=u32::MAX), 0);
    let transaction = begin(store);
    assert!(transaction.is_taken(kept.id.short()).expect("taken"));
    assert!(!transaction.is_taken(memory(1, "x").id.short()).expect("taken"));
}

pub fn identical_memories_are_found_by_hash(store: &mut dyn Store) {
    let kept = memory(1, "the same learning");
    store_all(store, std::slice::from_ref(&kept));
    let transaction = begin(store);
    let found = transaction.find_identical(&kept.content_hash()).expect("find");
    assert_eq!(found.iter().map(|found| found.id).collect::<Vec<_>>(), [kept.id]);
    let other = memory(2, "another learning").content_hash();
    assert_eq!(transaction.find_identical(&other).expect("find"), []);
}

pub fn stated_relations_lead_back_to_their_memory(store: &mut dyn Store) {
    let relation = |kind: RelationKind, auto_extracted: bool| {
        let target = RelationTarget::Memory(memory_id(1));
        let relation = Relation { target, kind, confidence: Confidence::HIGH, auto_extracted };
        Relations::collect([relation]).expect("a result")
    };
    let related = |number: u8, kind: RelationKind, proposed: bool| {
        let mut related = memory(number, &format!("text {number}"));
        related.body.relations = relation(kind, proposed);
        related
    };
    let mut gone = related(5, RelationKind::Supersedes, false);
    gone.status = Status::Retired { at: at(9), reason: Reasoning::new("wrong").expect("a result") };
    store_all(
        store,
        &[
            memory(1, "text 1"),
            related(2, RelationKind::Supersedes, false),
            related(3, RelationKind::ConflictsWith, false),
            related(4, RelationKind::Supersedes, true),
            gone,
            related(6, RelationKind::DerivedFrom, false),
        ],
    );
    let found = |number: u8| -> Vec<MemoryId> {
        let found = store.relating_to(&[memory_id(number)]).expect("a result");
        found.into_iter().map(|memory| memory.id).collect()
    };
    assert_eq!(found(1), [memory_id(2), memory_id(3)]);
    assert!(found(2).is_empty() && store.relating_to(&[]).expect("a result").is_empty());
}

pub fn memories_are_found_by_file(store: &mut dyn Store) {
    let about = with(
        1,
        Draft {
            related_files: vec!["src/a.rs".into()],
            content: "about a file".into(),
            ..Draft::default()
        },
    );
    store_all(store, &[about.clone(), memory(2, "about nothing")]);
    let transaction = begin(store);
    let find =
        |path: &str| transaction.find_by_file(&RepoPath::new(path).expect("path")).expect("find");
    assert_eq!(find("src/a.rs"), [about.id]);
    assert_eq!(find("src/a"), []);
}

pub fn statistics_count_memories(store: &mut dyn Store) {
    let tagged = with(
        2,
        Draft {
            tags: vec!["hot".into()],
            review: Some("needed".into()),
            ..Draft { content: "tagged".into(), ..Draft::default() }
        },
    );
    store_all(store, &[memory(1, "plain"), tagged]);
    let stats = store.stats().expect("stats");
    assert_eq!(stats.by_status, [("active".to_owned(), 2)]);
    assert_eq!(stats.by_type.iter().map(|(_, n)| n).sum::<u64>(), 2);
    assert_eq!(stats.tags, [("hot".to_owned(), 1)]);
    assert_eq!((stats.stale, stats.changes), (0, 1));
    assert!(stats.bytes > 0);
}

pub fn intact_stores_pass_the_check(store: &mut dyn Store) {
    let memories: Vec<Memory> = (1..=9).map(|n| memory(n, &format!("fact {n}"))).collect();
    store_all(store, &memories);
    for thorough in [false, true] {
        let check = store.check(thorough).expect("check");
        assert!(check.newest.is_some());
        let well = crate::StoreCheck { newest: check.newest, ..crate::StoreCheck::default() };
        assert_eq!(check, well);
    }
    let mut transaction = begin(store);
    transaction.insert(&memory(20, "never indexed")).expect("insert");
    transaction.commit().expect("commit");
    assert_eq!(store.check(false).expect("check").unindexed, 1);
}
