//! From the fields of a payload to an event.

use std::mem;
use std::path::PathBuf;

use serde_json::value::RawValue;
use tacit_core::{
    AgentEvent, BatchCall, ClientName, CompactTrigger, EventKind, EventName, FailureCause,
    SessionId, StartSource, Subagent, ToolKind, ToolUse,
};

use crate::outcome::{failure_in, outcome, reported_failure, text_of};
use crate::tools::{joined, tool_use};
use crate::wire::{Lenient, Payload, PayloadError, Text, WireCall};

/// Reads what a client tells at a moment.
pub(crate) fn event(
    client: ClientName,
    moment: EventName,
    mut wire: Payload<'_>,
) -> Result<AgentEvent, PayloadError> {
    let session = [&mut wire.session_id, &mut wire.conversation_id]
        .into_iter()
        .find_map(|id| SessionId::new(id.0.take()?).ok())
        .ok_or(PayloadError::Missing("session_id"))?;
    let roots = mem::take(&mut wire.workspace_roots);
    let cwd = mem::take(&mut wire.cwd).filled().or_else(|| roots.texts().next());
    let transcript = mem::take(&mut wire.transcript_path).filled();
    let kind = wire.agent_type.0.take();
    let summarising = moment == EventName::SubagentStopped && kind.as_deref() == Some("");
    let agent = wire.agent_id.0.take().or_else(|| {
        let helper = matches!(moment, EventName::SubagentStarted | EventName::SubagentStopped);
        // Some clients tell only what sort of helper it is.
        kind.clone().filter(|_| helper)
    });
    let agent = agent
        .filter(|id| !id.is_empty() && !summarising)
        .map(|id| Subagent { id, kind: kind.filter(|kind| !kind.is_empty()) });
    let what = if summarising {
        // Claude Code summarises in a helper without a type, and tells of its end as of any.
        EventKind::Compacted { trigger: None, summary: wire.last_assistant_message.0 }
    } else {
        happening(client, moment, wire)?
    };
    Ok(AgentEvent {
        client,
        session,
        cwd: cwd.map(PathBuf::from),
        transcript: transcript.map(PathBuf::from),
        agent,
        what,
    })
}

/// The mode of a client in which an agent plans and changes nothing.
const PLAN_MODE: &str = "plan";

fn happening(
    client: ClientName,
    moment: EventName,
    wire: Payload<'_>,
) -> Result<EventKind, PayloadError> {
    Ok(match moment {
        EventName::SessionStarted => EventKind::SessionStarted {
            source: start_source(wire.source.0.as_deref()),
            model: wire.model.filled(),
        },
        EventName::PromptSubmitted => {
            let prompt = wire.prompt.0.ok_or(PayloadError::Missing("prompt"))?;
            let automatic = prompt.starts_with("<task-notification>");
            let planning = wire.permission_mode.0.as_deref() == Some(PLAN_MODE);
            EventKind::PromptSubmitted { prompt, automatic, planning }
        }
        EventName::ToolStarting => EventKind::ToolStarting { tool: tool(wire)?.tool },
        EventName::ToolFinished => finished(client, wire)?,
        EventName::ToolFailed => failed(client, wire)?,
        EventName::BatchFinished => {
            let calls = wire.tool_calls.ok_or(PayloadError::Missing("tool_calls"))?;
            EventKind::BatchFinished { calls: calls.into_iter().filter_map(batch_call).collect() }
        }
        EventName::TurnStopped => EventKind::TurnStopped {
            stop_hook_active: wire.stop_hook_active.is_set(),
            last_message: wire.last_assistant_message.0.or(wire.prompt_response.0),
        },
        EventName::SubagentStarted => EventKind::SubagentStarted,
        EventName::SubagentStopped => EventKind::SubagentStopped {
            stop_hook_active: wire.stop_hook_active.is_set(),
            last_message: wire.last_assistant_message.0.or(wire.summary.0),
            transcript: wire.agent_transcript_path.filled().map(PathBuf::from),
        },
        EventName::Compacting => EventKind::Compacting {
            trigger: trigger(&wire.trigger),
            instructions: wire.custom_instructions.filled(),
        },
        EventName::Compacted => EventKind::Compacted {
            trigger: trigger(&wire.trigger),
            summary: wire.compact_summary.0.or(wire.summary.0),
        },
        EventName::SessionEnded => EventKind::SessionEnded { reason: wire.reason.filled() },
    })
}

fn start_source(word: Option<&str>) -> StartSource {
    match word {
        None | Some("new") => StartSource::Startup,
        Some(word) => word.parse().unwrap_or(StartSource::Other),
    }
}

fn trigger(word: &Text) -> Option<CompactTrigger> {
    word.0.as_deref()?.parse().ok()
}

/// Returns a duration that is not negative, without its fraction.
fn milliseconds(duration: &Lenient<f64>) -> Option<u64> {
    duration.0.filter(|number| *number >= 0.0).map(|number| number as u64)
}

/// A call, and what is left of the payload that speaks of what came of it.
struct Call<'a> {
    tool: ToolUse,
    response: Option<&'a RawValue>,
    output: Option<String>,
}

/// Returns the call a payload speaks of: a tool with its input or, in events of Cursor that are
/// about one thing only, a command line or an edited file.
fn tool(wire: Payload<'_>) -> Result<Call<'_>, PayloadError> {
    let id = wire.tool_use_id.filled();
    let response = wire.tool_response;
    let output = wire.output.0;
    let tool = if let Some(name) = wire.tool_name.filled() {
        let server = wire.mcp_server.and_then(|server| server.name.filled());
        tool_use(name, id, wire.tool_input, server)
    } else if let Some(command) = wire.command.0 {
        let kind = ToolKind::Shell { command, background: false };
        ToolUse { id, name: "shell".to_owned(), kind }
    } else if let (Some(file), Some(edits)) = (wire.file_path.filled(), wire.edits) {
        let (old, new) = joined(&edits);
        ToolUse { id, name: "edit".to_owned(), kind: ToolKind::Edit { file, old, new } }
    } else {
        return Err(PayloadError::Missing("tool_name"));
    };
    Ok(Call { tool, response, output })
}

fn finished(client: ClientName, wire: Payload<'_>) -> Result<EventKind, PayloadError> {
    let duration_ms = milliseconds(&wire.duration_ms);
    let Call { tool, response, output } = tool(wire)?;
    Ok(match outcome(client, &tool.kind, response) {
        Ok(mut outcome) => {
            outcome.text = outcome.text.or(output);
            EventKind::ToolFinished { tool, outcome, duration_ms }
        }
        Err(failure) => EventKind::ToolFailed { tool, failure, duration_ms },
    })
}

fn failed(client: ClientName, mut wire: Payload<'_>) -> Result<EventKind, PayloadError> {
    let duration_ms = milliseconds(&wire.duration_ms);
    let is_interrupt = wire.is_interrupt.is_set();
    let denied = wire.failure_type.0.as_deref() == Some("permission_denied");
    let error = wire.error.0.take().or(wire.error_message.0.take());
    let Call { tool, response, output } = tool(wire)?;
    let error = error.or(output).or_else(|| match outcome(client, &tool.kind, response) {
        Ok(outcome) => outcome.text,
        Err(failure) => Some(failure.error),
    });
    let mut failure = reported_failure(&tool.kind, error.unwrap_or_default(), is_interrupt);
    if denied {
        failure.cause = FailureCause::Denied;
    }
    Ok(EventKind::ToolFailed { tool, failure, duration_ms })
}

fn batch_call(call: WireCall<'_>) -> Option<BatchCall> {
    let tool = tool_use(call.tool_name.filled()?, call.tool_use_id.filled(), call.tool_input, None);
    let result = call.tool_response.and_then(|response| text_of(response.get()));
    let failure = result.as_deref().and_then(|text| failure_in(&tool.kind, text));
    let result = result.filter(|_| failure.is_none());
    Some(BatchCall { tool, result, failure })
}
