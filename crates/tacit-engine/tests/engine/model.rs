//! Random operations, compared with a simple model.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tacit_core::{Clock, MemoryId, ShortId, StatusKind, Tag};
use tacit_engine::{Engine, EngineError, EngineResult, ForgetMode, RememberOutcome, StoreScope};
use tacit_store::{ChangeQuery, Filter, apply_patch};

use crate::{World, export, keep, reason, search, state};

#[derive(Debug, Clone)]
enum Step {
    Remember(usize),
    Edit(usize, usize),
    Tag(usize, usize),
    Retire(usize),
    Archive(usize),
    Restore(usize),
    Purge(usize),
    Undo,
    Redo,
    Wait(i64),
    Reopen,
}

/// Some facts are near-duplicates, so that links are proposed; each has words of its own.
const FACTS: [&str; 5] = [
    "alpha service listens on the first port of the staging host",
    "bravo service listens on the first port of the staging host",
    "charlie: migrations run before the server starts",
    "delta_cache is invalidated by deployHooks",
    "echo E1234 when the --foxtrot flag is missing",
];
const NAMES: [&str; 5] = ["alpha", "bravo", "charlie", "deltaCache", "E1234"];
const TAGS: [&str; 3] = ["x", "y", "z"];

fn step() -> impl Strategy<Value = Step> {
    let fact = || 0..FACTS.len();
    let which = || 0..16_usize;
    prop_oneof![
        6 => fact().prop_map(Step::Remember),
        2 => (which(), fact()).prop_map(|(which, fact)| Step::Edit(which, fact)),
        2 => (which(), 0..TAGS.len()).prop_map(|(which, tag)| Step::Tag(which, tag)),
        3 => which().prop_map(Step::Retire),
        1 => which().prop_map(Step::Archive),
        2 => which().prop_map(Step::Restore),
        1 => which().prop_map(Step::Purge),
        3 => Just(Step::Undo),
        1 => Just(Step::Redo),
        3 => prop::sample::select(vec![1_i64, 12, 23, 24, 25]).prop_map(Step::Wait),
        1 => Just(Step::Reopen),
    ]
}

/// The model of a memory.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    fact: usize,
    state: StatusKind,
    left_at: i64,
    observations: u64,
    tags: BTreeSet<usize>,
}

/// The model of a change of one memory.
#[derive(Debug, Clone)]
struct Done {
    id: MemoryId,
    before: Option<Entry>,
    after: Option<Entry>,
    in_force: bool,
}

#[derive(Debug, Default)]
struct Model {
    memories: BTreeMap<MemoryId, Entry>,
    done: Vec<Done>,
    /// The index in `done` of the last undone change, as long as nothing else has happened, and the
    /// number of the undo.
    undone: Option<(usize, i64)>,
}

#[derive(Debug, PartialEq)]
enum Expected {
    Stored,
    Reinforced,
    Changed,
    Nothing,
    Forgotten,
    Same,
    AlreadySo,
    NothingToUndo,
}

impl Model {
    fn pick(&self, which: usize) -> Option<MemoryId> {
        self.memories.keys().nth(which % self.memories.len().max(1)).copied()
    }

    fn active(&self, fact: usize, except: Option<MemoryId>) -> Option<MemoryId> {
        let active = |(id, entry): &(&MemoryId, &Entry)| {
            entry.fact == fact && entry.state == StatusKind::Active && Some(**id) != except
        };
        self.memories.iter().find(active).map(|(id, _)| *id)
    }

    fn set(&mut self, id: MemoryId, after: Option<Entry>) {
        let before = match after.clone() {
            Some(entry) => self.memories.insert(id, entry),
            None => self.memories.remove(&id),
        };
        self.done.push(Done { id, before, after, in_force: true });
        self.undone = None;
    }

    fn change(&mut self, id: MemoryId, edit: impl FnOnce(&mut Entry)) -> Expected {
        let mut entry = self.memories[&id].clone();
        edit(&mut entry);
        if entry == self.memories[&id] {
            return Expected::Nothing;
        }
        if entry.state == StatusKind::Active && self.active(entry.fact, Some(id)).is_some() {
            return Expected::Same;
        }
        self.set(id, Some(entry));
        Expected::Changed
    }

    fn leave(&mut self, id: MemoryId, state: StatusKind, now: i64) -> Expected {
        if self.memories[&id].state == state {
            return Expected::AlreadySo;
        }
        self.change(id, |entry| (entry.state, entry.left_at) = (state, now))
    }
}

/// Converts the engine's result to the model's terms.
fn observed<T>(result: &EngineResult<T>) -> Expected {
    match result {
        Ok(_) => Expected::Changed,
        Err(EngineError::RecentlyForgotten { .. }) => Expected::Forgotten,
        Err(EngineError::Duplicate(_)) => Expected::Same,
        Err(EngineError::AlreadyInState { .. }) => Expected::AlreadySo,
        Err(EngineError::NothingToUndo | EngineError::LastWasPurge(_)) => Expected::NothingToUndo,
        Err(other) => unreachable!("{other}"),
    }
}

fn perform(world: &World, engine: &mut Engine<'_>, model: &mut Model, step: &Step) {
    let now = world.clock.now().as_millis();
    let name = |id: MemoryId| id.to_string();
    match *step {
        Step::Remember(fact) => {
            let expected = match model.active(fact, None) {
                Some(_) => Expected::Reinforced,
                None if model.memories.values().any(|entry| {
                    entry.fact == fact
                        && entry.state == StatusKind::Retired
                        && now - entry.left_at < 24 * 3_600_000
                }) =>
                {
                    Expected::Forgotten
                }
                None => Expected::Stored,
            };
            let result =
                engine.remember(StoreScope::Project, crate::request(crate::draft(FACTS[fact])));
            match &result {
                Ok(done) if done.outcome == RememberOutcome::Stored => {
                    assert_eq!(expected, Expected::Stored, "{step:?}");
                    let id = done.memory.as_ref().expect("a memory").id;
                    let entry = Entry {
                        fact,
                        state: StatusKind::Active,
                        left_at: 0,
                        observations: 1,
                        tags: BTreeSet::new(),
                    };
                    model.set(id, Some(entry));
                }
                Ok(done) => {
                    assert_eq!(expected, Expected::Reinforced, "{step:?}");
                    let id = done.memory.as_ref().expect("a memory").id;
                    assert_eq!(Some(id), model.active(fact, None));
                    model.change(id, |entry| entry.observations += 1);
                }
                Err(_) => assert_eq!(observed(&result), expected, "{step:?}"),
            }
        }
        Step::Edit(which, fact) => {
            let Some(id) = model.pick(which) else { return };
            let patch = json!({"content": FACTS[fact]});
            let result = engine.edit(&name(id), patch.as_object().expect("an object"), None);
            let expected = match model.change(id, |entry| entry.fact = fact) {
                Expected::Nothing => Expected::Changed,
                other => other,
            };
            assert_eq!(observed(&result), expected, "{step:?}");
        }
        Step::Tag(which, tag) => {
            let Some(id) = model.pick(which) else { return };
            let label = Tag::new(TAGS[tag]).expect("a tag");
            let had = model.memories[&id].tags.contains(&tag);
            let (add, remove) = if had { (vec![], vec![label]) } else { (vec![label], vec![]) };
            engine.retag(&name(id), &add, &remove).expect("a tag");
            model.change(id, |entry| {
                if !entry.tags.remove(&tag) {
                    entry.tags.insert(tag);
                }
            });
        }
        Step::Retire(which) | Step::Archive(which) => {
            let Some(id) = model.pick(which) else { return };
            let (departure, kind) = match step {
                Step::Retire(_) => (ForgetMode::Retire, StatusKind::Retired),
                _ => (ForgetMode::Archive, StatusKind::Archived),
            };
            let result = engine.forget(&name(id), departure, reason("no longer so"));
            assert_eq!(observed(&result), model.leave(id, kind, now), "{step:?}");
        }
        Step::Restore(which) => {
            let Some(id) = model.pick(which) else { return };
            let result = engine.restore(&name(id));
            assert_eq!(observed(&result), model.leave(id, StatusKind::Active, 0), "{step:?}");
        }
        Step::Purge(which) => {
            let Some(id) = model.pick(which) else { return };
            engine.purge(&[&name(id)], reason("for good"), false).expect("a purge");
            model.memories.remove(&id);
            // Undo does not go back past a purge.
            model.done.clear();
            model.undone = None;
        }
        Step::Undo => {
            let result = engine.undo(StoreScope::Project, None);
            let Some(last) = model.done.iter().rposition(|done| done.in_force) else {
                assert_eq!(observed(&result), Expected::NothingToUndo);
                return;
            };
            let undone = result.expect("the last change can be taken back");
            model.done[last].in_force = false;
            let Done { id, before, .. } = model.done[last].clone();
            match before {
                Some(entry) => drop(model.memories.insert(id, entry)),
                None => drop(model.memories.remove(&id)),
            }
            model.undone = Some((last, undone.by.expect("a change")));
        }
        Step::Redo => {
            let Some((place, undo)) = model.undone.take() else { return };
            engine.undo(StoreScope::Project, Some(undo)).expect("nothing has happened since");
            model.done[place].in_force = true;
            let Done { id, after, .. } = model.done[place].clone();
            match after {
                Some(entry) => drop(model.memories.insert(id, entry)),
                None => drop(model.memories.remove(&id)),
            }
        }
        Step::Wait(hours) => world.clock.advance_hours(hours),
        Step::Reopen => {}
    }
}

/// Returns the store in the model's terms.
fn described(engine: &Engine<'_>) -> BTreeMap<MemoryId, Entry> {
    state(engine)
        .into_iter()
        .map(|(id, json)| {
            let fact = FACTS.iter().position(|fact| json["content"] == **fact).expect("a fact");
            let state: StatusKind =
                json["status"]["state"].as_str().and_then(|s| s.parse().ok()).expect("a state");
            let left_at = json["status"]["at"]
                .as_str()
                .and_then(|at| at.parse::<tacit_core::Timestamp>().ok())
                .map_or(0, tacit_core::Timestamp::as_millis);
            let tags = json["tags"].as_array().into_iter().flatten();
            let tags = tags.filter_map(|tag| TAGS.iter().position(|known| tag == known)).collect();
            let observations = json["observations"].as_u64().expect("a number");
            (id, Entry { fact, state, left_at, observations, tags })
        })
        .collect()
}

/// Rebuilds the memories from the whole history.
fn replayed(engine: &Engine<'_>) -> BTreeMap<MemoryId, Value> {
    let query = ChangeQuery { limit: usize::MAX, ..ChangeQuery::default() };
    let mut changes = engine.history(StoreScope::Project, &query).expect("a history");
    changes.reverse();
    let mut told: BTreeMap<MemoryId, Map<String, Value>> = BTreeMap::new();
    for item in changes.into_iter().flat_map(|change| change.items) {
        match (item.before, item.after) {
            (None, Some(fields)) => assert_eq!(told.insert(item.memory, fields), None),
            (Some(before), Some(after)) => {
                let fields = told.get_mut(&item.memory).expect("it was there before");
                for (key, value) in &before {
                    assert_eq!(fields.get(key).unwrap_or(&Value::Null), value, "{key}");
                }
                apply_patch(fields, &after);
            }
            (Some(_), None) => drop(told.remove(&item.memory).expect("it was there before")),
            (None, None) => {}
        }
    }
    let known = |(id, mut fields): (MemoryId, Map<String, Value>)| {
        fields.retain(|key, _| !matches!(key.as_str(), "access_count" | "last_accessed_at"));
        (id, Value::Object(fields))
    };
    told.into_iter().map(known).collect()
}

fn check_invariants(engine: &Engine<'_>, model: &Model) {
    let mut in_use = BTreeSet::new();
    let mut shorts: BTreeSet<ShortId> = BTreeSet::new();
    for (id, entry) in &model.memories {
        assert!(shorts.insert(id.short()), "two memories share {}", id.short());
        let found = search(engine, FACTS[entry.fact]).contains(id);
        assert_eq!(found, entry.state == StatusKind::Active, "{entry:?}");
        let found = search(engine, NAMES[entry.fact]).contains(id);
        assert_eq!(found, entry.state == StatusKind::Active, "by name: {entry:?}");
        if entry.state == StatusKind::Active {
            assert!(in_use.insert(entry.fact), "two memories in use say the same");
        }
    }
    assert_eq!(replayed(engine), state(engine), "the history tells another story");
    let store = engine.store(StoreScope::Project).expect("a store");
    let check = store.check(true).expect("a check");
    assert_eq!((check.problems, check.unindexed), (vec![], 0));
    let listed = engine
        .list(None, &Filter::default(), tacit_store::ListOrder::Newest, usize::MAX, 0)
        .expect("a list");
    assert_eq!(listed.len(), in_use.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn engine_matches_the_model(steps in prop::collection::vec(step(), 1..50)) {
        let world = World::new();
        let mut engine = world.engine();
        let mut model = Model::default();
        for step in &steps {
            if matches!(step, Step::Reopen) {
                engine = world.engine();
            }
            perform(&world, &mut engine, &mut model, step);
            prop_assert_eq!(&described(&engine), &model.memories, "after {:?}", step);
        }
        check_invariants(&engine, &model);
    }
}

#[test]
fn active_duplicates_are_reinforced_despite_forgotten_ones() {
    let world = World::new();
    let mut engine = world.engine();
    let first = crate::kept(keep(&mut engine, "one"));
    let second = crate::kept(keep(&mut engine, "two"));
    engine.forget(&first.id.to_string(), ForgetMode::Retire, reason("wrong")).unwrap();
    let patch = json!({"content": "one"});
    engine.edit(&second.id.to_string(), patch.as_object().unwrap(), None).unwrap();
    let again = keep(&mut engine, "one");
    assert_eq!(again.outcome, RememberOutcome::Reinforced);
    assert_eq!(crate::kept(again).id, second.id);
    assert!(export(&engine).contains("\"observations\":2"));
}
