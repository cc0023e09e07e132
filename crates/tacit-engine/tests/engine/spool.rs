//! Spooled writes: none is lost, none is stored twice, and order is kept.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tacit_core::Draft;
use tacit_engine::{EngineError, RecallRequest, RememberOutcome, StoreAccess, StoreScope};
use tacit_store::{ChangeQuery, Filter, ListOrder};

use crate::{World, draft, export, keep, kept, request, search, state};

/// Holds the write lock until dropped.
fn lock(world: &World) -> Connection {
    let connection = Connection::open(world.database()).expect("the database");
    connection.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    connection
}

fn waiting(world: &World) -> Vec<PathBuf> {
    files(world, "json")
}

fn files(world: &World, extension: &str) -> Vec<PathBuf> {
    let spool = world.paths().project.join("spool");
    let Ok(listing) = fs::read_dir(spool) else { return Vec::new() };
    let mut files: Vec<PathBuf> = listing
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

/// Returns the contents in the order in which they were stored.
fn contents(world: &World) -> Vec<String> {
    let engine = world.engine();
    let query = ChangeQuery { limit: usize::MAX, ..ChangeQuery::default() };
    let mut changes = engine.history(StoreScope::Project, &query).expect("a history");
    changes.reverse();
    let items = changes.into_iter().flat_map(|change| change.items);
    items.filter_map(|item| Some(item.after?.get("content")?.as_str()?.to_owned())).collect()
}

#[test]
fn locked_stores_spool_and_the_next_command_drains() {
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
    // A reader does not wait, and the request stays.
    let reader = world.open(StoreAccess::ReadBoth);
    assert_eq!(search(&reader, "said"), []);
    assert_eq!(waiting(&world).len(), 1);
    drop((engine, reader, holder));

    let engine = world.open(StoreAccess::ReadBoth);
    assert_eq!(search(&engine, "said").len(), 1, "a reading command drains too");
    assert_eq!(waiting(&world), Vec::<PathBuf>::new());
    let health = engine.health(StoreScope::Project, true).unwrap();
    assert_eq!((health.spooled, health.quarantined), (0, 0));
}

#[test]
fn readers_do_not_wait_for_writers() {
    let mut world = World::new();
    keep(&mut world.engine(), "before the lock");
    let holder = lock(&world);
    world.engine().remember(StoreScope::Project, request(draft("said during the lock"))).unwrap();
    world.config.busy_timeout_ms = 30_000;
    let began = Instant::now();
    let engine = world.open(StoreAccess::Recall);
    let answers = engine.recall(&question("lock")).unwrap().shown;
    assert_eq!(answers.len(), 1);
    engine.note_uses(&answers);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    drop(holder);
}

#[test]
fn uses_are_counted_by_later_commands() {
    let world = World::new();
    let memory = kept(keep(&mut world.engine(), "a fact"));
    let shown = |needs| {
        let engine = world.open(needs);
        engine.find(&memory.id.to_string()).unwrap().memory.usage.access_count
    };
    let look = || {
        let engine = world.open(StoreAccess::Recall);
        engine.note_uses(&engine.recall(&question("fact")).unwrap().shown);
    };
    look();
    let holder = lock(&world);
    assert_eq!(shown(StoreAccess::ReadBoth), 0, "counting does not wait for the lock");
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
fn spooled_entries_keep_their_order() {
    // The clock stands still, so only the spool's numbers give the order.
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
fn crash_before_removal_does_not_store_twice() {
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
fn unreadable_entries_do_not_block_the_spool() {
    let world = World::new();
    let holder = lock(&world);
    let mut engine = world.engine();
    engine.remember(StoreScope::Project, request(draft("said in time"))).unwrap();
    drop((engine, holder));
    let spool = world.paths().project.join("spool");
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
    assert_eq!(engine.health(StoreScope::Project, false).unwrap().quarantined, 4);
}

#[test]
fn rejected_entries_are_quarantined() {
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
fn spooled_secrets_are_redacted() {
    let secret = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let world = World::new();
    let holder = lock(&world);
    let mut engine = world.engine();
    let body = Draft { tags: vec!["kept".into()], ..draft(&format!("push with {secret}")) };
    let mut asked = request(body);
    asked.reason = Some(crate::reason(secret));
    let waits = engine.remember(StoreScope::Project, asked).unwrap();
    assert_eq!(waits.cleanup.redacted.len(), 1);
    let text = fs::read_to_string(waiting(&world).pop().unwrap()).unwrap();
    assert!(!text.contains(secret), "{text}");
    assert!(text.contains("[redacted:"), "{text}");
    drop(holder);
}

#[test]
fn other_changes_fail_on_a_locked_store() {
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
