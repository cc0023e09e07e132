//! Events that agent clients report while an agent works: one model for all clients.
//!
//! The wire formats of the clients and the reactions to events live elsewhere. An event serialises
//! to one line of JSON, and [`AgentEvent::shorten`] cuts its large texts before it is stored.

mod shorten;
#[cfg(test)]
pub(crate) mod tests;
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
    /// The supported agent clients.
    ClientName, "an agent client" {
        /// Claude Code.
        Claude = "claude",
        /// Codex CLI.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
        /// Cursor, the editor.
        Cursor = "cursor",
        /// Copilot CLI.
        Copilot = "copilot",
        /// OpenCode, the terminal agent.
        OpenCode = "opencode",
        /// Kilo, a fork of OpenCode.
        Kilo = "kilo",
        /// Qwen Code.
        Qwen = "qwen",
    }
}

impl ClientName {
    /// Returns false for clients in which the task of a subagent may look like a prompt of the user: if
    /// our plugin is of an earlier version, or gets no answer to which session started this one.
    pub fn marks_subagents(self) -> bool {
        !matches!(self, ClientName::OpenCode | ClientName::Kilo)
    }

    /// Returns false for clients that do not always report the end of a session.
    pub fn reports_ends(self) -> bool {
        !matches!(self, ClientName::OpenCode | ClientName::Kilo | ClientName::Qwen)
    }
}

word_enum! {
    /// The name of an event, without its payload.
    EventName, "a kind of event" {
        /// A session started or resumed.
        SessionStarted = "session_started",
        /// The user submitted a prompt.
        PromptSubmitted = "prompt_submitted",
        /// A tool is about to run.
        ToolStarting = "tool_starting",
        /// A tool succeeded.
        ToolFinished = "tool_finished",
        /// A tool failed.
        ToolFailed = "tool_failed",
        /// All tool calls of one model response are done.
        BatchFinished = "batch_finished",
        /// The agent finished its turn.
        TurnStopped = "turn_stopped",
        /// A subagent started.
        SubagentStarted = "subagent_started",
        /// A subagent is done.
        SubagentStopped = "subagent_stopped",
        /// The conversation is about to be compacted.
        Compacting = "compacting",
        /// The conversation was compacted.
        Compacted = "compacted",
        /// A session ended.
        SessionEnded = "session_ended",
    }
}

/// An event in an agent's session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentEvent {
    /// The client that reported the event.
    pub client: ClientName,
    /// The client's identifier of the session.
    pub session: SessionId,
    /// The agent's working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// The client's transcript of the conversation; the file may not exist yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<PathBuf>,
    /// The subagent that caused the event; `None` in the main conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Subagent>,
    /// The payload. The JSON field is `what`.
    #[serde(rename = "what")]
    pub kind: EventKind,
}

impl AgentEvent {
    /// Returns the name of the event.
    pub fn name(&self) -> EventName {
        self.kind.name()
    }

    /// Returns the tool call of the event. A batch has one only if it consists of a single call.
    pub fn tool(&self) -> Option<&ToolUse> {
        match &self.kind {
            EventKind::ToolStarting { tool, .. }
            | EventKind::ToolFinished { tool, .. }
            | EventKind::ToolFailed { tool, .. } => Some(tool),
            EventKind::BatchFinished { calls } => match calls.as_slice() {
                [BatchCall { tool, .. }] => Some(tool),
                _ => None,
            },
            _ => None,
        }
    }

    /// Cuts large texts to `limits` and notes in the text how many bytes were cut.
    pub fn shorten(&mut self, limits: &EventLimits) {
        shorten::shorten_kind(&mut self.kind, limits);
    }

    /// Drops what the client reports in other events too: the input of a call that starts, and the
    /// input and result of a call in a batch. Failures that only the batch reports stay whole.
    pub fn drop_repeated(&mut self) {
        match &mut self.kind {
            EventKind::ToolStarting { tool, can_ask } => {
                tool.drop_input();
                *can_ask = false;
            }
            EventKind::BatchFinished { calls } => {
                calls.iter_mut().for_each(BatchCall::drop_repeated);
            }
            _ => {}
        }
    }
}

/// A subagent that the agent started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subagent {
    /// The client's identifier of the subagent.
    pub id: String,
    /// The type of subagent, such as `general-purpose`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// The payload of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A session started or resumed.
    SessionStarted {
        /// The way the session started.
        source: StartSource,
        /// The model, if the client reports it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// The user submitted a prompt.
    PromptSubmitted {
        /// The text of the prompt.
        prompt: String,
        /// True if the client wrote the prompt, such as a report on a background command.
        #[serde(default, skip_serializing_if = "is_false")]
        automatic: bool,
        /// True in plan mode, in which the agent must not change anything.
        #[serde(default, skip_serializing_if = "is_false")]
        planning: bool,
    },
    /// A tool is about to run.
    ToolStarting {
        /// The tool call.
        tool: ToolUse,
        /// True if the client can ask for permission to run it.
        #[serde(default, skip_serializing_if = "is_false")]
        can_ask: bool,
    },
    /// A tool succeeded.
    ToolFinished {
        /// The tool call.
        tool: ToolUse,
        /// The result of the call.
        #[serde(default, skip_serializing_if = "ToolOutcome::is_empty")]
        outcome: ToolOutcome,
        /// The duration of the call, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    /// A tool failed.
    ToolFailed {
        /// The tool call.
        tool: ToolUse,
        /// The error.
        failure: ToolFailure,
        /// The duration of the call, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    /// All tool calls of one model response are done.
    BatchFinished {
        /// The calls, each with the result that the model saw.
        calls: Vec<BatchCall>,
    },
    /// The agent finished its turn.
    TurnStopped {
        /// True if the agent is only still running because a stop hook kept it from stopping.
        #[serde(default, skip_serializing_if = "is_false")]
        stop_hook_active: bool,
        /// The agent's last message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_message: Option<String>,
    },
    /// A subagent started.
    SubagentStarted,
    /// A subagent is done.
    SubagentStopped {
        /// True if the subagent is only still running because a stop hook kept it from stopping.
        #[serde(default, skip_serializing_if = "is_false")]
        stop_hook_active: bool,
        /// The subagent's last message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_message: Option<String>,
        /// The client's transcript of the subagent's conversation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transcript: Option<PathBuf>,
    },
    /// The conversation is about to be compacted.
    Compacting {
        /// The cause, if the client reports it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trigger: Option<CompactTrigger>,
        /// The user's instructions for the summary.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<String>,
    },
    /// The conversation was compacted.
    Compacted {
        /// The cause, if the client reports it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trigger: Option<CompactTrigger>,
        /// The summary, if the client reports it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
    /// A session ended.
    SessionEnded {
        /// The reason in the client's own words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

impl EventKind {
    /// Returns the name of the event.
    pub fn name(&self) -> EventName {
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
    /// The way a session started.
    StartSource, "a way to start a session" {
        /// A new session.
        Startup = "startup",
        /// An earlier session was resumed.
        Resume = "resume",
        /// The user cleared the conversation.
        Clear = "clear",
        /// The conversation was compacted, which discards earlier injections.
        Compact = "compact",
        /// The session was forked from another one.
        Fork = "fork",
        /// Any other way.
        Other = "other",
    }
}

word_enum! {
    /// The cause of a compaction.
    CompactTrigger, "a reason to summarise" {
        /// The user asked for it.
        Manual = "manual",
        /// The client did it because the conversation had grown too long.
        Auto = "auto",
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
