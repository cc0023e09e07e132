//! What each client is answered.

use tacit_agents::{CLIENTS, Client, Reply};
use tacit_core::{ClientName as N, EventName as M};

fn rendered(client: N, moment: M, reply: &Reply) -> String {
    String::from_utf8(Client::named(client).render(moment, reply)).expect("UTF-8")
}

#[test]
fn replies_by_client() {
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
        (N::OpenCode, M::ToolStarting, &deny, ""),
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
        (N::Codex, M::ToolStarting, &context, ""),
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
        (N::Copilot, M::PromptSubmitted, &context, ""),
        (N::OpenCode, M::PromptSubmitted, &context, r#"{"context":"a \"b\"\nc"}"#),
        (N::OpenCode, M::TurnStopped, &block, ""),
    ];
    for (client, moment, reply, expected) in cases {
        assert_eq!(rendered(client, moment, reply).trim_end(), expected, "{client} {moment}");
    }
    assert_eq!(rendered(N::Claude, M::Compacting, &context), "a \"b\"\nc");
}

#[test]
fn whatever_is_answered_is_one_line_of_json_or_nothing() {
    let all = Reply {
        context: Some("line\n".repeat(5_000)),
        ask: Some("why".into()),
        deny: Some("not so".into()),
        block: Some("first".into()),
        notice: Some("note".into()),
    };
    for client in &CLIENTS {
        for moment in M::ALL {
            assert_eq!(rendered(client.name, *moment, &Reply::default()), "");
            let text = rendered(client.name, *moment, &all);
            assert!(text.len() < 16_000, "{} {moment}", client.title);
            let plain = client.name == N::Claude && *moment == M::Compacting;
            if !text.is_empty() && !plain {
                assert_eq!(text.lines().count(), 1);
                serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
            }
        }
    }
}
