//! Which sessions belong together, beside those that name the same unit of work: one that goes on
//! from another under a name of its own, and those that were at the same work at the same time.

use tacit_core::log::{Continuation, LogKind, LogRecord};
use tacit_core::{EventKind, EventName, SessionId, StartSource};
use tacit_store::{ActivityBatch, Event, EventQuery, Session};

use super::transcript::continued;
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::work::place;

/// How many sessions are looked at for others at the same time, and how many belong together at most.
const LOOKED_AT: usize = 50;
const MOST: usize = 20;
/// How many starts and forks of a session are looked at.
const STARTS: usize = 100;

impl Engine<'_> {
    /// Finds out which session one goes on from, if it began as the continuation of another, and
    /// writes it down. Clients tell why a session starts but not from what.
    pub(super) fn link_session(&mut self, session: &SessionId) -> EngineResult<()> {
        if !self.continuations(Some(session), None)?.is_empty() {
            return Ok(());
        }
        let Some(before) = self.found_before(session)? else { return Ok(()) };
        let at = self.clock.now();
        let event = Event {
            id: format!("{} {session}", LogKind::Continued),
            session: session.clone(),
            at,
            record: LogRecord::Continued(Continuation { session: before }),
        };
        self.record(ActivityBatch { events: vec![event], ..ActivityBatch::default() })
    }

    /// The sessions that belong to one, with itself, the nearest first.
    pub(super) fn family(&self, session: &SessionId) -> EngineResult<Vec<SessionId>> {
        let mut family = vec![session.clone()];
        let mut next = 0;
        while let Some(one) = family.get(next).cloned() {
            next += 1;
            let mut near = self.before(&one)?.into_iter().collect::<Vec<_>>();
            let after = self.continuations(None, Some(&one))?;
            near.extend(after.into_iter().map(|event| event.session));
            near.extend(self.beside(&one)?);
            for other in near {
                if family.len() < MOST && !family.contains(&other) {
                    family.push(other);
                }
            }
        }
        Ok(family)
    }

    /// The session that one goes on from.
    pub(super) fn before(&self, session: &SessionId) -> EngineResult<Option<SessionId>> {
        let known = self.continuations(Some(session), None)?.pop();
        match known.map(|event| event.record) {
            Some(LogRecord::Continued(before)) => Ok(Some(before.session)),
            _ => self.found_before(session),
        }
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
        })
    }

    /// What the transcript says, for a session that did not begin by itself.
    fn found_before(&self, session: &SessionId) -> EngineResult<Option<SessionId>> {
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
            first.what,
            EventKind::SessionStarted { source: StartSource::Resume | StartSource::Fork, .. }
        );
        let before =
            first.transcript.filter(|_| goes_on).and_then(|path| continued(&path, session));
        // One that was never seen here has nothing to add.
        Ok(match before {
            Some(before) => self.session(&before)?.map(|known| known.id),
            None => None,
        })
    }

    /// Sessions in which the same was worked on at the same time, where the branch alone tells what
    /// that is.
    fn beside(&self, session: &SessionId) -> EngineResult<Vec<SessionId>> {
        let Some(own) = self.session(session)? else { return Ok(Vec::new()) };
        let branch = |id: &SessionId| -> EngineResult<Option<String>> {
            Ok(place(&self.notes_of(id)?).branch)
        };
        let Some(here) = branch(session)? else { return Ok(Vec::new()) };
        if self.methodology().infer(Some(&here), None).is_none() {
            return Ok(Vec::new());
        }
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        let mut beside = Vec::new();
        for (other, _) in store.latest_sessions(LOOKED_AT)? {
            if other.id != own.id
                && overlap(&own, &other)
                && branch(&other.id)?.as_ref() == Some(&here)
            {
                beside.push(other.id);
            }
        }
        Ok(beside)
    }
}

fn overlap(one: &Session, other: &Session) -> bool {
    one.started_at < other.last_at && other.started_at < one.last_at
}
