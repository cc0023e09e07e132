//! Every payload that was recorded from the client.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tacit_testkit::env::TestEnv;

use super::{events, feed, log, told};
use crate::initialised;

/// The recorded payloads of an event, as they would be in this project.
fn recorded(env: &TestEnv) -> BTreeMap<String, Vec<Value>> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tacit-agents/tests/payloads/claude");
    let mut payloads = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("recordings") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a recording");
        let text = text.replace("/home/dev/project", &env.project().display().to_string());
        payloads.insert(name, serde_json::from_str(&text).expect("a list of payloads"));
    }
    payloads
}

/// The records that the payloads of each event leave in the log, in order. Events that Tacit does not
/// use leave none, nor do batches whose calls were all reported before.
const LEFT: [(&str, &[&str]); 24] = [
    ("CwdChanged", &[]),
    ("InstructionsLoaded", &[]),
    ("MessageDisplay", &[]),
    ("Notification", &[]),
    ("PermissionRequest", &[]),
    ("PostCompact", &["compacted", "compacted"]),
    ("PostModelSwitch", &[]),
    (
        "PostToolBatch",
        &[
            "batch_finished Edit src/hello.txt",
            "batch_finished",
            "batch_finished Bash touch /etc/zzz",
            "batch_finished",
        ],
    ),
    (
        "PostToolUse",
        &[
            "tool_finished Read src/hello.txt",
            "tool_finished Edit src/hello.txt",
            "tool_finished Write src/new.txt",
            "tool_finished Bash echo ok; echo warn >&2",
            "tool_finished mcp__echo__echo",
            "tool_finished Read src/hello.txt",
            "tool_finished Agent",
            "tool_finished Skill",
            "tool_finished TaskCreate",
            "tool_finished TaskUpdate",
            "tool_finished Bash sleep 1",
            "tool_finished Bash echo x | grep zzz",
        ],
    ),
    (
        "PostToolUseFailure",
        &[
            "tool_failed Bash echo partial; echo boom >&2; exit 3",
            "tool_failed Read src/missing.txt",
            "tool_failed mcp__echo__fail",
        ],
    ),
    ("PreCompact", &["compacting", "compacting"]),
    ("PreModelSwitch", &[]),
    (
        "PreToolUse",
        &[
            "tool_starting Read src/hello.txt",
            "tool_starting Bash echo ok; echo warn >&2",
            "tool_starting mcp__echo__echo",
            "tool_starting mcp__echo__fail",
            "tool_starting Agent",
            "tool_starting Read src/hello.txt",
            "tool_starting Skill",
            "tool_starting TaskCreate",
            "tool_starting TaskUpdate",
        ],
    ),
    ("SessionEnd", &["session_ended", "session_ended", "session_ended", "session_ended"]),
    (
        "SessionStart",
        &[
            "session_started",
            "session_started",
            "session_started",
            "session_started",
            "session_started",
        ],
    ),
    ("Setup", &[]),
    ("Stop", &["turn_stopped"]),
    ("StopFailure", &[]),
    ("SubagentStart", &["subagent_started"]),
    ("SubagentStop", &["subagent_stopped", "compacted"]),
    ("TaskCompleted", &[]),
    ("TaskCreated", &[]),
    ("UserPromptExpansion", &[]),
    ("UserPromptSubmit", &["prompt_submitted", "prompt_submitted", "prompt_submitted"]),
];

#[test]
fn every_recorded_payload_is_answered_in_form_and_kept() {
    let env = initialised();
    let recorded = recorded(&env);
    let names: Vec<&str> = recorded.keys().map(String::as_str).collect();
    assert_eq!(names, LEFT.map(|(name, _)| name));
    let mut before = 0;
    for (name, expected) in LEFT {
        for payload in &recorded[name] {
            let ran = feed(&env, &[], payload.to_string().as_bytes()).succeeded();
            // Only the start of a session has something to say where nothing is known.
            let told = told(name, &ran.stdout);
            assert_eq!(told.is_nothing(), name != "SessionStart", "{name}: {}", ran.stdout);
        }
        let lines = super::told_of(&env);
        assert_eq!(lines[before..], *expected, "{name}");
        before = lines.len();
    }
    assert_eq!(log(&env), "");
    let sessions: std::collections::BTreeSet<String> =
        events(&env).iter().map(|event| event["session"].to_string()).collect();
    assert_eq!(sessions.len(), 11);
}
