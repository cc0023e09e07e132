//! Undo brings back exactly what was, and undoing that brings back exactly what became of it.

use proptest::prelude::*;
use serde_json::json;
use tacit_core::{
    Confidence, Draft, Memory, MemoryId, Relation, RelationKind, RelationTarget, RepoPath, Tag,
};
use tacit_engine::{Engine, EngineError, EngineResult, ForgetMode, ImportLine, StoreScope};
use tacit_store::ChangeQuery;
use tacit_testkit::arbitrary;

use crate::{World, draft, keep, kept, reason, request, search, state, trusted};

/// Something that can be done to a store; numbers choose among what is there.
#[derive(Debug, Clone)]
enum Operation {
    Remember(usize, Vec<String>),
    Edit(usize, usize),
    Retag(usize, String),
    Link(usize, usize),
    LinkFile(usize, String),
    Leave(usize, bool),
    Restore(usize),
    Import(Vec<Memory>),
    Rename(String, String),
    Wait(i64),
}

const FACTS: [&str; 6] = [
    "Close the connection pool before the fork",
    "Close the connection pool before every fork",
    "tokenRefresh retries src/auth/session.rs twice",
    "E0308 means the types do not match",
    "Prefer --no-verify never, hooks are there for a reason",
    "数据库锁 is held for one short transaction",
];
const WORDS: [&str; 8] =
    ["pool", "fork", "token_refresh", "E0308", "--no-verify", "数据库", "edited", "src/a.rs"];

fn file() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["src/a.rs", "src/b.rs", "docs/c.md"]).prop_map(String::from)
}

fn operation() -> impl Strategy<Value = Operation> {
    let which = || any::<prop::sample::Index>().prop_map(|index| index.index(64));
    let tag = || "[a-c]".prop_map(String::from);
    prop_oneof![
        4 => (0..FACTS.len(), prop::collection::vec(file(), 0..3))
            .prop_map(|(fact, files)| Operation::Remember(fact, files)),
        2 => (which(), 0..FACTS.len()).prop_map(|(which, fact)| Operation::Edit(which, fact)),
        2 => (which(), tag()).prop_map(|(which, tag)| Operation::Retag(which, tag)),
        2 => (which(), which()).prop_map(|(which, other)| Operation::Link(which, other)),
        1 => (which(), file()).prop_map(|(which, file)| Operation::LinkFile(which, file)),
        2 => (which(), any::<bool>()).prop_map(|(which, archive)| Operation::Leave(which, archive)),
        2 => which().prop_map(Operation::Restore),
        1 => prop::collection::vec(arbitrary::memory(), 1..3).prop_map(Operation::Import),
        1 => (file(), file()).prop_map(|(from, to)| Operation::Rename(from, to)),
        1 => (1_i64..40).prop_map(Operation::Wait),
    ]
}

fn apply(world: &World, engine: &mut Engine<'_>, operation: &Operation) -> EngineResult<()> {
    let ids: Vec<MemoryId> = state(engine).into_keys().collect();
    let pick = |which: usize| -> EngineResult<String> {
        let none = || EngineError::NoSuchMemory { text: String::new() };
        ids.get(which % ids.len().max(1)).map(ToString::to_string).ok_or_else(none)
    };
    let relation = |target| Relation {
        target,
        kind: RelationKind::Validates,
        confidence: Confidence::MEDIUM,
        auto_extracted: false,
    };
    let path = |text: &str| RepoPath::new(text).expect("a path");
    match operation {
        Operation::Remember(fact, files) => {
            let body = Draft { related_files: files.clone(), ..draft(FACTS[*fact]) };
            engine.remember(StoreScope::Project, request(body)).map(drop)
        }
        Operation::Edit(which, fact) => {
            let patch = json!({"content": FACTS[*fact], "title": "edited", "reasoning": null});
            let patch = patch.as_object().expect("an object");
            engine.edit(&pick(*which)?, patch, Some(reason("because"))).map(drop)
        }
        Operation::Retag(which, tag) => {
            let tag = Tag::new(tag.as_str()).expect("a tag");
            let known = engine.find(&pick(*which)?)?.memory.body.tags.contains(&tag);
            let (add, remove) = if known { (vec![], vec![tag]) } else { (vec![tag], vec![]) };
            engine.retag(&pick(*which)?, &add, &remove).map(drop)
        }
        Operation::Link(which, other) => {
            let target = RelationTarget::Memory(pick(*other)?.parse().expect("an id"));
            engine.link(&pick(*which)?, relation(target)).map(drop)
        }
        Operation::LinkFile(which, file) => {
            engine.link(&pick(*which)?, relation(RelationTarget::File(path(file)))).map(drop)
        }
        Operation::Leave(which, archive) => {
            let departure = if *archive { ForgetMode::Archive } else { ForgetMode::Retire };
            engine.forget(&pick(*which)?, departure, reason("no longer so")).map(drop)
        }
        Operation::Restore(which) => engine.restore(&pick(*which)?).map(drop),
        Operation::Import(memories) => {
            let whole = memories.iter().cloned().map(|memory| ImportLine::Whole(Box::new(memory)));
            let lines = (1..).zip(whole).collect();
            engine.import(StoreScope::Project, trusted(lines), false).map(drop)
        }
        Operation::Rename(from, to) => engine.rename_file(&path(from), &path(to)).map(drop),
        Operation::Wait(hours) => {
            world.clock.advance_hours(*hours);
            Ok(())
        }
    }
}

fn last_change(engine: &Engine<'_>) -> Option<i64> {
    let query = ChangeQuery { limit: 1, ..ChangeQuery::default() };
    engine.history(StoreScope::Project, &query).expect("a history").first().map(|change| change.id)
}

fn found(engine: &Engine<'_>) -> Vec<Vec<MemoryId>> {
    WORDS.iter().map(|words| search(engine, words)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn undo_restores_exactly(operations in prop::collection::vec(operation(), 1..16)) {
        let world = World::new();
        let mut engine = world.engine();
        for operation in &operations {
            let (before, found_before) = (state(&engine), found(&engine));
            let last = last_change(&engine);
            let refused = apply(&world, &mut engine, operation).is_err();
            let (after, found_after) = (state(&engine), found(&engine));
            if last_change(&engine) == last {
                prop_assert_eq!(&after, &before, "a change without a history: {:?}", operation);
                continue;
            }
            prop_assert!(!refused, "a refusal left a change: {:?}", operation);
            let by = engine.undo(StoreScope::Project, None).unwrap().by.unwrap();
            prop_assert_eq!(&state(&engine), &before, "undo of {:?}", operation);
            prop_assert_eq!(&found(&engine), &found_before, "undo of {:?}", operation);
            engine.undo(StoreScope::Project, Some(by)).unwrap();
            prop_assert_eq!(&state(&engine), &after, "redo of {:?}", operation);
            prop_assert_eq!(&found(&engine), &found_after, "redo of {:?}", operation);
        }
        // All the way back, one call a change.
        while engine.undo(StoreScope::Project, None).is_ok() {}
        prop_assert_eq!(state(&engine).len(), 0);
        let check = engine.store(StoreScope::Project).unwrap().check(true).unwrap();
        prop_assert_eq!((check.problems, check.unindexed), (vec![], 0));
    }
}

#[test]
fn back_and_forth_as_often_as_one_likes() {
    let world = World::new();
    let mut engine = world.engine();
    keep(&mut engine, "an earlier fact");
    keep(&mut engine, "a later fact");
    let mut last = engine.undo(StoreScope::Project, None).unwrap().by;
    for round in 0..5 {
        assert_eq!(search(&engine, "later").len(), round % 2, "round {round}");
        last = engine.undo(StoreScope::Project, last).unwrap().by;
    }
    // It is there again, so that the next plain undo takes it, and the one after the earlier one.
    assert_eq!(search(&engine, "later").len(), 1);
    engine.undo(StoreScope::Project, None).unwrap();
    assert_eq!((search(&engine, "later").len(), search(&engine, "earlier").len()), (0, 1));
    engine.undo(StoreScope::Project, None).unwrap();
    assert_eq!(search(&engine, "fact"), []);
    let error = engine.undo(StoreScope::Project, None).unwrap_err();
    assert_eq!(error.to_string(), "there is nothing to undo");
}

#[test]
fn an_undo_that_was_undone_twice_stays_undone() {
    let world = World::new();
    let mut engine = world.engine();
    keep(&mut engine, "an earlier fact");
    keep(&mut engine, "a later fact");
    let undo = engine.undo(StoreScope::Project, None).unwrap().by;
    let redo = engine.undo(StoreScope::Project, undo).unwrap().by;
    engine.undo(StoreScope::Project, redo).unwrap();
    assert_eq!(search(&engine, "later"), []);
    // The later fact is gone, so that a plain undo goes on to the earlier one.
    let undone = engine.undo(StoreScope::Project, None).unwrap();
    assert_eq!(undone.change.id, 1);
    assert_eq!(state(&engine).len(), 0);
}

#[test]
fn undo_stops_at_a_purge() {
    let world = World::new();
    let mut engine = world.engine();
    keep(&mut engine, "an earlier fact");
    let later = kept(keep(&mut engine, "a later fact"));
    engine.purge(&[&later.id.to_string()], reason("for good"), false).unwrap();
    keep(&mut engine, "a fact after the purge");
    assert_eq!(engine.undo(StoreScope::Project, None).unwrap().change.id, 4);
    let error = engine.undo(StoreScope::Project, None).unwrap_err();
    let why = "the last change was a purge (change 3), which cannot be undone";
    assert_eq!(error.to_string(), why);
    assert_eq!(search(&engine, "earlier").len(), 1, "no older change is undone instead");
    let undone = engine.undo(StoreScope::Project, Some(1)).unwrap();
    assert_eq!(undone.change.id, 1);
    let error = engine.undo(StoreScope::Project, Some(2)).unwrap_err();
    let why = format!("change 2 cannot be undone: memory {} was purged", later.id.short());
    assert_eq!(error.to_string(), why);
    let error = engine.undo(StoreScope::Project, Some(3)).unwrap_err();
    assert_eq!(error.to_string(), "change 3 cannot be undone: a purge is final");
}

#[test]
fn what_changed_since_is_not_overwritten() {
    let world = World::new();
    let mut engine = world.engine();
    let memory = kept(keep(&mut engine, "a fact"));
    // In the same millisecond, so that only the tags tell.
    engine.retag(&memory.id.to_string(), &[Tag::new("kept").unwrap()], &[]).unwrap();
    let error = engine.undo(StoreScope::Project, Some(1)).unwrap_err();
    let expected = format!(
        "change 1 cannot be undone: memory {} has changed since (tags); undo the later changes \
         first",
        memory.id.short()
    );
    assert_eq!(error.to_string(), expected);
    engine.undo(StoreScope::Project, Some(2)).unwrap();
    engine.undo(StoreScope::Project, Some(1)).unwrap();
    for (change, message) in [
        (1, "change 1 cannot be undone: change 4 took it back already"),
        (99, "there is no change 99"),
    ] {
        let error = engine.undo(StoreScope::Project, Some(change)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn one_call_is_one_change_and_undone_as_one() {
    let world = World::new();
    let mut engine = world.engine();
    let ids: Vec<String> = ["one fact", "another fact", "a third fact"]
        .map(|text| kept(keep(&mut engine, text)).id.to_string())
        .to_vec();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let before = state(&engine);
    // Naming one twice is no mistake.
    let twice = [ids.as_slice(), &ids[..1]].concat();
    let forgotten = engine.forget_all(&twice, ForgetMode::Retire, reason("no longer so")).unwrap();
    let order: Vec<String> = forgotten.iter().map(|found| found.memory.id.to_string()).collect();
    assert_eq!(order, ids);
    let changes =
        engine.history(StoreScope::Project, &ChangeQuery { limit: 9, ..Default::default() });
    let changes = changes.unwrap();
    assert_eq!((changes.len(), changes[0].items.len()), (4, 3));
    assert_eq!(engine.restore_all(&ids).unwrap().len(), 3);
    engine.undo(StoreScope::Project, None).unwrap();
    assert_eq!(search(&engine, "fact").len(), 0);
    engine.undo(StoreScope::Project, None).unwrap();
    assert_eq!(state(&engine), before);
}

#[test]
fn of_several_memories_all_are_changed_or_none() {
    let world = World::new();
    let mut engine = world.engine();
    let one = kept(keep(&mut engine, "one fact")).id.to_string();
    let gone = kept(keep(&mut engine, "a fact that is gone")).id.to_string();
    engine.forget(&gone, ForgetMode::Retire, reason("no longer so")).unwrap();
    let before = state(&engine);
    let error = engine.forget_all(&[&one, &gone], ForgetMode::Retire, reason("both")).unwrap_err();
    assert!(matches!(error, EngineError::AlreadySo { .. }), "{error}");
    assert_eq!(state(&engine), before);
}
