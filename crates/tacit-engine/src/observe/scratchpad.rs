//! What is noticed while events are written to the log: notes for the session they belong to, seen
//! by its own agents at once. Whoever writes events notices; a hook pays for a look at the last few
//! only where one of them may have brought something about.

use tacit_core::log::{CallEffect, InferredNote, LogKind, NoteKind, NoteRecord};
use tacit_core::{EventName, SessionId};
use tacit_observer::scratchpad::{
    BEFORE_FAILURE, CORRECTED_WINDOW, FIX_WINDOW, SessionObservation, command_key,
    is_failed_command, recent_observations,
};
use tacit_store::{ActivityBatch, Event, EventQuery, Note};

use super::gather::entries;
use crate::engine::Engine;
use crate::error::EngineResult;

/// How many notes of a session are looked through for an error.
const NOTES: usize = 200;

impl Engine<'_> {
    /// What was noticed in a session about an error, the newest first.
    pub fn inferred_about(&self, session: &SessionId, error: &str) -> EngineResult<Vec<Note>> {
        let about = |note: &Note| match &note.record {
            NoteRecord::Inferred(inferred) => inferred.error.as_deref() == Some(error),
            _ => false,
        };
        let mut noted = self.notes(session, &[], NOTES)?;
        noted.retain(about);
        Ok(noted)
    }

    /// What is noticed in records that are about to be written. That nothing could be read keeps
    /// nothing from being written.
    pub(crate) fn notice(&self, records: &[ActivityBatch]) -> Vec<Note> {
        if !self.observes() {
            return Vec::new();
        }
        let mut sessions: Vec<&SessionId> = Vec::new();
        for event in records.iter().flat_map(|record| &record.events) {
            if is_call(event) && !sessions.contains(&&event.session) {
                sessions.push(&event.session);
            }
        }
        let recent_observations =
            sessions.into_iter().map(|session| self.notice_in(session, records));
        recent_observations.filter_map(Result::ok).flatten().collect()
    }

    fn notice_in(&self, session: &SessionId, records: &[ActivityBatch]) -> EngineResult<Vec<Note>> {
        let own = records.iter().flat_map(|record| &record.events);
        let mut new: Vec<Event> =
            own.filter(|event| is_call(event) && event.session == *session).cloned().collect();
        new.reverse();
        let Some(since) = new.iter().map(|event| event.at).min() else { return Ok(Vec::new()) };
        let limit = match new.iter().filter_map(effect).max() {
            Some(CallEffect::Runs) => FIX_WINDOW,
            Some(CallEffect::Changes) => CORRECTED_WINDOW,
            None => return Ok(Vec::new()),
        };
        let query = EventQuery {
            session: Some(session.clone()),
            kinds: CALLS.to_vec(),
            limit,
            ..EventQuery::default()
        };
        let fresh = new.len();
        new.extend(self.events(&query)?);
        let ended = ended(&new, fresh).map(|at| at + 1 + BEFORE_FAILURE);
        let corrected = may_correct(&new, fresh).then_some(fresh + CORRECTED_WINDOW);
        let Some(looked_at) = ended.max(corrected) else { return Ok(Vec::new()) };
        new.truncate(looked_at);
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

/// How far back the failure lies of a command that is among the new events and had failed when it
/// last ran. Events are given the newest first. Told by names alone where that can be: what commands
/// printed takes longer to read than all the rest.
fn ended(events: &[Event], fresh: usize) -> Option<usize> {
    let is_failure = |event: &Event| event.record.is_moment(EventName::ToolFailed);
    let last_failed = |at: usize| {
        let (run, before) = (&events[at], &events[at + 1..]);
        let same_tool = |event: &&Event| event.record.tool() == run.record.tool();
        let may_fail = |event: &Event| is_failure(event) || subject(event).is_some_and(hides);
        if is_failure(run) || !before.iter().filter(same_tool).any(may_fail) {
            return None;
        }
        let key = command_key(subject(run)?);
        let last = before.iter().position(|event| {
            same_tool(&event) && subject(event).is_some_and(|line| command_key(line) == key)
        })?;
        let (last, found) = (&before[last], at + 1 + last);
        let failed = is_failure(last)
            || (subject(last).is_some_and(hides)
                && entries(vec![last.clone()]).iter().any(is_failed_command));
        failed.then_some(found)
    };
    (0..fresh).filter_map(last_failed).max()
}

/// The file or the command of a call.
fn subject(event: &Event) -> Option<&str> {
    event.record.client()?.subject()
}

/// Whether a failure of a command may not show in how its line ends.
fn hides(line: &str) -> bool {
    line.contains(['|', ';', '&', '\n'])
}

/// Whether one of the new events changes a file that was changed a moment ago.
fn may_correct(events: &[Event], fresh: usize) -> bool {
    let changes =
        |event: &Event| effect(event) == Some(CallEffect::Changes) && subject(event).is_some();
    (0..fresh).filter(|at| changes(&events[*at])).any(|at| {
        let mut before = events[at + 1..].iter().take(CORRECTED_WINDOW);
        before.any(|old| subject(old) == subject(&events[at]) && changes(old))
    })
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
