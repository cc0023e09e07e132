//! An event as it is kept: short, and without secrets.

use tacit_core::{AgentEvent, BatchCall, Happening, Limits, Timestamp, ToolUse, visit_value};
use tacit_engine::EngineError;
use tacit_store::{Event, Note};

use super::edge;
use crate::error::AppResult;
use crate::project::Project;

/// The longest name of what an event is about.
const SUBJECT_BYTES: usize = 300;

/// Builds the stored form of an event that [`edge`] cleaned.
pub(super) fn event(
    id: &str,
    at: Timestamp,
    event: &AgentEvent,
    place: &Project,
) -> AppResult<Event> {
    let tool = tool(event);
    Ok(Event {
        id: id.to_owned(),
        session: event.session.clone(),
        at,
        kind: event.moment().to_string(),
        tool: tool.map(|tool| tool.name.clone()),
        subject: tool.and_then(|tool| subject(tool, event, place)),
        body: body(event).map_err(EngineError::from)?,
    })
}

/// Serialises a clean event, with long texts cut.
fn body(event: &AgentEvent) -> serde_json::Result<String> {
    let mut kept = event.clone();
    kept.shorten(&Limits::default());
    kept.cwd = kept.cwd.as_deref().map(edge::path);
    kept.transcript = kept.transcript.as_deref().map(edge::path);
    if let Happening::SubagentStopped { transcript: Some(path), .. } = &mut kept.what {
        *path = edge::path(path);
    }
    serde_json::to_string(&kept)
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
            let inside = crate::inside(&place.worktree, cwd, file);
            inside.map_or_else(|| file.clone(), |path| path.display().to_string())
        }
        ([], Some(command)) => command.to_owned(),
        ([], None) => return None,
    };
    let subject = tacit_redact::redact(&subject).text;
    Some(subject[..subject.floor_char_boundary(SUBJECT_BYTES)].to_owned())
}

/// Takes the secrets out of a note that is to be kept.
pub(super) fn note(mut note: Note) -> Note {
    note.text = tacit_redact::redact(&note.text).text.into_owned();
    if let Ok(mut body) = serde_json::from_str(&note.body) {
        visit_value(None, &mut body, &mut |field, text| {
            let redacted = match field {
                Some(name) => tacit_redact::redact_field(name, text),
                None => tacit_redact::redact(text),
            };
            if !redacted.is_clean() {
                *text = redacted.text.into_owned();
            }
        });
        note.body = body.to_string();
    }
    note
}
