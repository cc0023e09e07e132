//! The replies that each client receives.

use tacit_agents::{CLIENTS, Client, Reply};
use tacit_core::{ClientName as N, EventName as M};

fn render(client: N, event_name: M, reply: &Reply) -> String {
    String::from_utf8(Client::named(client).render(event_name, reply)).expect("UTF-8")
}

#[test]
fn replies_have_the_format_of_the_client() {
    let context = Reply::context("a \"b\"\nc");
    let ask = Reply { ask: Some("why".into()), ..Reply::default() };
    let deny = Reply { deny: Some("use that".into()), ..Reply::default() };
    let block = Reply { block: Some("first this".into()), ..Reply::default() };
    let notice = Reply { notice: Some("note".into()), ..Reply::default() };
    let cases = [
        (
            N::Claude,
            M::PromptSubmitted,
            &context,
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"a \"b\"\nc"}}"#,
        ),
        (
            N::Claude,
            M::ToolStarting,
            &ask,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"why"}}"#,
        ),
        (
            N::Claude,
            M::ToolStarting,
            &deny,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"use that"}}"#,
        ),
        (
            N::Codex,
            M::ToolStarting,
            &deny,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"use that"}}"#,
        ),
        (N::Gemini, M::ToolStarting, &deny, r#"{"decision":"block","reason":"use that"}"#),
        (
            N::Copilot,
            M::ToolStarting,
            &deny,
            r#"{"permissionDecision":"deny","permissionDecisionReason":"use that"}"#,
        ),
        (N::Claude, M::ToolFinished, &deny, ""),
        (N::Cursor, M::ToolStarting, &deny, ""),
        (N::OpenCode, M::ToolStarting, &deny, r#"{"deny":"use that"}"#),
        (N::Kilo, M::ToolStarting, &deny, r#"{"deny":"use that"}"#),
        (N::Claude, M::TurnStopped, &block, r#"{"decision":"block","reason":"first this"}"#),
        (N::Claude, M::SessionStarted, &notice, r#"{"systemMessage":"note"}"#),
        (N::Claude, M::SessionEnded, &context, ""),
        (N::Claude, M::ToolFinished, &ask, ""),
        (
            N::Codex,
            M::ToolFailed,
            &context,
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"a \"b\"\nc"}}"#,
        ),
        (
            N::Codex,
            M::ToolStarting,
            &context,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"a \"b\"\nc"}}"#,
        ),
        (
            N::Codex,
            M::SubagentStarted,
            &context,
            r#"{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"a \"b\"\nc"}}"#,
        ),
        (N::Qwen, M::ToolStarting, &context, ""),
        (
            N::Qwen,
            M::ToolStarting,
            &deny,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"use that"}}"#,
        ),
        (N::Codex, M::TurnStopped, &block, r#"{"decision":"block","reason":"first this"}"#),
        (
            N::Gemini,
            M::PromptSubmitted,
            &context,
            r#"{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"a \"b\"\nc"}}"#,
        ),
        (N::Gemini, M::ToolStarting, &context, ""),
        (N::Cursor, M::SessionStarted, &context, r#"{"additional_context":"a \"b\"\nc"}"#),
        (N::Cursor, M::PromptSubmitted, &context, ""),
        (N::Cursor, M::TurnStopped, &block, r#"{"followup_message":"first this"}"#),
        (N::Copilot, M::ToolFailed, &context, r#"{"additionalContext":"a \"b\"\nc"}"#),
        (N::Copilot, M::PromptSubmitted, &context, r#"{"additionalContext":"a \"b\"\nc"}"#),
        (N::Copilot, M::ToolStarting, &context, r#"{"additionalContext":"a \"b\"\nc"}"#),
        (N::Copilot, M::ToolFinished, &context, r#"{"additionalContext":"a \"b\"\nc"}"#),
        (N::Copilot, M::SubagentStarted, &context, ""),
        (N::OpenCode, M::PromptSubmitted, &context, r#"{"context":"a \"b\"\nc"}"#),
        (N::OpenCode, M::TurnStopped, &block, ""),
    ];
    for (client, event_name, reply, expected) in cases {
        assert_eq!(render(client, event_name, reply).trim_end(), expected, "{client} {event_name}");
    }
    let notes = Reply::context("<tacit-notes>\n[gotcha] Vec<u8>\n</tacit-notes>\nTip");
    for client in [N::Gemini, N::Qwen] {
        let text = render(client, M::SessionStarted, &notes);
        assert!(text.contains(r"[tacit-notes]\n[gotcha] Vec<u8>\n[/tacit-notes]\nTip"), "{text}");
    }
    assert_eq!(render(N::Claude, M::Compacting, &context), "a \"b\"\nc");
}

#[test]
fn replies_are_one_line_of_json_or_empty() {
    let all = Reply {
        context: Some("line\n".repeat(5_000)),
        ask: Some("why".into()),
        deny: Some("not so".into()),
        block: Some("first".into()),
        notice: Some("note".into()),
    };
    for client in &CLIENTS {
        for event_name in M::ALL {
            assert_eq!(render(client.name, *event_name, &Reply::default()), "");
            let text = render(client.name, *event_name, &all);
            assert!(text.len() < 16_000, "{} {event_name}", client.title);
            let plain = client.name == N::Claude && *event_name == M::Compacting;
            if !text.is_empty() && !plain {
                assert_eq!(text.lines().count(), 1);
                serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
            }
        }
    }
}
