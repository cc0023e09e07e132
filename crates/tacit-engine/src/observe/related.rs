//! Related sessions: continuations under another identifier, and parallel sessions on the same
//! work.

use tacit_core::log::{Continuation, LogKind, LogRecord};
use tacit_core::{AgentEvent, EventKind, EventName, SessionId, StartSource};
use tacit_store::{ActivityBatch, Event, EventQuery, Session};

use super::transcript::continued;
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::work::checkout;

/// The number of sessions that are searched for parallel ones, and the most related sessions.
const LOOKED_AT: usize = 50;
const MOST: usize = 20;
/// The most starts and forks of a session that are read.
const STARTS: usize = 100;

impl Engine<'_> {
    /// Records which session this one continues, if any. Clients report why a session starts, but
    /// not from which session.
    pub(super) fn record_continuation(&mut self, session: &SessionId) -> EngineResult<()> {
        if !self.continuations(Some(session), None)?.is_empty() {
            return Ok(());
        }
        let Some(before) = self.find_previous_session(session)? else { return Ok(()) };
        let at = self.clock.now();
        let event = Event {
            id: format!("{} {session}", LogKind::Continued),
            session: session.clone(),
            at,
            record: LogRecord::Continued(Continuation { session: before }),
        };
        self.record(ActivityBatch { events: vec![event], ..ActivityBatch::default() })
    }

    /// Returns the related sessions including this one, nearest first.
    pub(super) fn related_sessions(&self, session: &SessionId) -> EngineResult<Vec<SessionId>> {
        let mut family = vec![session.clone()];
        let mut next = 0;
        while let Some(one) = family.get(next).cloned() {
            next += 1;
            let mut near = self.previous_session(&one)?.into_iter().collect::<Vec<_>>();
            let after = self.continuations(None, Some(&one))?;
            near.extend(after.into_iter().map(|event| event.session));
            near.extend(self.parallel_sessions(&one)?);
            for other in near {
                if family.len() < MOST && !family.contains(&other) {
                    family.push(other);
                }
            }
        }
        Ok(family)
    }

    /// Returns the session that this one continues.
    pub(super) fn previous_session(&self, session: &SessionId) -> EngineResult<Option<SessionId>> {
        let known = self.continuations(Some(session), None)?.pop();
        match known.map(|event| event.record) {
            Some(LogRecord::Continued(before)) => Ok(Some(before.session)),
            _ => self.find_previous_session(session),
        }
    }

    /// Returns the session that a starting one continues, if its transcript says so.
    pub fn continued_session(&self, event: &AgentEvent) -> EngineResult<Option<Session>> {
        let EventKind::SessionStarted { source: StartSource::Resume | StartSource::Fork, .. } =
            &event.kind
        else {
            return Ok(None);
        };
        let transcript = event.transcript.as_deref();
        let before = transcript.and_then(|path| continued(path, &event.session));
        before.map_or(Ok(None), |before| self.session(&before))
    }

    fn continuations(
        &self,
        session: Option<&SessionId>,
        before: Option<&SessionId>,
    ) -> EngineResult<Vec<Event>> {
        self.events(&EventQuery {
            session: session.cloned(),
            kinds: vec![LogKind::Continued],
            subject: before.map(ToString::to_string),
            limit: STARTS,
            ..EventQuery::default()
        })
    }

    /// Reads the continued session from the transcript of a resumed or forked session.
    fn find_previous_session(&self, session: &SessionId) -> EngineResult<Option<SessionId>> {
        let starts = EventQuery {
            session: Some(session.clone()),
            kinds: vec![EventName::SessionStarted.into()],
            limit: STARTS,
            ..EventQuery::default()
        };
        let first = self.events(&starts)?.pop();
        let Some(first) = first.and_then(|first| first.record.client()?.event().ok()) else {
            return Ok(None);
        };
        let goes_on = matches!(
            first.kind,
            EventKind::SessionStarted { source: StartSource::Resume | StartSource::Fork, .. }
        );
        let before =
            first.transcript.filter(|_| goes_on).and_then(|path| continued(&path, session));
        // A session that was never seen here has no data.
        Ok(match before {
            Some(before) => self.session(&before)?.map(|known| known.id),
            None => None,
        })
    }

    /// Returns sessions that overlapped in time on the same branch, if the branch names a unit of
    /// work.
    fn parallel_sessions(&self, session: &SessionId) -> EngineResult<Vec<SessionId>> {
        let Some(own) = self.session(session)? else { return Ok(Vec::new()) };
        let branch = |id: &SessionId| -> EngineResult<Option<String>> {
            Ok(checkout(&self.notes_of(id)?).branch)
        };
        let Some(here) = branch(session)? else { return Ok(Vec::new()) };
        if self.methodology().infer(Some(&here), None).is_none() {
            return Ok(Vec::new());
        }
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        let mut sessions = Vec::new();
        for (other, _) in store.latest_sessions(LOOKED_AT)? {
            if other.id != own.id
                && overlap(&own, &other)
                && branch(&other.id)?.as_ref() == Some(&here)
            {
                sessions.push(other.id);
            }
        }
        Ok(sessions)
    }
}

fn overlap(one: &Session, other: &Session) -> bool {
    one.started_at < other.last_at && other.started_at < one.last_at
}
