//! The conformance tests of every store.
//!
//! A store's tests call [`conformance_tests!`] with a function that creates an empty store; each
//! case becomes a test.

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

/// Creates a test for each case. `$make` returns an empty store and a guard that must live as long.
#[macro_export]
macro_rules! conformance_tests {
    ($make:path) => {
        $crate::conformance_tests!($make;
            stored_memories_read_back_unchanged, reads_keep_the_requested_order, dropped_transactions_roll_back, updates_replace_all_fields, removed_memories_are_gone_from_the_index,
            filters_select_matching_memories, work_unit_filters_include_inner_units, lists_follow_the_requested_order, full_text_search_finds_matches,
            full_text_index_follows_changes, words_of_cues_find_memories, short_id_ranges_find_memories, identical_memories_are_found_by_hash, near_duplicates_are_found_by_signature,
            memories_are_found_by_file, history_records_every_change, erased_history_has_no_fields,
            requests_can_be_claimed_once, accesses_are_counted_outside_the_history, statistics_count_memories, intact_stores_pass_the_check,
            keys_read_memories_in_order, term_counts_are_exact, new_text_is_pending_for_every_model, vectors_read_back_by_piece,
            changed_text_needs_new_vectors, vectors_page_by_generation, activated_models_replace_others, terms_are_found_by_prefix, frequent_tags_are_counted,
            sessions_and_events_are_logged_once, injections_are_filtered_by_context,
            fates_are_saved_with_their_injections, notes_are_filtered_by_file,
            co_changes_link_files, ended_idle_and_reported_sessions_are_observed, observed_usage_counts_each_session_once,
            changed_memories_are_linked_again, memories_are_found_by_symbol, inactive_memories_have_no_visible_links);
    };
    ($make:path; $($chapter:ident),+) => {
        $(
            #[test]
            fn $chapter() {
                let (mut store, _keep) = $make();
                $crate::conformance::$chapter(&mut store);
            }
        )+
    };
}

/// Returns a time some seconds after the start of the test.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_794_738_600_000 + seconds * 1_000).expect("a moment")
}

/// Returns the memory with this number and text.
pub fn memory(number: u8, text: &str) -> Memory {
    with(number, Draft { content: text.into(), kind: Some("gotcha".into()), ..Draft::default() })
}

fn with(number: u8, draft: Draft) -> Memory {
    let body = draft.check(Confidence::HIGH).expect("a valid draft");
    let id = MemoryId::from_parts(at(i64::from(number)), [number; 10]);
    Memory::new(id, body, at(i64::from(number)))
}

fn action(kind: ActionKind) -> Action {
    let actor = Author::new("ada").expect("a name");
    Action { kind, at: at(0), actor, reason: None, reverts: None }
}

fn entry(memory: &Memory) -> IndexEntry {
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

#[expect(missing_docs, reason = "each chapter's name says what it shows")]
mod activity;
#[expect(missing_docs, reason = "each chapter's name says what it shows")]
mod links;
#[expect(missing_docs, reason = "each chapter's name says what it shows")]
mod observed;
#[expect(missing_docs, reason = "each chapter's name says what it shows")]
mod vectors;

pub use activity::*;
pub use chapters::*;
pub use links::*;
pub use observed::*;
pub use vectors::*;

#[expect(missing_docs, reason = "each chapter's name says what it shows")]
mod chapters {
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

    pub fn filters_select_matching_memories(store: &mut dyn Store) {
        let draft = |text: &str| Draft { content: text.into(), ..Draft::default() };
        let one = with(
            1,
            Draft {
                kind: Some("error_pattern".into()),
                details: Some(serde_json::json!({"fingerprint": "0123456789abcdef"})),
                tags: vec!["auth".into(), "hot".into()],
                related_files: vec!["src/auth/mod.rs".into()],
                confidence: Some(0.5),
                ..draft("one")
            },
        );
        let two = with(
            2,
            Draft {
                kind: Some("gotcha".into()),
                tags: vec!["auth".into()],
                related_files: vec!["src/authority.rs".into()],
                related_modules: vec!["auth".into()],
                review: Some("needed".into()),
                source: Some("mcp_auto".into()),
                session: Some("s-2".into()),
                ..draft("two")
            },
        );
        let mut three = memory(3, "three");
        three.status = Status::Archived { at: at(9), reason: Reasoning::new("old").expect("text") };
        three.body.trust.stale_at = Some(at(8));
        store_all(store, &[one, two, three]);
        let everything = Filter::everything;
        let files = |path: &str| vec![RepoPath::new(path).expect("path")];
        let many = || {
            let others = (0..40_000).flat_map(|number| files(&format!("lib/{number}'.rs")));
            others.chain(files("src/authority.rs")).chain(files("src/auth")).collect()
        };
        let tags = |names: &[&str]| names.iter().map(|n| Tag::new(*n).expect("tag")).collect();
        for (what, filter, expected) in [
            ("nothing", everything(), vec![1, 2, 3]),
            ("in use", Filter::default(), vec![1, 2]),
            (
                "type",
                Filter { types: vec!["gotcha".parse().expect("type")], ..everything() },
                vec![2, 3],
            ),
            ("tag", Filter { tags: tags(&["auth"]), ..everything() }, vec![1, 2]),
            ("all tags", Filter { tags: tags(&["auth", "hot"]), ..everything() }, vec![1]),
            ("file", Filter { files: files("src/authority.rs"), ..everything() }, vec![2]),
            ("directory", Filter { files: files("src/auth"), ..everything() }, vec![1]),
            ("very many files", Filter { files: many(), ..everything() }, vec![1, 2]),
            (
                "module",
                Filter { modules: vec!["auth".parse().expect("module")], ..everything() },
                vec![2],
            ),
            (
                "error",
                Filter { fingerprint: "0123456789abcdef".parse().ok(), ..everything() },
                vec![1],
            ),
            (
                "source",
                Filter { sources: vec!["mcp_auto".parse().expect("source")], ..everything() },
                vec![2],
            ),
            (
                "review",
                Filter { reviews: vec!["needed".parse().expect("review")], ..everything() },
                vec![2],
            ),
            (
                "session",
                Filter { sessions: "s-2".parse().into_iter().collect(), ..everything() },
                vec![2],
            ),
            (
                "confidence",
                Filter { min_confidence: Confidence::new(0.6).ok(), ..everything() },
                vec![2, 3],
            ),
            ("since", Filter { since: Some(at(2)), ..everything() }, vec![2, 3]),
            ("until", Filter { until: Some(at(2)), ..everything() }, vec![1]),
            ("stale", Filter { stale: Some(true), ..everything() }, vec![3]),
            ("fresh", Filter { stale: Some(false), ..everything() }, vec![1, 2]),
            ("archived", Filter { statuses: vec![StatusKind::Archived], ..everything() }, vec![3]),
        ] {
            assert_eq!(list(store, filter), expected, "{what}");
        }
    }

    pub fn work_unit_filters_include_inner_units(store: &mut dyn Store) {
        let inside = |number: u8, methodology: &str, path: &[&str]| {
            let hierarchy = path.iter().map(ToString::to_string).collect();
            let unit = tacit_core::WorkUnitRef::new(methodology, hierarchy, "label").expect("unit");
            with(
                number,
                Draft {
                    content: format!("text {number}"),
                    work_unit: Some(unit),
                    ..Draft::default()
                },
            )
        };
        store_all(
            store,
            &[
                inside(1, "native", &["spec_1"]),
                inside(2, "native", &["spec_1", "subtask_3"]),
                inside(3, "native", &["spec_10"]),
                inside(4, "bmad", &["spec_1"]),
            ],
        );
        let filter = |methodology: Option<&str>, path: &[&str]| Filter {
            work_unit: Some(WorkUnitFilter {
                methodology: methodology.map(str::to_owned),
                hierarchy: path.iter().map(ToString::to_string).collect(),
            }),
            ..Filter::default()
        };
        assert_eq!(list(store, filter(Some("native"), &["spec_1"])), [1, 2]);
        assert_eq!(list(store, filter(None, &["spec_1"])), [1, 2, 4]);
        assert_eq!(list(store, filter(None, &["spec_1", "subtask_3"])), [2]);
        assert_eq!(list(store, filter(None, &["spec"])), Vec::<u8>::new());
        assert_eq!(list(store, filter(Some("native"), &[])), [1, 2, 3]);
        assert_eq!(list(store, filter(None, &[])), [1, 2, 3, 4]);
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

    pub fn stated_relations_lead_back_to_their_memory(store: &mut dyn Store) {
        let relation = |kind: RelationKind, auto_extracted: bool| {
            let target = RelationTarget::Memory(memory(1, "").id);
            let relation = Relation { target, kind, confidence: Confidence::HIGH, auto_extracted };
            Relations::collect([relation]).expect("a result")
        };
        let related = |number: u8, kind: RelationKind, proposed: bool| {
            let mut related = memory(number, &format!("text {number}"));
            related.body.relations = relation(kind, proposed);
            related
        };
        let mut gone = related(5, RelationKind::Supersedes, false);
        gone.status =
            Status::Retired { at: at(9), reason: Reasoning::new("wrong").expect("a result") };
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
            let found = store.relating_to(&[memory(number, "").id]).expect("a result");
            found.into_iter().map(|memory| memory.id).collect()
        };
        assert_eq!(found(1), [memory(2, "").id, memory(3, "").id]);
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
        let find = |path: &str| {
            transaction.find_by_file(&RepoPath::new(path).expect("path")).expect("find")
        };
        assert_eq!(find("src/a.rs"), [about.id]);
        assert_eq!(find("src/a"), []);
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
        assert_eq!(
            (old["observations"].as_u64(), new["observations"].as_u64()),
            (Some(1), Some(7))
        );
        assert_eq!(old.len(), 1);
        let told = serde_json::Value::Object(kept.after.clone().expect("after"));
        assert_eq!(Memory::from_json(told).expect("a memory"), before);
        assert_eq!(changes[1].action, action(ActionKind::Edit));

        let same = store.read(&[before.id]).expect("read");
        assert_eq!(same, []);
        let query = ChangeQuery { id: Some(number), limit: 9, ..ChangeQuery::default() };
        assert_eq!(store.changes(&query).expect("changes"), [changes[0].clone()]);
        let query = ChangeQuery { after: Some(changes[2].id), limit: 9, ..ChangeQuery::default() };
        assert_eq!(store.changes(&query).expect("changes").len(), 2);
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

    pub fn keys_read_memories_in_order(store: &mut dyn Store) {
        store_all(store, &[memory(1, "one fact"), memory(2, "another fact")]);
        let query = TextQuery {
            tokens: tokenize("fact"),
            filter: Filter::default(),
            limit: 9,
            newest: None,
        };
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
        let count = |store: &dyn Store| {
            store.count_terms(&["alpha", "beta", "omega", "--x"]).expect("count")
        };
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
            &[
                tagged(1, &["old"]),
                tagged(2, &["db", "ci"]),
                tagged(3, &["db"]),
                tagged(4, &["ci"]),
            ],
        );
        let count = |among, limit| store.frequent_tags(among, limit).expect("tags");
        let pair = |tag: &str, count| (tag.to_owned(), count);
        assert_eq!(count(100, 10), [pair("ci", 2), pair("db", 2), pair("old", 1)]);
        assert_eq!(count(100, 1), [pair("ci", 2)]);
        assert_eq!(count(1, 10), [pair("ci", 1)]);
    }
}
