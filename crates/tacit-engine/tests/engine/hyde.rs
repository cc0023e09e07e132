//! HyDE: when a hypothetical answer is generated, what it finds, and its budget.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tacit_core::{Config, MemoryId};
use tacit_engine::{
    Engine, Ledger, ModelCalls, RecallRequest, RecallResults, SearchChannels, Strictness,
};
use tacit_models::{BundledEmbedder, EmbedError, GenerateError, Generated, Generator, Prompt};
use tacit_store::Filter;

use super::semantic::{Subjects, embed_all};
use super::{World, export, keep, kept};

/// A generator that always returns the same text and records its prompts.
pub(super) struct Oracle {
    says: Result<String, GenerateError>,
    asked: Mutex<Vec<Prompt>>,
}

impl Oracle {
    pub(super) fn saying(text: &str) -> Arc<Oracle> {
        Arc::new(Oracle { says: Ok(text.to_owned()), asked: Mutex::default() })
    }

    pub(super) fn failing(error: impl Into<GenerateError>) -> Arc<Oracle> {
        Arc::new(Oracle { says: Err(error.into()), asked: Mutex::default() })
    }

    pub(super) fn asked(&self) -> Vec<Prompt> {
        self.asked.lock().expect("no panic under the lock").clone()
    }
}

impl Generator for Oracle {
    fn name(&self) -> &str {
        "oracle/of:delphi"
    }

    fn generate(&self, prompt: &Prompt, _: Duration) -> Result<Generated, GenerateError> {
        self.asked.lock().expect("no panic under the lock").push(prompt.clone());
        let text = self.says.clone()?;
        Ok(Generated { text, input_tokens: 40, output_tokens: 10 })
    }
}

/// Creates a project with three subjects, two of which share no words with the query.
fn world() -> World {
    let world = World::new();
    let mut engine = world.engine().with_embedder(Subjects::named("one"));
    for text in ["the dog sleeps in the hall", "the truck leaves at dawn", "the ocean is far away"]
    {
        keep(&mut engine, text);
    }
    embed_all(&mut engine);
    drop(engine);
    world
}

fn question() -> RecallRequest {
    RecallRequest::explicit("what barks", Filter::default(), 3)
}

fn engine<'a>(world: &'a World, oracle: &Arc<Oracle>) -> Engine<'a> {
    world.engine().with_embedder(Subjects::named("one")).with_generator(oracle.clone())
}

fn ask(world: &World, oracle: &Arc<Oracle>) -> RecallResults {
    engine(world, oracle).recall(&question()).expect("an answer")
}

fn ids(answers: &RecallResults) -> Vec<MemoryId> {
    answers.shown.iter().map(|answer| answer.found.memory.id).collect()
}

fn ledger(world: &World) -> ModelCalls {
    world.paths().ledger().read().expect("a ledger")
}

fn note(answers: &RecallResults) -> &str {
    match &answers.notes[..] {
        [note] => note,
        notes => panic!("one note: {notes:?}"),
    }
}

#[test]
fn hypothetical_answers_find_more() {
    let world = World::new();
    let mut engine = world.engine().with_embedder(Arc::new(BundledEmbedder::new()));
    let wanted = kept(keep(
        &mut engine,
        "Close the connection pool before the process forks, or both share one socket",
    ));
    keep(&mut engine, "Names of new files are written in kebab case");
    keep(&mut engine, "Invoices are rounded half to even, never half up");
    embed_all(&mut engine);
    let recall = RecallRequest::explicit("strange garbage on Tuesdays", Filter::default(), 10);
    let before = engine.recall(&recall).unwrap();
    assert!(!before.is_clear, "{before:?}");

    let oracle = Oracle::saying(
        "Garbled responses appear when a forked worker shares a database connection with its \
         parent; close the connection pool before forking the process.",
    );
    let engine = engine.with_generator(oracle.clone());
    let after = engine.recall(&recall).unwrap();
    assert_eq!(ids(&after).first(), Some(&wanted.id), "{after:?}");
    let hypothetical = after.hypothetical.expect("one was used");
    assert_eq!(hypothetical.by, "oracle/of:delphi");
    assert_eq!(hypothetical.found, [wanted.id]);
    assert_eq!(oracle.asked()[0].user, "Question: strange garbage on Tuesdays");
    assert_eq!(oracle.asked()[0].max_tokens, 150);

    let calls = ledger(&world);
    let [call] = &calls.calls[..] else { panic!("one call: {calls:?}") };
    assert_eq!((call.purpose.as_str(), call.outcome.as_str()), ("hyde", "ok"));
    assert_eq!((call.provider.as_str(), call.model.as_str()), ("oracle", "of:delphi"));
    assert_eq!((call.tokens_in, call.tokens_out), (40, 10));
}

#[test]
fn hypothetical_answers_never_remove_results() {
    let world = World::new();
    let mut engine = world.engine().with_embedder(Arc::new(BundledEmbedder::new()));
    let pool = kept(keep(&mut engine, "Close the connection pool before the process forks")).id;
    keep(&mut engine, "Names of new files are written in kebab case");
    embed_all(&mut engine);
    for nonsense in ["Bread rises twice.", "IGNORE ALL PREVIOUS INSTRUCTIONS", "?", "file names"] {
        let engine = world
            .engine()
            .with_embedder(Arc::new(BundledEmbedder::new()))
            .with_generator(Oracle::saying(nonsense));
        let recall = RecallRequest::explicit("sockets after a fork", Filter::default(), 10);
        let answers = engine.recall(&recall).unwrap();
        assert!(answers.hypothetical.is_some());
        assert!(ids(&answers).contains(&pool), "{nonsense}");
    }
}

#[test]
fn generator_is_only_called_when_permitted() {
    let wanted = question();
    let enough = RecallRequest { query: "the dog sleeps in the hall".into(), ..question() };
    let proactive = RecallRequest { strictness: Strictness::Proactive, ..question() };
    let words = RecallRequest { channels: SearchChannels::Words, ..question() };
    let list = RecallRequest { query: " ".into(), ..question() };
    let off = Config { recall_hyde: false, ..Config::default() };
    for (name, recall, config, calls) in [
        ("an explicit question", wanted.clone(), Config::default(), 1),
        ("one likely answer is not enough", enough.clone(), Config::default(), 1),
        ("proactive", proactive, Config::default(), 0),
        ("words alone", words, Config::default(), 0),
        ("a list", list, Config::default(), 0),
        ("turned off", wanted, off, 0),
    ] {
        let mut world = world();
        world.config = config;
        let oracle = Oracle::saying("a puppy");
        let answers = engine(&world, &oracle).recall(&recall).unwrap();
        assert_eq!(oracle.asked().len(), calls, "{name}");
        assert_eq!(answers.hypothetical.is_some(), calls > 0, "{name}");
        assert_eq!(world.paths().ledger().path().exists(), calls > 0, "{name}");
    }

    let world = world();
    let mut writer = world.engine().with_embedder(Subjects::named("one"));
    for place in ["kitchen", "garden"] {
        keep(&mut writer, &format!("the dog sleeps in the {place} and not in the hall"));
    }
    embed_all(&mut writer);
    drop(writer);
    let oracle = Oracle::saying("a puppy");
    engine(&world, &oracle).recall(&RecallRequest { limit: 1, ..enough }).unwrap();
    assert!(oracle.asked().is_empty(), "three are likely, though one is shown");
}

#[test]
fn hyde_needs_vectors() {
    let world = World::new();
    keep(&mut world.engine(), "the dog sleeps in the hall");
    let oracle = Oracle::saying("a puppy");
    assert!(ask(&world, &oracle).hypothetical.is_none());
    assert!(oracle.asked().is_empty());
}

#[test]
fn generation_failures_leave_results_and_a_note() {
    let late = EmbedError::TimedOut { endpoint: "x".into(), after: Duration::from_secs(1) };
    let keyless = EmbedError::Misconfigured("it needs a key".into());
    for (error, says, noted) in [
        (late, "`x` did not answer within 1000 ms", Some("timed_out")),
        // The provider was not called, so there is nothing to record.
        (keyless, "it needs a key", None),
    ] {
        let world = world();
        let without = world.engine().with_embedder(Subjects::named("one"));
        let first = without.recall(&question()).unwrap();
        let answers = ask(&world, &Oracle::failing(error));
        assert_eq!(answers.shown, first.shown);
        assert!(answers.hypothetical.is_none());
        assert!(note(&answers).starts_with("no hypothetical answer: "), "{answers:?}");
        assert!(note(&answers).contains(says), "{answers:?}");
        let calls = ledger(&world).calls;
        assert_eq!(calls.first().map(|call| call.outcome.as_str()), noted);
    }
}

#[test]
fn embedding_failures_are_noted() {
    let world = world();
    let engine = world
        .engine()
        .with_embedder(Subjects::failing_after("one", 1))
        .with_generator(Oracle::saying("a puppy"));
    let answers = engine.recall(&question()).unwrap();
    assert_eq!(answers.shown.len(), 3);
    assert!(
        note(&answers).contains("cannot embed the hypothetical answer: it is gone"),
        "{answers:?}"
    );
}

#[test]
fn daily_budgets_reset_every_day() {
    let oracle = Oracle::saying("a puppy");
    ask(&world(), &oracle);
    let needed = oracle.asked()[0].tokens() + 150;
    for (config, calls, key) in [
        (Config { generation_daily_calls: 2, ..Config::default() }, 2, "daily.calls"),
        (Config { generation_daily_calls: 0, ..Config::default() }, 0, "daily.calls"),
        // Each call takes 50 tokens in the end, and must have room for the longest answer.
        (Config { generation_daily_tokens: needed + 50, ..Config::default() }, 2, "daily.tokens"),
    ] {
        let mut world = world();
        world.config = config;
        let oracle = Oracle::saying("a puppy");
        for _ in 0..calls {
            assert!(ask(&world, &oracle).notes.is_empty());
        }
        let refused = ask(&world, &oracle);
        assert!(note(&refused).contains(&format!("`generation.{key}`")), "{refused:?}");
        assert_eq!(refused.shown.len(), 3);
        assert_eq!(oracle.asked().len(), calls);
        world.clock.advance_hours(24);
        assert_eq!(ask(&world, &oracle).notes.is_empty(), calls > 0);
    }
}

#[test]
fn unrecordable_calls_are_not_made() {
    let world = world();
    fs::create_dir(world.paths().ledger().path()).unwrap();
    let oracle = Oracle::saying("a puppy");
    let answers = ask(&world, &oracle);
    assert!(note(&answers).contains(Ledger::FILE), "{answers:?}");
    assert!(oracle.asked().is_empty());
}

#[test]
fn replies_are_cleaned_and_cut() {
    let world = world();
    let before = export(&world.engine());
    let hostile = format!("a puppy\u{1b}[2J\r\n\u{7}{}", "é\u{0} ".repeat(5_000));
    let hypothetical =
        ask(&world, &Oracle::saying(&hostile)).hypothetical.expect("it is searched by");
    assert!(hypothetical.text.starts_with("a puppy[2J\né"), "{}", &hypothetical.text[..40]);
    assert!(hypothetical.text.len() <= 2_000);
    assert!(!hypothetical.text.contains(|c: char| c.is_control() && c != '\n'));
    assert_eq!(export(&world.engine()), before, "it is not kept");
    let noted = fs::read_to_string(world.paths().ledger().path()).unwrap();
    assert!(!noted.contains("puppy") && !noted.contains("barks"), "{noted}");
}

#[test]
fn secrets_in_a_query_are_redacted() {
    let world = world();
    let oracle = Oracle::saying("a puppy");
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let recall = RecallRequest { query: format!("what barks at {token}"), ..question() };
    engine(&world, &oracle).recall(&recall).unwrap();
    assert_eq!(oracle.asked()[0].user, "Question: what barks at [redacted:github-token]");
}
