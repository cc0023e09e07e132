//! What is noticed while events are written to the log: notes for the session they belong to, seen
//! by its own agents at once. Whoever writes events notices; a hook pays for a look at the last few
//! only where one of them may have brought something about.

use serde_json::{Value, json};
use tacit_core::{Moment, SessionId};
use tacit_observer::log::{INFERRED_NOTE, LogEntry};
use tacit_observer::scratchpad::{
    CORRECTED_WINDOW, ENDED_WINDOW, Noticed, Signs, has_failed, is_run_of, noticed, signs,
};
use tacit_store::{Event, EventQuery, Note, Record};

use super::gather::entries;
use crate::engine::Engine;
use crate::error::EngineResult;

/// How many notes of a session are looked through for an error.
const NOTES: usize = 200;

/// Something that was noticed in a session, as it was noted.
#[derive(Debug, Clone, PartialEq)]
pub struct Inferred {
    /// The note.
    pub note: Note,
    /// The error it is about, as a word.
    pub error: Option<String>,
    /// The subagent that did it; none in the main conversation.
    pub agent: Option<String>,
    /// How often the context had been summarised.
    pub context: u64,
}

impl Inferred {
    /// Reads a note; none if it is of another kind.
    pub fn read(note: Note) -> Option<Inferred> {
        if note.kind != INFERRED_NOTE {
            return None;
        }
        let body: Value = serde_json::from_str(&note.body).unwrap_or_default();
        let text = |name: &str| body[name].as_str().map(str::to_owned);
        let (error, agent) = (text("error"), text("agent"));
        Some(Inferred { error, agent, context: body["context"].as_u64().unwrap_or(0), note })
    }
}

impl Engine<'_> {
    /// What was noticed in a session about an error, the newest first.
    pub fn inferred_about(&self, session: &SessionId, error: &str) -> EngineResult<Vec<Inferred>> {
        let noted = self.notes(session, &[], NOTES)?.into_iter().filter_map(Inferred::read);
        Ok(noted.filter(|one| one.error.as_deref() == Some(error)).collect())
    }

    /// What is noticed in records that are about to be written. That nothing could be read keeps
    /// nothing from being written.
    pub(crate) fn notice(&self, records: &[Record]) -> Vec<Note> {
        if !self.observes() {
            return Vec::new();
        }
        let mut sessions: Vec<&SessionId> = Vec::new();
        for event in records.iter().flat_map(|record| &record.events) {
            if is_call(event) && !sessions.contains(&&event.session) {
                sessions.push(&event.session);
            }
        }
        let noticed = sessions.into_iter().map(|session| self.notice_in(session, records));
        noticed.filter_map(Result::ok).flatten().collect()
    }

    fn notice_in(&self, session: &SessionId, records: &[Record]) -> EngineResult<Vec<Note>> {
        let own = records.iter().flat_map(|record| &record.events);
        let mut new: Vec<Event> =
            own.filter(|event| is_call(event) && event.session == *session).cloned().collect();
        new.reverse();
        let fresh = entries(new.clone());
        let Some(since) = fresh.iter().map(|entry| entry.at).min() else { return Ok(Vec::new()) };
        let signs = signs(&fresh);
        if signs.passed.is_empty() && !signs.changed {
            return Ok(Vec::new());
        }
        let looked_at = if signs.passed.is_empty() { CORRECTED_WINDOW } else { ENDED_WINDOW };
        let query = EventQuery {
            session: Some(session.clone()),
            kinds: CALLS.map(|kind| kind.to_string()).to_vec(),
            limit: looked_at,
            ..EventQuery::default()
        };
        let mut before = self.events(&query)?;
        if !may_have_ended(&signs, &before) {
            if !signs.changed {
                return Ok(Vec::new());
            }
            before.truncate(CORRECTED_WINDOW);
        }
        new.extend(before);
        let found = noticed(&entries(new), since);
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let context = self.session(session)?.map_or(0, |session| session.context);
        Ok(found.into_iter().map(|one| note(session, context, one)).collect())
    }
}

const CALLS: [Moment; 2] = [Moment::ToolFinished, Moment::ToolFailed];

fn is_call(event: &Event) -> bool {
    CALLS.iter().any(|kind| kind.as_str() == event.kind)
}

/// Whether a command that passed had failed when it last ran.
fn may_have_ended(signs: &Signs, before: &[Event]) -> bool {
    let last = |key: &String| {
        let runs = |event: &&Event| event.subject.as_ref().is_some_and(|line| is_run_of(line, key));
        let last = before.iter().find(runs)?;
        entries(vec![last.clone()]).pop()
    };
    signs.ended || signs.passed.iter().filter_map(last).any(|entry: LogEntry| has_failed(&entry))
}

fn note(session: &SessionId, context: u32, one: Noticed) -> Note {
    let body = json!({
        "basis": one.basis.as_str(), "error": one.error, "agent": one.agent, "context": context,
    });
    Note {
        id: format!("{INFERRED_NOTE} {session} {}", one.key),
        session: session.clone(),
        at: one.at,
        kind: INFERRED_NOTE.to_owned(),
        text: tacit_redact::redact(&one.text).text.into_owned(),
        files: one.files,
        body: body.to_string(),
    }
}
