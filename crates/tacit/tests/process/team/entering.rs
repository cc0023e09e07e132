//! A project enters and leaves a team while others work in it, and a copy is never taken for an own store.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::*;

/// Stores memories until `done`. Returns the texts that were acknowledged.
fn writes_until(person: &Person, name: &str, done: &AtomicBool) -> Vec<String> {
    let mut acknowledged = Vec::new();
    for number in 0.. {
        let text = format!("{name}{number} saw comet{} above tower{}", number * 3, number * 7 % 13);
        let ran = person.env.run(["remember", text.as_str(), "--json"]);
        if ran.code == Some(0) {
            acknowledged.push(text);
        }
        if done.load(Ordering::Relaxed) && number > 3 {
            break;
        }
    }
    acknowledged
}

/// Runs a command while somebody stores memories. Returns the texts that were acknowledged.
fn while_writing(person: &Person, name: &str, run: impl FnOnce()) -> Vec<String> {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| writes_until(person, name, &done));
        run();
        done.store(true, Ordering::Relaxed);
        writer.join().expect("the writer ends")
    })
}

#[test]
fn memories_that_are_stored_while_a_project_enters_or_leaves_are_not_lost() {
    let team = Team::new();
    let ada = team.person("ada");
    ada.embeds_nothing();
    let mut expected = vec![POOL.to_owned(), NAMES.to_owned()];
    expected.iter().for_each(|text| drop(ada.remembers(text)));
    expected.extend(while_writing(&ada, "joining", || {
        let joined = ada.tries(["team", "init", &ada.url, "--share"]);
        assert_eq!(joined.code, Some(0), "{joined:?}");
    }));
    ada.run(["team", "push"]);
    expected.sort();
    assert_eq!((ada.knows(), team.memories()), (expected.clone(), expected.len()));
    expected.extend(while_writing(&ada, "fetching", || {
        let moved = ada.tries(["migrate", "--to", "local"]);
        assert_eq!(moved.code, Some(0), "{moved:?}");
    }));
    ada.tries(["list"]);
    expected.sort();
    assert_eq!((ada.knows(), ada.spooled()), (expected, 0));
}

#[test]
fn a_copy_without_its_server_takes_no_memories() {
    let (team, _ada, bo) = Team::of_two();
    let unset = |key: &str| drop(bo.run(["config", "unset", key]));
    unset("database.url");
    let remembered = bo.remembers("The ferry leaves at noon");
    assert_eq!((&remembered["outcome"], bo.spooled()), (&json!("spooled"), 1), "{remembered}");
    assert_eq!(bo.status()["failure"].as_str().map(|why| why.contains("not set")), Some(true));
    let said = bo.tries(["team", "status"]);
    assert!(said.stdout.contains("`database.url` is not set"), "{said:?}");
    // Neither a hook nor a broken configuration lets the request into the copy.
    assert!(bo.is_shown("unset", ABOUT_POOL).contains(POOL));
    fs::write(bo.env.store().join("config.toml"), "[database\n").expect("written");
    bo.is_shown("broken", ABOUT_POOL);
    bo.tries(["status"]);
    bo.tries(["doctor"]);
    assert_eq!(bo.spooled(), 1);
    fs::remove_file(bo.env.store().join("config.toml")).expect("removed");
    bo.run(["config", "set", "database.url", &bo.url]);
    bo.run(["team", "push"]);
    assert_eq!((team.memories(), bo.spooled()), (4, 0));
}

#[test]
fn a_state_that_cannot_be_read_does_not_make_a_copy_an_own_store() {
    let (team, _ada, bo) = Team::of_two();
    let path = bo.env.store().join("team.json");
    let state = fs::read_to_string(&path).expect("a state");
    fs::write(&path, "{\"server\":").expect("written");
    let refused = bo.tries(["remember", "The ferry leaves at noon"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("team.json"), "{refused:?}");
    fs::write(&path, state).expect("written");
    bo.remembers("The ferry leaves at noon");
    assert_eq!(team.memories(), 4);
}

#[test]
fn a_copy_that_was_replaced_is_filled_again() {
    let (_team, ada, bo) = Team::of_two();
    bo.run(["maintain", "--backup"]);
    let found = ada.run(["recall", "kebab case", "--json"]).json();
    let id = found[0]["id"].as_str().expect("an id").to_owned();
    ada.run(["forget", &id, "--purge", "--yes"]);
    ada.remembers("The ferry leaves at noon");
    bo.run(["team", "pull"]);
    let current = bo.knows();
    let restored = bo.tries(["restore", "--backup", "latest"]);
    assert_eq!(restored.code, Some(0), "{restored:?}");
    bo.run(["team", "pull"]);
    assert_eq!(bo.knows_alone(), current);
    // A store that is new and empty is filled, too.
    for file in ["memory.db", "memory.db-wal", "memory.db-shm"] {
        let _ = fs::remove_file(bo.env.store().join(file));
    }
    bo.tries(["init", "--no-hooks"]);
    bo.tries(["team", "pull"]);
    assert_eq!(bo.knows_alone(), current);
}

#[test]
fn a_project_keeps_its_name_when_its_remote_changes() {
    let (team, ada, bo) = Team::of_two();
    for person in [&ada, &bo] {
        let project = person.env.project();
        person.env.git(&project, &["remote", "set-url", "origin", "git@example.org:acme/new.git"]);
    }
    ada.run(["team", "add", &bo.login, "--role", "reader"]);
    assert_eq!(bo.status()["role"], "reader");
    let upgraded = ada.run(["team", "init"]);
    assert!(upgraded.stdout.contains("schema"), "{upgraded:?}");
    assert_eq!(
        team.count("SELECT count(*) FROM tacit.projects WHERE identity NOT LIKE 'user:%'"),
        1
    );
    ada.run(["migrate", "--to", "local"]);
    assert_eq!(ada.knows().len(), 3);
}

#[test]
fn an_interrupted_entry_leaves_the_store_as_it_was_or_completes() {
    let team = Team::new();
    let ada = team.person("ada");
    for text in [POOL, NAMES, INVOICES] {
        ada.remembers(text);
    }
    let known = ada.knows();
    for step in (1..).step_by(2) {
        let mut command = ada.env.command();
        command.args(["team", "init", &ada.url, "--share"]);
        let ran = command.env("TACIT_KILL_AT_STEP", step.to_string()).output();
        let ran = RunOutput::from(ran.expect("the binary starts"));
        // The store answers in between, wherever it is, and takes memories.
        assert_eq!(ada.knows(), known, "after step {step}");
        if ran.code == Some(0) {
            assert!(step > 4, "it has steps to be killed at");
            break;
        }
        assert!(ran.code.is_none(), "{ran:?}");
        if ada.tries(["team", "status"]).code == Some(0) {
            ada.tries(["team", "leave"]);
        }
    }
    assert_eq!(ada.status()["reachable"], true);
    assert_eq!(
        (ada.remembers("It is a team")["outcome"].clone(), team.memories()),
        (json!("stored"), 4)
    );
}
