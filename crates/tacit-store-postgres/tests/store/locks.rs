//! Locks: curators wait for each other, and writers only for writers.

use std::thread;
use std::time::{Duration, Instant};

use tacit_core::{SessionId, WorkUnitRef};
use tacit_store::conformance::{at, entry, memory, store_all};
use tacit_store::{
    Action, ActionKind, Filter, SharedStore, Store, TeamRole, VectorModel, VectorStore,
    WorkUnitFilter,
};

use crate::database::TestDatabase;

fn action() -> Action {
    let actor = "ada".parse().expect("a name");
    Action { kind: ActionKind::Remember, at: at(1), actor, reason: None, reverts: None }
}

/// Waits until a statement of the superuser returns true.
fn wait_until(database: &TestDatabase, sql: &str) {
    let begun = Instant::now();
    while database.ask_superuser(sql).as_deref() != Some("t") {
        assert!(begun.elapsed() < Duration::from_secs(30), "never: {sql}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// True once a session waits for a lock of another.
fn waiting(database: &TestDatabase) -> String {
    format!(
        "SELECT count(*) > 0 FROM pg_stat_activity
         WHERE datname = '{}' AND wait_event_type = 'Lock'",
        database.name()
    )
}

#[test]
fn a_removed_curator_does_not_return_by_an_old_transaction() {
    let database = TestDatabase::with_project();
    database.member("carl", TeamRole::Curator);
    let carl = database.user("carl");
    for removed in ["curator", "contributor", "reader"] {
        let mut old = database.connect_as("carl");
        old.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ").expect("begin");
        old.query("SELECT 1 FROM tacit.members", &[]).expect("a snapshot");
        let mut ada = database.open("ada");
        assert!(ada.remove_member(&carl).expect("removed"));
        let sql = format!("SELECT tacit.set_member(1, session_user::name, '{removed}')");
        let error = old.query(&sql, &[]).expect_err("the row is gone");
        assert_eq!(error.code().map(|code| code.code()), Some("40001"), "{error:?}");
        drop(old);
        let member = format!("SELECT count(*) FROM tacit.members WHERE member = '{carl}'");
        assert_eq!(database.ask_superuser(&member).as_deref(), Some("0"));
        ada.set_member(&carl, TeamRole::Curator).expect("again");
    }
}

#[test]
fn clearing_a_project_waits_for_its_writer() {
    let database = TestDatabase::with_project();
    let mut writer = database.open("ada");
    let mut clearing = database.open("ada");
    let mut transaction = writer.begin(action()).expect("begin");
    thread::scope(|scope| {
        let cleared = scope.spawn(move || clearing.clear());
        wait_until(&database, &waiting(&database));
        let kept = memory(1, "text");
        transaction.insert(&kept).expect("insert");
        transaction.index(&kept.id, &entry(&kept)).expect("index");
        transaction.commit().expect("commit");
        cleared.join().expect("no panic").expect("cleared");
    });
    assert_eq!(writer.count(&Filter::everything()).expect("count"), 0);
    store_all(&mut writer, &[memory(2, "text")]);
    assert_eq!(writer.count(&Filter::everything()).expect("count"), 1);
}

#[test]
fn vectors_are_indexed_while_others_write() {
    let database = TestDatabase::with_project();
    let mut ada = database.open("ada");
    let [first, second] =
        ["first", "second"].map(|name| VectorModel { name: name.into(), dims: 2 });
    ada.add_model(&first).expect("a model");
    ada.add_model(&second).expect("a model");
    let mut writer = database.open("ada");
    let transaction = writer.begin(action()).expect("begin");
    thread::scope(|scope| {
        let activated = scope.spawn(move || ada.activate_model(&second));
        wait_until(&database, "SELECT to_regclass('tacit.memory_vectors_1_2') IS NOT NULL");
        transaction.commit().expect("commit");
        activated.join().expect("no panic").expect("active");
    });
    let active = database.open("ada").models().expect("models");
    assert_eq!(active.iter().find(|state| state.active).expect("one").model.name, "second");
}

#[test]
fn only_writers_keep_writers_waiting() {
    let database = TestDatabase::with_project();
    let reader = database.member("rita", TeamRole::Reader);
    drop(reader);
    database.create_user("nobody");
    let mut stranger = database.connect_as("nobody");
    for sql in [
        "SELECT pg_advisory_lock(hashtextextended('tacit', 1))",
        "SELECT pg_advisory_lock(hashtextextended('tacit', 2))",
    ] {
        stranger.batch_execute(sql).expect("a lock of no meaning");
    }
    let mut rita = database.connect_as("rita");
    rita.batch_execute("BEGIN").expect("begin");
    let rows = rita.query("SELECT 1 FROM tacit.counters FOR UPDATE", &[]).expect("no row");
    assert!(rows.is_empty());
    let mut ada = database.open("ada");
    ada.try_begin(action()).map(drop).expect("the lock is free");
}

/// Returns texts that do not shrink when they are compressed.
fn incompressible(length: usize) -> String {
    let mut state = 7_u64;
    let next = std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from_u32(0x4e00 + (state >> 40) as u32 % 20_000).unwrap_or('一')
    });
    next.take(length).collect()
}

#[test]
fn long_values_fit() {
    let database = TestDatabase::with_project();
    let mut ada = database.open("ada");
    let text = incompressible(8 * 199);
    let letters: Vec<char> = text.chars().collect();
    let hierarchy: Vec<String> = letters.chunks(199).map(|part| part.iter().collect()).collect();
    let mut kept = memory(1, "text");
    let unit = WorkUnitRef::new("m", hierarchy.clone(), "label").expect("a unit");
    let draft = tacit_core::Draft {
        content: "text".into(),
        kind: Some("gotcha".into()),
        work_unit: Some(unit),
        ..tacit_core::Draft::default()
    };
    kept.body = draft.check(tacit_core::Confidence::HIGH).expect("a valid draft");
    store_all(&mut ada, &[kept]);
    let of = |hierarchy: &[String]| Filter {
        work_unit: Some(WorkUnitFilter { methodology: None, hierarchy: hierarchy.to_vec() }),
        ..Filter::everything()
    };
    assert_eq!(ada.count(&of(&hierarchy[..7])).expect("count"), 1);
    assert_eq!(ada.count(&of(&hierarchy[1..])).expect("count"), 0);
    // The paths of an event.
    let session: SessionId = "s".parse().expect("a session");
    let event = serde_json::json!({
        "client": "claude", "session": "s", "cwd": incompressible(3_000),
        "transcript": incompressible(3_001), "what": {"turn_stopped": {"last_message": "x"}},
    });
    let event = serde_json::from_value(event).expect("an event");
    let record = tacit_core::log::ClientRecord::new(&event, None).expect("a record");
    let record = tacit_core::log::LogRecord::Client(record);
    let [one, two] = ["a", "b"].map(|id| tacit_store::Event {
        id: id.into(),
        session: session.clone(),
        at: at(1),
        record: record.clone(),
    });
    let batch = tacit_store::ActivityBatch {
        events: vec![one, two],
        ..tacit_store::ActivityBatch::default()
    };
    tacit_store::ActivityStore::record(&mut ada, &batch).expect("record");
    let paths = "SELECT count(*) FROM tacit.agent_event_paths";
    assert_eq!(database.ask_superuser(paths).as_deref(), Some("1"));
}
