//! Where the work was left when a session ended, for the next one on the same branch or unit.

use serde_json::{Map, Value, json};
use tacit_core::log::{LogKind, PlaceNote, UnitStatus};
use tacit_core::{
    BuiltinType, Content, Details, Draft, Memory, Moment, Review, Scope, SessionId, Source,
    Subject, WorkUnitRef,
};
use tacit_store::{ActionKind, EventQuery, Filter, ListOrder, Session, WorkUnitFilter};

use super::outcome::GENERATOR;
use super::sessions::place;
use super::trail::Trail;
use super::{Here, Report, Said};
use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::remember::Request;

/// How many sessions are looked at.
const SESSIONS: usize = 50;
/// A session in which nothing happened for so many days is over, whether or not anybody said so.
const IDLE_DAYS: f64 = 2.0 / 24.0;
/// How many files and failing commands are told.
const MOST_FILES: usize = 20;
const MOST_FAILING: usize = 5;
/// How many states of a unit are looked at.
const STATES: usize = 20;

impl Engine<'_> {
    /// Notes where the work was left in sessions that are over, each once. Returns how many there
    /// were to note.
    pub fn capture_work_states(&mut self) -> EngineResult<usize> {
        let mut noted = 0;
        for session in self.sessions_over()? {
            let name = format!("work-state {} {}", session.id, session.last_at.as_millis());
            let store = self.store(Shelf::Project).ok_or_else(|| self.not_initialised())?;
            if store.count_requests(&name)? > 0 {
                continue;
            }
            if let Some((unit, state)) = self.state_of(&session.id)? {
                self.keep_state(&session.id, &unit, state)?;
                noted += 1;
            }
            // After the state: doing it again does no harm, and not doing it would lose it.
            self.claim(&name)?;
        }
        Ok(noted)
    }

    /// Sessions that are over, in the order in which something last happened in them.
    fn sessions_over(&self) -> EngineResult<Vec<Session>> {
        let mut ids: Vec<SessionId> = Vec::new();
        for moment in [Moment::SessionEnded, Moment::SessionStarted] {
            let kinds = vec![moment.into()];
            let query = EventQuery { kinds, limit: SESSIONS, ..EventQuery::default() };
            for event in self.events(&query)? {
                if !ids.contains(&event.session) {
                    ids.push(event.session);
                }
            }
        }
        let now = self.clock.now();
        let mut sessions = Vec::new();
        for id in ids {
            let over = |session: &Session| {
                session.ended.is_some() || now.days_since(session.last_at) > IDLE_DAYS
            };
            sessions.extend(self.session(&id)?.filter(over));
        }
        sessions.sort_by_key(|session| session.last_at);
        Ok(sessions)
    }

    /// Where the work was left in a session, and which; none if nothing was, or it was finished.
    fn state_of(
        &self,
        session: &SessionId,
    ) -> EngineResult<Option<(WorkUnitRef, Map<String, Value>)>> {
        let reports = EventQuery {
            session: Some(session.clone()),
            kinds: vec![LogKind::WorkUnit],
            limit: 1,
            ..EventQuery::default()
        };
        let last = self.events(&reports)?.pop().and_then(Report::read).map(|report| report.said);
        if matches!(last, Some(Said::Unit { status: UnitStatus::Succeeded, .. })) {
            return Ok(None);
        }
        let trail = Trail::of(&self.history_of(session, None)?);
        let PlaceNote { branch, worktree } = place(&self.notes_of(session)?);
        let mut state = self.methodology().extract_work_state(&trail.output);
        if state.is_empty() && trail.files.is_empty() && trail.failing.is_empty() {
            return Ok(None);
        }
        let here = Here {
            session: Some(session.clone()),
            branch: branch.clone(),
            worktree: worktree.map_or_else(|| self.places.root.clone(), Into::into),
        };
        let unit = match (self.work(&here)?.unit, &branch) {
            (Some((unit, _)), _) => unit,
            // Everything and nothing in particular is done on such a branch, but it was done there.
            (None, Some(branch)) => {
                let label = format!("Branch {branch}");
                match WorkUnitRef::new(self.methodology().id(), vec![branch.clone()], label) {
                    Ok(unit) => unit,
                    Err(_) => return Ok(None),
                }
            }
            (None, None) => return Ok(None),
        };
        let files: Vec<&str> =
            trail.files.iter().rev().take(MOST_FILES).map(|file| file.as_str()).collect();
        let failing: Vec<&String> = trail.failing.iter().rev().take(MOST_FAILING).collect();
        for (name, value) in [
            ("task", json!(trail.task)),
            ("files_changed", json!(files)),
            ("still_failing", json!(failing)),
            ("branch", json!(branch)),
        ] {
            let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            if !empty {
                state.insert(name.to_owned(), value);
            }
        }
        Ok(Some((unit, state)))
    }

    /// Puts a state in the place of the one before it.
    fn keep_state(
        &mut self,
        session: &SessionId,
        unit: &WorkUnitRef,
        state: Map<String, Value>,
    ) -> EngineResult<()> {
        let text = self.methodology().format_work_state(&state);
        let Some(before) = self.state_before(unit, state.get("branch"))? else {
            let draft = Draft {
                content: text,
                name: Some(format!("Where {} was left", unit.label())),
                kind: Some(BuiltinType::WorkState.to_string()),
                details: Some(Value::Object(state)),
                scope: Some(Scope::WorkUnit.to_string()),
                work_unit: Some(unit.clone()),
                session: Some(session.to_string()),
                source: Some(Source::ObserverInferred.to_string()),
                generator: Some(GENERATOR.into()),
                // It is out of date before anybody could look at it.
                review: Some(Review::None.to_string()),
                ..Draft::default()
            };
            self.remember(Shelf::Project, Request { draft, reason: None })?;
            return Ok(());
        };
        let invalid = |field: &str, problem| super::report::invalid(field, problem);
        let content = Content::new(text).map_err(|problem| invalid("content", problem))?;
        self.change(&before.id.to_string(), ActionKind::Edit, None, |memory| {
            let placement = memory.said.subject.placement().clone();
            let details = Details::WorkState(state.clone());
            memory.said.subject = Subject::new(details, placement)
                .map_err(|error| crate::EngineError::Invalid(vec![error]))?;
            memory.said.content = content.clone();
            Ok(())
        })?;
        Ok(())
    }

    fn state_before(
        &self,
        unit: &WorkUnitRef,
        branch: Option<&Value>,
    ) -> EngineResult<Option<Memory>> {
        let filter = Filter {
            types: vec![BuiltinType::WorkState.into()],
            work_unit: Some(WorkUnitFilter {
                methodology: Some(unit.methodology().to_owned()),
                hierarchy: unit.hierarchy().to_vec(),
            }),
            ..Filter::default()
        };
        let found = self.list(Some(Shelf::Project), &filter, ListOrder::Changed, STATES, 0)?;
        let same = |memory: &Memory| {
            let subject = &memory.said.subject;
            let Details::WorkState(state) = subject.details() else { return false };
            subject.placement().work_unit().map(WorkUnitRef::hierarchy) == Some(unit.hierarchy())
                && state.get("branch") == branch
        };
        Ok(found.into_iter().map(|found| found.memory).find(same))
    }
}
