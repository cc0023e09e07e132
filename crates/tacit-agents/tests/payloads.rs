//! Payloads recorded from Claude Code, and those that other clients document.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tacit_agents::Client;
use tacit_core::{
    AgentEvent, ClientName, EventKind, EventLimits, EventName, FailureCause, StartSource, ToolKind,
};

fn recorded(event: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/payloads/claude")
        .join(format!("{event}.json"));
    let text = std::fs::read_to_string(&path).expect("a recording");
    serde_json::from_str(&text).expect("a list of payloads")
}

fn parse(client: ClientName, hint: Option<&str>, payload: &Value) -> Option<AgentEvent> {
    let bytes = serde_json::to_vec(payload).expect("JSON");
    Client::named(client).parse(hint, &bytes).expect("a payload")
}

fn claude(event: &str) -> Vec<EventKind> {
    let parsed = recorded(event).into_iter().map(|payload| {
        parse(ClientName::Claude, None, &payload).expect("an event that is known").kind
    });
    parsed.collect()
}

/// The event name of each recorded payload; `None` for events that Tacit ignores.
const EVENTS: [(&str, Option<EventName>); 24] = [
    ("CwdChanged", None),
    ("InstructionsLoaded", None),
    ("MessageDisplay", None),
    ("Notification", None),
    ("PermissionRequest", None),
    ("PostCompact", Some(EventName::Compacted)),
    ("PostModelSwitch", None),
    ("PostToolBatch", Some(EventName::BatchFinished)),
    ("PostToolUse", Some(EventName::ToolFinished)),
    ("PostToolUseFailure", Some(EventName::ToolFailed)),
    ("PreCompact", Some(EventName::Compacting)),
    ("PreModelSwitch", None),
    ("PreToolUse", Some(EventName::ToolStarting)),
    ("SessionEnd", Some(EventName::SessionEnded)),
    ("SessionStart", Some(EventName::SessionStarted)),
    ("Setup", None),
    ("Stop", Some(EventName::TurnStopped)),
    ("StopFailure", None),
    ("SubagentStart", Some(EventName::SubagentStarted)),
    ("SubagentStop", Some(EventName::SubagentStopped)),
    ("TaskCompleted", None),
    ("TaskCreated", None),
    ("UserPromptExpansion", None),
    ("UserPromptSubmit", Some(EventName::PromptSubmitted)),
];

#[test]
fn every_recorded_payload_is_parsed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads/claude");
    assert_eq!(std::fs::read_dir(folder).expect("a folder").count(), EVENTS.len());
    for (name, event_name) in EVENTS {
        for payload in recorded(name) {
            let event = parse(ClientName::Claude, None, &payload);
            let Some(event_name) = event_name else {
                assert_eq!(event, None, "{name}");
                continue;
            };
            let event = event.expect("an event");
            assert_eq!(event.session.as_str(), payload["session_id"], "{name}");
            assert_eq!(event.cwd.as_deref().and_then(Path::to_str), payload["cwd"].as_str());
            assert_eq!(
                event.transcript.as_deref().and_then(Path::to_str),
                payload["transcript_path"].as_str()
            );
            let summarising = payload["agent_type"] == "";
            let told = if summarising { EventName::Compacted } else { event_name };
            assert_eq!(event.name(), told, "{name}");
            match payload["agent_id"].as_str().filter(|_| !summarising) {
                Some(id) => {
                    let agent = event.agent.as_ref().expect("a subagent");
                    assert_eq!(agent.id, id);
                    assert_eq!(agent.kind.as_deref(), payload["agent_type"].as_str());
                }
                None => assert_eq!(event.agent, None, "{name}"),
            }
            let line = serde_json::to_string(&event).expect("JSON");
            assert_eq!(serde_json::from_str::<AgentEvent>(&line).expect("an event"), event);
            let mut short = event.clone();
            short.shorten(&EventLimits::default());
            assert_eq!(short, event, "{name}: nothing recorded is large");
        }
    }
}

#[test]
fn session_events_are_parsed() {
    let sources: Vec<_> = claude("SessionStart")
        .into_iter()
        .map(|what| match what {
            EventKind::SessionStarted { source, model } => (source, model.is_some()),
            other => panic!("{other:?}"),
        })
        .collect();
    use StartSource as S;
    let expected = [
        (S::Startup, false),
        (S::Resume, false),
        (S::Compact, true),
        (S::Startup, true),
        (S::Clear, false),
    ];
    assert_eq!(sources, expected);
    let EventKind::SessionEnded { reason } = &claude("SessionEnd")[1] else { panic!("an end") };
    assert_eq!(reason.as_deref(), Some("clear"));
    let EventKind::TurnStopped { stop_hook_active: false, last_message } = &claude("Stop")[0]
    else {
        panic!("a stop")
    };
    assert_eq!(last_message.as_deref(), Some("All done."));
}

#[test]
fn automatic_prompts_are_distinguished() {
    let prompts: Vec<_> = claude("UserPromptSubmit")
        .into_iter()
        .map(|what| match what {
            EventKind::PromptSubmitted { prompt, automatic, .. } => {
                (prompt.chars().take(15).collect::<String>(), automatic)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [("Tour the tools.", false), ("hello there", false), ("<task-notificat", true)];
    assert_eq!(prompts, expected.map(|(text, automatic)| (text.to_owned(), automatic)));
}

#[test]
fn plan_mode_is_detected() {
    for (mode, expected) in [("plan", true), ("default", false), ("acceptEdits", false)] {
        let payload = json!({
            "session_id": "s", "transcript_path": "/t/s.jsonl", "cwd": "/p", "prompt": "hi",
            "hook_event_name": "UserPromptSubmit", "permission_mode": mode,
        });
        let event = parse(ClientName::Claude, None, &payload).expect("an event");
        let EventKind::PromptSubmitted { planning, .. } = event.kind else { panic!("a prompt") };
        assert_eq!(planning, expected, "{mode}");
    }
}

#[test]
fn permission_modes_say_if_anybody_can_be_asked() {
    for (client, mode, expected) in [
        (ClientName::Claude, "default", true),
        (ClientName::Claude, "acceptEdits", true),
        (ClientName::Claude, "bypassPermissions", false),
        (ClientName::Claude, "dontAsk", false),
        (ClientName::Codex, "default", false),
    ] {
        let payload = json!({
            "session_id": "s", "cwd": "/p", "hook_event_name": "PreToolUse",
            "permission_mode": mode, "tool_name": "Bash", "tool_input": {"command": "make"},
        });
        let event = parse(client, None, &payload).expect("an event");
        let EventKind::ToolStarting { can_ask, .. } = event.kind else { panic!("a tool") };
        assert_eq!(can_ask, expected, "{client} {mode}");
    }
}

#[test]
fn finished_tools_are_parsed() {
    let told: Vec<_> = claude("PostToolUse")
        .into_iter()
        .map(|what| match what {
            EventKind::ToolFinished { tool, outcome, duration_ms } => {
                assert!(tool.id.is_some() && duration_ms.is_some());
                (tool.name, outcome.text, outcome.exit_code)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let expected: [(&str, Option<&str>, Option<i32>); 7] = [
        ("Read", Some("alpha\nbeta\ngamma\n"), None),
        ("Edit", None, None),
        ("Write", None, None),
        ("Bash", Some("ok\nwarn"), Some(0)),
        ("mcp__echo__echo", Some("echo: hi"), None),
        ("Read", Some("alpha\nBETA\ngamma\n"), None),
        ("Agent", Some("Sub found BETA."), None),
    ];
    for (told, (name, text, code)) in told.iter().zip(expected) {
        assert_eq!((&*told.0, told.1.as_deref(), told.2), (name, text, code));
    }
    let ends: Vec<_> = told.iter().rev().take(2).map(|(_, _, code)| *code).collect();
    assert_eq!(ends, [None, None], "in the background, and with a code that is no failure");
}

#[test]
fn failed_tools_are_parsed() {
    let told: Vec<_> = claude("PostToolUseFailure")
        .into_iter()
        .map(|what| match what {
            EventKind::ToolFailed { tool, failure, .. } => {
                assert!(!failure.is_interrupt);
                assert_eq!(failure.cause, FailureCause::Ran);
                (tool.name, failure.exit_code)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [("Bash", Some(3)), ("Read", None), ("mcp__echo__fail", None)];
    assert_eq!(told, expected.map(|(name, code)| (name.to_owned(), code)));
}

#[test]
fn failures_in_batches_are_parsed() {
    let mut told = Vec::new();
    for what in claude("PostToolBatch") {
        let EventKind::BatchFinished { calls } = what else { panic!("a batch") };
        for call in calls {
            assert_ne!(call.result.is_some(), call.failure.is_some());
            told.push((call.tool.name, call.failure.map(|failure| failure.cause)));
        }
    }
    use FailureCause as C;
    let expected = [
        ("Read", None),
        ("Read", None),
        ("Read", None),
        ("Edit", Some(C::Rejected)),
        ("Read", Some(C::BadInput)),
        ("Nope", Some(C::UnknownTool)),
        ("Bash", Some(C::Denied)),
        ("Bash", Some(C::Denied)),
        ("Bash", Some(C::Ran)),
        // Reported as a failure before; here it is ordinary text.
        ("Read", None),
        ("Grep", Some(C::UnknownTool)),
        ("Glob", Some(C::UnknownTool)),
        ("Bash", None),
        ("Bash", None),
    ];
    assert_eq!(told, expected.map(|(name, cause)| (name.to_owned(), cause)));
}

#[test]
fn the_end_of_a_summary_is_a_compaction() {
    let [subagent, summary] = &claude("SubagentStop")[..] else { panic!("two recordings") };
    let EventKind::SubagentStopped { last_message, transcript, .. } = subagent else {
        panic!("{subagent:?}")
    };
    assert_eq!(last_message.as_deref(), Some("Sub found BETA."));
    assert!(
        transcript.as_ref().is_some_and(|path| path.ends_with("agent-abaf559f9609ce9d8.jsonl"))
    );
    let EventKind::Compacted { trigger: None, summary: Some(text) } = summary else {
        panic!("{summary:?}")
    };
    assert!(text.contains("MOCK-COMPACT-SUMMARY"));
}

fn shell(command: &str) -> ToolKind {
    ToolKind::Shell { command: command.into(), background: false }
}

#[test]
fn codex_payloads_are_parsed() {
    let base = |event: &str| {
        json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "model": "gpt-6",
               "turn_id": "t1", "hook_event_name": event, "permission_mode": "default"})
    };
    let mut payload = base("PostToolUse");
    payload["tool_name"] = json!("Bash");
    payload["tool_use_id"] = json!("call_1");
    payload["tool_input"] = json!({"command": "make"});
    payload["tool_response"] = json!("built");
    let event = parse(ClientName::Codex, None, &payload).expect("an event");
    let EventKind::ToolFinished { tool, outcome, .. } = event.kind else { panic!("a tool") };
    assert_eq!(tool.kind, shell("make"));
    assert_eq!(outcome.text.as_deref(), Some("built"));
    payload["tool_response"] = json!({"output": "no rule", "metadata": {"exit_code": 2}});
    let event = parse(ClientName::Codex, None, &payload).expect("an event");
    let EventKind::ToolFailed { failure, .. } = event.kind else { panic!("a failure") };
    assert_eq!((&*failure.error, failure.exit_code), ("no rule", Some(2)));
    assert_eq!(parse(ClientName::Codex, None, &base("Interrupt")), None);
    let event = parse(ClientName::Codex, None, &base("Stop")).expect("an event");
    assert_eq!(event.name(), EventName::TurnStopped);
}

#[test]
fn gemini_payloads_are_parsed() {
    let base = |event: &str, more: Value| {
        let mut payload = json!({"session_id": "s", "transcript_path": "/t.json", "cwd": "/p",
                                 "hook_event_name": event, "timestamp": "2026-11-15T10:00:00Z"});
        payload
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        parse(ClientName::Gemini, None, &payload)
    };
    let event = base("BeforeAgent", json!({"prompt": "hi"})).expect("an event");
    let (prompt, automatic, planning) = ("hi".into(), false, false);
    assert_eq!(event.kind, EventKind::PromptSubmitted { prompt, automatic, planning });
    let input = json!({"command": "ls"});
    let event = base(
        "AfterTool",
        json!({"tool_name": "run_shell_command", "tool_input": input,
               "tool_response": {"llmContent": "a.rs", "returnDisplay": "a.rs", "error": null}}),
    )
    .expect("an event");
    let EventKind::ToolFinished { tool, outcome, .. } = event.kind else { panic!("a tool") };
    assert_eq!((tool.kind, outcome.text.as_deref()), (shell("ls"), Some("a.rs")));
    let event = base(
        "AfterTool",
        json!({"tool_name": "read_file", "tool_input": {"file_path": "x"},
               "tool_response": {"error": {"message": "not found"}}}),
    )
    .expect("an event");
    assert_eq!(event.name(), EventName::ToolFailed);
    let event = base("AfterAgent", json!({"prompt_response": "done"})).expect("an event");
    let EventKind::TurnStopped { last_message, .. } = event.kind else { panic!("a stop") };
    assert_eq!(last_message.as_deref(), Some("done"));
    assert_eq!(base("BeforeModel", json!({"llm_request": {}})), None);
}

#[test]
fn cursor_payloads_are_parsed() {
    let base = |event: &str, more: Value| {
        let mut payload = json!({"conversation_id": "c", "generation_id": "g", "model": "auto",
                                 "hook_event_name": event, "cursor_version": "2.9",
                                 "workspace_roots": ["/p", "/q"], "transcript_path": null});
        payload
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        parse(ClientName::Cursor, None, &payload).expect("an event")
    };
    let event = base("sessionStart", json!({"session_id": "s", "composer_mode": "agent"}));
    assert_eq!(event.session.as_str(), "s");
    assert_eq!(event.cwd, Some(PathBuf::from("/p")));
    let event = base(
        "postToolUse",
        json!({"tool_name": "Shell", "tool_input": {"command": "ls"}, "duration": 12.5,
               "tool_output": "{\"exitCode\":0,\"stdout\":\"a.rs\"}", "tool_use_id": "t"}),
    );
    assert_eq!(event.session.as_str(), "c");
    let EventKind::ToolFinished { tool, outcome, duration_ms } = event.kind else { panic!("tool") };
    assert_eq!((tool.kind, duration_ms), (shell("ls"), Some(12)));
    assert_eq!((outcome.text.as_deref(), outcome.exit_code), (Some("a.rs"), Some(0)));
    let event = base(
        "postToolUseFailure",
        json!({"tool_name": "Shell", "tool_input": {"command": "x"}, "is_interrupt": false,
               "error_message": "no", "failure_type": "permission_denied"}),
    );
    let EventKind::ToolFailed { failure, .. } = event.kind else { panic!("a failure") };
    assert_eq!((&*failure.error, failure.cause), ("no", FailureCause::Denied));
    let event = base("afterShellExecution", json!({"command": "ls", "output": "a", "duration": 3}));
    let EventKind::ToolFinished { tool, outcome, .. } = event.kind else { panic!("a tool") };
    assert_eq!((tool.kind, outcome.text.as_deref()), (shell("ls"), Some("a")));
    let event = base(
        "afterFileEdit",
        json!({"file_path": "a.rs", "edits": [{"old_string": "x", "new_string": "y"}]}),
    );
    let EventKind::ToolFinished { tool, .. } = event.kind else { panic!("a tool") };
    let edit = ToolKind::Edit { file: "a.rs".into(), old: "x".into(), new: "y".into() };
    assert_eq!(tool.kind, edit);
    let event = base("subagentStart", json!({"subagent_type": "explore"}));
    assert_eq!(event.agent.expect("a subagent").id, "explore");
}

#[test]
fn copilot_payloads_are_parsed() {
    let base = |event: &str, more: Value| {
        let mut payload = json!({"sessionId": "s", "timestamp": 1.7e12, "cwd": "/p"});
        payload
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        parse(ClientName::Copilot, Some(event), &payload)
    };
    let event = base("sessionStart", json!({"source": "new", "initialPrompt": "hi"}));
    let what = EventKind::SessionStarted { source: StartSource::Startup, model: None };
    assert_eq!(event.expect("an event").kind, what);
    let args = "{\"command\":\"ls\"}";
    let event = base("preToolUse", json!({"toolName": "bash", "toolArgs": args}));
    let EventKind::ToolStarting { tool, .. } = event.expect("an event").kind else {
        panic!("a tool")
    };
    assert_eq!(tool.kind, shell("ls"));
    let result = json!({"resultType": "failure", "textResultForLlm": "no"});
    let call = json!({"toolName": "bash", "toolArgs": args, "toolResult": result});
    let event = base("postToolUse", call).expect("an event");
    assert_eq!(event.name(), EventName::ToolFailed);
    assert_eq!(base("errorOccurred", json!({"error": {"message": "x"}})), None);
}

#[test]
fn opencode_payloads_are_parsed() {
    let payload = json!({"session_id": "ses_1", "cwd": "/p", "tool_name": "bash",
                         "tool_use_id": "c", "tool_input": {"command": "make"},
                         "tool_response": {"output": "no", "metadata": {"exit": 2}}});
    let hint = Some("tool.execute.after");
    let event = parse(ClientName::OpenCode, hint, &payload).expect("an event");
    let EventKind::ToolFailed { tool, failure, .. } = event.kind else { panic!("a failure") };
    assert_eq!((tool.kind, failure.exit_code), (shell("make"), Some(2)));
}
