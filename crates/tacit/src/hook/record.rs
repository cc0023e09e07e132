//! An event as it is kept: short, and without secrets.

use serde_json::Value;
use tacit_core::{AgentEvent, BatchCall, Happening, Limits, Timestamp, ToolUse};
use tacit_store::Event;

use crate::project::Project;

/// The longest name of what an event is about.
const SUBJECT_BYTES: usize = 300;
/// How much more than what is kept is looked at for secrets: one that is cut in half is not known
/// for one.
const MARGIN: usize = 32 * 1024;

/// What is kept of an event.
pub(super) fn event(id: &str, at: Timestamp, event: &AgentEvent, place: &Project) -> Event {
    let tool = tool(event);
    Event {
        id: id.to_owned(),
        session: event.session.clone(),
        at,
        kind: event.moment().to_string(),
        tool: tool.map(|tool| tool.name.clone()),
        subject: tool.and_then(|tool| subject(tool, event, place)),
        body: body(event),
    }
}

/// Everything about an event, without secrets and then without what is too long.
fn body(event: &AgentEvent) -> String {
    let limits = Limits::default();
    let mut wide = event.clone();
    wide.shorten(&Limits {
        output_head: limits.output_head + MARGIN,
        output_tail: limits.output_tail + MARGIN,
        content: limits.content + 2 * MARGIN,
    });
    let mut body = serde_json::to_value(&wide).unwrap_or_default();
    redact(&mut body);
    let text = body.to_string();
    if text.len() <= limits.output_head + limits.output_tail {
        return text;
    }
    serde_json::from_value::<AgentEvent>(body)
        .and_then(|mut clean| {
            clean.shorten(&limits);
            serde_json::to_string(&clean)
        })
        .unwrap_or(text)
}

fn tool(event: &AgentEvent) -> Option<&ToolUse> {
    match &event.what {
        Happening::ToolStarting { tool }
        | Happening::ToolFinished { tool, .. }
        | Happening::ToolFailed { tool, .. } => Some(tool),
        Happening::BatchFinished { calls } => match calls.as_slice() {
            [BatchCall { tool, .. }] => Some(tool),
            _ => None,
        },
        _ => None,
    }
}

/// The file, as memories name it, or the command.
fn subject(tool: &ToolUse, event: &AgentEvent, place: &Project) -> Option<String> {
    let subject = match (tool.kind.files(), tool.kind.command()) {
        ([file, ..], _) => {
            let cwd = event.cwd.as_deref().unwrap_or(&place.worktree);
            let inside = tacit_agents::inside(&place.worktree, cwd, file);
            inside.map_or_else(|| file.clone(), |path| path.display().to_string())
        }
        ([], Some(command)) => command.to_owned(),
        ([], None) => return None,
    };
    let subject = tacit_redact::redact(&subject).text;
    Some(subject[..subject.floor_char_boundary(SUBJECT_BYTES)].to_owned())
}

/// Takes secrets out of every text in a value.
fn redact(value: &mut Value) {
    match value {
        Value::String(text) => {
            let redacted = tacit_redact::redact(text);
            if !redacted.is_clean() {
                *text = redacted.text.into_owned();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redact),
        Value::Object(fields) => fields.values_mut().for_each(redact),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
