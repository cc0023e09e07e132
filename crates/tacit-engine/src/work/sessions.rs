//! The sessions in which a unit of work was worked on, and where each took place.

use tacit_core::log::{NoteRecord, PlaceNote};
use tacit_core::{Moment, SessionId, Timestamp};
use tacit_store::{Event, EventQuery, Note};

use super::report::NO_SESSION;
use crate::engine::Engine;
use crate::error::EngineResult;

/// How many events are looked at to find sessions.
const LOOKED_AT: usize = 1_000;
/// How many events of a session are looked through.
const EVENTS: usize = 5_000;
/// How many notes of a session are.
const NOTES: usize = 500;

impl Engine<'_> {
    /// Sessions in which something happened since a moment, the oldest first.
    pub(crate) fn sessions_since(&self, since: Option<Timestamp>) -> EngineResult<Vec<SessionId>> {
        let mut sessions: Vec<SessionId> = Vec::new();
        for kind in [Moment::ToolFinished, Moment::TurnStopped, Moment::SessionStarted] {
            let kinds = vec![kind.into()];
            let query = EventQuery { kinds, limit: LOOKED_AT, ..EventQuery::default() };
            for event in self.events(&query)? {
                let late = since.is_none_or(|since| event.at >= since);
                if late
                    && event.session.as_str() != NO_SESSION
                    && !sessions.contains(&event.session)
                {
                    sessions.push(event.session);
                }
            }
        }
        sessions.reverse();
        Ok(sessions)
    }

    /// What happened in a session, the oldest first.
    pub(crate) fn history_of(
        &self,
        session: &SessionId,
        since: Option<Timestamp>,
    ) -> EngineResult<Vec<Event>> {
        let query =
            EventQuery { session: Some(session.clone()), limit: EVENTS, ..EventQuery::default() };
        let mut events = self.events(&query)?;
        events.retain(|event| since.is_none_or(|since| event.at >= since));
        events.reverse();
        Ok(events)
    }

    /// What was noted in a session, the newest first.
    pub(crate) fn notes_of(&self, session: &SessionId) -> EngineResult<Vec<Note>> {
        self.notes(session, &[], NOTES)
    }
}

/// Where a session took place, told by its notes, the newest first.
pub(crate) fn place(notes: &[Note]) -> PlaceNote {
    let place = notes.iter().find_map(|note| match &note.record {
        NoteRecord::Place(place) => Some(place.clone()),
        _ => None,
    });
    place.unwrap_or_default()
}
