//! The stored form of an event: shortened, without secrets and without what other events repeat.

use tacit_core::log::{ClientRecord, LogRecord};
use tacit_core::{AgentEvent, EventKind, EventLimits, Problem, Timestamp, ToolUse};
use tacit_store::Event;

use super::edge;
use crate::project::Project;

/// The most bytes of an event's subject.
const SUBJECT_BYTES: usize = 300;

/// Builds the stored form of an event that [`edge`] cleaned.
pub(super) fn event(
    id: &str,
    at: Timestamp,
    event: &AgentEvent,
    project: &Project,
) -> Result<Event, Problem> {
    let subject = event.tool().and_then(|tool| subject(tool, event, project));
    let mut kept = event.clone();
    kept.drop_repeated();
    kept.shorten(&EventLimits::default());
    kept.cwd = kept.cwd.as_deref().map(edge::path);
    kept.transcript = kept.transcript.as_deref().map(edge::path);
    if let EventKind::SubagentStopped { transcript: Some(path), .. } = &mut kept.kind {
        *path = edge::path(path);
    }
    let record = LogRecord::Client(ClientRecord::new(&kept, subject)?);
    Ok(Event { id: id.to_owned(), session: kept.session, at, record })
}

/// Returns the tool's file, relative to the worktree, or its command line.
fn subject(tool: &ToolUse, event: &AgentEvent, project: &Project) -> Option<String> {
    let subject = match (tool.kind.files(), tool.kind.command()) {
        ([file, ..], _) => {
            let cwd = event.cwd.as_deref().unwrap_or(&project.worktree);
            let inside = crate::path_in_project(&project.worktree, cwd, file);
            inside.map_or_else(|| file.clone(), |path| path.display().to_string())
        }
        ([], Some(command)) => command.to_owned(),
        ([], None) => return None,
    };
    let subject = tacit_redact::redact(&subject).text;
    Some(subject[..subject.floor_char_boundary(SUBJECT_BYTES)].to_owned())
}
