//! Codex CLI, which took over most of Claude Code's forms and refuses fields it does not know.

use tacit_core::{ClientName, Moment as M};

use crate::client::{Client, Hook, Marks, Settings};
use crate::reply::{Reply, Takes, answer};

pub(crate) const CLIENT: Client = Client {
    name: ClientName::Codex,
    title: "Codex CLI",
    hooks: &[
        Hook::new("SessionStart", 10),
        Hook::new("UserPromptSubmit", 10),
        Hook::new("PreToolUse", 5),
        Hook::new("PostToolUse", 5),
        Hook::new("SubagentStart", 5),
        Hook::new("SubagentStop", 10),
        Hook::new("PreCompact", 10),
        Hook::new("Stop", 30),
    ],
    instructions: "AGENTS.md",
    advice: Some(
        "Codex asks once whether it may run hooks; older versions run none unless a feature flag in \
         `~/.codex/config.toml` allows them",
    ),
    events: &[
        ("SessionStart", M::SessionStarted),
        ("UserPromptSubmit", M::PromptSubmitted),
        ("PreToolUse", M::ToolStarting),
        ("PostToolUse", M::ToolFinished),
        // It has one event for tools that did well and tools that did not.
        ("PostToolUse", M::ToolFailed),
        ("PreCompact", M::Compacting),
        ("PostCompact", M::Compacted),
        ("SubagentStart", M::SubagentStarted),
        ("SubagentStop", M::SubagentStopped),
        ("Stop", M::TurnStopped),
    ],
    marks: Marks { home: &[".codex"], project: &[".codex"] },
    settings: Settings {
        project: ".codex/hooks.json",
        shared: ".codex/hooks.json",
        user: ".codex/hooks.json",
    },
    render,
};

fn render(event: &str, moment: M, reply: &Reply) -> Vec<u8> {
    let takes = Takes {
        context: matches!(
            moment,
            M::SessionStarted | M::PromptSubmitted | M::ToolFinished | M::ToolFailed
        ),
        ask: false,
        deny: moment == M::ToolStarting,
        block: moment == M::TurnStopped,
    };
    answer(event, reply, &takes)
}
