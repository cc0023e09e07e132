//! Gemini CLI.

use tacit_core::{ClientName, Moment as M};

use crate::client::{Client, Hook, Marks, Settings};
use crate::reply::{Reply, Takes, answer};

pub(crate) const CLIENT: Client = Client {
    name: ClientName::Gemini,
    title: "Gemini CLI",
    hooks: &[
        Hook::new("SessionStart", 10),
        Hook::new("BeforeAgent", 10),
        Hook::of_tools("BeforeTool", "run_shell_command|write_file|replace", 5),
        Hook::new("AfterTool", 5),
        Hook::new("AfterAgent", 30),
        Hook::new("PreCompress", 10),
        Hook::new("SessionEnd", 10),
    ],
    instructions: "GEMINI.md",
    advice: None,
    events: &[
        ("SessionStart", M::SessionStarted),
        ("BeforeAgent", M::PromptSubmitted),
        ("BeforeTool", M::ToolStarting),
        ("AfterTool", M::ToolFinished),
        // It has one event for tools that did well and tools that did not.
        ("AfterTool", M::ToolFailed),
        ("AfterAgent", M::TurnStopped),
        ("PreCompress", M::Compacting),
        ("SessionEnd", M::SessionEnded),
    ],
    marks: Marks { home: &[".gemini"], project: &[".gemini", "GEMINI.md"] },
    settings: Settings {
        project: ".gemini/settings.json",
        shared: ".gemini/settings.json",
        user: ".gemini/settings.json",
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
        deny: false,
        block: matches!(moment, M::TurnStopped | M::ToolStarting),
    };
    // It has one word for a tool that must not run and an agent that must not stop.
    let reply = match moment {
        M::ToolStarting => Reply { block: reply.deny.clone(), ..reply.clone() },
        _ => reply.clone(),
    };
    answer(event, &reply, &takes)
}
