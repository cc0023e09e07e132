//! Events of past sessions. They go the way of live ones, the same cleaning and the same records, but
//! nobody is shown anything.

use std::collections::BTreeSet;

use tacit_core::{AgentEvent, EventKind, Problem, SessionId, StartSource, Timestamp};
use tacit_engine::redact_note;
use tacit_store::{ActivityBatch, SessionChange, SessionUpdate};

use super::{commit, edge, is_reported_elsewhere, mark_own_request, record, switch};
use crate::inject::{NoteContext, notes};
use crate::project::Project;

/// An event of a past session.
pub(crate) struct PastEvent<'p> {
    /// The identifier of the event.
    pub(crate) id: String,
    /// The time of the event.
    pub(crate) at: Timestamp,
    /// The event, as the client reports it.
    pub(crate) event: AgentEvent,
    /// The project in which it happened.
    pub(crate) project: &'p Project,
    /// The branch on which the session began.
    pub(crate) branch: Option<&'p str>,
}

/// The state of past sessions between their events.
#[derive(Default)]
pub(crate) struct PastEvents {
    /// The sessions in which the user has turned Tacit off.
    off: BTreeSet<SessionId>,
    /// The sessions that have begun.
    begun: BTreeSet<SessionId>,
}

/// Returns a session identifier as it is stored.
pub(crate) fn stored_session(session: &SessionId) -> SessionId {
    let hidden = tacit_redact::identifier(session.as_str());
    SessionId::new(hidden.into_owned()).unwrap_or_else(|_| session.clone())
}

impl PastEvents {
    /// Returns the record of an event; `None` if a hook would record nothing.
    pub(crate) fn record(&mut self, past: PastEvent<'_>) -> Result<Option<ActivityBatch>, Problem> {
        let PastEvent { id, at, mut event, project, branch } = past;
        edge::enter(&mut event);
        mark_own_request(&mut event);
        match switch::requested(&event) {
            Some(true) => {
                self.off.remove(&event.session);
                return Ok(None);
            }
            Some(false) => {
                self.off.insert(event.session);
                return Ok(None);
            }
            None if self.off.contains(&event.session) => return Ok(None),
            None => {}
        }
        if is_reported_elsewhere(&event, &project.worktree) {
            return Ok(None);
        }
        edge::clean(&mut event);
        let session = event.session.clone();
        let is_known = !self.begun.insert(session.clone());
        let client = event.client.to_string();
        let change = session_change(&event.kind, is_known);
        let sessions = vec![SessionUpdate { id: session, client, at, change, held_out: None }];
        let branch = branch.map(tacit_redact::identifier);
        let context = NoteContext {
            event_id: &id,
            now: at,
            branch: branch.as_deref(),
            root: &project.worktree,
            client: None,
        };
        let noted = notes(&context, &event).into_iter();
        let noted = noted.map(|note| commit::with_files(note, &event, &project.worktree));
        let notes = noted.filter_map(|note| redact_note(note).ok()).collect();
        let events = vec![record::event(&id, at, &event, project)?];
        Ok(Some(ActivityBatch { sessions, events, notes, ..ActivityBatch::default() }))
    }
}

fn session_change(kind: &EventKind, is_known: bool) -> SessionChange {
    match kind {
        EventKind::SessionStarted { source: StartSource::Compact | StartSource::Clear, .. }
            if is_known =>
        {
            SessionChange::Compacted
        }
        EventKind::SessionEnded { reason } => {
            SessionChange::Ended(reason.clone().unwrap_or_else(|| "other".into()))
        }
        _ => SessionChange::Seen,
    }
}
