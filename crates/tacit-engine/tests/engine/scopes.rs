//! Two stores: which is read, and the effect of a damaged one.

use std::fs;

use proptest::prelude::*;
use tacit_core::{Config, tokenize};
use tacit_engine::{RecallRequest, StoreAccess, StoreScope};
use tacit_store::{Filter, ListOrder};
use tacit_testkit::arbitrary;

use crate::{World, draft, keep, kept, request, search};

#[test]
fn empty_queries_return_the_newest_memories() {
    let world = World::new();
    let mut engine = world.engine();
    let older = kept(keep(&mut engine, "older"));
    world.clock.advance_hours(1);
    let newer = kept(keep(&mut engine, "newer"));
    assert_eq!(search(&engine, ""), [newer.id, older.id]);
    assert_eq!(search(&engine, " \n"), [newer.id, older.id]);
    let recall = RecallRequest::explicit("", Filter::default(), 1);
    assert_eq!(engine.recall(&recall).unwrap().shown.len(), 1);
    // Stop words are a query too.
    assert_eq!(search(&engine, "the of and"), []);
}

#[test]
fn both_stores_answer_unless_configured_otherwise() {
    let mut world = World::new();
    keep(&mut world.engine(), "common words in the project");
    let mut global = world.open(StoreAccess::Write(StoreScope::Global));
    global.remember(StoreScope::Global, request(draft("common words of the user"))).unwrap();
    drop(global);
    assert_eq!(search(&world.open(StoreAccess::Recall), "common").len(), 2);

    world.config = Config { recall_global: false, ..world.config };
    let engine = world.open(StoreAccess::Recall);
    assert_eq!(search(&engine, "common").len(), 1);
    drop(engine);
    // The setting only affects recall; memories can still be listed, shown and checked.
    let engine = world.open(StoreAccess::ReadBoth);
    assert_eq!(engine.list(None, &Filter::default(), ListOrder::Newest, 9, 0).unwrap().len(), 2);
    drop(engine);
    let engine = world.open(StoreAccess::Read(StoreScope::Global));
    let listed = engine.list(None, &Filter::default(), ListOrder::Newest, 9, 0).unwrap();
    assert_eq!(listed.len(), 1);
    assert!(engine.health(StoreScope::Global, true).unwrap().check.problems.is_empty());
}

#[test]
fn damaged_stores_do_not_hide_the_other() {
    let world = World::new();
    keep(&mut world.engine(), "in the project");
    let mut global = world.open(StoreAccess::Write(StoreScope::Global));
    global.remember(StoreScope::Global, request(draft("of the user"))).unwrap();
    drop(global);
    fs::write(world.paths().database(StoreScope::Global), "garbage".repeat(1000)).unwrap();
    let engine = world.open(StoreAccess::Read(StoreScope::Project));
    assert_eq!(search(&engine, "project").len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_word_finds_its_memory(text in arbitrary::prose()) {
        let world = World::new();
        let mut engine = world.engine();
        let kept = kept(keep(&mut engine, &text));
        let words = kept.body.content.as_str().split_whitespace();
        for word in words.filter(|word| !tokenize(word).is_empty()) {
            prop_assert_eq!(search(&engine, word), vec![kept.id], "{:?} in {:?}", word, text);
        }
    }
}

/// Pages of any size, from any place, are parts of one list, whichever store has more memories.
#[test]
fn pages_of_two_stores_are_parts_of_one_list() {
    for (in_project, in_global) in [(7, 2), (2, 7), (5, 0), (0, 5), (4, 4)] {
        let world = World::new();
        for number in 0..in_project.max(in_global) {
            // Some are of the same moment.
            world.clock.advance_hours(i64::from(number % 2 == 0));
            for (scope, count) in
                [(StoreScope::Project, in_project), (StoreScope::Global, in_global)]
            {
                if number < count {
                    let text = format!("number {number} of the {}", scope.as_str());
                    let mut engine = world.open(StoreAccess::Write(scope));
                    engine.remember(scope, request(draft(&text))).unwrap();
                }
            }
        }
        let engine = world.open(StoreAccess::ReadBoth);
        for order in [
            ListOrder::Newest,
            ListOrder::Oldest,
            ListOrder::Changed,
            ListOrder::Used,
            ListOrder::Confidence,
        ] {
            let list = |limit, offset| {
                engine.list(None, &Filter::default(), order, limit, offset).unwrap()
            };
            let all = list(usize::MAX, 0);
            assert_eq!(all.len(), in_project + in_global);
            for limit in 1..4 {
                for offset in 0..all.len() + 2 {
                    let expected: Vec<_> = all.iter().skip(offset).take(limit).cloned().collect();
                    assert_eq!(list(limit, offset), expected, "{order:?} {limit} from {offset}");
                }
            }
        }
    }
}
