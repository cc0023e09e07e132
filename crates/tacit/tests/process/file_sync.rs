//! Memories that follow decision files, through the real binary: their trust, and the memories of
//! people that the sync must leave alone.

use std::fs;

use serde_json::Value;
use tacit_testkit::env::{RunOutput, TestEnv};

use crate::initialised;

const FILE: &str = "agents/decisions/db.md";
const POSTGRES: &str = "## Use Postgres\n\nOrders live in Postgres, because reports join them.\n";
const REDIS: &str = "## Use Redis\n\nSessions live in Redis and expire after a day.\n";

fn write(env: &TestEnv, text: &str) {
    fs::create_dir_all(env.project().join("agents/decisions")).expect("a directory");
    fs::write(env.project().join(FILE), text).expect("written");
}

fn sync(env: &TestEnv) {
    env.run(["recall", "anything"]).succeeded();
}

fn commit(env: &TestEnv) {
    env.git(&env.project(), &["add", "-A"]);
    env.git(&env.project(), &["commit", "-qm", "decisions"]);
}

/// Returns the active memories whose text contains a word.
fn about(env: &TestEnv, word: &str) -> Vec<Value> {
    let listed = env.run(["list", "--json"]).succeeded().json();
    let all = listed.as_array().cloned().unwrap_or_default();
    all.into_iter().filter(|memory| memory["content"].to_string().contains(word)).collect()
}

fn review(env: &TestEnv) -> String {
    about(env, "Postgres")[0]["review"].as_str().unwrap_or("none").to_owned()
}

fn id(memory: &Value) -> &str {
    memory["short_id"].as_str().expect("an id")
}

#[test]
fn a_failing_git_takes_no_trust_from_committed_sections() {
    let env = initialised();
    let without_git = |query: &str| {
        let mut command = env.command();
        let output = command.args(["recall", query]).env("PATH", env.root()).output();
        RunOutput::from(output.expect("the binary starts")).succeeded()
    };
    write(&env, POSTGRES);
    commit(&env);
    sync(&env);
    assert_eq!(review(&env), "committed");
    write(&env, POSTGRES);
    without_git("orders");
    assert_eq!(review(&env), "committed", "the file says the same");

    // What git could not tell is asked again.
    write(&env, &POSTGRES.replace("join", "group"));
    commit(&env);
    without_git("orders");
    assert_eq!(review(&env), "none", "it may not be committed");
    sync(&env);
    assert_eq!(review(&env), "committed");
}

#[test]
fn a_folder_outside_the_worktree_takes_no_trust_from_others() {
    let env = initialised();
    write(&env, POSTGRES);
    commit(&env);
    let folders = "agents/decisions,../other";
    env.run(["config", "set", "triggers.decisions", folders]).succeeded();
    sync(&env);
    assert_eq!(review(&env), "committed");
}

#[test]
fn a_memory_that_names_a_section_keeps_its_own_text() {
    let env = initialised();
    let text = "We picked Postgres after the outage of May; ask Anna about it";
    let place = format!("{FILE}#Use Postgres");
    env.run(["remember", text, "--type", "decision", "--reference", &place]).succeeded();
    write(&env, POSTGRES);
    env.run(["records", "index"]).succeeded();
    let own = about(&env, "Anna");
    assert_eq!((own.len(), &own[0]["content"]), (1, &text.into()));
    assert_eq!(about(&env, "reports join").len(), 1, "the section has a memory of its own");
}

#[test]
fn a_memory_with_the_text_of_a_section_outlives_the_section() {
    let env = initialised();
    let text = "Orders live in Postgres, because reports join them.";
    env.run(["remember", text, "--type", "decision"]).succeeded();
    write(&env, POSTGRES);
    sync(&env);
    let own = about(&env, "Postgres");
    assert_eq!((own.len(), &own[0]["source"]), (1, &"user_taught".into()), "they share one memory");
    write(&env, &format!("{POSTGRES}\n{REDIS}"));
    sync(&env);
    let again = about(&env, "Postgres");
    assert_eq!(again[0]["updated_at"], own[0]["updated_at"], "nothing new was said about it");

    // The section changes, and goes.
    write(&env, &POSTGRES.replace("join", "group"));
    sync(&env);
    let mut both = about(&env, "Postgres");
    both.retain(|memory| memory["id"] == own[0]["id"]);
    assert_eq!(both[0]["content"], text);
    write(&env, POSTGRES);
    sync(&env);
    write(&env, REDIS);
    sync(&env);
    let left = about(&env, "Postgres");
    assert_eq!((left.len(), id(&left[0])), (1, id(&own[0])));
    fs::remove_file(env.project().join(FILE)).expect("removed");
    sync(&env);
    assert_eq!(about(&env, "Postgres").len(), 1);
}

#[test]
fn a_forgotten_section_returns_only_with_another_text() {
    let env = initialised();
    let both = |postgres: &str, redis: &str| write(&env, &format!("{postgres}\n{redis}"));
    both(POSTGRES, REDIS);
    sync(&env);
    env.run(["forget", id(&about(&env, "Redis")[0])]).succeeded();
    both(&POSTGRES.replace("join", "group"), REDIS);
    sync(&env);
    assert_eq!((about(&env, "Redis").len(), about(&env, "group").len()), (0, 1));
    env.run(["records", "index"]).succeeded();
    assert_eq!(about(&env, "Redis").len(), 0);

    both(POSTGRES, &REDIS.replace("a day", "an hour"));
    sync(&env);
    assert_eq!(about(&env, "an hour").len(), 1, "it says something else");

    // A section that was deleted returns with its text.
    write(&env, POSTGRES);
    sync(&env);
    assert_eq!(about(&env, "Redis").len(), 0);
    both(POSTGRES, &REDIS.replace("a day", "an hour"));
    sync(&env);
    assert_eq!(about(&env, "an hour").len(), 1);
}

#[test]
fn another_rendering_rewrites_memories_and_keeps_their_trust() {
    let env = initialised();
    write(&env, &format!("{POSTGRES}\n{REDIS}"));
    sync(&env);
    let verified = about(&env, "Postgres")[0].clone();
    env.run(["review", "confirm", id(&verified)]).succeeded();
    env.run(["forget", id(&about(&env, "Redis")[0])]).succeeded();
    // The store of an earlier version, with its text.
    let database = rusqlite::Connection::open(env.store().join("memory.db")).expect("a database");
    let change = "UPDATE memories SET content = 'An earlier text' WHERE content LIKE '%Postgres%'";
    assert_eq!(database.execute(change, []).expect("changed"), 1);
    drop(database);
    sync(&env);
    assert_eq!(about(&env, "Postgres").len(), 0, "the file has not changed");
    for file in crate::files(&env.store().join("records")) {
        let text = fs::read_to_string(&file).expect("a state");
        let mut state: Value = serde_json::from_str(&text).expect("a state");
        assert!(state.as_object_mut().expect("fields").remove("rendering").is_some());
        fs::write(&file, state.to_string()).expect("written");
    }
    sync(&env);
    let rendered = about(&env, "Postgres");
    assert_eq!(rendered[0]["content"], verified["content"]);
    assert_eq!((id(&rendered[0]), review(&env).as_str()), (id(&verified), "verified"));
    assert_eq!(about(&env, "Redis").len(), 0, "it was forgotten, and says nothing new");
}
