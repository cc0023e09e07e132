//! Payloads that nobody should send.

use proptest::prelude::*;
use serde_json::{Value, json};
use tacit_agents::{CLIENTS, Client};
use tacit_core::{ClientName, EventKind, EventLimits};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{1,8}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

const FIELDS: [&str; 20] = [
    "session_id",
    "cwd",
    "transcript_path",
    "agent_id",
    "agent_type",
    "source",
    "model",
    "prompt",
    "tool_name",
    "tool_input",
    "tool_response",
    "tool_use_id",
    "mcp_server",
    "error",
    "is_interrupt",
    "duration_ms",
    "tool_calls",
    "last_assistant_message",
    "trigger",
    "edits",
];

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for client in &CLIENTS {
            let _ = client.parse(Some("Stop"), &bytes);
        }
    }

    #[test]
    fn any_values_in_known_fields(
        which in 0..64_usize,
        fields in prop::collection::hash_map(prop::sample::select(&FIELDS[..]), any_json(), 0..8),
    ) {
        for client in &CLIENTS {
            let hook = client.hooks[which % client.hooks.len()];
            let mut payload = json!({"session_id": "s", "prompt": "p", "tool_name": "Bash"});
            for (name, value) in &fields {
                payload[*name] = value.clone();
            }
            let bytes = serde_json::to_vec(&payload).expect("JSON");
            if let Ok(Some(mut event)) = client.parse(Some(hook.event), &bytes) {
                event.shorten(&EventLimits::default());
                let line = serde_json::to_string(&event).expect("JSON");
                serde_json::from_str::<tacit_core::AgentEvent>(&line).expect("an event");
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    let claude = Client::named(ClientName::Claude);
    let cases = [
        ("", "the payload is not a JSON object"),
        ("[]", "the payload is not a JSON object"),
        ("{", "the payload is not valid JSON"),
        ("{}", "the payload has no `hook_event_name`"),
        (r#"{"hook_event_name":"Stop"}"#, "the payload has no `session_id`"),
        (r#"{"hook_event_name":"Stop","session_id":"a b"}"#, "the payload has no `session_id`"),
        (r#"{"hook_event_name":"PreToolUse","session_id":"a"}"#, "the payload has no `tool_name`"),
    ];
    for (payload, expected) in cases {
        let error = claude.parse(None, payload.as_bytes()).expect_err("an error").to_string();
        assert!(error.starts_with(expected), "{payload}: {error}");
    }
}

#[test]
fn half_a_character_and_bytes_that_are_none() {
    let claude = Client::named(ClientName::Claude);
    let prompt = |bytes: &[u8]| match claude.parse(None, bytes).expect("a payload") {
        Some(event) => match event.what {
            EventKind::PromptSubmitted { prompt, .. } => prompt,
            other => panic!("{other:?}"),
        },
        None => panic!("an event"),
    };
    let start = r#"{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"#;
    assert_eq!(prompt(format!("{start}\"a\\ud83d\"}}").as_bytes()), "a\u{fffd}");
    let mut bytes = format!("\u{feff}{start}\"a").into_bytes();
    bytes.extend_from_slice(b"\xff\"}");
    assert_eq!(prompt(&bytes), "a\u{fffd}");
}

#[test]
fn a_payload_of_fifty_megabytes() {
    let claude = Client::named(ClientName::Claude);
    let large = "line of a file\n".repeat(3_500_000);
    let payload = json!({
        "hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Edit",
        "tool_input": {"file_path": "a", "old_string": "x", "new_string": "y"},
        "tool_response": {"originalFile": large, "filePath": "a"},
    });
    let bytes = serde_json::to_vec(&payload).expect("JSON");
    let event = claude.parse(None, &bytes).expect("a payload").expect("an event");
    let EventKind::ToolFinished { outcome, .. } = event.what else { panic!("a tool") };
    assert_eq!(outcome.text, None);
}

#[test]
fn depth_is_no_danger() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let claude = Client::named(ClientName::Claude);
    for field in ["unknown", "tool_input", "tool_response", "error", "prompt", "tool_calls"] {
        for tool in ["Bash", "Nope", "mcp__a__b"] {
            let payload = format!(
                r#"{{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"{tool}","{field}":{deep}}}"#
            );
            let event = claude.parse(None, payload.as_bytes());
            assert_eq!(
                event.is_ok(),
                !matches!(field, "error" | "prompt" | "tool_calls"),
                "{field}"
            );
        }
    }
}
