//! The clients: their events, files, and the replies they support.

use tacit_core::{ClientName, EventName as M};

use crate::client::{Client, Hook, PresenceMarkers, ServerFiles, ServerForm, SettingsFiles};
use crate::install::{PageFolders, PageForm};
use crate::reply::{
    ReplySupport, as_claude, as_codex, as_copilot, as_cursor, as_gemini, as_opencode,
};

/// The pages with a command each.
const COMMANDS: &[&str] = &["remember", "when", "how", "memory"];

/// All clients, in display order.
pub static CLIENTS: [Client; 6] = [CLAUDE, CODEX, GEMINI, CURSOR, COPILOT, OPENCODE];

const CLAUDE: Client = Client {
    name: ClientName::Claude,
    title: "Claude Code",
    hooks: &[
        Hook::new("SessionStart", M::SessionStarted),
        Hook::new("UserPromptSubmit", M::PromptSubmitted),
        Hook::new("PreToolUse", M::ToolStarting)
            .for_tools("Bash|Edit|Write|MultiEdit|NotebookEdit"),
        Hook::new("PostToolUse", M::ToolFinished)
            .for_tools("Read|Edit|Write|MultiEdit|NotebookEdit|Bash|mcp__.*"),
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
    loads: &["CLAUDE.md", "CLAUDE.local.md"],
    advice: None,
    markers: PresenceMarkers {
        home: &[".claude", ".claude.json"],
        project: &[".claude", "CLAUDE.md"],
    },
    settings: SettingsFiles {
        project: ".claude/settings.local.json",
        shared: ".claude/settings.json",
        user: ".claude/settings.json",
    },
    servers: ServerFiles {
        project: Some(".mcp.json"),
        user: ".claude.json",
        form: ServerForm::Claude,
    },
    pages: Some(PageFolders {
        project: ".claude/skills",
        user: ".claude/skills",
        form: PageForm::Skill,
        pages: &["remember", "when", "how", "memory", "capturing-learnings", "keeping-records"],
    }),
    supports: ReplySupport {
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

/// Codex uses most of Claude Code's formats and rejects unknown fields.
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
    // One event reports both successes and failures.
    other_events: &[("PostToolUse", M::ToolFailed), ("PostCompact", M::Compacted)],
    instructions: "AGENTS.md",
    loads: &["AGENTS.md"],
    advice: Some(
        "Codex asks once whether it may run hooks; older versions run none unless a feature flag in \
         `~/.codex/config.toml` allows them",
    ),
    markers: PresenceMarkers { home: &[".codex"], project: &[".codex"] },
    settings: SettingsFiles::new(".codex/hooks.json", ".codex/hooks.json"),
    servers: ServerFiles {
        project: Some(".codex/config.toml"),
        user: ".codex/config.toml",
        form: ServerForm::Codex,
    },
    // Its commands are the user's alone, and have a prefix.
    pages: None,
    supports: ReplySupport {
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
        Hook::new("BeforeTool", M::ToolStarting).for_tools("run_shell_command|write_file|replace"),
        Hook::new("AfterTool", M::ToolFinished),
        Hook::new("AfterAgent", M::TurnStopped),
        Hook::new("PreCompress", M::Compacting),
        Hook::new("SessionEnd", M::SessionEnded),
    ],
    // One event reports both successes and failures.
    other_events: &[("AfterTool", M::ToolFailed)],
    instructions: "GEMINI.md",
    loads: &["GEMINI.md"],
    advice: None,
    markers: PresenceMarkers { home: &[".gemini"], project: &[".gemini", "GEMINI.md"] },
    settings: SettingsFiles::new(".gemini/settings.json", ".gemini/settings.json"),
    servers: ServerFiles {
        project: Some(".gemini/settings.json"),
        user: ".gemini/settings.json",
        form: ServerForm::Plain,
    },
    pages: Some(PageFolders {
        project: ".gemini/commands",
        user: ".gemini/commands",
        form: PageForm::Toml,
        // It has a command `/memory` of its own.
        pages: &["remember", "when", "how"],
    }),
    supports: ReplySupport {
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
    loads: &["AGENTS.md", ".cursorrules"],
    advice: Some("Cursor accepts notes only when a session starts"),
    markers: PresenceMarkers { home: &[".cursor"], project: &[".cursor"] },
    settings: SettingsFiles::new(".cursor/hooks.json", ".cursor/hooks.json"),
    servers: ServerFiles {
        project: Some(".cursor/mcp.json"),
        user: ".cursor/mcp.json",
        form: ServerForm::Plain,
    },
    pages: Some(PageFolders {
        project: ".cursor/commands",
        user: ".cursor/commands",
        form: PageForm::Markdown,
        pages: COMMANDS,
    }),
    supports: ReplySupport {
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
    loads: &["AGENTS.md", ".github/copilot-instructions.md"],
    advice: Some(
        "Copilot accepts notes when a session starts and when a tool fails; older versions accept none",
    ),
    markers: PresenceMarkers { home: &[".copilot"], project: &[".github/hooks"] },
    settings: SettingsFiles::new(".github/hooks/tacit.json", ".copilot/hooks/tacit.json"),
    servers: ServerFiles {
        project: None,
        user: ".copilot/mcp-config.json",
        form: ServerForm::Copilot,
    },
    pages: None,
    supports: ReplySupport {
        context: &[M::SessionStarted, M::ToolFailed, M::SubagentStarted],
        ask: &[M::ToolStarting],
        deny: &[M::ToolStarting],
        block: &[M::TurnStopped],
        ..ReplySupport::NOTHING
    },
    write: as_copilot,
};

/// OpenCode runs our plugin in its own process. The plugin calls `tacit hook` with payloads in our
/// own format and adds the reply to the system prompt or to a tool's output.
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
    loads: &["AGENTS.md"],
    advice: Some("OpenCode loads the plugin at its next start"),
    markers: PresenceMarkers {
        home: &[".config/opencode"],
        project: &[".opencode", "opencode.json"],
    },
    settings: SettingsFiles::new(".opencode/plugins/tacit.js", ".config/opencode/plugins/tacit.js"),
    servers: ServerFiles {
        project: Some("opencode.json"),
        user: ".config/opencode/opencode.json",
        form: ServerForm::OpenCode,
    },
    pages: Some(PageFolders {
        project: ".opencode/commands",
        user: ".config/opencode/commands",
        form: PageForm::Markdown,
        pages: COMMANDS,
    }),
    supports: ReplySupport {
        context: &[M::SessionStarted, M::PromptSubmitted, M::ToolFinished, M::ToolFailed],
        ..ReplySupport::NOTHING
    },
    write: as_opencode,
};
