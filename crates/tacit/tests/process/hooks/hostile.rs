//! Input that no client should send.

use serde_json::json;

use super::{Agent, events, feed, log};
use crate::{bare, initialised};

fn complete(fields: &str) -> Vec<u8> {
    format!("{{\"session_id\":\"s\",{fields}}}").into_bytes()
}

#[test]
fn invalid_payloads_are_logged_and_do_not_disturb_the_agent() {
    let whole = complete("\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"a b c\"");
    let deep = |open: &str, close: &str| {
        let value = format!("{}{}", open.repeat(100_000), close.repeat(100_000));
        complete(&format!(
            "\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{value}"
        ))
    };
    let cases: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"\n".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"\"text\"".to_vec(),
        b"{}".to_vec(),
        b"{{{{".to_vec(),
        b"\xff\xfe\x00".to_vec(),
        b"\0\0\0\0".to_vec(),
        vec![b'['; 200_000],
        whole[..whole.len() / 2].to_vec(),
        whole[..whole.len() - 1].to_vec(),
        complete("\"hook_event_name\":5"),
        complete("\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":5"),
        complete("\"hook_event_name\":\"PreToolUse\",\"tool_name\":[]"),
        b"{\"hook_event_name\":\"Stop\"}".to_vec(),
        b"{\"hook_event_name\":\"Stop\",\"session_id\":7}".to_vec(),
        b"{\"hook_event_name\":\"Stop\",\"session_id\":\"\"}".to_vec(),
    ];
    let env = initialised();
    for (number, bytes) in cases.iter().enumerate() {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
        assert_eq!(feed(&env, &[], bytes).succeeded().stdout, "", "{shown}");
        assert_eq!(log(&env).lines().count(), number + 1, "{shown}: {}", log(&env));
    }
    assert!(events(&env).is_empty());
    // What is deep is no trouble, wherever it is; it may be understood or not.
    for bytes in [deep("[", "]"), deep("{\"a\":", "}")] {
        assert_eq!(feed(&env, &[], &bytes).succeeded().stdout, "");
    }
    let elsewhere = bare();
    for bytes in &cases {
        assert_eq!(feed(&elsewhere, &[], bytes).succeeded().stdout, "");
    }
    assert!(!elsewhere.store().exists());
}

#[test]
fn fields_of_wrong_types_are_fields_that_are_missing() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    for (event, fields) in [
        ("SessionStart", json!({"source": {"a": 1}, "model": 5})),
        ("UserPromptSubmit", json!({"prompt": "a", "cwd": [], "permission_mode": {}})),
        ("PreToolUse", json!({"tool_name": "Bash", "tool_input": 5})),
        ("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": ["rm", "-rf"]}})),
        ("PostToolUse", json!({"tool_name": "Read", "tool_input": {"file_path": 5}})),
        ("PostToolUse", json!({"tool_name": "Bash", "tool_input": {}, "tool_response": 7})),
        ("PostToolUseFailure", json!({"tool_name": "Bash", "error": 5, "is_interrupt": "no"})),
        ("PostToolBatch", json!({"tool_calls": [{"tool_name": 1}, {"tool_name": "Read"}]})),
        ("Stop", json!({"stop_hook_active": "maybe", "last_assistant_message": []})),
        ("SubagentStop", json!({"agent_id": 5, "agent_type": []})),
        ("SessionEnd", json!({"reason": 5})),
    ] {
        agent.fire(event, fields);
    }
    // The batch has nothing that was not reported before.
    assert_eq!(events(&env).len(), 10, "{}", log(&env));
}

#[test]
fn text_that_is_not_utf_8_is_read_as_far_as_it_goes() {
    let env = initialised();
    let cwd = env.project().display().to_string();
    let mut bytes = complete(&format!(
        "\"hook_event_name\":\"PreToolUse\",\"cwd\":\"{cwd}\",\"tool_name\":\"Bash\",\"tool_input\":\
         {{\"command\":\"echo ?\"}}"
    ));
    let at = bytes.iter().position(|byte| *byte == b'?').expect("a mark");
    bytes[at] = 0xff;
    assert_eq!(feed(&env, &[], &bytes).succeeded().stdout, "");
    assert_eq!(events(&env)[0]["subject"], "echo \u{fffd}");
    // Half of a character, as JavaScript cuts them.
    let prompt = String::from_utf8(complete(
        "\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"half \\ud83d of one\"",
    ));
    let prompt = prompt.expect("text").into_bytes();
    assert_eq!(feed(&env, &[], &prompt).succeeded().stdout, "");
    assert_eq!(events(&env).len(), 2, "{}", log(&env));
}

#[test]
fn an_output_of_fifty_megabytes_is_kept_in_short() {
    let env = initialised();
    let agent = Agent::new(&env, "s").with("TACIT_TIMEOUTS_HOOK_MS", "10000");
    let output = "0123456789 some line of output that goes on\n".repeat(50 * 1024 * 1024 / 44);
    assert!(agent.has_run("git commit -m x && cat log", &output).is_nothing());
    assert!(agent.has_failed("cat log", &output).is_nothing());
    assert!(agent.says(&output[..10 << 20]).is_nothing());
    assert_eq!(events(&env).len(), 3, "{}", log(&env));
    let size: u64 = ["memory.db", "memory.db-wal"]
        .iter()
        .filter_map(|name| std::fs::metadata(env.store().join(name)).ok())
        .map(|file| file.len())
        .sum();
    assert!(size < 2 << 20, "{size}");
}
