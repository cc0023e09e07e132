//! From the log of sessions to memories in the store.

use proptest::prelude::*;
use serde_json::{Value, json};
use tacit_core::log::{AgentNote, CheckRecord, LogRow, NoteRecord, decode};
use tacit_core::{BuiltinType, Clock, Memory, SessionId, WorkUnitRef};
use tacit_engine::{Engine, ForgetMode, ObservationSummary, StoreAccess, StoreScope};
use tacit_store::{ActivityBatch, Event, Filter, ListOrder, Note, SessionChange, SessionUpdate};

use super::{World, export};

const OK: &str = "test result: ok. 3 passed; 0 failed; 0 ignored";
const ERROR: &str = "Exit code 101\nerror[E0308]: mismatched types\n --> src/a.rs:3:5";

fn name(session: &str) -> SessionId {
    session.parse().expect("a session")
}

/// A session that is written to the log, step by step.
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
        // A moment for each step, so that their order is the order of their times.
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
        let update = SessionUpdate { id: name(self.session), client: "claude".into(), at, change };
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
        let kind = json!({"edit": {"file": format!("/p/{file}"), "old": "let a = 1;", "new": "let a = 2;"}});
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
fn a_session_teaches_once() {
    let world = World::new();
    let agent = Agent::new(&world, "s");
    agent.fixes("src/a.rs");
    let first = observe(&world);
    assert_eq!((first.sessions, first.stored), (1, 1));
    let before = export(&world.engine());
    assert_eq!(observe(&world), ObservationSummary::default(), "nothing is left to look at");
    // Looked at again on purpose, it teaches nothing new.
    let again = world.engine().observe_session(&name("s")).expect("observed");
    assert_eq!((again.stored, again.reinforced, again.updated), (0, 0, 0));
    assert_eq!(export(&world.engine()), before);
    // It goes on, and teaches what is new alone.
    agent.notes("Sizes are counted in pages of four kilobytes").runs("cargo test", OK).ends();
    let later = observe(&world);
    assert_eq!((later.sessions, later.stored, later.reinforced), (1, 1, 0));
    let memory = &memories(&world.engine())[0];
    assert_eq!(memory.observations, 1);
    assert_eq!(memory.body.origin.generator.as_ref().map(|by| by.as_str()), Some("rules"));
}

#[test]
fn what_is_not_new_confirms_what_is_known() {
    let world = World::new();
    Agent::new(&world, "one").fixes("src/a.rs");
    observe(&world);
    // The same error and the same file, after another change of it.
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
    // Another file is another lesson.
    Agent::new(&world, "three").fixes("src/b.rs");
    observe(&world);
    let errors = contents(&world).iter().filter(|text| text.contains("E0308")).count();
    assert_eq!(errors, 2);
}

#[test]
fn what_was_forgotten_stays_forgotten() {
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
fn nothing_is_learnt_before_somebody_says_that_it_passed() {
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
fn units_of_a_small_piece_wait_for_each_other() {
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
fn sessions_on_one_unit_are_one() {
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
fn files_that_are_used_together_are_tied() {
    let world = World::new();
    for session in ["one", "two", "three"] {
        Agent::new(&world, session)
            .edits("src/a.rs")
            .edits("src/b.rs")
            .runs("cargo test", OK)
            .ends();
    }
    observe(&world);
    let engine = world.engine();
    let store = engine.store(StoreScope::Project).expect("a store");
    let path = |text: &str| tacit_core::RepoPath::new(text).expect("a path");
    let tie =
        store.tie(&path("src/a.rs"), &path("src/b.rs")).expect("a tie").expect("they are tied");
    assert_eq!((tie.weight, tie.sessions, tie.directional), (1.0, 3, true));
    assert!(
        contents(&world)
            .iter()
            .any(|text| text.starts_with("`src/a.rs` and `src/b.rs` are used together"))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn replaying_adds_nothing(
        acts in prop::collection::vec((0..5_u8, 0..3_u8), 1..25),
        looks in prop::collection::vec(any::<bool>(), 25),
    ) {
        // Whenever it was looked at in between, the same is known in the end as if it was not.
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
