//! Two stores, one service: what is read from which, and what is done about a damaged one.

use std::fs;

use proptest::prelude::*;
use tacit_core::{Config, tokenize};
use tacit_engine::{RecallRequest, StoreAccess, StoreScope};
use tacit_store::{Filter, ListOrder};
use tacit_testkit::arbitrary;

use crate::{World, draft, keep, kept, request, search};

#[test]
fn without_words_the_newest_that_pass_the_filter() {
    let world = World::new();
    let mut engine = world.engine();
    let older = kept(keep(&mut engine, "older"));
    world.clock.advance_hours(1);
    let newer = kept(keep(&mut engine, "newer"));
    assert_eq!(search(&engine, ""), [newer.id, older.id]);
    assert_eq!(search(&engine, " \n"), [newer.id, older.id]);
    let recall = RecallRequest::explicit("", Filter::default(), 1);
    assert_eq!(engine.recall(&recall).unwrap().shown.len(), 1);
    // Words that say nothing are words all the same.
    assert_eq!(search(&engine, "the of and"), []);
}

#[test]
fn both_shelves_answer_unless_configured_otherwise() {
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
    // Only recall goes by that: what is there can still be listed, shown and checked.
    let engine = world.open(StoreAccess::ReadBoth);
    assert_eq!(engine.list(None, &Filter::default(), ListOrder::Newest, 9, 0).unwrap().len(), 2);
    drop(engine);
    let engine = world.open(StoreAccess::Read(StoreScope::Global));
    let listed = engine.list(None, &Filter::default(), ListOrder::Newest, 9, 0).unwrap();
    assert_eq!(listed.len(), 1);
    assert!(engine.health(StoreScope::Global, true).unwrap().check.problems.is_empty());
}

#[test]
fn one_damaged_shelf_does_not_hide_the_other() {
    let world = World::new();
    keep(&mut world.engine(), "in the project");
    let mut global = world.open(StoreAccess::Write(StoreScope::Global));
    global.remember(StoreScope::Global, request(draft("of the user"))).unwrap();
    drop(global);
    fs::write(world.places().database(StoreScope::Global), "garbage".repeat(1000)).unwrap();
    let engine = world.open(StoreAccess::Read(StoreScope::Project));
    assert_eq!(search(&engine, "project").len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn whatever_has_words_is_found_by_each_of_them(text in arbitrary::prose()) {
        let world = World::new();
        let mut engine = world.engine();
        let kept = kept(keep(&mut engine, &text));
        let words = kept.body.content.as_str().split_whitespace();
        for word in words.filter(|word| !tokenize(word).is_empty()) {
            prop_assert_eq!(search(&engine, word), vec![kept.id], "{:?} in {:?}", word, text);
        }
    }
}
