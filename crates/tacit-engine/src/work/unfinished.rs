//! Unfinished work: its state when a session ended, for the next session on the same branch or
//! unit.

use serde_json::{Map, Value};
use tacit_core::log::{CheckoutNote, ClientProcess, LogKind, LogRecord, UnitStatus};
use tacit_core::{
    BuiltinType, Content, Details, EventName, FieldError, Memory, Reasoning, SessionId, Subject,
    Timestamp, WorkUnitRef,
};
use tacit_fs::ProcessIdentity;
use tacit_observer::{Timeline, WorkLeft};
use tacit_store::{ActionKind, Event, EventQuery, Filter, ListOrder, Session, WorkUnitFilter};
use tacit_work::{
    SessionActivity, SessionEnd, SessionResult, UnfinishedWork, UnitSource, UnresolvedCheck,
    written_state,
};

use super::{EVENTS, WorkContext, checkout};
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::forget::ForgetMode;
use crate::generation::GenerationPurpose;
use crate::lookup::StoredMemory;
use crate::observe::entries;
use crate::remember::RememberRequest;
use crate::session_ends::is_left;

/// The most sessions that are read, and the most that a starting session looks at.
const SESSIONS: usize = 50;
const RECENT_SESSIONS: usize = 4;
/// The most events of a session that are read while an agent waits for its session to start.
const RECENT_EVENTS: usize = 300;
/// The days without activity after which a session counts as ended.
const IDLE_DAYS: f64 = 2.0 / 24.0;
/// The most states of a unit that are compared.
const STATES: usize = 20;
/// The reason why a state is retired.
const FINISHED: &str = "the work was finished";

impl Engine<'_> {
    /// Stores the state of unfinished work in ended sessions, each once. Returns their number.
    pub fn capture_work_states(&mut self) -> EngineResult<usize> {
        let mut noted = 0;
        for session in self.sessions_over(SESSIONS, None)? {
            if self.is_noted(&session)? {
                continue;
            }
            noted += usize::from(self.note_session_end(&session.id, EVENTS)?.left);
            // Claimed afterwards: repeating it does no harm, and skipping it would lose the state.
            self.claim(&noted_name(&session))?;
        }
        Ok(noted)
    }

    /// Stores the state of unfinished work in the last session, for one that starts now. Returns
    /// true if nothing is left to [`Engine::capture_work_states`]: earlier sessions, and the
    /// beginning of a long one.
    pub fn capture_recent_work_state(&mut self, starting: &SessionId) -> EngineResult<bool> {
        let mut open = Vec::new();
        let now = self.clock.now();
        for session in self.sessions_over(RECENT_SESSIONS, Some(now))? {
            if session.id != *starting && !self.is_noted(&session)? {
                open.push(session);
            }
        }
        let Some(last) = open.pop() else { return Ok(true) };
        let is_whole = self.note_session_end(&last.id, RECENT_EVENTS)?.is_whole;
        // Its state must stay the last one when the state of an earlier session is stored.
        let is_done = is_whole && open.is_empty();
        if is_done {
            self.claim(&noted_name(&last))?;
        }
        Ok(is_done)
    }

    fn is_noted(&self, session: &Session) -> EngineResult<bool> {
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        Ok(store.count_requests(&noted_name(session))? > 0)
    }

    /// Returns those of the last sessions that have ended, ordered by last activity. `start` is the
    /// start of a session that is not stored yet.
    fn sessions_over(&self, limit: usize, start: Option<Timestamp>) -> EngineResult<Vec<Session>> {
        let now = self.clock.now();
        let mut starts = self.recent_starts()?;
        starts.extend(start);
        let kinds = [EventName::SessionEnded, EventName::SessionStarted].map(LogKind::Client);
        let mut sessions = Vec::new();
        for id in self.sessions_with(&kinds, limit, |_| true)? {
            let Some(session) = self.session(&id)? else { continue };
            if session.ended.is_some()
                || now.days_since(session.last_at) > IDLE_DAYS
                || is_left(&session, now, &starts)
                || self.was_killed(&id)?
            {
                sessions.push(session);
            }
        }
        sessions.sort_by_key(|session| session.last_at);
        Ok(sessions)
    }

    /// Returns true if the client of a session is gone.
    fn was_killed(&self, session: &SessionId) -> EngineResult<bool> {
        let client = checkout(&self.notes_of(session)?).client;
        Ok(client.is_some_and(|ClientProcess { pid, started, namespace }| {
            tacit_fs::has_ended(&ProcessIdentity { pid, started, namespace })
        }))
    }

    /// Stores, replaces or retires the state of the work that a session was about, as its last
    /// `limit` events tell it.
    fn note_session_end(&mut self, session: &SessionId, limit: usize) -> EngineResult<NotedEnd> {
        let CheckoutNote { branch, worktree, .. } = checkout(&self.notes_of(session)?);
        let here = WorkContext {
            session: Some(session.clone()),
            branch,
            worktree: worktree.map_or_else(|| self.paths.root.clone(), Into::into),
        };
        let current = self.work(&here)?;
        let declared = matches!(current.unit, Some((_, UnitSource::Declared(_))));
        let branch = here.branch.as_deref();
        let unit = current.unit.map(|(unit, _)| unit);
        let mut noted = NotedEnd { left: false, is_whole: true };
        let mut output = String::new();
        let Some(unit) = self.methodology().unit_or_branch(unit, branch) else { return Ok(noted) };
        let before = self.earlier_state(&unit, branch)?;
        let end = if self.was_reported_done(session)? {
            SessionEnd::Finished
        } else {
            let events = self.history_of(session, None, limit)?;
            noted.is_whole = events.len() < limit || limit == EVENTS;
            let activity = SessionActivity::from_log(events.iter().map(|event| &event.record));
            let earlier = before
                .as_ref()
                .and_then(|before| tacit_work::earlier_state(&before.memory, &unit, branch));
            let result = session_result(events, earlier);
            output.clone_from(&activity.output);
            self.methodology().session_end(
                &activity,
                &result,
                unit.clone(),
                branch,
                declared,
                earlier,
            )
        };
        match end {
            SessionEnd::Unchanged => {}
            // The events that were not read may tell of work that is left.
            SessionEnd::Finished if !noted.is_whole => {}
            SessionEnd::Finished => {
                if let Some(before) = before {
                    let reason = Reasoning::new(FINISHED)
                        .map_err(|problem| FieldError::new("reason", problem))?;
                    self.forget(&before.memory.id.to_string(), ForgetMode::Retire, reason)?;
                }
            }
            SessionEnd::Left(mut left) => {
                // Nobody waits for maintenance, which reads all events.
                if limit == EVENTS {
                    self.complete_state(&output, &mut left);
                }
                self.keep_unfinished(session, left, before)?;
                noted.left = true;
            }
        }
        Ok(noted)
    }

    /// Lets the text model fill in the fields of a state about which the patterns found nothing. If it
    /// fails, they stay empty.
    fn complete_state(&self, output: &str, left: &mut UnfinishedWork) {
        if !self.asks_for_lessons() {
            return;
        }
        let methodology = self.methodology();
        let Some(question) = methodology.state_question(output, &left.state) else { return };
        let answer =
            self.generate_answer(GenerationPurpose::WorkState, &question, written_state::read);
        if let Some((answer, _)) = answer {
            left.state.extend(methodology.written_state(&answer, output, &left.state));
        }
    }

    /// Returns true if a session has settled a state that it was told when it began, as its last
    /// events tell it.
    pub fn has_settled(&self, session: &SessionId, state: &Memory) -> EngineResult<bool> {
        let Details::WorkState(state) = state.body.subject.details() else { return Ok(false) };
        let result = session_result(self.history_of(session, None, RECENT_EVENTS)?, Some(state));
        Ok(self.methodology().is_settled(state, &result))
    }

    /// Returns true if the last report of a session says that its unit succeeded.
    fn was_reported_done(&self, session: &SessionId) -> EngineResult<bool> {
        let reports = EventQuery {
            session: Some(session.clone()),
            kinds: vec![LogKind::WorkUnit],
            limit: 1,
            ..EventQuery::default()
        };
        let last = self.events(&reports)?.pop().map(|event| event.record);
        Ok(matches!(last, Some(LogRecord::WorkUnit(unit)) if unit.status == UnitStatus::Succeeded))
    }

    /// Finds the state that an earlier session left on the same unit and branch.
    fn earlier_state(
        &self,
        unit: &WorkUnitRef,
        branch: Option<&str>,
    ) -> EngineResult<Option<StoredMemory>> {
        let filter = Filter {
            types: vec![BuiltinType::WorkState.into()],
            work_unit: Some(WorkUnitFilter {
                methodology: Some(unit.methodology().to_owned()),
                hierarchy: unit.hierarchy().to_vec(),
            }),
            ..Filter::default()
        };
        let found = self.list(Some(StoreScope::Project), &filter, ListOrder::Changed, STATES, 0)?;
        let is_same =
            |found: &StoredMemory| tacit_work::earlier_state(&found.memory, unit, branch).is_some();
        Ok(found.into_iter().find(is_same))
    }

    /// Stores the state of the work, in place of an earlier one.
    fn keep_unfinished(
        &mut self,
        session: &SessionId,
        left: UnfinishedWork,
        before: Option<StoredMemory>,
    ) -> EngineResult<()> {
        let text = self.methodology().describe_unfinished(&left);
        let Some(before) = before else {
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

/// The result of noting how a session ended.
struct NotedEnd {
    /// True if it left something.
    left: bool,
    /// True if all its events were read.
    is_whole: bool,
}

/// Returns the name under which it is noted that the state of a session was stored.
pub(crate) fn noted_name(session: &Session) -> String {
    format!("work-state {} {}", session.id, session.last_at.as_millis())
}

/// Reads from the log of a session, oldest first, how the work stood at its end. `earlier` is the
/// state in which it began.
fn session_result(events: Vec<Event>, earlier: Option<&Map<String, Value>>) -> SessionResult {
    let log = entries(events.into_iter().rev().collect());
    let left = WorkLeft::from_timeline(&Timeline::from_log(&log));
    let failing = earlier.map(tacit_work::failing_commands).unwrap_or_default();
    let earlier_failures_passed =
        !failing.is_empty() && failing.iter().all(|command| left.passes(command));
    let failed = left.open_checks.into_iter().map(|check| UnresolvedCheck {
        command: check.command,
        finding: check.finding,
        changed_since: check.changed_since,
    });
    SessionResult {
        uncommitted: left.uncommitted,
        committed: left.committed,
        failed: failed.collect(),
        passed: left.passed,
        earlier_failures_passed,
    }
}
