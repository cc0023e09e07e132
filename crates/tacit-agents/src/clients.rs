//! The clients: their events, files, and the replies they support.

use tacit_core::{ClientName, EventName as M};

use crate::client::{
    Client, Hook, HookForm, PresenceMarkers, ServerFiles, ServerForm, SettingsFiles,
};
use crate::install::{PageFolders, PageForm};
use crate::loaded_files::LoadedFiles;
use crate::reply::{
    ReplySupport, TextUnit, as_claude, as_codex, as_copilot, as_cursor, as_gemini, as_opencode,
    as_qwen,
};
use crate::transcript::codex_exit_code;

/// The pages with a command each.
const COMMANDS: &[&str] = &["remember", "when", "how", "memory"];

/// All clients, in display order.
pub static CLIENTS: [Client; 8] = [CLAUDE, CODEX, GEMINI, CURSOR, COPILOT, OPENCODE, KILO, QWEN];

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
    loads: LoadedFiles::new(&["CLAUDE.md", "CLAUDE.local.md"], &[".claude/rules"])
        .or(&["AGENTS.md"], &["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"]),
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
    hook_form: HookForm::Claude,
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
    exit_code_search: None,
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
        unit: TextUnit::Utf16,
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
        // It warns of more.
        Hook::new("SessionEnd", M::SessionEnded).within(3),
    ],
    // One event reports both successes and failures.
    other_events: &[("PostToolUse", M::ToolFailed), ("PostCompact", M::Compacted)],
    instructions: "AGENTS.md",
    loads: LoadedFiles::new(&["AGENTS.md", "AGENTS.override.md"], &[]).only_above(),
    advice: Some(
        "Codex runs no hook before you have reviewed it, and `codex exec` does not say so: start `codex` \
         here and choose 2 (trust all) with Enter when it says that hooks need review; again after a change",
    ),
    markers: PresenceMarkers { home: &[".codex"], project: &[".codex"] },
    settings: SettingsFiles::new(".codex/hooks.json", ".codex/hooks.json"),
    hook_form: HookForm::Codex,
    servers: ServerFiles {
        project: Some(".codex/config.toml"),
        user: ".codex/config.toml",
        form: ServerForm::Codex,
    },
    // Its commands are the user's alone, and have a prefix.
    pages: None,
    exit_code_search: Some(codex_exit_code),
    supports: ReplySupport {
        context: &[
            M::SessionStarted,
            M::PromptSubmitted,
            M::ToolStarting,
            M::ToolFinished,
            M::ToolFailed,
            M::SubagentStarted,
        ],
        deny: &[M::ToolStarting],
        block: &[M::TurnStopped],
        notice: true,
        unit: TextUnit::Bytes,
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
        Hook::new("SessionEnd", M::SessionEnded),
    ],
    // One event reports both successes and failures.
    other_events: &[("AfterTool", M::ToolFailed)],
    instructions: "GEMINI.md",
    loads: LoadedFiles::new(&["GEMINI.md"], &[]),
    advice: Some(
        "Gemini CLI runs hooks of a project only in a trusted folder: start `gemini` here and choose \
         `Trust folder`",
    ),
    markers: PresenceMarkers { home: &[".gemini"], project: &[".gemini", "GEMINI.md"] },
    settings: SettingsFiles::new(".gemini/settings.json", ".gemini/settings.json"),
    hook_form: HookForm::Gemini,
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
    exit_code_search: None,
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
    loads: LoadedFiles::new(&["AGENTS.md", "CLAUDE.md", ".cursorrules"], &[".cursor/rules"]),
    advice: Some("Cursor accepts notes only when a session starts"),
    markers: PresenceMarkers { home: &[".cursor"], project: &[".cursor"] },
    settings: SettingsFiles::new(".cursor/hooks.json", ".cursor/hooks.json"),
    hook_form: HookForm::Cursor,
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
    exit_code_search: None,
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
    loads: LoadedFiles::new(
        &["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"],
        &[".github/instructions"],
    ),
    advice: Some(
        "Copilot loads hooks of a project only in a trusted folder, and does not say so: start `copilot` \
         here and confirm that you trust it",
    ),
    markers: PresenceMarkers { home: &[".copilot"], project: &[".github/hooks"] },
    settings: SettingsFiles::new(".github/hooks/tacit.json", ".copilot/hooks/tacit.json"),
    hook_form: HookForm::Copilot,
    servers: ServerFiles {
        project: Some(".github/mcp.json"),
        user: ".copilot/mcp-config.json",
        form: ServerForm::Copilot,
    },
    pages: None,
    exit_code_search: None,
    supports: ReplySupport {
        context: &[
            M::SessionStarted,
            M::PromptSubmitted,
            M::ToolStarting,
            M::ToolFinished,
            M::ToolFailed,
        ],
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
    hooks: PLUGIN_EVENTS,
    other_events: &[("tool.execute.after", M::ToolFailed)],
    instructions: "AGENTS.md",
    loads: LoadedFiles::new(&["AGENTS.md"], &[]).or(&["CLAUDE.md"], &["AGENTS.md"]),
    advice: Some("OpenCode loads the plugin at its next start"),
    markers: PresenceMarkers {
        home: &[".config/opencode"],
        project: &[".opencode", "opencode.json"],
    },
    settings: SettingsFiles::new(".opencode/plugins/tacit.js", ".config/opencode/plugins/tacit.js"),
    hook_form: HookForm::Plugin,
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
    exit_code_search: None,
    supports: PLUGIN_REPLIES,
    write: as_opencode,
};

/// The events that our plugin reports. A subagent and a tool that throws have no hook of their own.
const PLUGIN_EVENTS: &[Hook] = &[
    Hook::new("session.created", M::SessionStarted),
    Hook::new("subagent.created", M::SubagentStarted),
    Hook::new("chat.message", M::PromptSubmitted),
    Hook::new("tool.execute.before", M::ToolStarting),
    Hook::new("tool.execute.after", M::ToolFinished),
    Hook::new("tool.execute.error", M::ToolFailed),
    Hook::new("session.idle", M::TurnStopped),
    Hook::new("session.compacted", M::Compacted),
    Hook::new("session.deleted", M::SessionEnded),
];

/// The replies that our plugin passes on.
const PLUGIN_REPLIES: ReplySupport = ReplySupport {
    context: &[
        M::SessionStarted,
        M::PromptSubmitted,
        M::ToolFinished,
        M::ToolFailed,
        M::SubagentStarted,
    ],
    deny: &[M::ToolStarting],
    ..ReplySupport::NOTHING
};

/// Kilo is a fork of OpenCode with folders of its own.
const KILO: Client = Client {
    name: ClientName::Kilo,
    title: "Kilo",
    hooks: PLUGIN_EVENTS,
    other_events: OPENCODE.other_events,
    instructions: "AGENTS.md",
    loads: LoadedFiles::new(&["AGENTS.md"], &[".kilo/rules", ".kilocode/rules"])
        .or(&["CLAUDE.md"], &["AGENTS.md"]),
    advice: Some("Kilo loads the plugin at its next start"),
    markers: PresenceMarkers { home: &[".config/kilo"], project: &[".kilo", "kilo.json"] },
    settings: SettingsFiles::new(".kilo/plugins/tacit.js", ".config/kilo/plugins/tacit.js"),
    hook_form: HookForm::Plugin,
    servers: ServerFiles {
        project: Some("kilo.json"),
        user: ".config/kilo/kilo.json",
        form: ServerForm::OpenCode,
    },
    pages: Some(PageFolders {
        project: ".kilo/commands",
        user: ".config/kilo/commands",
        form: PageForm::Markdown,
        pages: COMMANDS,
    }),
    exit_code_search: None,
    supports: PLUGIN_REPLIES,
    write: as_opencode,
};

/// Qwen Code registers hooks as Gemini CLI does, and has the events and replies of Claude Code.
const QWEN: Client = Client {
    name: ClientName::Qwen,
    title: "Qwen Code",
    hooks: &[
        Hook::new("SessionStart", M::SessionStarted),
        Hook::new("UserPromptSubmit", M::PromptSubmitted),
        Hook::new("PreToolUse", M::ToolStarting).for_tools("run_shell_command|write_file|edit"),
        Hook::new("PostToolUse", M::ToolFinished),
        Hook::new("PostToolUseFailure", M::ToolFailed),
        Hook::new("Stop", M::TurnStopped),
        Hook::new("SessionEnd", M::SessionEnded),
    ],
    other_events: &[
        ("SubagentStart", M::SubagentStarted),
        ("SubagentStop", M::SubagentStopped),
        ("PreCompact", M::Compacting),
        ("PostCompact", M::Compacted),
    ],
    instructions: "QWEN.md",
    loads: LoadedFiles::new(&["QWEN.md", "AGENTS.md"], &[]),
    advice: None,
    markers: PresenceMarkers { home: &[".qwen"], project: &[".qwen", "QWEN.md"] },
    settings: SettingsFiles::new(".qwen/settings.json", ".qwen/settings.json"),
    hook_form: HookForm::Gemini,
    servers: ServerFiles {
        project: Some(".qwen/settings.json"),
        user: ".qwen/settings.json",
        form: ServerForm::Plain,
    },
    pages: Some(PageFolders {
        project: ".qwen/commands",
        user: ".qwen/commands",
        form: PageForm::Toml,
        // It has commands `/remember` and `/memory` of its own.
        pages: &["when", "how"],
    }),
    exit_code_search: None,
    supports: ReplySupport {
        context: &[M::SessionStarted, M::PromptSubmitted, M::ToolFinished, M::ToolFailed],
        deny: &[M::ToolStarting],
        block: &[M::TurnStopped],
        notice: true,
        ..ReplySupport::NOTHING
    },
    write: as_qwen,
};
