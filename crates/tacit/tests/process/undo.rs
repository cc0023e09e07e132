//! A command that changes several memories is one change for `tacit undo`.

use std::fs;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use super::initialised;

const FACTS: [&str; 3] = [
    "Close the connection pool before the process forks",
    "Names of new files are written in kebab case",
    "The importer needs a token of the staging shop",
];

fn lines(facts: &[&str]) -> String {
    facts.iter().map(|fact| format!("{}\n", json!({"content": fact}))).collect()
}

/// Stores the facts as claims of an import, which wait for review. Returns their ids.
fn import(env: &TestEnv) -> Vec<String> {
    fs::write(env.root().join("facts.jsonl"), lines(&FACTS)).expect("a file");
    let file = env.root().join("facts.jsonl").display().to_string();
    env.run(["import", &file]).succeeded();
    let ids = memories(env).into_iter().map(|memory| memory["id"].as_str().map(str::to_owned));
    ids.collect::<Option<_>>().expect("ids")
}

/// Lists all memories, of any status, oldest first.
fn memories(env: &TestEnv) -> Vec<Value> {
    let listed = env.run(["list", "--status", "all", "--json"]).succeeded().json();
    let mut memories = listed.as_array().expect("a list").clone();
    memories.sort_by_key(|memory| memory["id"].to_string());
    memories
}

/// Runs a command and checks that one undo restores all memories.
fn check_one_step(env: &TestEnv, command: &[&str], ids: &[String]) {
    let before = memories(env);
    let arguments = command.iter().copied().chain(ids.iter().map(String::as_str));
    env.run(arguments.collect::<Vec<_>>()).succeeded();
    assert_ne!(memories(env), before, "{command:?}");
    let undone = env.run(["undo", "--json"]).succeeded().json();
    assert_eq!(undone["memories"].as_array().map(Vec::len), Some(ids.len()), "{command:?}");
    assert_eq!(memories(env), before, "{command:?}");
}

#[test]
fn remembered_lines_are_undone_in_one_step() {
    let env = initialised();
    let [first, second, third] = FACTS;
    // The second line is no memory, and the last one reinforces the first.
    let text = format!("{}{{\"content\"\n{}", lines(&[first]), lines(&[second, third, first]));
    let ran = env.run_with_input(["remember", "--jsonl"], text.as_bytes());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let answers = ran.json_lines();
    let outcomes: Vec<&Value> = answers.iter().map(|answer| &answer["outcome"]).collect();
    let null = Value::Null;
    assert_eq!(
        outcomes,
        [&json!("stored"), &null, &json!("stored"), &json!("stored"), &json!("reinforced")]
    );
    assert_eq!(answers[1]["line"], 2);
    assert_eq!(memories(&env).len(), 3);
    env.run(["undo"]).succeeded();
    assert_eq!(memories(&env), Vec::<Value>::new());
    env.run(["undo"]).failed(3);
}

#[test]
fn an_import_is_undone_in_one_step() {
    let env = initialised();
    assert_eq!(import(&env).len(), FACTS.len());
    env.run(["undo"]).succeeded();
    assert_eq!(memories(&env), Vec::<Value>::new());
}

#[test]
fn commands_with_several_ids_are_undone_in_one_step() {
    let env = initialised();
    let ids = import(&env);
    check_one_step(&env, &["review", "confirm"], &ids);
    check_one_step(&env, &["forget"], &ids);
    check_one_step(&env, &["forget", "--archive"], &ids);
    env.run(["forget", &ids[0], &ids[1], &ids[2]]).succeeded();
    check_one_step(&env, &["restore"], &ids);
}
