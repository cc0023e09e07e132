//! Converts the fields of a payload to an event.

use std::mem;
use std::path::PathBuf;

use serde_json::value::RawValue;
use tacit_core::{
    AgentEvent, BatchCall, ClientName, CompactTrigger, EventKind, EventName, FailureCause,
    SessionId, StartSource, Subagent, ToolKind, ToolUse,
};

use crate::client::Client;
use crate::outcome::{failure_in, outcome, reported_failure, text_of};
use crate::payload::{Lenient, Payload, PayloadError, Text, WireCall};
use crate::reply::ReplyPart;
use crate::tools::{join_edits, tool_use};

/// Converts a payload to an event; `None` if it reports nothing.
pub(crate) fn event(
    client: ClientName,
    event_name: EventName,
    mut payload: Payload<'_>,
) -> Result<Option<AgentEvent>, PayloadError> {
    // Qwen Code also submits an empty prompt before every later call of the model.
    let is_empty = |prompt: &str| prompt.trim().is_empty();
    if client == ClientName::Qwen && payload.prompt.0.as_deref().is_some_and(is_empty) {
        return Ok(None);
    }
    let parent = &mut payload.parent_agent_id;
    let session = [parent, &mut payload.session_id, &mut payload.conversation_id]
        .into_iter()
        .find_map(|id| SessionId::new(id.0.take()?).ok())
        .ok_or(PayloadError::Missing("session_id"))?;
    let roots = mem::take(&mut payload.workspace_roots);
    let cwd = mem::take(&mut payload.cwd).non_empty().or_else(|| roots.texts().next());
    let transcript = mem::take(&mut payload.transcript_path).non_empty();
    let kind = payload.agent_type.0.take().or_else(|| payload.agent_name.0.take());
    let summarising = event_name == EventName::SubagentStopped && kind.as_deref() == Some("");
    let agent = payload.agent_id.0.take().or_else(|| {
        let subagent =
            matches!(event_name, EventName::SubagentStarted | EventName::SubagentStopped);
        // Some clients report only the type of the subagent.
        kind.clone().filter(|_| subagent)
    });
    let agent = agent
        .filter(|id| !id.is_empty() && !summarising)
        .map(|id| Subagent { id, kind: kind.filter(|kind| !kind.is_empty()) });
    let what = if summarising {
        // Claude Code summarises in a subagent without a type, and reports its end like that of any
        // other.
        EventKind::Compacted { trigger: None, summary: payload.last_assistant_message.0 }
    } else {
        // Some clients report the end of a subagent like that of the agent.
        let event_name = match event_name {
            EventName::TurnStopped if agent.is_some() => EventName::SubagentStopped,
            event_name => event_name,
        };
        parse_kind(client, event_name, payload)?
    };
    Ok(Some(AgentEvent {
        client,
        session,
        cwd: cwd.map(PathBuf::from),
        transcript: transcript.map(PathBuf::from),
        agent,
        kind: what,
    }))
}

/// The permission mode in which an agent plans and changes nothing.
const PLAN_MODE: &str = "plan";
/// The permission modes in which the client asks nobody.
const SILENT_MODES: [&str; 2] = ["bypassPermissions", "dontAsk"];

fn parse_kind(
    client: ClientName,
    event_name: EventName,
    payload: Payload<'_>,
) -> Result<EventKind, PayloadError> {
    Ok(match event_name {
        EventName::SessionStarted => EventKind::SessionStarted {
            source: start_source(payload.source.0.as_deref()),
            model: payload.model.non_empty(),
        },
        EventName::PromptSubmitted => {
            let prompt = payload.prompt.0.ok_or(PayloadError::Missing("prompt"))?;
            let prompt = typed_prompt(client, prompt);
            let automatic = prompt.starts_with("<task-notification>");
            let planning = payload.permission_mode.0.as_deref() == Some(PLAN_MODE);
            EventKind::PromptSubmitted { prompt, automatic, planning }
        }
        EventName::ToolStarting => {
            let mode = payload.permission_mode.0.as_deref().unwrap_or_default();
            let can_ask = Client::named(client).takes(ReplyPart::Ask, event_name)
                && !SILENT_MODES.contains(&mode);
            EventKind::ToolStarting { tool: tool(payload)?.tool, can_ask }
        }
        EventName::ToolFinished => finished(client, payload)?,
        EventName::ToolFailed => failed(client, payload)?,
        EventName::BatchFinished => {
            let calls = payload.tool_calls.ok_or(PayloadError::Missing("tool_calls"))?;
            EventKind::BatchFinished { calls: calls.into_iter().filter_map(batch_call).collect() }
        }
        EventName::TurnStopped => EventKind::TurnStopped {
            stop_hook_active: payload.stop_hook_active.is_set(),
            last_message: payload.last_assistant_message.0.or(payload.prompt_response.0),
        },
        EventName::SubagentStarted => EventKind::SubagentStarted,
        EventName::SubagentStopped => EventKind::SubagentStopped {
            stop_hook_active: payload.stop_hook_active.is_set(),
            last_message: payload.last_assistant_message.0.or(payload.summary.0),
            transcript: payload.agent_transcript_path.non_empty().map(PathBuf::from),
        },
        EventName::Compacting => EventKind::Compacting {
            trigger: trigger(&payload.trigger),
            instructions: payload.custom_instructions.non_empty(),
        },
        EventName::Compacted => EventKind::Compacted {
            trigger: trigger(&payload.trigger),
            summary: payload.compact_summary.0.or(payload.summary.0),
        },
        EventName::SessionEnded => EventKind::SessionEnded { reason: payload.reason.non_empty() },
    })
}

/// Returns the prompt as it was typed. Gemini CLI puts the context from the start of the session before
/// it, and `opencode run` puts quotes around an argument with spaces.
fn typed_prompt(client: ClientName, prompt: String) -> String {
    let mut typed = prompt.as_str();
    while let Some(rest) = typed.strip_prefix("<hook_context>") {
        // The context is escaped, so this is its end.
        let Some((_, rest)) = rest.split_once("</hook_context>") else { break };
        typed = rest.trim_start();
    }
    if Client::named(client).has_plugin()
        && let Some(inner) = typed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))
    {
        let plain = inner.replace("\\\"", "");
        if !plain.is_empty() && !plain.contains('"') && !plain.ends_with('\\') {
            return inner.replace("\\\"", "\"");
        }
    }
    if typed.len() == prompt.len() { prompt } else { typed.to_owned() }
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

/// Returns a duration that is not negative, in whole milliseconds.
fn milliseconds(duration: &Lenient<f64>) -> Option<u64> {
    duration.0.filter(|number| *number >= 0.0).map(|number| number as u64)
}

/// A tool call, and the parts of the payload about its result.
struct ParsedCall<'a> {
    tool: ToolUse,
    response: Option<&'a RawValue>,
    output: Option<String>,
}

/// Parses the call in a payload: a tool with its input or, in single-purpose events of Cursor, a
/// command line or an edited file.
fn tool(payload: Payload<'_>) -> Result<ParsedCall<'_>, PayloadError> {
    let id = payload.tool_use_id.non_empty();
    let response = payload.tool_response;
    let output = payload.output.0;
    let tool = if let Some(name) = payload.tool_name.non_empty() {
        let server = payload.mcp_server.and_then(|server| server.name.non_empty());
        let context = payload.mcp_context.0.unwrap_or_default();
        match (context.server_name.non_empty(), context.tool_name.non_empty()) {
            (Some(server), Some(tool)) => {
                let call = tool_use(tool, id, payload.tool_input, Some(server));
                ToolUse { name, ..call }
            }
            _ => tool_use(name, id, payload.tool_input, server),
        }
    } else if let Some(command) = payload.command.0 {
        let kind = ToolKind::Shell { command, background: false };
        ToolUse { id, name: "shell".to_owned(), kind }
    } else if let (Some(file), Some(edits)) = (payload.file_path.non_empty(), payload.edits) {
        let (old, new) = join_edits(&edits);
        ToolUse { id, name: "edit".to_owned(), kind: ToolKind::Edit { file, old, new } }
    } else {
        return Err(PayloadError::Missing("tool_name"));
    };
    Ok(ParsedCall { tool, response, output })
}

fn finished(client: ClientName, payload: Payload<'_>) -> Result<EventKind, PayloadError> {
    let duration_ms = milliseconds(&payload.duration_ms);
    let ParsedCall { tool, response, output } = tool(payload)?;
    Ok(match outcome(client, &tool.kind, response) {
        Ok(mut outcome) => {
            outcome.text = outcome.text.or(output);
            EventKind::ToolFinished { tool, outcome, duration_ms }
        }
        Err(failure) => EventKind::ToolFailed { tool, failure, duration_ms },
    })
}

fn failed(client: ClientName, mut payload: Payload<'_>) -> Result<EventKind, PayloadError> {
    let duration_ms = milliseconds(&payload.duration_ms);
    let is_interrupt = payload.is_interrupt.is_set();
    let denied = payload.failure_type.0.as_deref() == Some("permission_denied");
    let error = payload.error.0.take().or(payload.error_message.0.take());
    let ParsedCall { tool, response, output } = tool(payload)?;
    let error = error.or(output).or_else(|| match outcome(client, &tool.kind, response) {
        Ok(outcome) => outcome.text,
        Err(failure) => Some(failure.error),
    });
    let mut failure = reported_failure(client, &tool.kind, error.unwrap_or_default(), is_interrupt);
    if denied {
        failure.cause = FailureCause::Denied;
    }
    Ok(EventKind::ToolFailed { tool, failure, duration_ms })
}

fn batch_call(call: WireCall<'_>) -> Option<BatchCall> {
    let tool =
        tool_use(call.tool_name.non_empty()?, call.tool_use_id.non_empty(), call.tool_input, None);
    let result = call.tool_response.and_then(|response| text_of(response.get()));
    let failure = result.as_deref().and_then(|text| failure_in(&tool.kind, text));
    let result = result.filter(|_| failure.is_none());
    Some(BatchCall { tool, result, failure })
}
