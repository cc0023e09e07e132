//! Panics: whatever panics, the agent goes on and somebody is told.
//!
//! `cargo xtask test` runs these a second time with a binary that panics as a release does
//! (`TACIT_RELEASE_BINARY`): with `panic = "abort"` every one of them fails.

use std::fs;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;
use tacit_testkit::mcp_client::{McpClient, lesson};

use crate::BINARY;
use crate::hooks::Agent;

/// The variable that names the point to panic at.
const PANIC_AT: &str = "TACIT_PANIC_AT";
/// The beginning of what is said about a fault.
const FAULT: &str = "this is a bug in tacit: failpoint ";

/// A place whose project has an empty memory.
#[expect(clippy::disallowed_methods, reason = "the binary to test is built by xtask")]
fn initialised() -> TestEnv {
    let release = std::env::var_os("TACIT_RELEASE_BINARY");
    TestEnv::initialised(release.unwrap_or_else(|| BINARY.into()))
}

/// Runs a command that panics at a point. Returns its exit code, standard output and error.
fn run(env: &TestEnv, point: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = env.command().env(PANIC_AT, point).args(arguments).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_hook_that_panics_is_logged_and_lets_the_agent_go_on() {
    for point in ["parse", "decide"] {
        let env = initialised();
        let agent = Agent::new(&env, "s-1").with(PANIC_AT, format!("hook:{point}"));
        // Exit code 0 and nothing on either stream.
        assert!(agent.starts("startup").is_nothing(), "{point}");
        assert!(agent.says("why does the pool leak?").is_nothing(), "{point}");
        let log = fs::read_to_string(env.store().join("logs/hook.log")).expect("a log");
        let lines: Vec<&str> = log.lines().collect();
        assert_eq!(lines.len(), 2, "{log}");
        let expected = format!("{FAULT}hook:{point} (crates/tacit-fs/src/failpoint.rs:");
        assert!(lines.iter().all(|line| line.contains(&expected)), "{log}");
    }
}

#[test]
fn an_event_whose_hook_panicked_is_recorded_by_the_next_one() {
    let env = initialised();
    let agent = Agent::new(&env, "s-1");
    agent.starts("startup");
    let broken = Agent::new(&env, "s-1").with(PANIC_AT, "hook:decide");
    assert!(broken.says("why does the pool leak?").is_nothing());
    agent.says("and where?");
    let events = env.run(["why", "-n", "10", "--json"]).succeeded().json();
    let kinds: Vec<&Value> =
        events.as_array().expect("a list").iter().map(|e| &e["kind"]).collect();
    assert_eq!(kinds, ["prompt_submitted", "prompt_submitted", "session_started"]);
}

#[test]
fn a_tool_that_panics_answers_with_an_error_and_the_server_lives() {
    let env = initialised();
    let mut client = McpClient::start_with(&env, &[(PANIC_AT, "tool:memory_search")]);
    // More often than calls are worked on at once: each gives its turn back.
    for _ in 0..6 {
        let result = client.result("memory_search", &json!({"query": "pool"}));
        assert_eq!(result["isError"], true, "{result}");
        let said = result["content"][0]["text"].as_str().expect("a text");
        assert_eq!(
            said,
            "Error: the call failed because of a bug in tacit: \
             failpoint tool:memory_search"
        );
    }
    let said = client.call("store_memory", &lesson("the server lives and answers others"));
    assert!(said.starts_with("Stored: "), "{said}");
    let printed = client.stderr_at_exit();
    assert_eq!(printed.lines().count(), 6, "{printed}");
    assert!(printed.lines().all(|line| line.starts_with(&format!("tacit: {FAULT}"))), "{printed}");
}

#[test]
fn a_resource_or_a_prompt_that_panics_is_an_error_as_well() {
    let env = initialised();
    for (point, method, params) in [
        ("resource:tacit://index", "resources/read", json!({"uri": "tacit://index"})),
        ("prompt:review", "prompts/get", json!({"name": "review"})),
    ] {
        let mut client = McpClient::start_with(&env, &[(PANIC_AT, point)]);
        for _ in 0..6 {
            let answer = client.ask(method, &params);
            let message = answer["error"]["message"].as_str().unwrap_or_default();
            assert!(message.ends_with(&format!("failpoint {point}")), "{answer}");
        }
        let said = client.call("memory_search", &json!({"query": "pool"}));
        assert_eq!(said, "No memory answers that.");
        assert_eq!(client.stderr_at_exit().lines().count(), 6);
    }
}

#[test]
fn a_command_that_panics_says_whose_fault_it_is() {
    let env = initialised();
    let (code, stdout, stderr) = run(&env, "command:run", &["list"]);
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    let lines: Vec<&str> = stderr.lines().collect();
    assert!(lines[0].starts_with(&format!("error: {FAULT}command:run (crates/")), "{stderr}");
    let hint = "hint: please report it; `tacit doctor` checks the store";
    assert_eq!(lines[1..], [hint], "{stderr}");
    let (code, stdout, stderr) = run(&env, "command:run", &["list", "--json"]);
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    let error: Value = serde_json::from_str(&stderr).expect("JSON");
    assert!(error["error"].as_str().is_some_and(|error| error.starts_with(FAULT)), "{error}");
}
