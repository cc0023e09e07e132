//! Writes that could not wait for the lock: none is lost, none is stored twice, order is kept.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tacit_core::Draft;
use tacit_engine::{EngineError, RecallRequest, RememberOutcome, StoreAccess, StoreScope};
use tacit_store::{ChangeQuery, Filter, ListOrder};

use crate::{World, draft, export, keep, kept, request, search, state};

/// Holds the write lock until it is dropped.
fn lock(world: &World) -> Connection {
    let connection = Connection::open(world.database()).expect("the database");
    connection.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    connection
}

fn waiting(world: &World) -> Vec<PathBuf> {
    files(world, "json")
}

fn files(world: &World, extension: &str) -> Vec<PathBuf> {
    let spool = world.places().project.join("spool");
    let Ok(listing) = fs::read_dir(spool) else { return Vec::new() };
    let mut files: Vec<PathBuf> = listing
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

/// The contents in the order in which they were stored.
fn contents(world: &World) -> Vec<String> {
    let engine = world.engine();
    let query = ChangeQuery { limit: usize::MAX, ..ChangeQuery::default() };
    let mut changes = engine.history(StoreScope::Project, &query).expect("a history");
    changes.reverse();
    let items = changes.into_iter().flat_map(|change| change.items);
    items.filter_map(|item| Some(item.after?.get("content")?.as_str()?.to_owned())).collect()
}

#[test]
fn a_locked_store_spools_within_the_time_to_wait_and_the_next_command_drains() {
    let world = World::new();
    let mut engine = world.engine();
    keep(&mut engine, "before the lock");
    let holder = lock(&world);
    let began = Instant::now();
    let waits =
        engine.remember(StoreScope::Project, request(draft("said during the lock"))).unwrap();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!((waits.outcome, waits.memory), (RememberOutcome::Spooled, None));
    assert_eq!(waiting(&world).len(), 1);
    // Whoever only reads is not kept waiting, and the request stays.
    let reader = world.open(StoreAccess::ReadBoth);
    assert_eq!(search(&reader, "said"), []);
    assert_eq!(waiting(&world).len(), 1);
    drop((engine, reader, holder));

    let engine = world.open(StoreAccess::ReadBoth);
    assert_eq!(search(&engine, "said").len(), 1, "a reading command drains too");
    assert_eq!(waiting(&world), Vec::<PathBuf>::new());
    let health = engine.health(StoreScope::Project, true).unwrap();
    assert_eq!((health.waiting, health.set_aside), (0, 0));
}

#[test]
fn reading_does_not_wait_for_writers() {
    let mut world = World::new();
    keep(&mut world.engine(), "before the lock");
    let holder = lock(&world);
    world.engine().remember(StoreScope::Project, request(draft("said during the lock"))).unwrap();
    world.config.busy_timeout_ms = 30_000;
    let began = Instant::now();
    let engine = world.open(StoreAccess::Recall);
    let answers = engine.recall(&question("lock")).unwrap().shown;
    assert_eq!(answers.len(), 1);
    engine.count_shown(&answers);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    drop(holder);
}

#[test]
fn showings_are_counted_by_whoever_has_the_time() {
    let world = World::new();
    let memory = kept(keep(&mut world.engine(), "a fact"));
    let shown = |needs| {
        let engine = world.open(needs);
        engine.find(&memory.id.to_string()).unwrap().memory.usage.access_count
    };
    let look = || {
        let engine = world.open(StoreAccess::Recall);
        engine.count_shown(&engine.recall(&question("fact")).unwrap().shown);
    };
    look();
    let holder = lock(&world);
    assert_eq!(shown(StoreAccess::ReadBoth), 0, "nobody waits to count");
    look();
    drop(holder);
    assert_eq!(shown(StoreAccess::Recall), 0, "a question leaves it to others");
    assert_eq!(shown(StoreAccess::ReadBoth), 2);
    assert_eq!(shown(StoreAccess::ReadBoth), 2, "once");
    for _ in 0..64 {
        look();
    }
    assert_eq!(shown(StoreAccess::Recall), 66, "unless there are many");
}

fn question(words: &str) -> RecallRequest {
    RecallRequest::explicit(words, Filter::default(), 10)
}

#[test]
fn many_entries_keep_their_order() {
    // The clock stands still, so that only the order of putting can tell.
    let mut world = World::new();
    world.config.busy_timeout_ms = 0;
    let holder = lock(&world);
    let body: Vec<String> = (0..50).map(|n| format!("entry {n} of the spool")).collect();
    let mut engine = world.engine();
    for text in &body {
        let waits = engine.remember(StoreScope::Project, request(draft(text))).unwrap();
        assert_eq!(waits.outcome, RememberOutcome::Spooled);
    }
    drop((engine, holder));
    assert_eq!(contents(&world), body);
}

#[test]
fn a_crash_between_storing_and_removing_does_not_store_twice() {
    let world = World::new();
    let holder = lock(&world);
    let mut engine = world.engine();
    engine.remember(StoreScope::Project, request(draft("said once"))).unwrap();
    drop((engine, holder));
    let entry = waiting(&world).pop().unwrap();
    let bytes = fs::read(&entry).unwrap();
    let once = export(&world.engine());
    assert!(!entry.exists());

    fs::write(&entry, &bytes).unwrap();
    assert_eq!(export(&world.engine()), once, "neither stored nor reinforced again");
    assert!(!entry.exists());
}

#[test]
fn garbage_is_set_aside_and_does_not_block_the_rest() {
    let world = World::new();
    let holder = lock(&world);
    let mut engine = world.engine();
    engine.remember(StoreScope::Project, request(draft("said in time"))).unwrap();
    drop((engine, holder));
    let spool = world.places().project.join("spool");
    for (name, bytes) in [
        ("00000000-first.json", b"\xff\xfe garbage".as_slice()),
        ("00000001-empty.json", b"".as_slice()),
        ("00000002-half.json", br#"{"draft":{"content":"ha"#.as_slice()),
        ("zzz-other.json", br#"{"some": "other program's"}"#.as_slice()),
    ] {
        fs::write(spool.join(name), bytes).unwrap();
    }
    let engine = world.engine();
    assert_eq!(search(&engine, "said").len(), 1);
    assert_eq!(waiting(&world), Vec::<PathBuf>::new());
    assert_eq!(files(&world, "broken").len(), 4);
    assert_eq!(engine.health(StoreScope::Project, false).unwrap().set_aside, 4);
}

#[test]
fn what_the_gate_refuses_after_the_wait_is_set_aside_not_lost() {
    let world = World::new();
    let mut engine = world.engine();
    let memory = kept(keep(&mut engine, "contested"));
    let holder = lock(&world);
    engine.remember(StoreScope::Project, request(draft("a fact"))).unwrap();
    drop((engine, holder));
    // Meanwhile the same was learnt and forgotten.
    let entry = waiting(&world).pop().unwrap();
    let bytes = fs::read_to_string(&entry).unwrap().replace("a fact", "contested");
    fs::remove_file(&entry).unwrap();
    let mut engine = world.engine();
    let id = memory.id.to_string();
    engine.forget(&id, tacit_engine::ForgetMode::Retire, crate::reason("wrong")).unwrap();
    fs::write(&entry, bytes).unwrap();
    drop(engine);
    let engine = world.engine();
    assert_eq!(state(&engine).len(), 1);
    assert_eq!(files(&world, "broken").len(), 1);
}

#[test]
fn a_spooled_secret_is_not_on_the_disk() {
    let secret = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let world = World::new();
    let holder = lock(&world);
    let mut engine = world.engine();
    let body = Draft { tags: vec!["kept".into()], ..draft(&format!("push with {secret}")) };
    let mut asked = request(body);
    asked.reason = Some(crate::reason(secret));
    let waits = engine.remember(StoreScope::Project, asked).unwrap();
    assert_eq!(waits.treatment.redacted.len(), 1);
    let text = fs::read_to_string(waiting(&world).pop().unwrap()).unwrap();
    assert!(!text.contains(secret), "{text}");
    assert!(text.contains("[redacted:"), "{text}");
    drop(holder);
}

#[test]
fn other_changes_say_that_the_store_is_locked() {
    let world = World::new();
    let mut engine = world.engine();
    let id = kept(keep(&mut engine, "a fact")).id.to_string();
    let _holder = lock(&world);
    let results = [
        engine.restore(&id).map(drop),
        engine.undo(StoreScope::Project, None).map(drop),
        engine.retag(&id, &["x".parse().unwrap()], &[]).map(drop),
        engine.import(StoreScope::Project, vec![], false).map(drop),
    ];
    for result in results {
        let error = result.unwrap_err();
        assert!(matches!(&error, EngineError::Store(_)) && error.is_busy(), "{error}");
        assert_eq!(error.to_string(), "the database is locked by another process");
    }
    assert_eq!(engine.list(None, &Filter::default(), ListOrder::Newest, 9, 0).unwrap().len(), 1);
}
