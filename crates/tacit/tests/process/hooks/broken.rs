//! Hooks on stores that are missing, locked, damaged, closed or full: the agent is not disturbed.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use rusqlite::Connection;
use serde_json::json;
use tacit_testkit::env::{RunOutput, TestEnv};

use super::{Agent, events, log, remember};
use crate::damage::{forget_log, freeze, thaw};
use crate::{BINARY, bare, initialised};

const NOTE: &str = "Ports are shared between tests, use 0";

fn known() -> TestEnv {
    let env = initialised();
    remember(&env, NOTE, &["-t", "gotcha", "-f", "src/net.rs"]);
    env
}

/// An event for every way through a hook.
fn everything(agent: &Agent<'_>) -> Vec<RunOutput> {
    let bash = json!({"command": "make it"});
    let hot = json!({"command": "docker run it"});
    let read = json!({"file_path": "src/net.rs"});
    [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "are ports shared between tests?"})),
        ("PreToolUse", json!({"tool_name": "Bash", "tool_input": bash})),
        ("PreToolUse", json!({"tool_name": "Bash", "tool_input": hot})),
        ("PostToolUse", json!({"tool_name": "Read", "tool_input": read})),
        ("PostToolUseFailure", json!({"tool_name": "Bash", "tool_input": bash, "error": "x"})),
        ("Stop", json!({"stop_hook_active": false})),
        ("SubagentStop", json!({"agent_id": "a", "agent_type": "b"})),
        ("SessionEnd", json!({"reason": "other"})),
    ]
    .map(|(event, fields)| agent.ran(event, fields).succeeded())
    .into()
}

#[test]
fn without_a_memory_nothing_is_done() {
    let env = bare();
    fs::create_dir(env.store()).expect("a directory");
    for ran in everything(&Agent::new(&env, "s")) {
        assert_eq!(ran.stdout, "");
    }
    assert_eq!(fs::read_dir(env.store()).expect("a directory").count(), 0);
}

#[test]
fn locked_stores_can_be_read_and_lose_nothing() {
    let env = known();
    let agent = Agent::new(&env, "s").with("TACIT_TIMEOUTS_STORE_MS", "50");
    agent.starts("startup");
    let holder = Connection::open(env.store().join("memory.db")).expect("the database");
    holder.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let other = Agent::new(&env, "t").with("TACIT_TIMEOUTS_STORE_MS", "50");
    let answers = everything(&other);
    assert!(answers[0].stdout.contains(NOTE), "{answers:?}");
    assert!(log(&env).contains("locked by another process"), "{}", log(&env));
    drop(holder);
    assert_eq!(events(&env).len(), 10, "{}", log(&env));
    // What was told meanwhile is known to have been told.
    assert!(other.has_used("Read", "src/net.rs").is_nothing());
    env.run(["doctor"]).succeeded();
}

#[test]
fn an_agent_is_not_asked_twice_because_the_store_was_locked() {
    let env = known();
    env.run(["config", "set", "capture.extractor", "agent"]).succeeded();
    let agent = Agent::new(&env, "s").with("TACIT_TIMEOUTS_STORE_MS", "50");
    agent.says("The tests fail.");
    agent.has_used("Edit", "src/other.rs");
    agent.has_used("Edit", "src/net.rs");
    let holder = Connection::open(env.store().join("memory.db")).expect("the database");
    holder.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    assert!(agent.stops(false).block.is_some());
    drop(holder);
    agent.has_used("Read", "src/other.rs");
    assert!(agent.stops(false).is_nothing());
}

#[test]
fn hooks_leave_damaged_stores_to_the_doctor() {
    for bytes in [b"no database at all ".repeat(500), b"SQLite format 3\0 and no more".to_vec()] {
        let env = known();
        forget_log(&env);
        fs::write(env.store().join("memory.db"), &bytes).expect("a file");
        for ran in everything(&Agent::new(&env, "s")) {
            assert_eq!(ran.stdout, "");
        }
        assert!(log(&env).contains("is damaged"), "{}", log(&env));
        assert_eq!(fs::read(env.store().join("memory.db")).expect("a file"), bytes);
        // What happened waits until there is a store again.
        env.run(["doctor", "--fix"]).succeeded();
        assert_eq!(events(&env).len(), 9, "{}", log(&env));
    }
}

#[test]
fn a_database_of_another_version_is_left_alone() {
    let env = known();
    let connection = Connection::open(env.store().join("memory.db")).expect("the database");
    connection.pragma_update(None, "user_version", 99).expect("a version");
    drop(connection);
    for ran in everything(&Agent::new(&env, "s")) {
        assert_eq!(ran.stdout, "");
    }
    assert!(log(&env).contains("schema version 99"), "{}", log(&env));
}

#[test]
fn the_users_own_store_may_be_damaged() {
    let env = known();
    fs::create_dir_all(env.home()).expect("a directory");
    fs::write(env.home().join("memory.db"), "garbage".repeat(1_000)).expect("a file");
    assert!(Agent::new(&env, "s").starts("startup").says(NOTE));
}

#[test]
fn a_broken_configuration_is_noted_and_the_defaults_are_used() {
    for text in ["guard.commands = ", "hoks.guard = true", "hooks.tokens.tool = -3"] {
        let env = known();
        fs::write(env.store().join("config.toml"), text).expect("a file");
        let told = Agent::new(&env, "s").starts("startup");
        assert!(told.says(NOTE), "{text}: {told:?}");
        assert!(log(&env).contains("config.toml"), "{text}: {}", log(&env));
    }
    let env = known();
    let told = Agent::new(&env, "s").with("TACIT_GUARD_COMMANDS", "perhaps").starts("startup");
    assert!(
        told.says(NOTE) && log(&env).contains("TACIT_GUARD_COMMANDS"),
        "{told:?} {}",
        log(&env)
    );
}

/// Runs a hook as somebody whom permissions bind.
fn as_nobody(agent: &Agent<'_>, event: &str, fields: serde_json::Value) -> RunOutput {
    let mut command = agent.env.command();
    if fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0) {
        command.uid(65_534).gid(65_534);
    }
    let mut child = command
        .args(["hook", "claude"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let bytes = agent.payload(event, fields).to_string();
    let _ = child.stdin.take().expect("a pipe").write_all(bytes.as_bytes());
    RunOutput::from(child.wait_with_output().expect("it ends"))
}

#[test]
fn a_store_that_cannot_be_written_is_no_obstacle() {
    let env = known();
    freeze(&env);
    let agent = Agent::new(&env, "s");
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": "src/net.rs"}});
    for (event, fields) in [
        ("SessionStart", json!({"source": "startup"})),
        ("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "make it"}})),
        ("PostToolUse", read),
        ("SessionEnd", json!({})),
    ] {
        as_nobody(&agent, event, fields).succeeded();
    }
    assert_eq!(log(&env), "");
    thaw(&env);
    // A place one may not even look into.
    fs::set_permissions(env.store(), std::os::unix::fs::PermissionsExt::from_mode(0o000))
        .expect("permissions");
    let ran = as_nobody(&agent, "SessionStart", json!({"source": "startup"})).succeeded();
    assert_eq!(ran.stdout, "");
    thaw(&env);
}

#[test]
fn a_full_disk_is_no_obstacle() {
    // In a mount namespace of its own, so that nothing stays mounted whatever happens.
    const SCRIPT: &str = r#"
        mount -t tmpfs -o size=1m tmpfs . && cd "$PWD" || exit 99
        "$1" init >/dev/null || exit 98
        "$1" remember "a fact before" >/dev/null || exit 97
        cat /dev/zero > filler 2>/dev/null
        for event in SessionStart PreToolUse PostToolUse SessionEnd; do
            printf '{"session_id":"s","cwd":"%s","hook_event_name":"%s","tool_name":"Bash","tool_input":{"command":"make it"}}' \
                "$PWD" $event | "$1" hook claude 2>&1 >/dev/null
            echo "$event $?"
        done
        rm -f filler
        printf '{"session_id":"t","cwd":"%s","hook_event_name":"SessionStart"}' "$PWD" |
            "$1" hook claude | cut -c 1-40
        "$1" doctor >/dev/null; echo "doctor $?"
    "#;
    let env = bare();
    let arguments = ["-rm", "sh", "-c", SCRIPT, "sh", BINARY];
    let output = env.command_for("unshare").args(arguments).output();
    let ran = match output {
        Ok(output) if output.status.code() != Some(99) && !output.stdout.is_empty() => {
            RunOutput::from(output)
        }
        other => {
            eprintln!("SKIPPED: no small file system can be mounted here: {other:?}");
            return;
        }
    };
    assert_eq!(
        ran.stdout,
        "SessionStart 0\nPreToolUse 0\nPostToolUse 0\nSessionEnd 0\n\
         {\"hookSpecificOutput\":{\"hookEventName\":\"\ndoctor 0\n",
        "{ran:?}"
    );
}

#[test]
fn below_a_program_that_writes_for_us_nothing_is_done() {
    let env = known();
    for ran in everything(&Agent::new(&env, "s").with("TACIT_NESTED", "1")) {
        assert_eq!(ran.stdout, "");
    }
    assert!(events(&env).is_empty());
}

#[test]
fn debug_output_explains_decisions() {
    let env = known();
    let id = remember(&env, "Perhaps ports are reused", &["--source", "agent_explicit"]);
    let agent = Agent::new(&env, "s").with("TACIT_DEBUG", "1");
    let ran = agent.ran("UserPromptSubmit", json!({"prompt": "are ports shared between tests?"}));
    assert_eq!(ran.code, Some(0));
    let said = ran.stderr;
    assert!(said.contains(": likelihood ") && said.contains("tacit hook: shown "), "{said}");
    assert!(said.contains(&format!("tacit hook: cut {id}: seen only once")), "{said}");
    let bash = json!({"tool_name": "Bash", "tool_input": {"command": "make it"}});
    let said = agent.ran("PreToolUse", bash).stderr;
    assert_eq!(said, "tacit hook: hot topic: none\n");
    let said = agent.ran("Notification", json!({})).stderr;
    assert_eq!(said, "tacit hook: nothing is done about this event\n");
    let elsewhere = bare();
    let said = Agent::new(&elsewhere, "s").with("TACIT_DEBUG", "1").ran("Stop", json!({})).stderr;
    assert_eq!(said, "tacit hook: there is no store here; `tacit init` creates one\n");
}

#[test]
fn a_hook_that_takes_too_long_gives_up_and_loses_nothing() {
    let env = known();
    // The lock is not free before the hook has to be done.
    let holder = Connection::open(env.store().join("memory.db")).expect("the database");
    holder.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let agent = Agent::new(&env, "s")
        .with("TACIT_TIMEOUTS_HOOK_MS", "50")
        .with("TACIT_TIMEOUTS_STORE_MS", "300");
    assert!(agent.has_used("Read", "src/net.rs").is_nothing());
    assert!(log(&env).contains("gave up after 50 ms"), "{}", log(&env));
    drop(holder);
    assert_eq!(events(&env).len(), 1);
}
