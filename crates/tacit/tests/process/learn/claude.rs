//! Transcripts in the form of Claude Code, made from payloads of hooks.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

/// Returns the folder in which Claude Code keeps the transcripts of the project.
pub(super) fn folder(env: &TestEnv) -> PathBuf {
    let project = env.project().display().to_string();
    let name: String =
        project.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '-' }).collect();
    env.root().join("home/.claude/projects").join(name)
}

/// Writes the transcripts of the sessions that payloads are of.
pub(super) fn write(env: &TestEnv, payloads: &[(String, Value)]) {
    let mut sessions: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    let mut call = 0;
    let mut started = false;
    for (number, (at, payload)) in payloads.iter().enumerate() {
        let session = payload["session_id"].as_str().expect("a session");
        let lines = sessions.entry(session).or_default();
        let mut add = |kind: &str, fields: Value| {
            let mut line = json!({
                "type": kind, "uuid": format!("{number}-{}", lines.len()), "timestamp": at,
                "sessionId": session, "cwd": payload["cwd"], "isSidechain": false,
                "version": "2.1.325", "gitBranch": "main",
            });
            let object = line.as_object_mut().expect("an object");
            object.extend(fields.as_object().expect("an object").clone());
            lines.push(line);
        };
        let said = |content: Value| json!({"message": {"role": "assistant", "content": content}});
        let called = |id: u32| {
            said(json!([{"type": "tool_use", "id": format!("toolu_{id}"),
                "name": payload["tool_name"], "input": payload["tool_input"]}]))
        };
        match payload["hook_event_name"].as_str().expect("an event") {
            "SessionStart" => add("attachment", json!({"attachment": {"type": "hook_success"}})),
            "UserPromptSubmit" => {
                add("user", json!({"message": {"role": "user", "content": payload["prompt"]}}));
            }
            "PreToolUse" => {
                call += 1;
                started = true;
                add("assistant", called(call));
            }
            event @ ("PostToolUse" | "PostToolUseFailure") => {
                if !started {
                    call += 1;
                    add("assistant", called(call));
                }
                started = false;
                let id = format!("toolu_{call}");
                let failed = event == "PostToolUseFailure";
                let seen = if failed { payload["error"].clone() } else { json!("") };
                let block = json!({"type": "tool_result", "tool_use_id": id, "content": seen,
                    "is_error": failed});
                add(
                    "user",
                    json!({"message": {"role": "user", "content": [block]},
                    "toolUseResult": payload["tool_response"]}),
                );
            }
            "Stop" => {
                let text = &payload["last_assistant_message"];
                add("assistant", said(json!([{"type": "text", "text": text}])));
            }
            _ => {}
        }
    }
    fs::create_dir_all(folder(env)).expect("a folder");
    for (session, lines) in sessions {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(folder(env).join(format!("{session}.jsonl")), text).expect("a transcript");
    }
}
