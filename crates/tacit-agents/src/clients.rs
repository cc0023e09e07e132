//! The clients: their names for moments, their files, and what of a reply they take when.

use tacit_core::{ClientName, EventName as M};

use crate::client::{Client, Hook, PresenceMarkers, SettingsFiles};
use crate::reply::{
    ReplySupport, as_claude, as_codex, as_copilot, as_cursor, as_gemini, as_opencode,
};

/// Every client, in the order in which they are listed to people.
pub static CLIENTS: [Client; 6] = [CLAUDE, CODEX, GEMINI, CURSOR, COPILOT, OPENCODE];

const CLAUDE: Client = Client {
    name: ClientName::Claude,
    title: "Claude Code",
    hooks: &[
        Hook::new("SessionStart", M::SessionStarted),
        Hook::new("UserPromptSubmit", M::PromptSubmitted),
        Hook::new("PreToolUse", M::ToolStarting).of("Bash|Edit|Write|MultiEdit|NotebookEdit"),
        Hook::new("PostToolUse", M::ToolFinished)
            .of("Read|Edit|Write|MultiEdit|NotebookEdit|Bash|mcp__.*"),
        Hook::new("PostToolUseFailure", M::ToolFailed),
        Hook::new("PostToolBatch", M::BatchFinished),
        Hook::new("Stop", M::TurnStopped),
        Hook::new("SubagentStart", M::SubagentStarted),
        Hook::new("SubagentStop", M::SubagentStopped),
        Hook::new("PreCompact", M::Compacting),
        Hook::new("SessionEnd", M::SessionEnded),
    ],
    other_events: &[("PostCompact", M::Compacted)],
    instructions: "CLAUDE.md",
    advice: None,
    marks: PresenceMarkers {
        home: &[".claude", ".claude.json"],
        project: &[".claude", "CLAUDE.md"],
    },
    settings: SettingsFiles {
        project: ".claude/settings.local.json",
        shared: ".claude/settings.json",
        user: ".claude/settings.json",
    },
    takes: ReplySupport {
        context: &[
            M::SessionStarted,
            M::PromptSubmitted,
            M::ToolStarting,
            M::ToolFinished,
            M::ToolFailed,
            M::BatchFinished,
            M::TurnStopped,
            M::SubagentStarted,
            M::Compacting,
        ],
        ask: &[M::ToolStarting],
        deny: &[M::ToolStarting],
        block: &[M::TurnStopped, M::SubagentStopped],
        notice: true,
    },
    write: as_claude,
};

/// Codex took over most of Claude Code's forms and refuses fields it does not know.
const CODEX: Client = Client {
    name: ClientName::Codex,
    title: "Codex CLI",
    hooks: &[
        Hook::new("SessionStart", M::SessionStarted),
        Hook::new("UserPromptSubmit", M::PromptSubmitted),
        Hook::new("PreToolUse", M::ToolStarting),
        Hook::new("PostToolUse", M::ToolFinished),
        Hook::new("SubagentStart", M::SubagentStarted),
        Hook::new("SubagentStop", M::SubagentStopped),
        Hook::new("PreCompact", M::Compacting),
        Hook::new("Stop", M::TurnStopped),
    ],
    // It has one event for tools that did well and tools that did not.
    other_events: &[("PostToolUse", M::ToolFailed), ("PostCompact", M::Compacted)],
    instructions: "AGENTS.md",
    advice: Some(
        "Codex asks once whether it may run hooks; older versions run none unless a feature flag in \
         `~/.codex/config.toml` allows them",
    ),
    marks: PresenceMarkers { home: &[".codex"], project: &[".codex"] },
    settings: SettingsFiles::new(".codex/hooks.json", ".codex/hooks.json"),
    takes: ReplySupport {
        context: &[M::SessionStarted, M::PromptSubmitted, M::ToolFinished, M::ToolFailed],
        deny: &[M::ToolStarting],
        block: &[M::TurnStopped],
        notice: true,
        ..ReplySupport::NOTHING
    },
    write: as_codex,
};

const GEMINI: Client = Client {
    name: ClientName::Gemini,
    title: "Gemini CLI",
    hooks: &[
        Hook::new("SessionStart", M::SessionStarted),
        Hook::new("BeforeAgent", M::PromptSubmitted),
        Hook::new("BeforeTool", M::ToolStarting).of("run_shell_command|write_file|replace"),
        Hook::new("AfterTool", M::ToolFinished),
        Hook::new("AfterAgent", M::TurnStopped),
        Hook::new("PreCompress", M::Compacting),
        Hook::new("SessionEnd", M::SessionEnded),
    ],
    // It has one event for tools that did well and tools that did not.
    other_events: &[("AfterTool", M::ToolFailed)],
    instructions: "GEMINI.md",
    advice: None,
    marks: PresenceMarkers { home: &[".gemini"], project: &[".gemini", "GEMINI.md"] },
    settings: SettingsFiles::new(".gemini/settings.json", ".gemini/settings.json"),
    takes: ReplySupport {
        context: &[M::SessionStarted, M::PromptSubmitted, M::ToolFinished, M::ToolFailed],
        deny: &[M::ToolStarting],
        block: &[M::TurnStopped],
        notice: true,
        ..ReplySupport::NOTHING
    },
    write: as_gemini,
};

const CURSOR: Client = Client {
    name: ClientName::Cursor,
    title: "Cursor",
    hooks: &[
        Hook::new("sessionStart", M::SessionStarted),
        Hook::new("beforeSubmitPrompt", M::PromptSubmitted),
        Hook::new("postToolUse", M::ToolFinished),
        Hook::new("postToolUseFailure", M::ToolFailed),
        Hook::new("subagentStart", M::SubagentStarted),
        Hook::new("subagentStop", M::SubagentStopped),
        Hook::new("preCompact", M::Compacting),
        Hook::new("stop", M::TurnStopped),
        Hook::new("sessionEnd", M::SessionEnded),
    ],
    other_events: &[
        ("preToolUse", M::ToolStarting),
        ("beforeShellExecution", M::ToolStarting),
        ("beforeMCPExecution", M::ToolStarting),
        ("afterShellExecution", M::ToolFinished),
        ("afterMCPExecution", M::ToolFinished),
        ("afterFileEdit", M::ToolFinished),
    ],
    instructions: "AGENTS.md",
    advice: Some("Cursor takes notes only when a session starts"),
    marks: PresenceMarkers { home: &[".cursor"], project: &[".cursor"] },
    settings: SettingsFiles::new(".cursor/hooks.json", ".cursor/hooks.json"),
    takes: ReplySupport {
        context: &[M::SessionStarted],
        block: &[M::TurnStopped],
        ..ReplySupport::NOTHING
    },
    write: as_cursor,
};

/// Copilot's payloads do not name their event; the command line does.
const COPILOT: Client = Client {
    name: ClientName::Copilot,
    title: "Copilot CLI",
    hooks: &[
        Hook::new("sessionStart", M::SessionStarted),
        Hook::new("userPromptSubmitted", M::PromptSubmitted),
        Hook::new("preToolUse", M::ToolStarting),
        Hook::new("postToolUse", M::ToolFinished),
        Hook::new("postToolUseFailure", M::ToolFailed),
        Hook::new("subagentStart", M::SubagentStarted),
        Hook::new("subagentStop", M::SubagentStopped),
        Hook::new("preCompact", M::Compacting),
        Hook::new("agentStop", M::TurnStopped),
        Hook::new("sessionEnd", M::SessionEnded),
    ],
    other_events: &[],
    instructions: "AGENTS.md",
    advice: Some(
        "Copilot takes notes when a session starts and when a tool fails; older versions take none",
    ),
    marks: PresenceMarkers { home: &[".copilot"], project: &[".github/hooks"] },
    settings: SettingsFiles::new(".github/hooks/tacit.json", ".copilot/hooks/tacit.json"),
    takes: ReplySupport {
        context: &[M::SessionStarted, M::ToolFailed, M::SubagentStarted],
        ask: &[M::ToolStarting],
        deny: &[M::ToolStarting],
        block: &[M::TurnStopped],
        ..ReplySupport::NOTHING
    },
    write: as_copilot,
};

/// OpenCode runs a plugin of ours in its own process. The plugin calls us with payloads in our own
/// form and puts what we answer into the system prompt or behind a tool's output.
const OPENCODE: Client = Client {
    name: ClientName::OpenCode,
    title: "OpenCode",
    hooks: &[
        Hook::new("session.created", M::SessionStarted),
        Hook::new("chat.message", M::PromptSubmitted),
        Hook::new("tool.execute.before", M::ToolStarting),
        Hook::new("tool.execute.after", M::ToolFinished),
        Hook::new("session.idle", M::TurnStopped),
        Hook::new("session.compacted", M::Compacted),
        Hook::new("session.deleted", M::SessionEnded),
    ],
    other_events: &[("tool.execute.after", M::ToolFailed)],
    instructions: "AGENTS.md",
    advice: Some("OpenCode loads the plugin when it is started the next time"),
    marks: PresenceMarkers {
        home: &[".config/opencode"],
        project: &[".opencode", "opencode.json"],
    },
    settings: SettingsFiles::new(".opencode/plugins/tacit.js", ".config/opencode/plugins/tacit.js"),
    takes: ReplySupport {
        context: &[M::SessionStarted, M::PromptSubmitted, M::ToolFinished, M::ToolFailed],
        ..ReplySupport::NOTHING
    },
    write: as_opencode,
};
