//! Units of work: detection, outcomes, and unfinished work.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tacit_core::log::{
    CheckRecord, CheckoutNote, LogRecord, LogRow, NoteRecord, UnitStatus, WorkUnitRecord, decode,
};
use tacit_core::{BuiltinType, Clock, Config, Details, IdSource, Memory, SessionId};
use tacit_engine::{RecallRequest, Reporter, StoreAccess, StoreScope, WorkContext};
use tacit_store::{ActivityBatch, ChangeQuery, Event, Filter, Note, SessionChange, SessionUpdate};
use tacit_work::{QaIssue, QaSeverity, UnitSource, shipped_methodology};

use super::hyde::Oracle;
use super::{World, draft, keep, request, search};

fn session(name: &str) -> SessionId {
    name.parse().expect("a session")
}

fn here(world: &World, branch: &str, in_session: Option<&str>) -> WorkContext {
    WorkContext {
        session: in_session.map(session),
        branch: Some(branch.to_owned()),
        worktree: world.paths().root,
    }
}

fn by(world: &World, branch: &str, in_session: Option<&str>) -> Reporter {
    Reporter { here: here(world, branch, in_session), client: "test".into(), tool: "test".into() }
}

fn unit(typed: &str) -> tacit_core::WorkUnitRef {
    shipped_methodology("native").expect("shipped").unit(typed).expect("a unit")
}

/// Reports progress, one second after the report before.
fn report(world: &World, branch: &str, in_session: Option<&str>, typed: &str, status: UnitStatus) {
    world.clock.advance(1_000);
    let report = WorkUnitRecord::new(unit(typed), status);
    let mut engine = world.engine();
    engine.report_work(&by(world, branch, in_session), &report).expect("reported");
}

/// Logs a session on a branch, from its start to its end.
fn play(world: &World, name: &str, branch: &str, happened: &[(Option<&str>, Value)]) {
    let mut engine = world.engine();
    let tell = |kind: &str, subject: Option<&str>, what: &Value| {
        world.clock.advance(1_000);
        let at = world.clock.now();
        let body = json!({"client": "claude", "session": name, "what": what}).to_string();
        let row = LogRow {
            kind: kind.into(),
            tool: None,
            subject: subject.map(Into::into),
            body: body.into(),
        };
        Event {
            id: world.ids.next_id(at).to_string(),
            session: session(name),
            at,
            record: decode(row).expect("a record"),
        }
    };
    let mut events =
        vec![tell("session_started", None, &json!({"session_started": {"source": "startup"}}))];
    for (subject, what) in happened {
        let kind = what.as_object().and_then(|what| what.keys().next()).expect("a kind");
        events.push(tell(kind, *subject, what));
    }
    events.push(tell("session_ended", None, &json!({"session_ended": {}})));
    let at = world.clock.now();
    let worktree = world.paths().root.to_str().map(str::to_owned);
    let place = Note {
        id: format!("{name}-{}", at.as_millis()),
        session: session(name),
        at,
        text: branch.to_owned(),
        files: Vec::new(),
        record: NoteRecord::Checkout(CheckoutNote {
            branch: Some(branch.to_owned()),
            worktree,
            client: None,
        }),
    };
    let change = SessionChange::Ended("exit".into());
    let update =
        SessionUpdate { id: session(name), client: "claude".into(), at, change, held_out: None };
    let record =
        ActivityBatch { sessions: vec![update], events, notes: vec![place], injections: vec![] };
    engine.record(record).expect("recorded");
}

fn edits(file: &'static str) -> (Option<&'static str>, Value) {
    let tool = json!({"name": "Edit", "kind": {"edit": {"file": file, "old": "a", "new": "b"}}});
    (Some(file), json!({"tool_finished": {"tool": tool}}))
}

fn asks(prompt: &str) -> (Option<&'static str>, Value) {
    (None, json!({"prompt_submitted": {"prompt": prompt}}))
}

fn runs(command: &str) -> (Option<&'static str>, Value) {
    let tool = json!({"name": "Bash", "kind": {"shell": {"command": command}}});
    (None, json!({"tool_finished": {"tool": tool, "outcome": {"text": "", "exit_code": 0}}}))
}

fn says(text: &str) -> (Option<&'static str>, Value) {
    (None, json!({"turn_stopped": {"last_message": text}}))
}

fn all_of(world: &World, kind: BuiltinType) -> Vec<Memory> {
    let filter = Filter { types: vec![kind.into()], ..Filter::default() };
    let engine = world.open(StoreAccess::Read(StoreScope::Project));
    let found =
        engine.list(Some(StoreScope::Project), &filter, tacit_store::ListOrder::Oldest, 100, 0);
    found.expect("a list").into_iter().map(|found| found.memory).collect()
}

#[test]
fn last_declared_open_unit_is_current() {
    use UnitStatus::{Failed, Started, Succeeded};
    for (what, reports, expected) in [
        ("nothing", vec![], None),
        ("one", vec![("main", None, "1", Started)], Some("Spec 1")),
        (
            "inside",
            vec![("main", None, "1", Started), ("main", None, "1/2", Started)],
            Some("Spec 1 / Subtask 2"),
        ),
        (
            "back",
            vec![
                ("main", None, "1", Started),
                ("main", None, "1/2", Started),
                ("main", None, "1/2", Failed),
            ],
            Some("Spec 1"),
        ),
        (
            "all over",
            vec![
                ("main", None, "1", Started),
                ("main", None, "1/2", Started),
                ("main", None, "1", Succeeded),
            ],
            None,
        ),
        (
            "again",
            vec![
                ("main", None, "1", Started),
                ("main", None, "1", Failed),
                ("main", None, "1", Started),
            ],
            Some("Spec 1"),
        ),
        ("elsewhere", vec![("other", None, "1", Started)], None),
        (
            "own session",
            vec![("main", Some("mine"), "1", Started), ("main", Some("yours"), "2", Started)],
            Some("Spec 1"),
        ),
        (
            "own is over",
            vec![("main", Some("yours"), "2", Started), ("main", Some("mine"), "1", Succeeded)],
            None,
        ),
    ] {
        let world = World::new();
        for (branch, in_session, typed, status) in reports {
            report(&world, branch, in_session, typed, status);
        }
        let work = world.open(StoreAccess::Read(StoreScope::Project)).work(&here(
            &world,
            "main",
            Some("mine"),
        ));
        let work = work.expect("work");
        assert_eq!(work.unit().map(|unit| unit.label()), expected, "{what}");
    }
}

#[test]
fn phases_end_with_their_work() {
    let world = World::new();
    let reporter = by(&world, "main", None);
    let phase = || {
        let engine = world.open(StoreAccess::Read(StoreScope::Project));
        engine.work(&reporter.here).expect("work").phase.map(|(own, _)| own)
    };
    let declare = |word: Option<&str>| {
        world.clock.advance(1_000);
        let phase = word.map(|word| (word, tacit_core::UniversalPhase::Implement));
        world.engine().report_phase(&reporter, phase).expect("reported");
    };
    declare(Some("coding"));
    assert_eq!(phase().as_deref(), Some("coding"), "without a unit");
    declare(None);
    assert_eq!(phase(), None);
    report(&world, "main", None, "1", UnitStatus::Started);
    declare(Some("coding"));
    report(&world, "main", None, "1/2", UnitStatus::Started);
    report(&world, "main", None, "1/2", UnitStatus::Succeeded);
    assert_eq!(phase().as_deref(), Some("coding"), "the spec goes on");
    report(&world, "main", None, "1", UnitStatus::Succeeded);
    assert_eq!(phase(), None, "the spec is done");
}

#[test]
fn units_are_inferred_from_branches_and_spec_files() {
    let world = World::new();
    let known = |branch: &str| {
        let engine = world.open(StoreAccess::Read(StoreScope::Project));
        engine.work(&here(&world, branch, None)).expect("work").unit
    };
    assert_eq!(known("main"), None);
    let (unit, by) = known("feature/ABC-1-x").expect("a unit");
    assert_eq!(
        (unit.label(), by),
        ("Spec ABC-1", UnitSource::Inferred("the branch `feature/ABC-1-x`".into()))
    );
    std::fs::create_dir_all(world.paths().root.join("openspec/changes/add-x"))
        .expect("a directory");
    let (unit, by) = known("main").expect("a unit");
    assert_eq!(
        (unit.label(), by),
        ("Spec add-x", UnitSource::Inferred("`openspec/changes/add-x`".into()))
    );
}

#[test]
fn outcomes_cover_the_branch_since_the_start() {
    let world = World::new();
    play(&world, "before", "feature/7", &[edits("src/before.rs")]);
    report(&world, "feature/7", None, "7", UnitStatus::Started);
    play(&world, "one", "feature/7", &[edits("src/a.rs"), edits("src/b.rs")]);
    play(&world, "elsewhere", "other", &[edits("src/c.rs")]);
    world.clock.advance(1_000);
    let reporter = by(&world, "feature/7", None);
    let failed = WorkUnitRecord {
        summary: Some("too slow".into()),
        ..WorkUnitRecord::new(unit("7"), UnitStatus::Failed)
    };
    world.engine().finish_work(&reporter, &failed).expect("finished");
    report(&world, "feature/7", None, "7", UnitStatus::Started);
    play(&world, "two", "feature/7", &[edits("src/d.rs"), says("Decided to use a cache")]);
    world.clock.advance(1_000);
    let done = WorkUnitRecord {
        decisions: vec!["cache it".into()],
        files: vec!["src/e.rs".parse().expect("a path")],
        ..WorkUnitRecord::new(unit("7"), UnitStatus::Succeeded)
    };
    world.engine().finish_work(&reporter, &done).expect("finished");
    let outcomes: Vec<_> = all_of(&world, BuiltinType::WorkUnitOutcome)
        .iter()
        .map(|memory| match memory.body.subject.details() {
            Details::WorkUnitOutcome(outcome) => {
                let files: Vec<String> =
                    outcome.files_modified.iter().map(ToString::to_string).collect();
                (outcome.succeeded, files.join(" "), outcome.steps_taken, outcome.retry_count)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            (false, "src/a.rs src/b.rs".to_owned(), 2, 0),
            (true, "src/d.rs src/e.rs".to_owned(), 1, 1),
        ]
    );
    let told: Vec<String> = all_of(&world, BuiltinType::WorkUnitOutcome)
        .iter()
        .map(|memory| memory.body.content.to_string())
        .collect();
    assert_eq!(
        told,
        [
            "Spec 7 failed after 2 steps, with 2 files changed. It failed because: too slow.",
            "Spec 7 succeeded after 1 step, with 2 files changed. It took 1 retry. Decided: cache it.",
        ]
    );
}

#[test]
fn ten_succeeded_units_are_consolidated_once() {
    for (units, failing, expected) in [(9, false, 0), (10, false, 1), (11, false, 1), (10, true, 0)]
    {
        let world = World::new();
        let reporter = by(&world, "main", None);
        let finish = |typed: &str, status| {
            world.clock.advance(1_000);
            let files = vec!["src/hot.rs".parse().expect("a path")];
            let report = WorkUnitRecord { files, ..WorkUnitRecord::new(unit(typed), status) };
            world.engine().finish_work(&reporter, &report).expect("finished").consolidated
        };
        for number in 0..units {
            let failed = failing && number == 0;
            let status = if failed { UnitStatus::Failed } else { UnitStatus::Succeeded };
            finish(&format!("7/{number}"), status);
        }
        let done = finish("7", UnitStatus::Succeeded);
        assert_eq!((done.units, done.insights.len()), (units, expected), "{units} {failing}");
        assert_eq!(finish("7", UnitStatus::Succeeded).insights.len(), 0, "each is learnt once");
        let insights = all_of(&world, BuiltinType::ModuleInsight);
        assert_eq!(insights.len(), expected);
        for insight in insights {
            let query =
                ChangeQuery { memory: Some(insight.id), limit: 1, ..ChangeQuery::default() };
            let change = world.engine().history(StoreScope::Project, &query).expect("a history");
            assert_eq!(change[0].action.actor.as_str(), "tacit");
            assert_eq!(insight.body.confidence.value(), 0.85);
            assert!(insight.body.tags.iter().any(|tag| tag.as_str() == "consolidation"));
            assert_eq!(insight.body.trust.review, tacit_core::Review::Needed);
        }
    }
}

#[test]
fn a_text_model_completes_the_state_of_unfinished_work() {
    let said = "I split the parser into two files. The lexer loses the last token, so that is where \
                somebody would go on.";
    let left = |oracle: &Arc<Oracle>| {
        let world = World::new();
        let work = [
            asks("Write the shop in Rust"),
            edits("src/a.rs"),
            edits("src/b.rs"),
            edits("src/c.rs"),
            says(said),
        ];
        play(&world, "one", "feature/7", &work);
        let mut engine = world.engine().with_generator(oracle.clone());
        assert_eq!(engine.capture_work_states().expect("captured"), 1);
        drop(engine);
        let state = all_of(&world, BuiltinType::WorkState).pop().expect("a state").to_json();
        (state["details"].clone(), state["content"].to_string())
    };
    let next = "The lexer loses the last token";
    let answer = json!({
        "in_progress_subtask": next, "key_decisions": ["rewrite it in Go for speed"], "x": 1,
    });
    let oracle = Oracle::saying(&answer.to_string());
    let (state, content) = left(&oracle);
    assert_eq!(state["in_progress_subtask"], next);
    assert_eq!(state["key_decisions"], Value::Null, "nobody said so");
    assert!(content.contains(next), "{content}");
    let [prompt] = &oracle.asked()[..] else { panic!("one call") };
    assert!(prompt.user.contains(said), "{}", prompt.user);

    let silent = Oracle::saying("I cannot tell.");
    let (state, _) = left(&silent);
    assert_eq!(state["in_progress_subtask"], Value::Null);
    assert_eq!(state["task"], "Write the shop in Rust");
}

#[test]
fn unfinished_work_is_stored_once() {
    let world = World::new();
    let notes = || all_of(&world, BuiltinType::WorkState);
    let capture = || world.engine().capture_work_states().expect("captured");
    play(&world, "talk", "feature/7", &[says("I have looked at it.")]);
    assert_eq!((capture(), notes().len()), (0, 0), "nothing was done");
    play(
        &world,
        "one",
        "feature/7",
        &[
            asks("Write the shop in Rust"),
            edits("src/a.rs"),
            says("- [x] the parser\nNext: the printer"),
        ],
    );
    play(&world, "small", "main", &[asks("fix lint"), edits("src/z.rs"), says("Fixed.")]);
    let fails = json!({"tool_failed": {
        "tool": {"id": "t1", "name": "Bash", "kind": {"shell": {"command": "cargo test -q 2>&1 | tail"}}},
        "failure": {"error": "test result: FAILED. 1 passed; 2 failed", "exit_code": 101, "cause": "ran"},
    }});
    play(
        &world,
        "other",
        "main",
        &[asks("Add a cart to the shop"), edits("src/z.rs"), (None, fails)],
    );
    assert_eq!((capture(), notes().len()), (2, 2));
    assert_eq!(capture(), 0, "each session once");
    play(
        &world,
        "two",
        "feature/7",
        &[asks("fix tests"), edits("src/b.rs"), says("Next: the docs")],
    );
    capture();
    let states = notes();
    assert_eq!(states.len(), 2, "the newer takes the place of the older");
    let told: Vec<&str> = states.iter().map(|state| state.body.content.as_str()).collect();
    assert_eq!(
        told,
        [
            "Work on `main` was left unfinished: Add a cart to the shop.\n\
             Changed, not committed in the session: src/z.rs\n\
             Still failing: `cargo test -q`",
            "Work on `feature/7` was left unfinished: Write the shop in Rust.\n\
             In progress: the docs\n\
             Changed, not committed in the session: src/b.rs, src/a.rs",
        ]
    );
    let units: Vec<&str> = states
        .iter()
        .map(|state| state.body.subject.placement().work_unit().expect("a unit").label())
        .collect();
    assert_eq!(units, ["Branch main", "Spec 7"]);
}

#[test]
fn finishing_the_work_retires_its_state() {
    let world = World::new();
    let capture = || world.engine().capture_work_states().expect("captured");
    let active = || {
        let states = all_of(&world, BuiltinType::WorkState).into_iter();
        states.filter(|state| state.status == tacit_core::Status::Active).count()
    };
    let task = asks("Add a cart to the shop");
    let left = says("The cart is not yet shown.");
    play(&world, "one", "add-cart", &[task.clone(), edits("src/a.rs"), left]);
    assert_eq!((capture(), active()), (1, 1));
    play(&world, "two", "add-cart", &[asks("where is it?"), says("There.")]);
    assert_eq!((capture(), active()), (0, 1), "nothing was done");
    let done = [task, edits("src/a.rs"), runs("cargo test"), runs("git commit -am cart")];
    play(&world, "three", "add-cart", &done);
    assert_eq!((capture(), active()), (0, 0));
}

#[test]
fn a_starting_session_reads_only_the_end_of_the_last_one() {
    let world = World::new();
    let told = || -> Vec<String> {
        let states = all_of(&world, BuiltinType::WorkState).into_iter();
        let states = states.filter(|state| state.status == tacit_core::Status::Active);
        states.map(|state| state.body.content.to_string()).collect()
    };
    let starts = || world.engine().capture_recent_work_state(&session("new")).expect("captured");
    let begins = [asks("Add a cart to the shop"), edits("src/first.rs")];
    let goes_on = (0..400).map(|_| runs("ls src"));
    let ends = [asks("Show the cart in the header"), edits("src/last.rs"), says("Next: tests")];
    let long: Vec<_> = begins.into_iter().chain(goes_on).chain(ends).collect();
    play(
        &world,
        "short",
        "add-search",
        &[asks("Add a search box"), edits("src/s.rs"), says("Next: css")],
    );
    play(&world, "long", "add-cart", &long);
    assert!(!starts(), "the beginning and the short session are left");
    let at_once = told();
    assert_eq!(at_once.len(), 1, "{at_once:?}");
    assert!(
        at_once[0].contains("Next: tests") || at_once[0].contains("In progress: tests"),
        "{at_once:?}"
    );
    assert!(!at_once[0].contains("src/first.rs"), "{at_once:?}");
    assert_eq!(world.engine().capture_work_states().expect("captured"), 2);
    let later = told().join("\n");
    assert!(later.contains("Add a search box") && later.contains("src/first.rs"), "{later}");
    assert!(starts(), "nothing is left");
}

#[test]
fn the_end_of_a_long_session_does_not_finish_earlier_work() {
    let world = World::new();
    let active = || {
        let states = all_of(&world, BuiltinType::WorkState).into_iter();
        states.filter(|state| state.status == tacit_core::Status::Active).count()
    };
    let task = asks("Add a cart to the shop");
    play(&world, "one", "add-cart", &[task, edits("src/a.rs"), says("Next: the tests")]);
    assert_eq!(world.engine().capture_work_states().expect("captured"), 1);
    let begins = [asks("Go on"), edits("src/b.rs")];
    let goes_on = (0..400).map(|_| runs("ls src"));
    let ends = [edits("src/c.rs"), runs("cargo test"), runs("git commit -m cart src/c.rs")];
    let long: Vec<_> = begins.into_iter().chain(goes_on).chain(ends).collect();
    play(&world, "long", "add-cart", &long);
    assert!(!world.engine().capture_recent_work_state(&session("new")).expect("captured"));
    assert_eq!(active(), 1, "its beginning was not read");
}

#[test]
fn finished_work_is_not_unfinished() {
    let world = World::new();
    play(&world, "one", "feature/7", &[edits("src/a.rs")]);
    report(&world, "feature/7", Some("one"), "7", UnitStatus::Succeeded);
    // A report came after the end, so the session is not over before it is idle.
    world.clock.advance_hours(3);
    assert_eq!(world.engine().capture_work_states().expect("captured"), 0);
}

fn issue(severity: QaSeverity, description: &str) -> QaIssue {
    QaIssue {
        severity,
        description: description.into(),
        file: None,
        module: None,
        what_was_tried: None,
        recommendation: None,
    }
}

#[test]
fn fixed_qa_failures_are_remembered() {
    let world = World::new();
    let reporter = by(&world, "main", Some("qa"));
    let issues = [
        issue(QaSeverity::Low, "a typo"),
        issue(QaSeverity::Medium, "a slow page"),
        issue(QaSeverity::High, "a leak"),
        issue(QaSeverity::Critical, "a crash"),
    ];
    let held = || all_of(&world, BuiltinType::ErrorPattern).len();
    let tell = |typed: &str, passed, issues: &[QaIssue]| {
        world.clock.advance(1_000);
        let unit = unit(typed);
        world.engine().report_qa(&reporter, Some(&unit), passed, issues).expect("reported")
    };
    assert_eq!(tell("7/1", false, &issues).pending.len(), 2, "only the severe");
    assert_eq!(held(), 0);
    assert_eq!(tell("8", true, &[]).remembered.len(), 0, "other work");
    assert_eq!(tell("7", true, &[]).remembered.len(), 2, "the spec around it");
    assert_eq!(tell("7", true, &[]).remembered.len(), 0, "once");
    let mut found = all_of(&world, BuiltinType::ErrorPattern);
    found.sort_by(|a, b| b.body.content.as_str().cmp(a.body.content.as_str()));
    assert_eq!(found[0].body.content.as_str(), "QA found: a leak.");
    assert_eq!(
        (found[0].body.confidence.value(), found[0].body.origin.source.as_str()),
        (0.8, "qa_auto")
    );
}

#[test]
fn passing_checks_promote_held_failures() {
    let world = World::new();
    let reporter = by(&world, "main", Some("one"));
    let leak = [issue(QaSeverity::High, "a leak")];
    world.engine().report_qa(&reporter, None, false, &leak).expect("reported");
    let settle = || world.engine().promote_passed_reflexions().expect("settled");
    let check = |passed: bool| {
        world.clock.advance(1_000);
        let at = world.clock.now();
        let event = Event {
            id: world.ids.next_id(at).to_string(),
            session: session("one"),
            at,
            record: LogRecord::Check(CheckRecord { passed, ..CheckRecord::default() }),
        };
        let record = ActivityBatch { events: vec![event], ..ActivityBatch::default() };
        world.engine().record(record).expect("recorded");
    };
    assert_eq!(settle(), 0);
    check(false);
    assert_eq!(settle(), 0);
    check(true);
    assert_eq!(settle(), 1);
    assert_eq!(settle(), 0, "once");
}

#[test]
fn unreadable_methodologies_fall_back_to_native() {
    let mut world = World::new();
    world.config.methodology_active = "gone".into();
    assert_eq!(world.engine().methodology().id(), "native");
    std::fs::create_dir_all(world.paths().methodologies()).expect("a directory");
    for text in ["", "id = 1", "schema = 1\nid = \"other\""] {
        std::fs::write(world.paths().methodologies().join("gone.toml"), text).expect("a file");
        assert!(world.paths().methodology("gone").is_err());
        assert_eq!(world.engine().methodology().id(), "native");
    }
    for name in ["../x", "", "a/b", "A"] {
        assert!(world.paths().methodology(name).is_err(), "{name}");
    }
}

#[test]
fn custom_types_use_their_methodology_weights() {
    let mut world = World::new();
    let best = |world: &World| -> Vec<String> {
        let engine = world.open(StoreAccess::Read(StoreScope::Project));
        let phase = Some(tacit_core::UniversalPhase::Validate);
        let found = engine.top_memories(None, &Filter::default(), phase, 5).expect("found");
        found.iter().map(|found| found.memory.memory_type().to_string()).collect()
    };
    for (kind, text) in
        [("requirement", "it must be fast"), ("bmad:acceptance_criterion", "it is fast")]
    {
        let body = tacit_core::Draft { kind: Some(kind.into()), ..draft(text) };
        world.engine().remember(StoreScope::Project, request(body)).expect("stored");
    }
    // A requirement weighs 1.4 in validation, the type of another methodology 1, its own 1.5.
    assert_eq!(best(&world), ["requirement", "bmad:acceptance_criterion"]);
    world.config.methodology_active = "bmad".into();
    assert_eq!(best(&world), ["bmad:acceptance_criterion", "requirement"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn switching_methodologies_back_changes_nothing(
        texts in prop::collection::vec("[a-z]{3,9} [a-z]{3,9} pool", 1..6),
        units in prop::collection::vec((0..4_usize, "[A-Z]{2,4}-[0-9]{1,3}"), 1..6),
        away in prop::sample::select(vec!["bmad", "tdd", "agile", "gone"]),
    ) {
        let mut world = World::new();
        for ((at, text), (which, name)) in texts.iter().enumerate().zip(units.iter().cycle()) {
            let methodology = tacit_work::SHIPPED[*which].id;
            let unit = shipped_methodology(methodology).unwrap().unit(name).unwrap();
            let kind = ["gotcha", "bmad:acceptance_criterion", "tdd:test_contract"][at % 3];
            let body = tacit_core::Draft {
                work_unit: Some(unit),
                kind: Some(kind.into()),
                ..draft(text)
            };
            world.engine().remember(StoreScope::Project, request(body)).expect("stored");
        }
        keep(&mut world.engine(), "the pool of everybody");
        let found = |world: &World| {
            let engine = world.open(StoreAccess::Read(StoreScope::Project));
            let phases = tacit_core::UniversalPhase::ALL.iter().map(|phase| Some(*phase));
            let ranked: Vec<Vec<_>> = phases
                .chain([None])
                .map(|phase| {
                    let recall = RecallRequest { phase, ..RecallRequest::explicit("pool", Filter::default(), 50) };
                    engine.recall(&recall).expect("answers").shown.iter().map(|a| a.found.memory.id).collect()
                })
                .collect();
            (ranked, search(&engine, "pool"))
        };
        let before = found(&world);
        let native = world.config.clone();
        world.config = Config { methodology_active: away.into(), ..native.clone() };
        let there = found(&world);
        world.config = native;
        prop_assert_eq!(found(&world), before.clone());
        // With another methodology the order may differ, but nothing is lost, and without a phase
        // nothing moves.
        prop_assert_eq!(&there.1, &before.1);
        for (mut there, mut here) in there.0.into_iter().zip(before.0) {
            there.sort();
            here.sort();
            prop_assert_eq!(there, here);
        }
    }
}
