//! Observation: from the session log to memories.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tacit_core::log::{AgentNote, CheckRecord, LogRow, NoteRecord, decode};
use tacit_core::{BuiltinType, Clock, Memory, SessionId, WorkUnitRef};
use tacit_engine::{Engine, ForgetMode, ObservationSummary, StoreAccess, StoreScope};
use tacit_models::EmbedError;
use tacit_store::{ActivityBatch, Event, Filter, ListOrder, Note, SessionChange, SessionUpdate};

use super::hyde::Oracle;
use super::{World, export};

const OK: &str = "test result: ok. 3 passed; 0 failed; 0 ignored";
const ERROR: &str = "Exit code 101\n---- pages::are_counted stdout ----\n\n\
     thread 'pages::are_counted' panicked at tests/pages.rs:9:5:\n`count_pages` lost a page\n\n\
     test result: FAILED. 2 passed; 1 failed; 0 ignored";

fn name(session: &str) -> SessionId {
    session.parse().expect("a session")
}

/// A session that is logged step by step.
struct Agent<'w> {
    world: &'w World,
    session: &'static str,
    count: std::cell::Cell<usize>,
}

impl<'w> Agent<'w> {
    fn new(world: &'w World, session: &'static str) -> Agent<'w> {
        Agent { world, session, count: std::cell::Cell::new(0) }
    }

    fn record(
        &self,
        kind: &str,
        subject: Option<&str>,
        body: &Value,
        change: SessionChange,
    ) -> &Self {
        let number = self.count.get();
        self.count.set(number + 1);
        // One time step per event, so that times give the order.
        let at = self.world.clock.now().plus_days(number as f64 / 86_400.0);
        let row = LogRow {
            kind: kind.into(),
            tool: None,
            subject: subject.map(Into::into),
            body: body.to_string().into(),
        };
        let event = Event {
            id: format!("{}-{number:05}", self.session),
            session: name(self.session),
            at,
            record: decode(row).expect("a record"),
        };
        let update = SessionUpdate {
            id: name(self.session),
            client: "claude".into(),
            at,
            change,
            held_out: None,
        };
        let record = ActivityBatch {
            sessions: vec![update],
            events: vec![event],
            ..ActivityBatch::default()
        };
        self.world.open(StoreAccess::Session).record(record).expect("recorded");
        self
    }

    fn told(&self, subject: Option<&str>, what: &Value) -> &Self {
        let body = json!({"client": "claude", "session": self.session, "cwd": "/p", "what": what});
        let kind = what.as_object().and_then(|what| what.keys().next()).expect("a kind");
        self.record(kind, subject, &body, SessionChange::Seen)
    }

    fn edits(&self, file: &str) -> &Self {
        let kind = json!({"edit": {"file": format!("/p/{file}"), "old": "count_pages(1);", "new": "count_pages(2);"}});
        self.told(Some(file), &json!({"tool_finished": {"tool": {"name": "Edit", "kind": kind}}}))
    }

    fn fails(&self, command: &str, error: &str) -> &Self {
        let tool = json!({"name": "Bash", "kind": {"shell": {"command": command}}});
        let failure = json!({"error": error, "exit_code": 101, "cause": "ran"});
        self.told(Some(command), &json!({"tool_failed": {"tool": tool, "failure": failure}}))
    }

    fn runs(&self, command: &str, output: &str) -> &Self {
        let tool = json!({"name": "Bash", "kind": {"shell": {"command": command}}});
        self.told(
            Some(command),
            &json!({"tool_finished": {"tool": tool, "outcome": {"text": output}}}),
        )
    }

    fn uses_app(&self, tool: &str, target: &str, answer: &str) -> &Self {
        let kind = json!({"mcp": {"server": "electron", "tool": tool, "input": {"text": target}}});
        let tool = json!({"name": format!("mcp__electron__{tool}"), "kind": kind});
        self.told(None, &json!({"tool_finished": {"tool": tool, "outcome": {"text": answer}}}))
    }

    fn stops(&self, message: &str) -> &Self {
        self.told(None, &json!({"turn_stopped": {"last_message": message}}))
    }

    fn unit(&self, unit: &str, status: &str) -> &Self {
        let hierarchy: Vec<&str> = unit.split('/').collect();
        let work_unit = json!({"methodology": "native", "hierarchy": hierarchy, "label": unit});
        let body = json!({"work_unit": work_unit, "status": status});
        self.record("work_unit", Some(unit), &body, SessionChange::Seen)
    }

    fn notes(&self, text: &str) -> &Self {
        let number = self.count.get();
        let note = Note {
            id: format!("{}-note-{number}", self.session),
            session: name(self.session),
            at: self.world.clock.now().plus_days(number as f64 / 86_400.0),
            text: text.into(),
            files: vec![],
            record: NoteRecord::Agent(AgentNote {
                memory_type: BuiltinType::Gotcha.into(),
                by: None,
            }),
        };
        let record = ActivityBatch { notes: vec![note], ..ActivityBatch::default() };
        self.world.open(StoreAccess::Session).record(record).expect("recorded");
        self
    }

    fn ends(&self) {
        let what = json!({"session_ended": {}});
        let body = json!({"client": "claude", "session": self.session, "what": what});
        self.record("session_ended", None, &body, SessionChange::Ended("other".into()));
    }

    /// Fails, changes a file, passes.
    fn fixes(&self, file: &str) {
        self.edits("src/other.rs")
            .fails("cargo test", ERROR)
            .edits(file)
            .runs("cargo test", OK)
            .ends();
    }
}

fn observe(world: &World) -> ObservationSummary {
    world.engine().observe_pending().expect("observed")
}

fn memories(engine: &Engine<'_>) -> Vec<Memory> {
    let found =
        engine.list(Some(StoreScope::Project), &Filter::default(), ListOrder::Oldest, 100, 0);
    found.expect("a list").into_iter().map(|found| found.memory).collect()
}

fn contents(world: &World) -> Vec<String> {
    memories(&world.engine()).iter().map(|memory| memory.body.content.to_string()).collect()
}

#[test]
fn sessions_are_learnt_from_once() {
    let world = World::new();
    let agent = Agent::new(&world, "s");
    agent.fixes("src/a.rs");
    let first = observe(&world);
    assert_eq!((first.sessions, first.stored), (1, 1));
    let before = export(&world.engine());
    assert_eq!(observe(&world), ObservationSummary::default(), "nothing is left to look at");
    // Observing it again teaches nothing new.
    let again = world.engine().observe_session(&name("s")).expect("observed");
    assert_eq!((again.stored, again.reinforced, again.updated), (0, 0, 0));
    assert_eq!(export(&world.engine()), before);
    // After more activity, only the new part is learnt.
    agent.notes("Sizes are counted in pages of four kilobytes").runs("cargo test", OK).ends();
    let later = observe(&world);
    assert_eq!((later.sessions, later.stored, later.reinforced), (1, 1, 0));
    let memory = &memories(&world.engine())[0];
    assert_eq!(memory.observations, 1);
    assert_eq!(memory.body.origin.generator.as_ref().map(|by| by.as_str()), Some("rules"));
}

#[test]
fn repeated_conclusions_confirm_memories() {
    let world = World::new();
    Agent::new(&world, "one").fixes("src/a.rs");
    observe(&world);
    // The same error and file, fixed by another change.
    let two = Agent::new(&world, "two");
    two.edits("src/x.rs")
        .fails("cargo test --lib", ERROR)
        .edits("src/a.rs")
        .runs("cargo test --lib", OK)
        .ends();
    let observed = observe(&world);
    assert_eq!((observed.stored, observed.reinforced), (0, 1));
    let known = memories(&world.engine());
    assert_eq!(known.len(), 1);
    assert_eq!((known[0].observations, known[0].body.origin.sessions.len()), (2, 2));
    // Another file is another memory.
    Agent::new(&world, "three").fixes("src/b.rs");
    observe(&world);
    let errors = contents(&world).iter().filter(|text| text.contains("lost a page")).count();
    assert_eq!(errors, 2);
}

#[test]
fn forgotten_memories_stay_forgotten() {
    let world = World::new();
    Agent::new(&world, "one").fixes("src/a.rs");
    observe(&world);
    let id = memories(&world.engine())[0].id.to_string();
    world.engine().forget(&id, ForgetMode::Retire, super::reason("wrong")).expect("forgotten");
    Agent::new(&world, "two").fixes("src/a.rs");
    observe(&world);
    assert_eq!(contents(&world), Vec::<String>::new());
}

#[test]
fn nothing_is_learnt_before_a_check_passes() {
    let world = World::new();
    let agent = Agent::new(&world, "s");
    agent
        .edits("src/a.rs")
        .edits("src/b.rs")
        .notes("Sizes are counted in pages of four kilobytes")
        .ends();
    assert_eq!(observe(&world).stored, 0);
    let explained = world.engine().explain_session(&name("s")).expect("explained");
    assert!(explained.concluded && explained.verdict == "nothing was checked", "{explained:?}");
    assert!(explained.considered.iter().any(|one| one.why == "nothing was checked"));
    world.clock.advance_hours(1);
    let report = CheckRecord { passed: true, by: Some("ada".to_owned()), ..CheckRecord::default() };
    world.engine().report_validation(&name("s"), report).expect("reported");
    assert_eq!(observe(&world).stored, 1);
}

#[test]
fn sibling_units_wait_for_each_other() {
    let world = World::new();
    let one = Agent::new(&world, "one");
    one.unit("spec/u1", "started").edits("src/a.rs").edits("src/b.rs").runs("cargo test", OK);
    one.notes("Sizes are counted in pages of four kilobytes").unit("spec/u1", "succeeded").ends();
    let two = Agent::new(&world, "two");
    two.unit("spec/u2", "started").edits("src/c.rs").edits("src/d.rs");
    let observed = observe(&world);
    assert_eq!((observed.stored, observed.waiting), (0, 1), "the second is not done");
    two.runs("cargo test", OK).unit("spec/u2", "succeeded").ends();
    let observed = observe(&world);
    assert_eq!((observed.sessions, observed.waiting), (2, 2), "more may come");
    let three = Agent::new(&world, "three");
    three.unit("spec", "succeeded").ends();
    let observed = observe(&world);
    assert_eq!((observed.sessions, observed.waiting), (3, 0));
    assert_eq!(contents(&world), ["Sizes are counted in pages of four kilobytes"]);
}

#[test]
fn sessions_on_one_unit_form_one_tree() {
    let world = World::new();
    let (one, two) = (Agent::new(&world, "one"), Agent::new(&world, "two"));
    one.unit("spec", "started").edits("src/a.rs").fails("cargo test", ERROR);
    two.unit("spec", "started").edits("src/b.rs");
    world.clock.advance_hours(1);
    one.runs("cargo test", OK).ends();
    two.ends();
    observe(&world);
    let explained = world.engine().explain_session(&name("two")).expect("explained");
    assert_eq!(explained.session, name("one"), "{explained:?}");
    assert!(explained.verdict.starts_with("passed"));
}

#[test]
fn reports_about_a_unit_reach_its_sessions() {
    let world = World::new();
    let agent = Agent::new(&world, "s");
    agent.unit("spec/u1", "started").edits("src/a.rs").edits("src/b.rs");
    agent.notes("Sizes are counted in pages of four kilobytes").ends();
    observe(&world);
    let unit = WorkUnitRef::new("native", vec!["spec".into(), "u1".into()], "u1").expect("a unit");
    let report = CheckRecord {
        passed: true,
        work_unit: Some(unit),
        by: Some("ada".to_owned()),
        ..CheckRecord::default()
    };
    world.clock.advance_hours(1);
    let reached = world.engine().report_validation(&name("elsewhere"), report);
    assert_eq!(reached.expect("reported"), [name("s")]);
    assert_eq!(observe(&world).waiting, 1, "more units may come");
    world.clock.advance_hours(24);
    observe(&world);
    assert!(contents(&world).contains(&"Sizes are counted in pages of four kilobytes".to_owned()));
}

#[test]
fn co_used_files_are_linked() {
    let world = World::new();
    for session in ["one", "two", "three"] {
        Agent::new(&world, session)
            .edits("src/a.rs")
            .edits("deploy/b.yaml")
            .runs("cargo test", OK)
            .ends();
    }
    observe(&world);
    let engine = world.engine();
    let store = engine.store(StoreScope::Project).expect("a store");
    let path = |text: &str| tacit_core::RepoPath::new(text).expect("a path");
    let tie = store
        .file_affinity(&path("deploy/b.yaml"), &path("src/a.rs"))
        .expect("a tie")
        .expect("they are tied");
    assert_eq!((tie.weight, tie.sessions, tie.directional), (1.0, 3, true));
    assert_eq!(contents(&world), Vec::<String>::new(), "a statistic is not listed");
    let types = vec![BuiltinType::CausalDependency.into()];
    let filter = Filter { types, ..Filter::default() };
    let listed = engine.list(None, &filter, ListOrder::Oldest, 100, 0).expect("a list");
    let [pair] = &listed[..] else { panic!("one pair: {listed:?}") };
    let text = pair.memory.body.content.as_str();
    assert!(text.starts_with("`deploy/b.yaml` and `src/a.rs` are used together"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn repeated_observation_adds_nothing(
        acts in prop::collection::vec((0..5_u8, 0..3_u8), 1..25),
        looks in prop::collection::vec(any::<bool>(), 25),
    ) {
        // Observations in between do not change the final result.
        let known = |looks: &[bool]| {
            let world = World::new();
            let agent = Agent::new(&world, "s");
            agent.runs("ls", "");
            for ((act, which), look) in acts.iter().zip(looks) {
                let file = format!("src/f{which}.rs");
                match act {
                    0 => { agent.edits(&file); }
                    1 => { agent.fails("cargo test", ERROR); }
                    2 => { agent.runs("cargo test", OK); }
                    3 => { agent.notes(&format!("Something of kind {which} was found out")); }
                    _ => { agent.runs("ls", ""); }
                }
                if *look {
                    world.engine().observe_session(&name("s")).expect("observed");
                }
            }
            agent.ends();
            observe(&world);
            let once = export(&world.engine());
            world.engine().observe_session(&name("s")).expect("observed");
            prop_assert_eq!(&export(&world.engine()), &once, "replaying adds nothing");
            Ok(())
        };
        known(&looks)?;
    }
}

/// The last message of a turn, and a lesson from it.
const SAID: &str = "Done. The cache of `build.rs` is keyed by path only, hence the old types.";
const LESSON: &str =
    "The cache of `build.rs` is keyed by path only: delete it after a type changes.";

fn written(text: &str, quote: &str) -> String {
    json!({"text": text, "type": "gotcha", "files": ["src/a.rs"], "quote": quote}).to_string()
}

/// Creates a world in which a session fixed a failure and said why.
fn taught() -> World {
    let world = World::new();
    let agent = Agent::new(&world, "s");
    agent.fails("cargo test", ERROR).edits("src/a.rs").runs("cargo test", OK).stops(SAID).ends();
    world
}

fn observe_with(world: &World, oracle: &Arc<Oracle>) -> ObservationSummary {
    world.engine().with_generator(oracle.clone()).observe_pending().expect("observed")
}

#[test]
fn a_text_model_writes_lessons_once_a_session() {
    let world = taught();
    let answer = format!(
        "{}\n{}",
        written(LESSON, "`build.rs` is keyed by path only"),
        written("The cache of `build.rs` must be deleted each day.", "deleted each day")
    );
    let oracle = Oracle::saying(&answer);
    let engine = world.engine().with_generator(oracle.clone());
    engine.explain_session(&name("s")).expect("explained");
    drop(engine);
    assert!(oracle.asked().is_empty(), "an explanation asks nobody");
    observe_with(&world, &oracle);
    let [prompt] = &oracle.asked()[..] else { panic!("one call") };
    for part in [SAID, "Failed: `cargo test`: ", "Changed: src/a.rs"] {
        assert!(prompt.user.contains(part), "{part}: {}", prompt.user);
    }
    let all = memories(&world.engine());
    let lessons: Vec<&Memory> =
        all.iter().filter(|memory| memory.body.content.as_str() == LESSON).collect();
    let [lesson] = &lessons[..] else { panic!("one lesson: {all:?}") };
    assert_eq!(lesson.to_json()["generator"], "oracle/of:delphi");
    assert!(all.len() > 1, "the rules go on: {all:?}");
    assert!(!contents(&world).iter().any(|text| text.contains("each day")), "it is not proved");
    let considered = world.engine().explain_session(&name("s")).expect("explained").considered;
    assert!(considered.iter().any(|one| one.why == "its quote does not stand in the session"));

    world.engine().with_generator(oracle.clone()).observe_session(&name("s")).expect("observed");
    assert_eq!(oracle.asked().len(), 1, "each session once");
}

#[test]
fn the_rules_stand_if_the_text_model_fails() {
    let rules = {
        let world = taught();
        observe(&world);
        contents(&world)
    };
    for oracle in [
        Oracle::saying("Sure! There is a lot to learn here."),
        Oracle::saying("[]"),
        Oracle::failing(EmbedError::Misconfigured("it needs a key".into())),
    ] {
        let world = taught();
        observe_with(&world, &oracle);
        assert_eq!(oracle.asked().len(), 1);
        assert_eq!(contents(&world), rules);
    }
    // A model that failed is not asked about the next session.
    let world = taught();
    let other = Agent::new(&world, "t");
    other.fails("cargo test", ERROR).edits("src/b.rs").runs("cargo test", OK).stops(SAID).ends();
    let oracle = Oracle::saying("no");
    observe_with(&world, &oracle);
    assert_eq!(oracle.asked().len(), 1);
}

#[test]
fn a_text_model_is_not_asked_without_a_reason() {
    let answer = written(LESSON, "`build.rs` is keyed by path only");
    let oracle = Oracle::saying(&answer);
    let world = World::new();
    let calm = Agent::new(&world, "calm");
    calm.edits("src/a.rs").runs("cargo test", OK).stops("Done.").ends();
    let broken = Agent::new(&world, "broken");
    broken.edits("src/a.rs").fails("cargo test", ERROR).edits("src/a.rs");
    broken.fails("cargo test", ERROR).stops(SAID).ends();
    observe_with(&world, &oracle);
    assert!(oracle.asked().is_empty(), "nothing taught anything, or the work failed");
    for extractor in ["rules", "agent", "off"] {
        let mut world = taught();
        world.config.capture_extractor = extractor.to_owned();
        observe_with(&world, &oracle);
        assert!(oracle.asked().is_empty(), "{extractor}");
    }
}

/// Creates a world in which a session tried the application, and its tests passed.
fn tried_out() -> World {
    let world = World::new();
    let agent = Agent::new(&world, "s");
    agent
        .uses_app("get_page_structure", "", "The memory panel is empty: Graphiti is turned off")
        .uses_app("click_by_text", "Turn on", "Clicked")
        .uses_app("click_by_text", "Memories", "Clicked")
        .runs("cargo test", OK)
        .ends();
    world
}

#[test]
fn a_text_model_classifies_what_the_application_showed() {
    const SEEN: &str = "The memory panel stays empty until Graphiti is on: click `Turn on` first.";
    let line = |kind: &str, text: &str, calls: &[usize]| {
        json!({"kind": kind, "text": text, "calls": calls}).to_string()
    };
    let invented = "`Refresh` must be clicked before the memories are shown.";
    let answer = [line("A", SEEN, &[1, 2]), line("C", invented, &[1])].join("\n");
    let world = tried_out();
    let oracle = Oracle::saying(&answer);
    observe_with(&world, &oracle);
    let [prompt] = &oracle.asked()[..] else { panic!("one call: {:?}", oracle.asked()) };
    for part in ["1. get_page_structure", "2. click_by_text `Turn on`: Clicked", "<call_data>"] {
        assert!(prompt.user.contains(part), "{part}: {}", prompt.user);
    }
    let all = memories(&world.engine());
    let [seen] = &all[..] else { panic!("one observation: {all:?}") };
    let seen = seen.to_json();
    assert_eq!(seen["content"], SEEN);
    assert_eq!(seen["type"], "e2e_observation");
    assert_eq!(seen["details"]["observation_type"], "precondition");
    assert_eq!(seen["details"]["mcp_tool_used"], "click_by_text");
    assert_eq!((&seen["source"], &seen["confidence"]), (&json!("mcp_auto"), &json!(0.75)));
    assert_eq!(
        (&seen["review"], &seen["generator"]),
        (&json!("needed"), &json!("oracle/of:delphi"))
    );
    let considered = world.engine().explain_session(&name("s")).expect("explained").considered;
    assert!(considered.iter().any(|one| one.why == "it names something that no call contains"));
    world.engine().with_generator(oracle.clone()).observe_session(&name("s")).expect("observed");
    assert_eq!(oracle.asked().len(), 1, "each session once");

    for oracle in [Oracle::saying("A: it is off"), Oracle::saying("[]")] {
        let world = tried_out();
        observe_with(&world, &oracle);
        assert_eq!((oracle.asked().len(), contents(&world).len()), (1, 0));
    }
}
