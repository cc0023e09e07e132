//! Semantic search with damaged files and changing models.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tacit_core::MemoryId;
use tacit_engine::{Engine, EngineError, RecallRequest, StoreScope, Strictness};
use tacit_models::{EmbedError, Embedder, EmbedderReach, ModelId, TextKind};
use tacit_store::Filter;

use super::{World, keep, kept};

/// An embedder that knows three subjects by synonyms.
pub(super) struct Subjects {
    model: ModelId,
    /// The number of calls after which it fails.
    calls_left: AtomicUsize,
}

impl Subjects {
    pub(super) fn named(name: &str) -> Arc<Subjects> {
        Subjects::failing_after(name, usize::MAX)
    }

    pub(super) fn failing_after(name: &str, calls: usize) -> Arc<Subjects> {
        Arc::new(Subjects { model: ModelId::new(name, 8), calls_left: AtomicUsize::new(calls) })
    }
}

impl Embedder for Subjects {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn reach(&self) -> EmbedderReach {
        EmbedderReach::Bundled
    }

    fn embed(
        &self,
        texts: &[&str],
        _: TextKind,
        _: Option<Duration>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let left = self.calls_left.load(Ordering::Relaxed);
        if left == 0 {
            return Err(EmbedError::Misconfigured("it is gone".into()));
        }
        self.calls_left.store(left - 1, Ordering::Relaxed);
        let groups =
            [["puppy", "dog", "canine"], ["lorry", "truck", "van"], ["sea", "ocean", "brine"]];
        Ok(texts
            .iter()
            .map(|text| {
                let mut vector = [0.1_f32; 8];
                for (at, group) in groups.iter().enumerate() {
                    if group.iter().any(|word| text.contains(word)) {
                        vector[at] = 1.0;
                    }
                }
                let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
                vector.iter().map(|value| value / length).collect()
            })
            .collect())
    }
}

pub(super) fn embed_all(engine: &mut Engine<'_>) -> usize {
    engine.embed_pending(StoreScope::Project, usize::MAX, &mut |_, _| {}).expect("embedding")
}

fn first(engine: &Engine<'_>, question: &str) -> Option<MemoryId> {
    let recall = RecallRequest {
        strictness: Strictness::Everything,
        ..RecallRequest::explicit(question, Filter::default(), 3)
    };
    engine.recall(&recall).expect("answers").shown.first().map(|answer| answer.found.memory.id)
}

/// Stores facts about a dog, a truck and the ocean; returns the truck's identifier.
fn known(world: &World) -> MemoryId {
    let mut engine = world.engine().with_embedder(Subjects::named("one"));
    keep(&mut engine, "the dog sleeps in the hall");
    let truck = kept(keep(&mut engine, "the truck leaves at dawn")).id;
    keep(&mut engine, "the ocean is far away");
    assert_eq!(embed_all(&mut engine), 3);
    assert_eq!(embed_all(&mut engine), 0, "nothing is embedded twice");
    truck
}

fn vector_file(world: &World) -> PathBuf {
    world.paths().project.join("vectors").join("one-8.vec")
}

#[test]
fn synonyms_are_found() {
    let world = World::new();
    let truck = known(&world);
    let engine = world.engine().with_embedder(Subjects::named("one"));
    assert_eq!(first(&engine, "lorry"), Some(truck));
    let recall = RecallRequest::explicit("lorry", Filter::default(), 3);
    assert!(engine.recall(&recall).unwrap().by_meaning);
    let without = world.engine();
    assert!(!without.recall(&recall).unwrap().by_meaning);
    assert_eq!(first(&without, "lorry"), None, "words alone do not know that");
}

#[test]
fn missing_torn_or_foreign_vector_files_do_no_harm() {
    let world = World::new();
    let truck = known(&world);
    let path = vector_file(&world);
    let whole = fs::read(&path).unwrap();
    let ask = || first(&world.engine().with_embedder(Subjects::named("one")), "lorry");
    for cut in [0, 10, 4_000, 4_096, 9_000, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..cut.min(whole.len())]).unwrap();
        assert_eq!(ask(), Some(truck), "cut at {cut}");
    }
    fs::write(&path, "no vectors at all").unwrap();
    assert_eq!(ask(), Some(truck));
    fs::remove_file(&path).unwrap();
    assert_eq!(ask(), Some(truck));
    let mut engine = world.engine().with_embedder(Subjects::named("one"));
    engine.rebuild_vectors(StoreScope::Project).unwrap();
    assert!(path.exists());
    assert_eq!(ask(), Some(truck));
}

#[test]
fn old_vector_files_are_rebuilt() {
    let world = World::new();
    let truck = known(&world);
    let path = vector_file(&world);
    let current = fs::read(&path).unwrap();
    let mut older = current.clone();
    older[8..12].copy_from_slice(&1_u32.to_le_bytes());
    assert_ne!(older, current);
    fs::write(&path, &older).unwrap();
    let mut engine = world.engine().with_embedder(Subjects::named("one"));
    assert_eq!(first(&engine, "lorry"), Some(truck), "the database answers meanwhile");
    assert_eq!(embed_all(&mut engine), 0);
    assert_eq!(fs::read(&path).unwrap(), current);
    assert_eq!(first(&engine, "lorry"), Some(truck));
}

#[test]
fn outdated_vector_files_are_completed_from_the_database() {
    let world = World::new();
    known(&world);
    let old = fs::read(vector_file(&world)).unwrap();
    let mut engine = world.engine().with_embedder(Subjects::named("one"));
    let canine = kept(keep(&mut engine, "a canine needs a licence")).id;
    let van = kept(keep(&mut engine, "a van needs one as well")).id;
    embed_all(&mut engine);
    drop(engine);
    fs::write(vector_file(&world), old).unwrap();
    let engine = world.engine().with_embedder(Subjects::named("one"));
    let recall = RecallRequest {
        strictness: Strictness::Everything,
        ..RecallRequest::explicit("puppy lorry", Filter::default(), 9)
    };
    let ids: Vec<MemoryId> =
        engine.recall(&recall).unwrap().shown.iter().map(|a| a.found.memory.id).collect();
    assert!(ids.contains(&canine) && ids.contains(&van), "{ids:?}");
}

#[test]
fn edited_memories_are_found_by_their_new_text() {
    let world = World::new();
    let truck = known(&world);
    let mut engine = world.engine().with_embedder(Subjects::named("one"));
    let patch = serde_json::json!({"content": "the brine corrodes everything"});
    engine.edit(&truck.to_string(), patch.as_object().unwrap(), None).unwrap();
    assert_eq!(embed_all(&mut engine), 1);
    assert_ne!(first(&engine, "lorry"), Some(truck));
    let patch = serde_json::json!({"title": "Corrosion"});
    engine.edit(&truck.to_string(), patch.as_object().unwrap(), None).unwrap();
    assert_eq!(embed_all(&mut engine), 1, "the title is embedded too");
    engine.retag(&truck.to_string(), &["salt".parse().unwrap()], &[]).unwrap();
    assert_eq!(embed_all(&mut engine), 0, "tags are not");
}

/// Stores many memories, embeds all with a model and some with another, which then fails.
fn embed_by_one_and_half_by_two(world: &World) {
    let mut engine = world.engine();
    for number in 0..40 {
        keep(&mut engine, &format!("filler sentence with the number {number} and nothing else"));
    }
    drop(engine);
    embed_all(&mut world.engine().with_embedder(Subjects::named("one")));
    let mut engine = world.engine().with_embedder(Subjects::failing_after("two", 1));
    let error = engine
        .embed_pending(StoreScope::Project, usize::MAX, &mut |_, _| {})
        .expect_err("the server fails");
    assert!(matches!(error, EngineError::Embedding(_)), "{error}");
}

#[test]
fn new_models_become_active_when_complete() {
    let world = World::new();
    let truck = known(&world);
    embed_by_one_and_half_by_two(&world);
    let old = world.engine().with_embedder(Subjects::named("one"));
    assert_eq!(old.models(StoreScope::Project).unwrap()[0].model.name, "one");
    assert_eq!(first(&old, "lorry"), Some(truck), "the old model still answers");
    drop(old);
    let mut engine = world.engine().with_embedder(Subjects::named("two"));
    let asked = engine.recall(&RecallRequest::explicit("lorry", Filter::default(), 3)).unwrap();
    assert!(asked.notes.iter().any(|note| note.contains("tacit maintain")), "{:?}", asked.notes);
    let rest = embed_all(&mut engine);
    assert!(rest > 0 && rest < 43, "it goes on where it stopped: {rest}");
    let models = engine.models(StoreScope::Project).unwrap();
    assert_eq!(models.len(), 1);
    assert_eq!(models[0].model.name, "two");
    assert_eq!(first(&engine, "lorry"), Some(truck));
}

#[test]
fn embedding_failures_fall_back_to_words() {
    let world = World::new();
    let truck = known(&world);
    let engine = world.engine().with_embedder(Subjects::failing_after("one", 0));
    assert_eq!(first(&engine, "truck"), Some(truck));
    let asked = engine.recall(&RecallRequest::explicit("truck", Filter::default(), 3)).unwrap();
    assert!(asked.notes.iter().any(|note| note.contains("by words alone")), "{:?}", asked.notes);
    assert!(!asked.by_meaning);
}

#[test]
fn concurrent_embedders_lose_nothing() {
    let world = World::new();
    let paths = world.paths();
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let paths = paths.clone();
            scope.spawn(move || {
                let clock = tacit_testkit::time::ManualClock::default();
                clock.advance_hours(writer);
                let ids = tacit_testkit::time::FixedIds::default();
                let config = tacit_core::Config::default();
                let actor = tacit_core::Author::new("writer").expect("a name");
                let needs = tacit_engine::StoreAccess::Write(StoreScope::Project);
                let mut engine = Engine::open(paths, config, needs, &clock, &ids, actor)
                    .expect("an engine")
                    .with_embedder(Subjects::named("one"));
                for number in 0..30 {
                    keep(&mut engine, &format!("writer {writer} says {number} of the dog"));
                    engine
                        .embed_pending(StoreScope::Project, 4, &mut |_, _| {})
                        .expect("embedding");
                }
            });
        }
    });
    let mut engine = world.engine().with_embedder(Subjects::named("one"));
    embed_all(&mut engine);
    let recall = RecallRequest {
        strictness: Strictness::Everything,
        ..RecallRequest::explicit("puppy", Filter::default(), 200)
    };
    let answers = engine.recall(&recall).unwrap();
    let found: usize = answers.shown.iter().map(|answer| 1 + answer.folded.len()).sum();
    assert_eq!(found, 60);
}

#[test]
fn fallback_embedders_never_become_active() {
    let world = World::new();
    let truck = known(&world);
    let mut engine = world.engine().with_fallback_embedder(Subjects::named("two"), false);
    keep(&mut engine, "a puppy was seen");
    assert_eq!(embed_all(&mut engine), 0);
    drop(engine);
    let mut engine = world.engine().with_embedder(Subjects::named("one"));
    assert_eq!(embed_all(&mut engine), 1);
    assert_eq!(first(&engine, "lorry"), Some(truck));
}

#[test]
fn fallback_embedders_take_over_and_keep_what_was_made() {
    let world = World::new();
    let truck = known(&world);
    embed_all(&mut world.engine().with_embedder(Subjects::named("one")));
    // The chosen embedder is gone: memories are found by meaning again, with another one.
    let mut engine = world.engine().with_fallback_embedder(Subjects::named("two"), true);
    assert!(embed_all(&mut engine) > 0);
    assert_eq!(first(&engine, "lorry"), Some(truck));
    let active = |engine: &Engine<'_>| {
        let models = engine.models(StoreScope::Project).expect("models");
        let names = models.iter().map(|state| (state.model.name.clone(), state.active));
        names.collect::<Vec<_>>()
    };
    assert_eq!(active(&engine), [("two".to_owned(), true), ("one".to_owned(), false)]);
    drop(engine);
    // It is back, and its vectors are still there.
    let mut engine = world.engine().with_embedder(Subjects::named("one"));
    assert_eq!(embed_all(&mut engine), 0);
    assert_eq!(active(&engine), [("one".to_owned(), true)]);
    assert_eq!(first(&engine, "lorry"), Some(truck));
}

#[test]
fn outages_keep_a_half_made_index() {
    let world = World::new();
    known(&world);
    embed_by_one_and_half_by_two(&world);
    for takes_over in [false, true] {
        let fallback = Subjects::named("one");
        embed_all(&mut world.engine().with_fallback_embedder(fallback, takes_over));
    }
    let rest = embed_all(&mut world.engine().with_embedder(Subjects::named("two")));
    assert!(rest > 0 && rest < 43, "it goes on where it stopped: {rest}");
}
