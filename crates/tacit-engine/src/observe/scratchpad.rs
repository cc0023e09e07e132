//! The scratchpad: notes inferred while events are written, visible to the session's own agents at
//! once. A hook reads recent events only if a new one may have caused something.

use tacit_core::log::{CallEffect, InferredNote, LogKind, NoteKind, NoteRecord};
use tacit_core::{EventName, SessionId};
use tacit_observer::scratchpad::{
    BEFORE_FAILURE, FIX_WINDOW, SessionObservation, command_key, is_failed_command,
    recent_observations,
};
use tacit_store::{ActivityBatch, Event, EventQuery, Note};

use super::gather::entries;
use crate::engine::Engine;
use crate::error::EngineResult;

/// The most notes of a session that are searched for an error.
const NOTES: usize = 200;

impl Engine<'_> {
    /// Returns the notes inferred about an error in a session, newest first.
    pub fn inferred_notes(&self, session: &SessionId, error: &str) -> EngineResult<Vec<Note>> {
        let about = |note: &Note| match &note.record {
            NoteRecord::Inferred(inferred) => inferred.error.as_deref() == Some(error),
            _ => false,
        };
        let mut noted = self.notes(session, &[], NOTES)?;
        noted.retain(about);
        Ok(noted)
    }

    /// Infers notes from batches that are about to be written. Read errors are ignored, so that the
    /// batches are written anyway.
    pub(crate) fn infer_notes(&self, records: &[ActivityBatch]) -> Vec<Note> {
        if !self.observer_enabled() {
            return Vec::new();
        }
        let mut sessions: Vec<&SessionId> = Vec::new();
        for event in records.iter().flat_map(|record| &record.events) {
            if is_call(event) && !sessions.contains(&&event.session) {
                sessions.push(&event.session);
            }
        }
        let recent_observations =
            sessions.into_iter().map(|session| self.infer_notes_in(session, records));
        recent_observations.filter_map(Result::ok).flatten().collect()
    }

    fn infer_notes_in(
        &self,
        session: &SessionId,
        records: &[ActivityBatch],
    ) -> EngineResult<Vec<Note>> {
        let own = records.iter().flat_map(|record| &record.events);
        let mut new: Vec<Event> =
            own.filter(|event| is_call(event) && event.session == *session).cloned().collect();
        new.reverse();
        let Some(since) = new.iter().map(|event| event.at).min() else { return Ok(Vec::new()) };
        if !new.iter().any(|event| effect(event) == Some(CallEffect::Runs)) {
            return Ok(Vec::new());
        }
        let query = EventQuery {
            session: Some(session.clone()),
            kinds: CALLS.to_vec(),
            limit: FIX_WINDOW,
            ..EventQuery::default()
        };
        let fresh = new.len();
        new.extend(self.events(&query)?);
        let Some(failure) = ended(&new, fresh) else { return Ok(Vec::new()) };
        new.truncate(failure + 1 + BEFORE_FAILURE);
        let found = recent_observations(&entries(new), since);
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let context = self.session(session)?.map_or(0, |session| session.context);
        Ok(found.into_iter().map(|one| note(session, context, one)).collect())
    }
}

const CALLS: [LogKind; 2] =
    [LogKind::Client(EventName::ToolFinished), LogKind::Client(EventName::ToolFailed)];

fn is_call(event: &Event) -> bool {
    CALLS.contains(&event.record.kind())
}

fn effect(event: &Event) -> Option<CallEffect> {
    event.record.client()?.effect()
}

/// Returns the position of the last failure that a new event resolved: the same command had failed
/// in its last run. Events are newest first. Decided by names alone if possible, because command
/// output takes longer to parse than everything else.
fn ended(events: &[Event], fresh: usize) -> Option<usize> {
    let is_failure = |event: &Event| event.record.is_event(EventName::ToolFailed);
    let last_failed = |at: usize| {
        let (run, before) = (&events[at], &events[at + 1..]);
        let same_tool = |event: &&Event| event.record.tool() == run.record.tool();
        let may_fail =
            |event: &Event| is_failure(event) || subject(event).is_some_and(may_hide_failure);
        if is_failure(run) || !before.iter().filter(same_tool).any(may_fail) {
            return None;
        }
        let key = command_key(subject(run)?);
        let last = before.iter().position(|event| {
            same_tool(&event) && subject(event).is_some_and(|line| command_key(line) == key)
        })?;
        let (last, found) = (&before[last], at + 1 + last);
        let failed = is_failure(last)
            || (subject(last).is_some_and(may_hide_failure)
                && entries(vec![last.clone()]).iter().any(is_failed_command));
        failed.then_some(found)
    };
    (0..fresh).filter_map(last_failed).max()
}

/// Returns the file or command of a call.
fn subject(event: &Event) -> Option<&str> {
    event.record.client()?.subject()
}

/// Returns true if the exit code of a command line may hide a failure inside it.
fn may_hide_failure(line: &str) -> bool {
    line.contains(['|', ';', '&', '\n'])
}

fn note(session: &SessionId, context: u32, one: SessionObservation) -> Note {
    Note {
        id: format!("{} {session} {}", NoteKind::Inferred, one.key),
        session: session.clone(),
        at: one.at,
        text: tacit_redact::redact(&one.text).text.into_owned(),
        files: one.files,
        record: NoteRecord::Inferred(InferredNote {
            basis: Some(one.basis.as_str().to_owned()),
            error: one.error.map(|error| error.as_str().to_owned()),
            agent: one.agent,
            context,
        }),
    }
}
