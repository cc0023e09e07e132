//! Copilot CLI. Its payloads do not name their event; the command line does.

use serde::Serialize;
use tacit_core::{ClientName, Moment as M};

use crate::client::{Client, Hook, Marks, Settings};
use crate::reply::{Reply, json, limit_context};

pub(crate) const CLIENT: Client = Client {
    name: ClientName::Copilot,
    title: "Copilot CLI",
    hooks: &[
        Hook::new("sessionStart", 10),
        Hook::new("userPromptSubmitted", 10),
        Hook::new("preToolUse", 5),
        Hook::new("postToolUse", 5),
        Hook::new("postToolUseFailure", 5),
        Hook::new("subagentStart", 5),
        Hook::new("subagentStop", 10),
        Hook::new("preCompact", 10),
        Hook::new("agentStop", 30),
        Hook::new("sessionEnd", 10),
    ],
    instructions: "AGENTS.md",
    advice: Some(
        "Copilot takes notes when a session starts and when a tool fails; older versions take none",
    ),
    events: &[
        ("sessionStart", M::SessionStarted),
        ("userPromptSubmitted", M::PromptSubmitted),
        ("preToolUse", M::ToolStarting),
        ("postToolUse", M::ToolFinished),
        ("postToolUseFailure", M::ToolFailed),
        ("subagentStart", M::SubagentStarted),
        ("subagentStop", M::SubagentStopped),
        ("preCompact", M::Compacting),
        ("agentStop", M::TurnStopped),
        ("sessionEnd", M::SessionEnded),
    ],
    marks: Marks { home: &[".copilot"], project: &[".github/hooks"] },
    settings: Settings {
        project: ".github/hooks/tacit.json",
        shared: ".github/hooks/tacit.json",
        user: ".copilot/hooks/tacit.json",
    },
    render,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

fn render(_event: &str, moment: M, reply: &Reply) -> Vec<u8> {
    let takes_context = matches!(moment, M::SessionStarted | M::ToolFailed | M::SubagentStarted);
    let context = reply.context.as_deref().filter(|_| takes_context);
    let ask = reply.ask.as_deref().filter(|_| moment == M::ToolStarting);
    let block = reply.block.as_deref().filter(|_| moment == M::TurnStopped);
    let deny = reply.deny.as_deref().filter(|_| moment == M::ToolStarting);
    if context.is_none() && ask.is_none() && deny.is_none() && block.is_none() {
        return Vec::new();
    }
    json(&Answer {
        additional_context: context.map(limit_context),
        permission_decision: deny.map(|_| "deny").or(ask.map(|_| "ask")),
        permission_decision_reason: deny.or(ask),
        decision: block.map(|_| "block"),
        reason: block,
    })
}
