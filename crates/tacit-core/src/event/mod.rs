//! What an agent client tells while an agent works: one model for all clients.
//!
//! The forms in which clients say it are not known here; neither is what is done about it. An event
//! can be written as one compact line of JSON and read again, and [`AgentEvent::shorten`] takes from
//! it what nobody needs who looks at it later.

mod shorten;
#[cfg(test)]
mod tests;
mod texts;
mod tool;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use shorten::{EventLimits, bytes_cut, shorten_text};
pub use texts::{VisitText, visit_value};
pub use tool::{BatchCall, FailureCause, ToolFailure, ToolKind, ToolOutcome, ToolUse};

use crate::domain::values::SessionId;
use crate::domain::words::word_enum;

word_enum! {
    /// The agent clients that are understood.
    ClientName, "an agent client" {
        /// Claude Code.
        Claude = "claude",
        /// Codex CLI.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
        /// Cursor.
        Cursor = "cursor",
        /// Copilot CLI.
        Copilot = "copilot",
        /// OpenCode.
        OpenCode = "opencode",
    }
}

word_enum! {
    /// What kind of event it is, without what it says.
    EventName, "a kind of event" {
        /// A session started or went on.
        SessionStarted = "session_started",
        /// The user said something.
        PromptSubmitted = "prompt_submitted",
        /// A tool is about to run.
        ToolStarting = "tool_starting",
        /// A tool did what it was asked.
        ToolFinished = "tool_finished",
        /// A tool failed.
        ToolFailed = "tool_failed",
        /// All tools of one answer are done.
        BatchFinished = "batch_finished",
        /// The agent has nothing more to do.
        TurnStopped = "turn_stopped",
        /// A subagent started.
        SubagentStarted = "subagent_started",
        /// A subagent is done.
        SubagentStopped = "subagent_stopped",
        /// The conversation is about to be summarised.
        Compacting = "compacting",
        /// The conversation was summarised.
        Compacted = "compacted",
        /// A session ended.
        SessionEnded = "session_ended",
    }
}

/// Something that happened in a session of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentEvent {
    /// The client that told it.
    pub client: ClientName,
    /// The client's name for the session.
    pub session: SessionId,
    /// The directory the agent works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// The file in which the client keeps the conversation; it need not be there yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<PathBuf>,
    /// The subagent in which it happened; none in the main conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Subagent>,
    /// What happened.
    pub what: EventKind,
}

impl AgentEvent {
    /// What kind of event it is.
    pub fn moment(&self) -> EventName {
        self.what.moment()
    }

    /// The tool it is about, if it is about one.
    pub fn tool(&self) -> Option<&ToolUse> {
        match &self.what {
            EventKind::ToolStarting { tool }
            | EventKind::ToolFinished { tool, .. }
            | EventKind::ToolFailed { tool, .. } => Some(tool),
            EventKind::BatchFinished { calls } => match calls.as_slice() {
                [BatchCall { tool, .. }] => Some(tool),
                _ => None,
            },
            _ => None,
        }
    }

    /// Takes from large texts what goes beyond `limits`, and says how much that was.
    pub fn shorten(&mut self, limits: &EventLimits) {
        shorten::shorten_happening(&mut self.what, limits);
    }
}

/// A helper that the agent started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subagent {
    /// The client's name for this one.
    pub id: String,
    /// What sort of helper it is, such as `general-purpose`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A session started or went on.
    SessionStarted {
        /// Why.
        source: StartSource,
        /// The model, where it is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// The user said something.
    PromptSubmitted {
        /// What.
        prompt: String,
        /// Whether the client wrote it and not the user, such as news of a background command.
        #[serde(default, skip_serializing_if = "is_false")]
        automatic: bool,
        /// Whether the client lets the agent only plan, and change nothing.
        #[serde(default, skip_serializing_if = "is_false")]
        planning: bool,
    },
    /// A tool is about to run.
    ToolStarting {
        /// The call.
        tool: ToolUse,
    },
    /// A tool did what it was asked.
    ToolFinished {
        /// The call.
        tool: ToolUse,
        /// What came of it.
        #[serde(default, skip_serializing_if = "ToolOutcome::is_empty")]
        outcome: ToolOutcome,
        /// How long it took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    /// A tool failed.
    ToolFailed {
        /// The call.
        tool: ToolUse,
        /// What went wrong.
        failure: ToolFailure,
        /// How long it took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    /// All tools of one answer are done.
    BatchFinished {
        /// The calls, each with what the model was told.
        calls: Vec<BatchCall>,
    },
    /// The agent has nothing more to do.
    TurnStopped {
        /// Whether it goes on only because a hook would not let it stop before.
        #[serde(default, skip_serializing_if = "is_false")]
        stop_hook_active: bool,
        /// What it said last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_message: Option<String>,
    },
    /// A subagent started.
    SubagentStarted,
    /// A subagent is done.
    SubagentStopped {
        /// Whether it goes on only because a hook would not let it stop before.
        #[serde(default, skip_serializing_if = "is_false")]
        stop_hook_active: bool,
        /// What it said last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_message: Option<String>,
        /// The file in which the client keeps the subagent's conversation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transcript: Option<PathBuf>,
    },
    /// The conversation is about to be summarised.
    Compacting {
        /// Who asked for it, where it is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trigger: Option<CompactTrigger>,
        /// What the summary should keep.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<String>,
    },
    /// The conversation was summarised.
    Compacted {
        /// Who asked for it, where it is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trigger: Option<CompactTrigger>,
        /// The summary, where it is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
    /// A session ended.
    SessionEnded {
        /// Why, in the client's word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

impl EventKind {
    /// What kind of event it is.
    pub fn moment(&self) -> EventName {
        match self {
            EventKind::SessionStarted { .. } => EventName::SessionStarted,
            EventKind::PromptSubmitted { .. } => EventName::PromptSubmitted,
            EventKind::ToolStarting { .. } => EventName::ToolStarting,
            EventKind::ToolFinished { .. } => EventName::ToolFinished,
            EventKind::ToolFailed { .. } => EventName::ToolFailed,
            EventKind::BatchFinished { .. } => EventName::BatchFinished,
            EventKind::TurnStopped { .. } => EventName::TurnStopped,
            EventKind::SubagentStarted => EventName::SubagentStarted,
            EventKind::SubagentStopped { .. } => EventName::SubagentStopped,
            EventKind::Compacting { .. } => EventName::Compacting,
            EventKind::Compacted { .. } => EventName::Compacted,
            EventKind::SessionEnded { .. } => EventName::SessionEnded,
        }
    }
}

word_enum! {
    /// Why a session started.
    StartSource, "a way to start a session" {
        /// It is new.
        Startup = "startup",
        /// An earlier one goes on.
        Resume = "resume",
        /// The conversation was cleared.
        Clear = "clear",
        /// The conversation was summarised, and what was injected before is gone.
        Compact = "compact",
        /// It is a branch of another.
        Fork = "fork",
        /// For a reason that has no word here.
        Other = "other",
    }
}

word_enum! {
    /// Who asked for a summary.
    CompactTrigger, "a reason to summarise" {
        /// The user.
        Manual = "manual",
        /// The client, because the conversation grew too long.
        Auto = "auto",
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
