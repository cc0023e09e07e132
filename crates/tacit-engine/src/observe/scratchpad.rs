//! What is noticed while events are written to the log: notes for the session they belong to, seen
//! by its own agents at once. Whoever writes events notices; a hook pays for a look at the last few
//! only where one of them may have brought something about.

use serde_json::{Value, json};
use tacit_core::{Moment, SessionId};
use tacit_observer::log::INFERRED_NOTE;
use tacit_observer::scratchpad::{
    BEFORE_FAILURE, CORRECTED_WINDOW, ENDED_WINDOW, Noticed, has_failed, noticed, run_key,
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
        let Some(since) = new.iter().map(|event| event.at).min() else { return Ok(Vec::new()) };
        let limit = match new.iter().filter_map(does).max() {
            Some(Does::Runs) => ENDED_WINDOW,
            Some(Does::Changes) => CORRECTED_WINDOW,
            None => return Ok(Vec::new()),
        };
        let query = EventQuery {
            session: Some(session.clone()),
            kinds: CALLS.map(|kind| kind.to_string()).to_vec(),
            limit,
            ..EventQuery::default()
        };
        let fresh = new.len();
        new.extend(self.events(&query)?);
        let ended = ended(&new, fresh).map(|at| at + 1 + BEFORE_FAILURE);
        let corrected = may_correct(&new, fresh).then_some(fresh + CORRECTED_WINDOW);
        let Some(looked_at) = ended.max(corrected) else { return Ok(Vec::new()) };
        new.truncate(looked_at);
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

/// What a call does, as far as it can bring something about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Does {
    Changes,
    Runs,
}

/// What a call does, told by the name of its kind in what is kept of it: most calls read, and need not
/// be looked at any further. Text of others cannot pass for it, since its quotes are escaped.
fn does(event: &Event) -> Option<Does> {
    const KIND: &str = "\"kind\":{\"";
    let at = event.body.find(KIND)? + KIND.len();
    match event.body[at..].split('"').next()? {
        "shell" => Some(Does::Runs),
        "edit" | "write" | "patch" => Some(Does::Changes),
        _ => None,
    }
}

/// How far back the failure lies of a command that is among the new events and had failed when it
/// last ran. Events are given the newest first. Told by names alone where that can be: what commands
/// printed takes longer to read than all the rest.
fn ended(events: &[Event], fresh: usize) -> Option<usize> {
    let is_failure = |event: &Event| event.kind == Moment::ToolFailed.as_str();
    let last_failed = |at: usize| {
        let (run, before) = (&events[at], &events[at + 1..]);
        let same_tool = |event: &&Event| event.tool == run.tool;
        let may_fail =
            |event: &Event| is_failure(event) || event.subject.as_deref().is_some_and(hides);
        if is_failure(run) || !before.iter().filter(same_tool).any(may_fail) {
            return None;
        }
        let key = run_key(run.subject.as_deref()?);
        let last = before.iter().position(|event| {
            same_tool(&event) && event.subject.as_ref().is_some_and(|line| run_key(line) == key)
        })?;
        let (last, found) = (&before[last], at + 1 + last);
        let failed = is_failure(last)
            || (last.subject.as_deref().is_some_and(hides)
                && entries(vec![last.clone()]).iter().any(has_failed));
        failed.then_some(found)
    };
    (0..fresh).filter_map(last_failed).max()
}

/// Whether a failure of a command may not show in how its line ends.
fn hides(line: &str) -> bool {
    line.contains(['|', ';', '&', '\n'])
}

/// Whether one of the new events changes a file that was changed a moment ago.
fn may_correct(events: &[Event], fresh: usize) -> bool {
    let changes = |event: &Event| does(event) == Some(Does::Changes) && event.subject.is_some();
    (0..fresh).filter(|at| changes(&events[*at])).any(|at| {
        let mut before = events[at + 1..].iter().take(CORRECTED_WINDOW);
        before.any(|old| old.subject == events[at].subject && changes(old))
    })
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
