//! Cursor.

use serde::Serialize;
use tacit_core::{ClientName, Moment as M};

use crate::client::{Client, Hook, Marks, Settings};
use crate::reply::{Reply, json, limit_context};

pub(crate) const CLIENT: Client = Client {
    name: ClientName::Cursor,
    title: "Cursor",
    hooks: &[
        Hook::new("sessionStart", 10),
        Hook::new("beforeSubmitPrompt", 10),
        Hook::new("postToolUse", 5),
        Hook::new("postToolUseFailure", 5),
        Hook::new("subagentStart", 5),
        Hook::new("subagentStop", 10),
        Hook::new("preCompact", 10),
        Hook::new("stop", 30),
        Hook::new("sessionEnd", 10),
    ],
    instructions: "AGENTS.md",
    advice: Some("Cursor takes notes only when a session starts"),
    events: &[
        ("sessionStart", M::SessionStarted),
        ("beforeSubmitPrompt", M::PromptSubmitted),
        ("preToolUse", M::ToolStarting),
        ("beforeShellExecution", M::ToolStarting),
        ("beforeMCPExecution", M::ToolStarting),
        ("postToolUse", M::ToolFinished),
        ("afterShellExecution", M::ToolFinished),
        ("afterMCPExecution", M::ToolFinished),
        ("afterFileEdit", M::ToolFinished),
        ("postToolUseFailure", M::ToolFailed),
        ("subagentStart", M::SubagentStarted),
        ("subagentStop", M::SubagentStopped),
        ("preCompact", M::Compacting),
        ("stop", M::TurnStopped),
        ("sessionEnd", M::SessionEnded),
    ],
    marks: Marks { home: &[".cursor"], project: &[".cursor"] },
    settings: Settings {
        project: ".cursor/hooks.json",
        shared: ".cursor/hooks.json",
        user: ".cursor/hooks.json",
    },
    render,
};

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    followup_message: Option<&'a str>,
}

fn render(_event: &str, moment: M, reply: &Reply) -> Vec<u8> {
    let context = reply.context.as_deref().filter(|_| moment == M::SessionStarted);
    let block = reply.block.as_deref().filter(|_| moment == M::TurnStopped);
    if context.is_none() && block.is_none() {
        return Vec::new();
    }
    json(&Answer { additional_context: context.map(limit_context), followup_message: block })
}
