//! Unfinished work: where it was left when a session ended, for the next one on the same branch or unit.

use tacit_core::log::{CheckoutNote, LogKind, LogRecord, UnitStatus};
use tacit_core::{BuiltinType, Content, Details, EventName, FieldError, SessionId, Subject};
use tacit_store::{ActionKind, EventQuery, Filter, ListOrder, Session, WorkUnitFilter};
use tacit_work::{SessionActivity, Unfinished};

use super::{WorkContext, place};
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::remember::RememberRequest;

/// The most sessions that are read.
const SESSIONS: usize = 50;
/// A session in which nothing happened for so many days is over, whether or not anybody said so.
const IDLE_DAYS: f64 = 2.0 / 24.0;
/// The most states of a unit that are compared.
const STATES: usize = 20;

impl Engine<'_> {
    /// Notes where the work was left in sessions that are over, each once. Returns how many there
    /// were to note.
    pub fn capture_work_states(&mut self) -> EngineResult<usize> {
        let mut noted = 0;
        for session in self.sessions_over()? {
            let name = format!("work-state {} {}", session.id, session.last_at.as_millis());
            let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
            if store.count_requests(&name)? > 0 {
                continue;
            }
            if let Some(unfinished) = self.unfinished_in(&session.id)? {
                self.keep_unfinished(&session.id, unfinished)?;
                noted += 1;
            }
            // After the state: doing it again does no harm, and not doing it would lose it.
            self.claim(&name)?;
        }
        Ok(noted)
    }

    /// Sessions that are over, in the order in which something last happened in them.
    fn sessions_over(&self) -> EngineResult<Vec<Session>> {
        let now = self.clock.now();
        let over = |session: &Session| {
            session.ended.is_some() || now.days_since(session.last_at) > IDLE_DAYS
        };
        let kinds = [EventName::SessionEnded, EventName::SessionStarted].map(LogKind::Client);
        let mut sessions = Vec::new();
        for id in self.sessions_with(&kinds, SESSIONS, |_| true)? {
            sessions.extend(self.session(&id)?.filter(over));
        }
        sessions.sort_by_key(|session| session.last_at);
        Ok(sessions)
    }

    /// The work that was left in a session; none if nothing was, or it was finished.
    fn unfinished_in(&self, session: &SessionId) -> EngineResult<Option<Unfinished>> {
        let reports = EventQuery {
            session: Some(session.clone()),
            kinds: vec![LogKind::WorkUnit],
            limit: 1,
            ..EventQuery::default()
        };
        let last = self.events(&reports)?.pop().map(|event| event.record);
        if matches!(last, Some(LogRecord::WorkUnit(unit)) if unit.status == UnitStatus::Succeeded) {
            return Ok(None);
        }
        let events = self.history_of(session, None)?;
        let trail = SessionActivity::of(events.iter().map(|event| &event.record));
        let CheckoutNote { branch, worktree } = place(&self.notes_of(session)?);
        let here = WorkContext {
            session: Some(session.clone()),
            branch,
            worktree: worktree.map_or_else(|| self.places.root.clone(), Into::into),
        };
        let unit = self.work(&here)?.unit.map(|(unit, _)| unit);
        Ok(self.methodology().unfinished(&trail, unit, here.branch.as_deref()))
    }

    /// Puts a state in the place of the one before it.
    fn keep_unfinished(&mut self, session: &SessionId, left: Unfinished) -> EngineResult<()> {
        let text = self.methodology().format_work_state(&left.state);
        let filter = Filter {
            types: vec![BuiltinType::WorkState.into()],
            work_unit: Some(WorkUnitFilter {
                methodology: Some(left.unit.methodology().to_owned()),
                hierarchy: left.unit.hierarchy().to_vec(),
            }),
            ..Filter::default()
        };
        let found = self.list(Some(StoreScope::Project), &filter, ListOrder::Changed, STATES, 0)?;
        let Some(before) = found.iter().find(|found| left.replaces(&found.memory)) else {
            let draft = left.draft(session, text);
            self.remember(StoreScope::Project, RememberRequest { draft, reason: None })?;
            return Ok(());
        };
        let content = Content::new(text).map_err(|problem| FieldError::new("content", problem))?;
        self.change(&before.memory.id.to_string(), ActionKind::Edit, None, |memory| {
            let placement = memory.body.subject.placement().clone();
            let details = Details::WorkState(left.state.clone());
            memory.body.subject = Subject::new(details, placement)?;
            memory.body.content = content.clone();
            Ok(())
        })?;
        Ok(())
    }
}
