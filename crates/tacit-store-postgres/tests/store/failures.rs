//! Servers that refuse, are gone, or have another schema; writers that meet or die.

use std::time::{Duration, Instant};

use tacit_core::Reasoning;
use tacit_store::conformance::{at, memory, store_all};
use tacit_store::{
    Action, ActionKind, ChangeQuery, Filter, ListOrder, ListQuery, Store, StoreError,
};
use tacit_store_postgres::{LATEST, PostgresStore, Timeouts, add_project, fetch_delta, install};

use crate::database::{PROJECT, TIMEOUTS, TestDatabase, settings};

fn action() -> Action {
    let actor = "ada".parse().expect("a name");
    Action {
        kind: ActionKind::Remember,
        at: at(1),
        actor,
        reason: Reasoning::new("why").ok(),
        reverts: None,
    }
}

fn size(store: &dyn Store) -> usize {
    store.count(&Filter::everything()).expect("a count")
}

fn open(url: &str) -> Result<PostgresStore, StoreError> {
    PostgresStore::open(&settings(url), PROJECT, TIMEOUTS)
}

#[test]
fn refusals_are_told_apart() {
    let database = TestDatabase::with_project();
    let url = database.url_as("ada");
    let (account, place) = url.rsplit_once('@').expect("an account");
    let (user, password) = account.rsplit_once(':').expect("a password");
    let wrong = format!("{user}:wrong@{place}");
    let error = open(&wrong).map(drop).expect_err("a wrong password");
    assert!(matches!(error, StoreError::Denied { .. }), "{error:?}");
    let told = format!("{error} {error:?}");
    assert!(!told.contains("wrong"), "{told}");
    let none = format!("{user}@{place}");
    assert!(matches!(open(&none).map(drop), Err(StoreError::Denied { .. })));
    let elsewhere = format!("{url}_not");
    assert!(matches!(open(&elsewhere).map(drop), Err(StoreError::Missing { .. })));
    // A closed port refuses at once.
    let (host, _) = url.split_once("@127").expect("a host");
    let closed = format!("{host}@127.0.0.1:1/none");
    let error = open(&closed).map(drop).expect_err("no server");
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains(password));
}

#[test]
fn read_only_servers_are_read() {
    let database = TestDatabase::with_project();
    store_all(&mut database.open("ada"), &[memory(1, "text")]);
    let user = database.user("ada");
    database.run(&format!("ALTER ROLE {user} SET default_transaction_read_only = on"));
    let mut store = database.open("ada");
    assert_eq!(size(&store), 1);
    let error = store.begin(action()).map(drop).expect_err("it is read-only");
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
}

#[test]
fn other_schema_versions_are_not_opened() {
    let database = TestDatabase::with_project();
    let open = || PostgresStore::open(&database.settings_of("ada"), PROJECT, TIMEOUTS).map(drop);
    let set = |version: i64| {
        database.run(&format!("UPDATE tacit.schema_version SET version = {version}"));
    };
    set(LATEST + 1);
    assert!(matches!(open(), Err(StoreError::TooNew { found, known, .. })
        if found == LATEST + 1 && known == LATEST));
    assert!(matches!(
        install(&database.superuser(), TIMEOUTS).map(drop),
        Err(StoreError::TooNew { .. })
    ));
    set(LATEST - 1);
    assert!(matches!(open(), Err(StoreError::OldSchema { found, needed, .. })
        if found == LATEST - 1 && needed == LATEST));
    set(LATEST);
    open().expect("a store");
    assert_eq!(install(&database.superuser(), TIMEOUTS).expect("nothing to do"), LATEST);
}

#[test]
fn servers_without_a_schema_say_so() {
    let database = TestDatabase::empty();
    let ada = settings(&database.create_user("ada"));
    let error = PostgresStore::open(&ada, PROJECT, TIMEOUTS).map(drop).expect_err("no schema");
    assert!(matches!(error, StoreError::OldSchema { found: 0, .. }), "{error:?}");
    assert!(matches!(install(&ada, TIMEOUTS), Err(StoreError::Denied { .. })));
    assert_eq!(install(&database.superuser(), TIMEOUTS).expect("a schema"), 0);
    let error = PostgresStore::open(&ada, PROJECT, TIMEOUTS).map(drop).expect_err("a stranger");
    assert!(matches!(error, StoreError::Denied { .. }), "{error:?}");
}

#[test]
fn writers_of_a_project_wait_for_each_other() {
    let database = TestDatabase::with_project();
    let mut first = database.open("ada");
    let mut second = database.open("ada");
    let transaction = first.begin(action()).expect("begin");
    assert!(matches!(second.try_begin(action()).map(drop), Err(StoreError::Busy)));
    drop(transaction);
    second.try_begin(action()).map(drop).expect("the lock is free");

    let brief = Timeouts { busy: Duration::from_millis(50), ..TIMEOUTS };
    let settings = database.settings_of("ada");
    let mut impatient = PostgresStore::open(&settings, PROJECT, brief).expect("a store");
    let transaction = first.begin(action()).expect("begin");
    assert!(matches!(impatient.begin(action()).map(drop), Err(StoreError::Busy)));
    drop(transaction);
    impatient.begin(action()).map(drop).expect("the lock is free");
}

#[test]
fn concurrent_writers_number_their_changes_in_order() {
    let database = TestDatabase::with_project();
    std::thread::scope(|scope| {
        for writer in 0..2u8 {
            let mut store = database.open("ada");
            scope.spawn(move || {
                for number in 0..10 {
                    let number = writer * 10 + number + 1;
                    store_all(&mut store, &[memory(number, &format!("fact {number}"))]);
                }
            });
        }
    });
    let store = database.open("ada");
    assert_eq!(size(&store), 20);
    let query = ChangeQuery { limit: 99, ..ChangeQuery::default() };
    let numbers: Vec<i64> =
        store.changes(&query).expect("changes").iter().map(|change| change.id).collect();
    assert_eq!(numbers, (1..=20).rev().collect::<Vec<i64>>());
    assert_eq!(store.count_terms(&["fact"]).expect("terms").documents, [20]);
}

#[test]
fn killed_connections_leave_nothing() {
    let database = TestDatabase::with_project();
    let mut store = database.open("ada");
    let mut transaction = store.begin(action()).expect("begin");
    transaction.insert(&memory(1, "half written")).expect("insert");
    database.run(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE usename = '{}' AND application_name = 'tacit'",
        database.user("ada")
    ));
    let error = transaction.commit().map(drop).expect_err("the connection is gone");
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    let query =
        ListQuery { filter: Filter::everything(), order: ListOrder::Newest, limit: 9, offset: 0 };
    assert!(matches!(store.list(&query), Err(StoreError::Unreachable { .. })));
    let mut store = database.open("ada");
    assert_eq!(size(&store), 0);
    store_all(&mut store, &[memory(1, "whole")]);
    assert_eq!(size(&store), 1);
}

#[test]
fn failed_statements_keep_a_transaction_from_committing() {
    let database = TestDatabase::with_project();
    let mut store = database.open("ada");
    let mut transaction = store.begin(action()).expect("begin");
    transaction.insert(&memory(1, "text")).expect("insert");
    transaction.insert(&memory(1, "text")).expect_err("it is there");
    transaction.commit().map(drop).expect_err("it failed");
    assert_eq!(size(&store), 0);
}

#[test]
fn silent_servers_are_given_up_in_time() {
    let database = TestDatabase::with_project();
    // A listener that accepts and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    let url = format!("postgres://ada:secret@127.0.0.1:{port}/none");
    let begun = Instant::now();
    let patience = Duration::from_millis(150);
    let error = fetch_delta(&settings(&url), PROJECT, 0, 9, patience).expect_err("silence");
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    drop(database);
}

#[test]
fn administrators_need_not_be_superusers() {
    let database = TestDatabase::empty();
    let dba = settings(&database.create_user("dba"));
    let name = database.user("dba");
    // The roles may exist already, made by another test. Then the administrator must govern them.
    install(&TestDatabase::empty().superuser(), TIMEOUTS).expect("roles");
    database.run(&format!(
        "ALTER ROLE {name} CREATEROLE; GRANT CREATE ON DATABASE {} TO {name};
         GRANT tacit_owner, tacit_member TO {name} WITH ADMIN TRUE, INHERIT FALSE;
         GRANT CREATE ON SCHEMA public TO {name}",
        database.name()
    ));
    // Where the extension is not trusted, a superuser creates it.
    database.run("CREATE EXTENSION vector");
    assert_eq!(install(&dba, TIMEOUTS).expect("a schema"), 0);
    assert_eq!(install(&dba, TIMEOUTS).expect("nothing to do"), LATEST);
    add_project(&dba, TIMEOUTS, PROJECT, "app").expect("a project");
    let mut store = PostgresStore::open(&dba, PROJECT, TIMEOUTS).expect("a store");
    store_all(&mut store, &[memory(1, "text")]);
    let owners = "SELECT count(*) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid
                  WHERE r.rolname = 'tacit_owner' AND m.member = current_user::regrole
                  AND m.inherit_option";
    let inherited = database.ask("dba", owners);
    assert_eq!(inherited, Ok(Some("0".into())), "nobody remains an owner");
}
