//! The write gate: what is refused and how it is told, what is joined, what is taken out.

use std::fs;
use std::path::Path;

use serde_json::json;
use tacit_core::{Draft, DraftRelation, RelationKind, RelationTarget, Tag, WorkUnitRef};
use tacit_engine::{
    Engine, EngineResult, ForgetMode, ImportLine, RememberOutcome, StoreAccess, StoreScope,
};

use crate::{World, draft, export, keep, kept, reason, request, search, state, trusted};

#[test]
fn repetition_reinforces_and_joins_labels() {
    let world = World::new();
    let mut engine = world.engine();
    let first = Draft {
        tags: vec!["a".into()],
        related_files: vec!["src/a.rs".into()],
        ..draft("Run the migrations first")
    };
    let first = kept(engine.remember(StoreScope::Project, request(first)).unwrap());
    let second = Draft {
        kind: Some("gotcha".into()),
        tags: vec!["b".into()],
        related_files: vec!["src/b.rs".into()],
        title: Some("Migrations".into()),
        ..draft("  Run the\nmigrations   first ")
    };
    let again = engine.remember(StoreScope::Project, request(second)).unwrap();
    assert_eq!(again.outcome, RememberOutcome::Reinforced);
    let again = kept(again);
    assert_eq!((again.id, again.observations), (first.id, 2));
    assert_eq!((again.body.tags.len(), again.body.files.len()), (2, 2));
    assert_eq!(state(&engine).len(), 1);
    // What was joined is found at once.
    assert_eq!(search(&engine, "src/b.rs"), [first.id]);
}

#[test]
fn near_duplicates_are_both_kept_and_linked() {
    let world = World::new();
    let mut engine = world.engine();
    let text = "always open the sqlite database in write ahead mode before spawning the worker \
                that drains the spool directory of a project";
    let older = kept(keep(&mut engine, text));
    let newer = keep(&mut engine, &text.replace("drains", "empties"));
    assert_eq!(newer.outcome, RememberOutcome::Stored);
    assert_eq!(newer.near.map(|(id, _)| id), Some(older.id));
    let newer = kept(newer);
    let relations: Vec<_> = newer.body.relations.iter().collect();
    assert_eq!(relations.len(), 1);
    assert_eq!(relations[0].target, RelationTarget::Memory(older.id));
    assert_eq!(relations[0].kind, RelationKind::Supersedes);
    assert!(relations[0].auto_extracted);
    let ids: Vec<_> = search(&engine, "sqlite spool");
    assert!(ids.contains(&older.id) && ids.contains(&newer.id), "both are still recalled");
    let stranger = keep(&mut engine, "prefer kebab case for the names of new files");
    assert_eq!(stranger.near, None);
}

#[test]
fn two_hundred_templated_facts_stay_two_hundred() {
    let world = World::new();
    let mut engine = world.engine();
    let fact = |n: usize| format!("The port of service {n} is {}", 8000 + n);
    for n in 0..200 {
        assert_eq!(keep(&mut engine, &fact(n)).outcome, RememberOutcome::Stored);
    }
    assert_eq!(state(&engine).len(), 200);
    for n in [0, 7, 199] {
        let best = search(&engine, &format!("{}", 8000 + n))[0];
        assert_eq!(state(&engine)[&best]["content"], fact(n));
    }
}

#[test]
fn limits_at_and_beyond() {
    fn many(n: usize, name: &str) -> Vec<String> {
        (0..n).map(|i| format!("{name}{i}")).collect()
    }
    type Make = fn(usize) -> Draft;
    let cases: [(usize, Make, &str); 7] = [
        (
            120,
            |n| Draft { title: Some("é".repeat(n)), ..draft("text") },
            "title: is 121 characters long; at most 120 fit",
        ),
        (8192, |n| draft(&"x".repeat(n)), "content: is 8193 bytes long; at most 8192 fit"),
        (
            4096,
            |n| Draft { reasoning: Some("x".repeat(n)), ..draft("text") },
            "reasoning: is 4097 bytes long; at most 4096 fit",
        ),
        (
            12,
            |n| Draft { tags: many(n, "t"), ..draft("text") },
            "tags: has 13 items; at most 12 are kept",
        ),
        (
            64,
            |n| Draft { related_files: many(n, "src/f"), ..draft("text") },
            "related_files: has 65 items; at most 64 are kept",
        ),
        (
            64,
            |n| Draft { related_modules: many(n, "m"), ..draft("text") },
            "related_modules: has 65 items; at most 64 are kept",
        ),
        (
            32,
            |n| Draft { references: many(n, "r"), ..draft("text") },
            "references: has 33 items; at most 32 are kept",
        ),
    ];
    for (limit, make, message) in cases {
        let world = World::new();
        let mut engine = world.engine();
        engine.remember(StoreScope::Project, request(make(limit))).unwrap();
        let kept = export(&engine);
        let error = engine.remember(StoreScope::Project, request(make(limit + 1))).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(export(&engine), kept);
    }
}

#[test]
fn details_have_a_limit_whatever_the_type() {
    let unit = WorkUnitRef::new("native", vec!["s".into()], "s").unwrap();
    for kind in ["work_state", "bmad:note"] {
        let world = World::new();
        let mut engine = world.engine();
        let make = |bytes: usize| Draft {
            kind: Some(kind.into()),
            // {"a":"…"} is eight bytes around the text.
            details: Some(json!({"a": "x".repeat(bytes - 8)})),
            work_unit: Some(unit.clone()),
            ..draft("text")
        };
        engine.remember(StoreScope::Project, request(make(16 * 1024))).unwrap();
        let error = engine.remember(StoreScope::Project, request(make(16 * 1024 + 1))).unwrap_err();
        assert_eq!(error.to_string(), "details: details take more than 16384 bytes", "{kind}");
    }
}

#[test]
fn everything_wrong_is_said_at_once() {
    let world = World::new();
    let mut engine = world.engine();
    let wrong = Draft {
        title: Some("t".repeat(121)),
        tags: vec!["not one tag".into()],
        confidence: Some(2.0),
        ..draft("")
    };
    let error = engine.remember(StoreScope::Project, request(wrong)).unwrap_err();
    let text = error.to_string();
    let fields: Vec<_> = text.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(fields, ["content", "title", "confidence", "tags[0]"]);
}

#[test]
fn what_was_forgotten_is_not_brought_back_for_a_day() {
    let world = World::new();
    let mut engine = world.engine();
    let gone = kept(keep(&mut engine, "Use the old endpoint"));
    engine.forget(&gone.id.to_string(), ForgetMode::Retire, reason("it was shut down")).unwrap();
    world.clock.advance_hours(23);
    let again = request(draft("Use the old  endpoint"));
    let error = engine.remember(StoreScope::Project, again.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this was forgotten on 2026-11-15T10:30:00.000Z (it was shut down)"
    );
    assert_eq!(state(&engine).len(), 1);
    world.clock.advance_hours(1);
    assert_eq!(
        engine.remember(StoreScope::Project, again).unwrap().outcome,
        RememberOutcome::Stored
    );

    // What was set aside was not called wrong, and may be learnt again at once.
    let aside = kept(keep(&mut engine, "Use the new endpoint"));
    engine.forget(&aside.id.to_string(), ForgetMode::Archive, reason("for later")).unwrap();
    assert_eq!(keep(&mut engine, "Use the new endpoint").outcome, RememberOutcome::Stored);
}

#[test]
fn a_memory_for_all_projects_names_no_file_of_one() {
    let world = World::new();
    let mut engine = world.open(StoreAccess::Write(StoreScope::Global));
    let message = "related_files: a memory for all projects cannot be about files of one";
    let about = Draft { related_files: vec!["src/a.rs".into()], ..draft("text") };
    let error = engine.remember(StoreScope::Global, request(about)).unwrap_err();
    assert_eq!(error.to_string(), message);

    let memory = kept(engine.remember(StoreScope::Global, request(draft("text"))).unwrap());
    let patch = json!({"related_files": ["src/a.rs"]});
    let error = engine.edit(&memory.id.to_string(), patch.as_object().unwrap(), None).unwrap_err();
    assert_eq!(error.to_string(), message);

    let mut other = memory.clone();
    other.updated_at = memory.updated_at.plus_days(1.0);
    other.body.files = tacit_core::Files::collect(["a".parse().unwrap()]).unwrap();
    let lines = vec![(3, ImportLine::Whole(Box::new(other)))];
    let error = engine.import(StoreScope::Global, trusted(lines), false).unwrap_err();
    assert_eq!(error.to_string(), format!("line 3: {message}"));
}

const SECRET: &str = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");

/// Whether the bytes of any file below a directory contain a text.
fn anywhere(directory: &Path, needle: &str) -> Option<std::path::PathBuf> {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if let Some(found) = anywhere(&path, needle) {
                return Some(found);
            }
        } else {
            let bytes = fs::read(&path).expect("a file");
            // The text index keeps tokens in lower case.
            let bytes = bytes.to_ascii_lowercase();
            let needle = needle.to_ascii_lowercase();
            if bytes.windows(needle.len()).any(|window| window == needle.as_bytes()) {
                return Some(path);
            }
        }
    }
    None
}

/// Every field of a draft that takes text, filled with a text.
fn in_every_field(text: &str) -> Vec<(&'static str, Draft)> {
    let some = || Some(text.to_owned());
    let list = || vec![text.to_owned()];
    let base = || draft("something to remember");
    let unit = |hierarchy: &str, label: &str| {
        WorkUnitRef::new("native", vec![hierarchy.into()], label).expect("a unit")
    };
    let relation = DraftRelation {
        kind: "validates".into(),
        memory: None,
        file: some(),
        confidence: None,
        auto_extracted: false,
    };
    let custom =
        |details| Draft { kind: Some("bmad:note".into()), details: Some(details), ..base() };
    vec![
        ("content", draft(&format!("push with {text} please"))),
        ("title", Draft { title: some(), ..base() }),
        ("reasoning", Draft { reasoning: some(), ..base() }),
        ("citation", Draft { citation: some(), ..base() }),
        ("author", Draft { author: some(), ..base() }),
        ("generator", Draft { generator: some(), ..base() }),
        ("session", Draft { session: some(), ..base() }),
        ("target_node", Draft { target_node: some(), ..base() }),
        ("tags", Draft { tags: list(), ..base() }),
        ("related_files", Draft { related_files: list(), ..base() }),
        ("related_modules", Draft { related_modules: list(), ..base() }),
        ("references", Draft { references: list(), ..base() }),
        ("work_unit.hierarchy", Draft { work_unit: Some(unit(text, "label")), ..base() }),
        ("work_unit.label", Draft { work_unit: Some(unit("s", text)), ..base() }),
        ("relations", Draft { relations: vec![relation], ..base() }),
        ("details", custom(json!({"a": [{"b": text}]}))),
        ("details' keys", custom(json!({ text: 1 }))),
    ]
}

/// Does something with a store and makes sure that the secret is nowhere on the disk.
fn leaves_no_trace(what: &str, work: impl FnOnce(&mut Engine<'_>) -> EngineResult<()>) {
    let world = World::new();
    {
        let mut engine = world.engine();
        // Refusing is as good as replacing.
        let _ = work(&mut engine);
        assert!(!export(&engine).contains(SECRET), "{what}");
    }
    assert_eq!(anywhere(world.directory.path(), SECRET), None, "{what}");
}

#[test]
fn a_secret_is_never_on_the_disk() {
    for (field, body) in in_every_field(SECRET) {
        leaves_no_trace(field, |engine| {
            let remembered = engine.remember(StoreScope::Project, request(body.clone()))?;
            assert!(!remembered.treatment.redacted.is_empty(), "{field} is told");
            Ok(())
        });
        leaves_no_trace(&format!("imported {field}"), |engine| {
            let line = (1, ImportLine::Draft(Box::new(body.clone())));
            engine.import(StoreScope::Project, trusted(vec![line]), false).map(drop)
        });
        // As an export holds it that somebody wrote by hand.
        let memory = tacit_core::Memory::begin(
            tacit_core::IdSource::next_id(
                &tacit_testkit::time::FixedIds::default(),
                tacit_core::Timestamp::MAX,
            ),
            body.check(tacit_core::Confidence::HIGH).unwrap(),
            tacit_core::Timestamp::MAX,
        );
        leaves_no_trace(&format!("imported whole {field}"), |engine| {
            let line = (1, ImportLine::Whole(Box::new(memory.clone())));
            engine.import(StoreScope::Project, trusted(vec![line]), false).map(drop)
        });
    }
}

#[test]
fn a_secret_in_a_change_is_never_on_the_disk() {
    type Work = fn(&mut Engine<'_>, &str) -> EngineResult<()>;
    let works: [(&str, Work); 8] = [
        ("edited content", |engine, id| {
            let patch = json!({"content": format!("now {SECRET}")});
            engine.edit(id, patch.as_object().expect("an object"), None).map(drop)
        }),
        ("edited details", |engine, id| {
            let patch = json!({"type": "bmad:note", "details": {SECRET: {"a": SECRET}}});
            engine.edit(id, patch.as_object().expect("an object"), None).map(drop)
        }),
        ("the reason of an edit", |engine, id| {
            let patch = json!({"title": "x"});
            engine.edit(id, patch.as_object().expect("an object"), Some(reason(SECRET))).map(drop)
        }),
        ("the reason of forgetting", |engine, id| {
            engine.forget(id, ForgetMode::Retire, reason(SECRET)).map(drop)
        }),
        ("the reason of a purge", |engine, id| {
            engine.purge(&[id], reason(SECRET), false).map(drop)
        }),
        ("a tag", |engine, id| {
            engine.retag(id, &[Tag::new(SECRET).expect("a tag")], &[]).map(drop)
        }),
        ("a link", |engine, id| {
            let relation = tacit_core::Relation {
                target: RelationTarget::File(SECRET.parse().expect("a path")),
                kind: RelationKind::Validates,
                confidence: tacit_core::Confidence::HIGH,
                auto_extracted: false,
            };
            engine.link(id, relation).map(drop)
        }),
        ("the reason of a request", |engine, _| {
            let mut request = request(draft("another fact"));
            request.reason = Some(reason(SECRET));
            engine.remember(StoreScope::Project, request).map(drop)
        }),
    ];
    for (what, work) in works {
        leaves_no_trace(what, |engine| {
            let memory = kept(keep(engine, "a fact"));
            work(engine, &memory.id.to_string())
        });
    }
}
