//! Claude Code.

use tacit_core::{ClientName, Moment as M};

use crate::client::{Client, Hook, Marks, Settings};
use crate::reply::{Reply, Takes, answer, limit_context};

pub(crate) const CLIENT: Client = Client {
    name: ClientName::Claude,
    title: "Claude Code",
    hooks: &[
        Hook::new("SessionStart", 10),
        Hook::new("UserPromptSubmit", 10),
        Hook::of_tools("PreToolUse", "Bash|Edit|Write|MultiEdit|NotebookEdit", 5),
        Hook::of_tools("PostToolUse", "Read|Edit|Write|MultiEdit|NotebookEdit|Bash|mcp__.*", 5),
        Hook::new("PostToolUseFailure", 5),
        Hook::new("PostToolBatch", 5),
        Hook::new("Stop", 30),
        Hook::new("SubagentStart", 5),
        Hook::new("SubagentStop", 10),
        Hook::new("PreCompact", 10),
        // Without a time of its own this one gets a second and a half.
        Hook::new("SessionEnd", 10),
    ],
    instructions: "CLAUDE.md",
    advice: None,
    events: &[
        ("SessionStart", M::SessionStarted),
        ("UserPromptSubmit", M::PromptSubmitted),
        ("PreToolUse", M::ToolStarting),
        ("PostToolUse", M::ToolFinished),
        ("PostToolUseFailure", M::ToolFailed),
        ("PostToolBatch", M::BatchFinished),
        ("Stop", M::TurnStopped),
        ("SubagentStart", M::SubagentStarted),
        ("SubagentStop", M::SubagentStopped),
        ("PreCompact", M::Compacting),
        ("PostCompact", M::Compacted),
        ("SessionEnd", M::SessionEnded),
    ],
    marks: Marks { home: &[".claude", ".claude.json"], project: &[".claude", "CLAUDE.md"] },
    settings: Settings {
        project: ".claude/settings.local.json",
        shared: ".claude/settings.json",
        user: ".claude/settings.json",
    },
    render,
};

fn render(event: &str, moment: M, reply: &Reply) -> Vec<u8> {
    if moment == M::Compacting {
        // What this hook prints joins the instructions for the summary, as plain text.
        return reply.context.as_deref().map(limit_context).unwrap_or_default().into_bytes();
    }
    let takes = Takes {
        context: matches!(
            moment,
            M::SessionStarted
                | M::PromptSubmitted
                | M::ToolStarting
                | M::ToolFinished
                | M::ToolFailed
                | M::BatchFinished
                | M::TurnStopped
                | M::SubagentStarted
        ),
        ask: moment == M::ToolStarting,
        deny: moment == M::ToolStarting,
        block: matches!(moment, M::TurnStopped | M::SubagentStopped),
    };
    answer(event, reply, &takes)
}
