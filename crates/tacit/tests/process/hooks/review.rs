//! The reminder that memories wait for review.

use std::io::Write;
use std::process::Stdio;

use tacit_testkit::env::TestEnv;

use super::Agent;
use crate::initialised;

const LINE: &str = "2 memories wait for review: tacit review";

/// Returns a project in which two memories of agents wait, as maintenance has counted.
fn waiting() -> TestEnv {
    let env = initialised();
    for text in ["Run the linter twice", "Close the pool before the fork"] {
        let told = env.command().env("TACIT_AGENT", "1").args(["remember", text]).output();
        assert!(told.expect("it starts").status.success());
    }
    env.run(["maintain"]).succeeded();
    env
}

fn starts(env: &TestEnv, session: &str, source: &str, now: &str) -> Option<String> {
    Agent::new(env, session).with("TACIT_NOW", now).starts(source).notice
}

#[test]
fn the_user_is_reminded_once_a_day_when_a_session_starts() {
    let env = waiting();
    let line = Some(format!("Tacit: {LINE}"));
    assert_eq!(starts(&env, "s-1", "compact", "2026-11-15T10:00:00Z"), None);
    assert_eq!(starts(&env, "s-1", "startup", "2026-11-15T10:00:00Z"), line);
    assert_eq!(starts(&env, "s-2", "startup", "2026-11-15T18:00:00Z"), None);
    assert_eq!(starts(&env, "s-3", "resume", "2026-11-16T10:00:00Z"), line);
}

#[test]
fn the_model_does_not_read_what_the_user_is_told() {
    let env = waiting();
    let told = Agent::new(&env, "s-1").starts("startup");
    assert!(told.notice.is_some());
    assert!(!told.says("review"), "{told:?}");
}

#[test]
fn the_reminder_can_be_turned_off() {
    let env = waiting();
    env.run(["config", "set", "review.remind", "false"]).succeeded();
    assert_eq!(starts(&env, "s-1", "startup", "2026-11-15T10:00:00Z"), None);
}

#[test]
fn decisions_end_the_reminder_until_maintenance_counts_again() {
    let env = waiting();
    let queue = env.run(["review", "--json"]).succeeded().json();
    let id = queue[0]["short_id"].as_str().expect("an id").to_owned();
    env.run(["review", "confirm", &id]).succeeded();
    assert_eq!(starts(&env, "s-1", "startup", "2026-11-15T10:00:00Z"), None);
    env.run(["maintain"]).succeeded();
    let line = Some("Tacit: 1 memory waits for review: tacit review".to_owned());
    assert_eq!(starts(&env, "s-2", "startup", "2026-11-15T10:00:00Z"), line);
}

#[test]
fn a_client_without_notices_gets_a_line_of_context() {
    let env = waiting();
    let payload = format!(
        r#"{{"conversation_id":"s-1","hook_event_name":"sessionStart","workspace_roots":["{}"]}}"#,
        env.project().display()
    );
    let mut child = env
        .command()
        .args(["hook", "cursor"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(payload.as_bytes()).expect("a payload");
    let output = child.wait_with_output().expect("the binary ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(&format!("For the user: {LINE}")), "{text}");
}
