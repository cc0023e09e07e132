//! Sessions that were taken over are not taken over again, and foreign ones are left out.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use super::clients::place;
use super::{LATER, claude, export, learn, learnt_from};
use crate::hooks::{Agent, CLOCK_FAILED, CLOCK_LESSON, CLOCK_PASSED};
use crate::initialised;

/// Payloads of a session in which a failing test was fixed, with what the user says at its beginning.
fn fix(env: &TestEnv, day: &str, prompt: &str) -> Vec<(String, Value)> {
    let payload = |minute: u32, event: &str, fields: Value| {
        let mut payload =
            json!({"session_id": "past-1", "cwd": env.project(), "hook_event_name": event});
        payload
            .as_object_mut()
            .expect("an object")
            .extend(fields.as_object().expect("one").clone());
        (format!("{day}T10:{minute:02}:00Z"), payload)
    };
    let bash = json!({"command": "cargo test"});
    let edit = json!({"file_path": "src/clock.rs", "old_string": "fn now() -> u32",
        "new_string": "fn now() -> u64"});
    let passed = json!({"stdout": CLOCK_PASSED, "stderr": "", "interrupted": false});
    vec![
        payload(0, "SessionStart", json!({"source": "startup"})),
        payload(1, "UserPromptSubmit", json!({"prompt": prompt})),
        payload(
            2,
            "PostToolUseFailure",
            json!({"tool_name": "Bash", "tool_input": bash, "error": CLOCK_FAILED}),
        ),
        payload(
            3,
            "PostToolUse",
            json!({"tool_name": "Edit", "tool_input": edit,
            "tool_response": {"filePath": "src/clock.rs"}}),
        ),
        payload(
            4,
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": bash, "tool_response": passed}),
        ),
        payload(5, "Stop", json!({"last_assistant_message": "Done."})),
    ]
}

fn lesson() -> String {
    format!("error_pattern: {CLOCK_LESSON}\n")
}

#[test]
fn a_session_that_hooks_reported_is_left_out() {
    let env = initialised();
    let agent = Agent::new(&env, "past-1").with("TACIT_NOW", "2026-03-01T10:00:00Z");
    agent.starts("startup");
    agent.says("Hello");
    claude::write(&env, &fix(&env, "2026-03-01", "Fix it"));
    assert_eq!(learn(&env, &[])["sessions"]["known"], 1);
    assert_eq!(learnt_from(&env), "");
}

#[test]
fn a_session_in_which_capture_was_off_is_left_out() {
    let env = initialised();
    env.run(["config", "set", "capture.paused", "true"]).succeeded();
    let agent = Agent::new(&env, "past-1").with("TACIT_NOW", "2026-03-01T10:00:00Z");
    agent.starts("startup");
    env.run(["config", "set", "capture.paused", "false"]).succeeded();
    claude::write(&env, &fix(&env, "2026-03-01", "Fix it"));
    assert_eq!(learn(&env, &[])["sessions"]["known"], 1);
    assert_eq!(learnt_from(&env), "");
}

#[test]
fn a_transcript_that_grew_is_continued() {
    // The events of the second day are deleted after the first run.
    for day in ["2026-11-10", "2026-03-01"] {
        let env = initialised();
        let payloads = fix(&env, day, "Fix it");
        claude::write(&env, &payloads[..3]);
        assert_eq!(learn(&env, &[])["sessions"]["new"], 1);
        assert_eq!(learnt_from(&env), "");
        claude::write(&env, &payloads);
        assert_eq!(learn(&env, &[])["sessions"]["continued"], 1);
        assert_eq!(learnt_from(&env), lesson(), "{day}");
        assert_eq!(learn(&env, &[])["sessions"]["unchanged"], 1);
    }
}

#[test]
fn an_interrupted_run_is_repeated() {
    let env = initialised();
    claude::write(&env, &fix(&env, "2026-03-01", "Fix it"));
    learn(&env, &[]);
    let before = export(&env);
    let store = Connection::open(env.store().join("memory.db")).expect("a store");
    let sql = "DELETE FROM requests WHERE name LIKE 'past-session past-1 until %'";
    assert_eq!(store.execute(sql, []).expect("a claim"), 1);
    drop(store);
    assert_eq!(learn(&env, &[])["sessions"]["new"], 1);
    assert_eq!(export(&env), before);
    assert_eq!(learn(&env, &[])["sessions"]["unchanged"], 1);
}

#[test]
fn forgotten_memories_stay_forgotten() {
    let env = initialised();
    claude::write(&env, &fix(&env, "2026-03-01", "Fix it"));
    let report = learn(&env, &[]);
    let id = report["learnt"][0]["id"].as_str().expect("a memory").to_owned();
    env.run(["forget", &id, "--reason", "not true"]).succeeded();
    let payloads = fix(&env, "2026-03-01", "Fix it");
    let more = (
        "2026-03-01T10:20:00Z".to_owned(),
        json!({"session_id": "past-1", "cwd": env.project(), "hook_event_name": "UserPromptSubmit",
            "prompt": "Thanks"}),
    );
    claude::write(&env, &[payloads, vec![more]].concat());
    assert_eq!(learn(&env, &[])["sessions"]["continued"], 1);
    assert_eq!(learnt_from(&env), "");
}

#[test]
fn old_events_are_dropped_and_not_taken_over_again() {
    let env = initialised();
    claude::write(&env, &fix(&env, "2026-03-01", "Fix it"));
    learn(&env, &[]);
    let store = Connection::open(env.store().join("memory.db")).expect("a store");
    let count = |sql: &str| -> i64 { store.query_row(sql, [], |row| row.get(0)).expect("a row") };
    assert_eq!(count("SELECT count(*) FROM agent_events WHERE kind <> 'continued'"), 0);
    assert_eq!(count("SELECT count(*) FROM agent_sessions"), 1);
    let learnt = env.run(["list", "--json"]).succeeded().stdout;
    assert!(learnt.contains("2026-03-01T10:"), "learnt as of its own time: {learnt}");
    assert_eq!(learn(&env, &[])["sessions"]["unchanged"], 1);
    assert_eq!(learnt_from(&env), lesson());
}

#[test]
fn unfinished_past_work_does_not_become_todays() {
    let env = initialised();
    env.git(&env.project(), &["checkout", "-qb", "feature/clock"]);
    let payloads = fix(&env, "2026-11-29", "Implement the clock");
    claude::write(&env, &payloads[..4]);
    learn(&env, &[]);
    let done = env.command().arg("maintain").env("TACIT_NOW", LATER).output();
    assert!(done.expect("the binary runs").status.success());
    let listed = env.run(["list", "-t", "work_state", "--json"]).succeeded().stdout;
    assert_eq!(listed.trim(), "[]");
}

#[test]
fn nothing_is_taken_over_while_memory_was_off() {
    let env = initialised();
    claude::write(&env, &fix(&env, "2026-03-01", "/memory off"));
    assert_eq!(learn(&env, &[])["sessions"]["new"], 1);
    assert_eq!(learnt_from(&env), "");
    assert_eq!(learn(&env, &[])["sessions"]["unchanged"], 1);
}

#[test]
fn a_session_that_may_go_on_waits() {
    let env = initialised();
    claude::write(&env, &fix(&env, "2026-11-30", "Fix it"));
    let file = claude::folder(&env).join("past-1.jsonl");
    let text = fs::read_to_string(&file).expect("a transcript");
    fs::write(&file, text.replace("2026-11-30T10:", "2026-11-30T23:")).expect("a transcript");
    assert_eq!(learn(&env, &[])["sessions"]["open"], 1);
    assert_eq!(learnt_from(&env), "");
}

#[test]
fn damaged_lines_are_counted_and_the_rest_is_read() {
    let env = initialised();
    claude::write(&env, &fix(&env, "2026-03-01", "Fix it"));
    let file = claude::folder(&env).join("past-1.jsonl");
    let text = fs::read_to_string(&file).expect("a transcript");
    let damaged = format!("{text}\u{0}\n{{\"type\":\"user\",\"sess");
    fs::write(&file, damaged).expect("a transcript");
    let report = learn(&env, &[]);
    assert_eq!(report["sessions"]["unread_lines"], 2, "{report}");
    assert_eq!(learnt_from(&env), lesson());
}

#[test]
fn sessions_of_other_projects_are_not_read() {
    let env = initialised();
    claude::write(&env, &fix(&env, "2026-03-01", "Fix it"));
    let file = claude::folder(&env).join("past-1.jsonl");
    let text = fs::read_to_string(&file).expect("a transcript");
    let project = env.project().display().to_string();
    fs::write(&file, text.replace(&project, &format!("{project}-other"))).expect("a transcript");
    let report = learn(&env, &[]);
    assert_eq!(report["sources"], json!({}), "{report}");
    assert_eq!(learnt_from(&env), "");
}

#[cfg(unix)]
#[test]
fn links_in_the_folder_of_a_client_are_not_followed() {
    let env = initialised();
    let file = place(&env, "claude");
    let moved = env.root().join("elsewhere.jsonl");
    fs::rename(&file, &moved).expect("a file");
    std::os::unix::fs::symlink(&moved, &file).expect("a link");
    let report = learn(&env, &[]);
    assert_eq!(report["skipped"][0]["name"], json!(file), "{report}");
    assert_eq!(learnt_from(&env), "");
}

#[test]
fn a_paused_capture_is_not_worked_around() {
    let env = initialised();
    env.run(["config", "set", "capture.paused", "true"]).succeeded();
    let refused = env.run(["learn", "transcripts"]);
    assert_eq!(refused.code, Some(7), "{refused:?}");
    assert!(refused.stderr.contains("capture.paused"), "{refused:?}");
}
