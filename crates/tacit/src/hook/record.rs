//! An event as it is kept: short, and without secrets.

use serde_json::Value;
use tacit_core::{AgentEvent, BatchCall, Happening, Limits, Timestamp, ToolUse};
use tacit_store::Event;

use super::Place;

/// The longest name of what an event is about.
const SUBJECT_BYTES: usize = 300;

/// What is kept of an event.
pub(super) fn event(id: &str, at: Timestamp, event: &AgentEvent, place: &Place) -> Event {
    let mut short = event.clone();
    short.shorten(&Limits::default());
    let mut body = serde_json::to_value(&short).unwrap_or_default();
    redact(&mut body);
    let tool = tool(event);
    Event {
        id: id.to_owned(),
        session: event.session.clone(),
        at,
        kind: event.moment().to_string(),
        tool: tool.map(|tool| tool.name.clone()),
        subject: tool.and_then(|tool| subject(tool, event, place)),
        body: body.to_string(),
    }
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
fn subject(tool: &ToolUse, event: &AgentEvent, place: &Place) -> Option<String> {
    let subject = match (tool.kind.files(), tool.kind.command()) {
        ([file, ..], _) => {
            let whole = match &event.cwd {
                Some(cwd) => cwd.join(file),
                None => place.root.join(file),
            };
            let inside = whole.strip_prefix(&place.root).map(|path| path.display().to_string());
            inside.unwrap_or_else(|_| file.clone())
        }
        ([], Some(command)) => tacit_redact::redact(command).text.into_owned(),
        ([], None) => return None,
    };
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
