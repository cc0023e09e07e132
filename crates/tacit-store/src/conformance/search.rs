//! Cases about search.

use super::*;

pub fn full_text_search_finds_matches(store: &mut dyn Store) {
    store_all(
        store,
        &[
            memory(1, "the token refresh in src/auth/tokenRefresh.ts fails with E0308"),
            memory(2, "token tables are rebuilt every night"),
            memory(3, "pass --no-verify only when the hook itself is broken"),
            memory(4, "entirely unrelated prose"),
        ],
    );
    let find = |text: &str| search(store, text, Filter::default());
    assert_eq!(find("token_refresh"), [1, 2]);
    assert_eq!(find("E0308"), [1]);
    assert_eq!(find("--no-verify"), [3]);
    assert_eq!(find("table"), [2]);
    assert_eq!(find("src/auth/tokenRefresh.ts")[0], 1);
    for nothing in ["", "the", "quetzal", "\"", "NEAR(", "a* OR *", "col:x AND"] {
        assert_eq!(find(nothing), Vec::<u8>::new(), "{nothing}");
    }
}

pub fn full_text_index_follows_changes(store: &mut dyn Store) {
    let before = memory(1, "alpha");
    store_all(store, std::slice::from_ref(&before));
    let after = edit(store, &before, |memory| {
        memory.body = super::memory(1, "omega").body;
    });
    assert!(search(store, "alpha", Filter::everything()).is_empty());
    assert_eq!(search(store, "omega", Filter::everything()), [1]);
    edit(store, &after, |memory| {
        let reason = Reasoning::new("wrong").expect("text");
        memory.status = Status::Retired { at: at(5), reason };
    });
    assert!(search(store, "omega", Filter::default()).is_empty());
    assert_eq!(search(store, "omega", Filter::everything()), [1]);
}

pub fn words_of_cues_find_memories(store: &mut dyn Store) {
    let draft = Draft {
        content: "raise the limit".into(),
        cues: vec!["the checkout hangs".into(), "before a sale".into()],
        ..Draft::default()
    };
    let cued = with(1, draft);
    store_all(store, &[cued.clone(), memory(2, "unrelated")]);
    let found = |store: &dyn Store, words: &str| {
        let tokens = tokenize(words);
        let query = TextQuery { tokens, filter: Filter::default(), limit: 9, newest: None };
        let hits = store.search_text(&query).expect("search");
        hits.iter().map(|hit| hit.id).collect::<Vec<_>>()
    };
    assert_eq!(found(store, "checkout"), [cued.id]);
    assert_eq!(store.read(&[cued.id]).expect("read"), std::slice::from_ref(&cued));
    let bare = edit(store, &cued, |memory| memory.body.cues = tacit_core::Cues::default());
    assert_eq!(found(store, "checkout"), []);
    assert_eq!(store.read(&[cued.id]).expect("read"), [bare]);
}

pub fn near_duplicates_are_found_by_signature(store: &mut dyn Store) {
    let text = "always open the database in write ahead mode before the worker is spawned \
                that drains the spool directory";
    let twin = text.replace("drains", "empties");
    let stranger = memory(2, "prefer kebab case for the names of documents");
    store_all(store, &[memory(1, text), stranger]);
    let tokens = tokenize(&twin);
    let signature = Signature::of(&tokens).expect("tokens");
    let found = begin(store).find_similar(&signature, 5).expect("find");
    assert_eq!(found, [memory(1, text).id]);
    assert!(jaccard(&tokens, &tokenize(text)) > 0.8);
}

pub fn keys_read_memories_in_order(store: &mut dyn Store) {
    store_all(store, &[memory(1, "one fact"), memory(2, "another fact")]);
    let query =
        TextQuery { tokens: tokenize("fact"), filter: Filter::default(), limit: 9, newest: None };
    let hits = store.search_text(&query).expect("search");
    let keys: Vec<u64> = hits.iter().map(|hit| hit.key).chain([999_999]).collect();
    let read = store.read_keys(&keys, &Filter::default()).expect("read");
    assert_eq!(read.len(), 2);
    let archived = Filter { statuses: vec![StatusKind::Archived], ..Filter::everything() };
    assert_eq!(store.read_keys(&keys, &archived).expect("read"), []);
    for (hit, (key, memory)) in hits.iter().zip(&read) {
        assert_eq!((hit.key, hit.id), (*key, memory.id));
    }
}

pub fn term_counts_are_exact(store: &mut dyn Store) {
    store_all(store, &[memory(1, "alpha beta"), memory(2, "beta"), memory(3, "gamma")]);
    let count =
        |store: &dyn Store| store.count_terms(&["alpha", "beta", "omega", "--x"]).expect("count");
    assert_eq!(count(store).documents, [1, 2, 0, 0]);
    assert!(count(store).memories >= 3);
    assert_eq!(store.cache_common_terms(2).expect("note"), 1);
    assert_eq!(count(store).documents, [1, 2, 0, 0]);
}

pub fn terms_are_found_by_prefix(store: &mut dyn Store) {
    store_all(store, &[memory(1, "webhook worker"), memory(2, "webhook"), memory(3, "pool")]);
    let known = |beginning, limit| store.terms_with_prefix(beginning, limit).expect("terms");
    assert_eq!(known("we", 10), [("webhook".to_owned(), 2)]);
    assert_eq!(known("w", 10), [("webhook".to_owned(), 2), ("worker".to_owned(), 1)]);
    assert_eq!(known("w", 1).len(), 1);
    assert_eq!(known("x", 10), []);
}

pub fn frequent_tags_are_counted(store: &mut dyn Store) {
    let tagged = |number: u8, tags: &[&str]| {
        with(
            number,
            Draft {
                content: format!("fact {number}"),
                tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
                ..Draft::default()
            },
        )
    };
    store_all(
        store,
        &[tagged(1, &["old"]), tagged(2, &["db", "ci"]), tagged(3, &["db"]), tagged(4, &["ci"])],
    );
    let count = |among, limit| store.frequent_tags(among, limit).expect("tags");
    let pair = |tag: &str, count| (tag.to_owned(), count);
    assert_eq!(count(100, 10), [pair("ci", 2), pair("db", 2), pair("old", 1)]);
    assert_eq!(count(100, 1), [pair("ci", 2)]);
    assert_eq!(count(1, 10), [pair("ci", 1)]);
}

pub fn terms_follow_changes(store: &mut dyn Store) {
    let before = memory(1, "webhook pool");
    store_all(store, &[before.clone(), memory(2, "webhook")]);
    let known = |store: &dyn Store| store.terms_with_prefix("", 9).expect("terms");
    let pair = |term: &str, count| (term.to_owned(), count);
    assert_eq!(known(store), [pair("pool", 1), pair("webhook", 2)]);
    let after = edit(store, &before, |memory| {
        memory.body = super::memory(1, "webhook worker").body;
        memory.status =
            Status::Retired { at: at(5), reason: Reasoning::new("wrong").expect("text") };
    });
    assert_eq!(known(store), [pair("webhook", 2), pair("worker", 1)], "inactive memories count");
    let mut transaction = begin(store);
    let dropped = memory(3, "never");
    transaction.insert(&dropped).expect("insert");
    transaction.index(&dropped.id, &entry(&dropped)).expect("index");
    drop(transaction);
    let mut transaction = begin(store);
    transaction.remove(&after).expect("remove");
    transaction.commit().expect("commit");
    assert_eq!(known(store), [pair("webhook", 1)], "removed ones do not");
    let counts = store.count_terms(&["webhook", "worker", "never"]).expect("count");
    assert_eq!((counts.memories, counts.documents), (1, vec![1, 0, 0]));
}

pub fn searches_rank_by_rarity_and_column(store: &mut dyn Store) {
    let titled = |number, title: &str, text: &str| {
        let title = (!title.is_empty()).then(|| title.to_owned());
        with(number, Draft { title, content: text.into(), ..Draft::default() })
    };
    store_all(
        store,
        &[
            titled(1, "", "alpha filler filler"),
            titled(2, "alpha", "filler filler"),
            titled(3, "", "beta filler filler"),
            titled(4, "", "alpha filler filler filler filler filler filler"),
            titled(5, "", "alpha beta filler"),
        ],
    );
    let find = |words| search(store, words, Filter::default());
    assert_eq!(find("alpha"), [2, 1, 5, 4], "titles weigh more, long texts less");
    assert_eq!(find("alpha beta")[0], 5);
    assert_eq!(find("beta alpha alpha beta")[0], 5);
    let score = |words: &str| {
        let tokens = tokenize(words);
        let query = TextQuery { tokens, filter: Filter::default(), limit: 9, newest: None };
        store.search_text(&query).expect("search")[0].score
    };
    assert_eq!(score("beta"), score("beta beta"), "a repeated word counts once");
    // The same as the shared function says: 5 memories of 19 tokens.
    let expected = crate::TextScore::new(5, 19, &[2]).score(&[[0, 1, 0]], 3);
    assert!((score("beta") - expected).abs() < 1e-9);
}

pub fn searches_for_common_words_may_rank_the_newest(store: &mut dyn Store) {
    let memories: Vec<Memory> = (1..=6)
        .map(|number| memory(number, &format!("alpha {}", "filler ".repeat(usize::from(number)))))
        .collect();
    store_all(store, &memories);
    let find = |newest, filter| -> Vec<u8> {
        let query = TextQuery { tokens: tokenize("alpha"), filter, limit: 9, newest };
        let hits = store.search_text(&query).expect("search");
        hits.iter().map(|hit| hit.id.as_bytes()[15]).collect()
    };
    assert_eq!(find(None, Filter::default()), [1, 2, 3, 4, 5, 6]);
    assert_eq!(find(Some(3), Filter::default()), [4, 5, 6]);
    // The newest matches are taken before the filter.
    let early = Filter { until: Some(at(5)), ..Filter::default() };
    assert_eq!(find(Some(3), early), [4]);
    assert_eq!(find(Some(0), Filter::default()), [] as [u8; 0]);
}
