//! A day with a store, killed at every step of each of its commands: the next commands work, no
//! memory is lost, and nothing is left behind.

use std::fs;
use std::process::Stdio;

use tacit_testkit::env::{RunOutput, TestEnv};

use crate::killed::copy_of;
use crate::{files, initialised};

/// The facts that stay through the whole day.
const LASTING: [&str; 3] =
    ["the parser reads a token at a time", "prices include tax", "releases are cut on Tuesdays"];
/// The fact that is purged.
const SECRET: &str = "the zanzibar gateway drops idle sockets after ninety seconds";
/// A time after every file of this test run.
const LATER: &str = "2050-01-01T00:00:00Z";
/// More kills than any command has steps.
const MOST: u64 = 400;

/// A command of the scenario.
struct Act {
    what: &'static str,
    arguments: fn(&TestEnv) -> Vec<String>,
    input: fn(&TestEnv) -> String,
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn event(env: &TestEnv, name: &str, fields: serde_json::Value) -> String {
    let mut payload = fields;
    payload["hook_event_name"] = name.into();
    payload["session_id"] = "s-1".into();
    payload["cwd"] = env.project().display().to_string().into();
    payload.to_string()
}

fn nothing(_: &TestEnv) -> String {
    String::new()
}

fn id_of(env: &TestEnv, text: &str) -> String {
    let listed = env.run(["list", "--limit", "100", "--json"]).json();
    let listed = listed.as_array().expect("a list").iter();
    let mut found = listed.filter(|memory| memory["content"] == text);
    found.next().map_or("00000000".into(), |it| it["short_id"].as_str().expect("an id").into())
}

const SCENARIO: &[Act] = &[
    Act { what: "remember", arguments: |_| words(&["remember", "one more fact"]), input: nothing },
    Act {
        what: "hook: start",
        arguments: |_| words(&["hook", "claude"]),
        input: |env| event(env, "SessionStart", serde_json::json!({"source": "startup"})),
    },
    Act {
        what: "hook: prompt",
        arguments: |_| words(&["hook", "claude"]),
        input: |env| {
            let prompt = format!("is it true that {SECRET}?");
            event(env, "UserPromptSubmit", serde_json::json!({"prompt": prompt}))
        },
    },
    Act {
        what: "hook: failure",
        arguments: |_| words(&["hook", "claude"]),
        input: |env| {
            let fields = serde_json::json!({
                "tool_name": "Bash", "tool_use_id": "t-1",
                "tool_input": {"command": "cargo test"}, "error": "exit 1: no such table",
            });
            event(env, "PostToolUseFailure", fields)
        },
    },
    Act {
        what: "hook: end",
        arguments: |_| words(&["hook", "claude"]),
        input: |env| event(env, "SessionEnd", serde_json::json!({"reason": "exit"})),
    },
    Act {
        what: "maintain and back up",
        arguments: |_| words(&["maintain", "--quiet"]),
        input: nothing,
    },
    Act {
        what: "review",
        arguments: |env| words(&["review", "confirm", &id_of(env, LASTING[0])]),
        input: nothing,
    },
    Act { what: "undo", arguments: |_| words(&["undo"]), input: nothing },
    Act {
        what: "purge",
        arguments: |env| words(&["forget", &id_of(env, SECRET), "--purge", "--yes"]),
        input: nothing,
    },
    Act {
        what: "restore a backup",
        arguments: |_| words(&["restore", "--backup", "latest"]),
        input: nothing,
    },
];

/// Runs an act, killed at a step if it is not 0. Returns `None` if it was killed.
fn perform(env: &TestEnv, act: &Act, arguments: &[String], step: u64) -> Option<i32> {
    let input = env.root().join("input");
    fs::write(&input, (act.input)(env)).expect("a file");
    let mut command = env.command();
    command
        .args(arguments)
        .stdin(Stdio::from(fs::File::open(&input).expect("a file")))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if step > 0 {
        command.env("TACIT_KILL_AT_STEP", step.to_string());
    }
    command.status().expect("the binary starts").code()
}

/// Asserts that everything works after a kill, and that nothing of it is left.
fn assert_in_order(env: &TestEnv, told: &str) {
    let listed = env.run(["list", "--limit", "100", "--json"]);
    assert_eq!(listed.code, Some(0), "{told}: {listed:?}");
    for fact in LASTING {
        assert!(listed.stdout.contains(fact), "{told}: `{fact}` is lost");
    }
    let doctor = env.run(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{told}: {doctor:?}");
    env.run(["remember", "a fact after the kill"]).succeeded();
    // Two days later, the unfinished files of dead processes are gone.
    let mut command = env.command();
    command.env("TACIT_NOW", LATER).args(["maintain", "--quiet"]);
    RunOutput::from(command.output().expect("the binary starts")).succeeded();
    for path in files(&env.store()).into_iter().chain(files(&env.home())) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let is_unfinished = name.starts_with('.')
            || [".tmp", ".part"].iter().any(|ending| name.ends_with(ending))
            || name.contains(".repair")
            || path.components().any(|part| part.as_os_str() == "pending");
        assert!(!is_unfinished, "{told}: `{}` is left", path.display());
    }
}

fn prepared() -> TestEnv {
    let env = initialised();
    env.run(["config", "set", "embedding.provider", "off", "--global"]).succeeded();
    for fact in LASTING.iter().chain([&SECRET]) {
        env.run(["remember", fact]).succeeded();
    }
    env
}

/// Kills the acts in a range at each of their steps. Returns the number of kills.
fn kill_everywhere(acts: std::ops::Range<usize>) -> u64 {
    let mut state = prepared();
    let mut kills = 0;
    for (number, act) in SCENARIO.iter().enumerate() {
        let arguments = (act.arguments)(&state);
        if acts.contains(&number) {
            for step in 1.. {
                assert!(step < MOST, "{}: no end after {step} steps", act.what);
                let env = copy_of(&state);
                if perform(&env, act, &arguments, step).is_some() {
                    break;
                }
                kills += 1;
                assert_in_order(&env, &format!("{} killed at step {step}", act.what));
            }
        }
        let next = copy_of(&state);
        assert_eq!(perform(&next, act, &arguments, 0), Some(0), "{}", act.what);
        state = next;
    }
    kills
}

#[test]
fn writes_of_commands_and_hooks_survive_every_kill() {
    let kills = kill_everywhere(0..5);
    assert!(kills >= 5, "killed only {kills} times");
}

#[test]
fn maintenance_review_and_undo_survive_every_kill() {
    let kills = kill_everywhere(5..8);
    assert!(kills >= 20, "killed only {kills} times");
}

#[test]
fn purge_and_restore_survive_every_kill() {
    let kills = kill_everywhere(8..10);
    assert!(kills >= 40, "killed only {kills} times");
}
