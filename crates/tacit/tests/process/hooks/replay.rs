//! A whole session, event by event, as the client tells it.

use serde_json::{Value, json};

use super::{Agent, events, log, remember};
use crate::initialised;

/// One event, what must be told (a part of the context, or nothing), and what the log then says of
/// it: kind, subject, and how many memories were shown.
struct Step {
    event: &'static str,
    fields: Value,
    told: Option<&'static str>,
    kept: (&'static str, Option<&'static str>, usize),
}

fn step(
    event: &'static str,
    fields: Value,
    told: Option<&'static str>,
    kept: (&'static str, Option<&'static str>, usize),
) -> Step {
    Step { event, fields, told, kept }
}

/// The recorded tour of the tools, with a failure, a helper, a summary and an end.
fn session() -> Vec<Step> {
    let hello = json!({"file_path": "src/hello.txt"});
    let tool = |name: &str, input: &Value| json!({"tool_name": name, "tool_input": input});
    let with = |mut value: Value, more: Value| {
        let object = value.as_object_mut().expect("an object");
        object.extend(more.as_object().expect("an object").clone());
        value
    };
    let helper = json!({"agent_id": "abaf559f9609ce9d8", "agent_type": "general-purpose"});
    let bash = |command: &str| json!({"command": command});
    vec![
        step(
            "SessionStart",
            json!({"source": "startup"}),
            Some("use the fake clock"),
            ("session_started", None, 1),
        ),
        step(
            "UserPromptSubmit",
            json!({"prompt": "Why is the greeting in hello.txt written twice at startup?"}),
            Some("The greeting is written twice"),
            ("prompt_submitted", None, 1),
        ),
        step("PreToolUse", tool("Read", &hello), None, ("tool_starting", Some("src/hello.txt"), 0)),
        step(
            "PostToolUse",
            with(tool("Read", &hello), json!({"tool_response": {"type": "text"}})),
            Some("hello.txt is read by a script"),
            ("tool_finished", Some("src/hello.txt"), 1),
        ),
        step(
            "PostToolUse",
            with(
                tool(
                    "Edit",
                    &json!({"file_path": "src/hello.txt", "old_string": "b", "new_string": "B"}),
                ),
                json!({"tool_response": {"filePath": "src/hello.txt"}}),
            ),
            None,
            ("tool_finished", Some("src/hello.txt"), 0),
        ),
        step(
            "PreToolUse",
            tool("Bash", &bash("just greet")),
            Some("run `just templates` first"),
            ("tool_starting", Some("just greet"), 1),
        ),
        step(
            "PostToolUseFailure",
            with(
                tool("Bash", &bash("just greet")),
                json!({"error": "Exit code 3\ngreet: no template for greet", "is_interrupt": false}),
            ),
            None,
            ("tool_failed", Some("just greet"), 0),
        ),
        step(
            "PostToolBatch",
            json!({"tool_calls": [with(
                tool("Write", &with(hello.clone(), json!({"content": "b"}))),
                json!({"tool_response": "<tool_use_error>File has not been read yet.</tool_use_error>"}),
            )]}),
            None,
            ("batch_finished", Some("src/hello.txt"), 0),
        ),
        step("SubagentStart", helper.clone(), Some("fake clock"), ("subagent_started", None, 4)),
        step(
            "PostToolUse",
            with(tool("Read", &hello), helper.clone()),
            None,
            ("tool_finished", Some("src/hello.txt"), 0),
        ),
        step(
            "SubagentStop",
            with(helper, json!({"stop_hook_active": false})),
            None,
            ("subagent_stopped", None, 0),
        ),
        step(
            "PreCompact",
            json!({"trigger": "manual", "custom_instructions": null}),
            None,
            ("compacting", None, 0),
        ),
        step(
            "SessionStart",
            json!({"source": "compact"}),
            Some("fake clock"),
            ("session_started", None, 4),
        ),
        step("Stop", json!({"stop_hook_active": false}), None, ("turn_stopped", None, 0)),
        step("SessionEnd", json!({"reason": "other"}), None, ("session_ended", None, 0)),
    ]
}

#[test]
fn a_whole_session() {
    let env = initialised();
    remember(&env, "Tests use the fake clock", &["--tag", "cheat-sheet"]);
    let agent = Agent::new(&env, "2d57bb4e-cb7b-41de-b083-018ce290cd0c");
    let mut steps = session().into_iter();
    for (number, Step { event, fields, told, kept }) in (&mut steps).enumerate() {
        // Learnt by others while this session runs, so that its start does not tell everything.
        if number == 1 {
            let text = "The greeting is written twice at startup because both init scripts run";
            remember(&env, text, &["-t", "module_insight"]);
            let text = "hello.txt is read by a script that wants LF";
            remember(&env, text, &["-t", "gotcha", "-f", "src/hello.txt"]);
            let text = "`just greet` says `no template`: run `just templates` first";
            remember(&env, text, &["-t", "error_pattern"]);
        }
        let answer = agent.fire(event, fields);
        match told {
            Some(text) => assert!(answer.says(text), "{number} {event}: {answer:?}"),
            None => assert!(answer.is_nothing(), "{number} {event}: {answer:?}"),
        }
        let events = events(&env);
        assert_eq!(events.len(), number + 1, "{number} {event}");
        let last = &events[number];
        let shown = last["shown"].as_array().map_or(0, Vec::len);
        let found = (last["kind"].as_str().unwrap_or_default(), last["subject"].as_str(), shown);
        assert_eq!(found, kept, "{number} {event}: {last}");
        assert_eq!(last["session"], "2d57bb4e-cb7b-41de-b083-018ce290cd0c");
    }
    assert_eq!(log(&env), "");
}
