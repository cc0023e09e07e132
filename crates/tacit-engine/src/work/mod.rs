//! Reports on work: they are written to the session log and read back from it. The rules are in
//! `tacit-work`.

mod definitions;
mod evidence;
mod finish;
mod qa;
mod unfinished;

use std::path::PathBuf;

use tacit_core::log::{
    CheckoutNote, DeclaredPhase, LogKind, LogRecord, NoteRecord, PhaseRecord, WorkUnitRecord,
};
use tacit_core::{EventName, FieldError, SessionId, Timestamp, UniversalPhase, WorkUnitRef};
use tacit_models::Prompt;
use tacit_store::{ActivityBatch, Event, EventQuery, Note, SessionChange, SessionUpdate};
use tacit_work::{CurrentWork, ModelQuestion, UnitSource, WorkReport};

pub use definitions::{MethodologyDefinition, MethodologyError, read_definition, spec_files};
pub use finish::{Consolidation, FinishedWork};
pub use qa::QaReportResult;
pub(crate) use unfinished::noted_name;

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::generation::GenerationPurpose;
use crate::remember::redact_record;

/// The session and client of reports outside any session.
pub(crate) const NO_SESSION: &str = "tacit-cli";
const NO_CLIENT: &str = "tacit";
/// The most reports of each kind that are read.
const REPORTS: usize = 200;
/// The number of last events that are searched for activity.
const LAST: usize = 20;
/// The most events that are read to find sessions.
const SESSION_EVENTS: usize = 1_000;
/// The most events and notes of a session that are read.
const EVENTS: usize = 5_000;
const NOTES: usize = 500;

/// The context of current work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkContext {
    /// The agent's session, if any.
    pub session: Option<SessionId>,
    /// The current branch.
    pub branch: Option<String>,
    /// The path of the worktree.
    pub worktree: PathBuf,
}

/// The author of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reporter {
    /// The context of the report; without a session, the current one is used.
    pub here: WorkContext,
    /// The agent client, or the name of the person.
    pub client: String,
    /// The tool or command that reports.
    pub tool: String,
}

impl Engine<'_> {
    /// Returns the current unit of work and phase. Without a declared unit, the branch or a spec
    /// file may name one.
    pub fn work(&self, here: &WorkContext) -> EngineResult<CurrentWork> {
        let mut work = self.declared_work(here)?;
        if work.unit.is_none() {
            let specs = spec_files(&here.worktree);
            let inferred = self.methodology().infer(here.branch.as_deref(), specs.as_ref());
            work.unit = inferred.map(|(unit, from)| (unit, UnitSource::Inferred(from)));
        }
        Ok(work)
    }

    /// Returns the declared unit of work and phase.
    pub fn declared_work(&self, here: &WorkContext) -> EngineResult<CurrentWork> {
        let mut work = CurrentWork::default();
        if self.store(StoreScope::Project).is_some() {
            let mut reports = self.work_reports(LogKind::Phase)?;
            reports.extend(self.work_reports(LogKind::WorkUnit)?);
            // At the same time, the phase is newer: it follows from finishing a unit.
            reports.sort_by_key(|report| std::cmp::Reverse(report.at));
            work = CurrentWork::declared(reports, here.session.as_ref(), here.branch.as_deref());
        }
        if let Some((own, universal)) = &mut work.phase {
            // The phase may be of a methodology that was active then; its universal phase stays.
            *universal = self.methodology().find_phase(own).unwrap_or(*universal);
        }
        Ok(work)
    }

    /// Returns the unit of work that was declared for the branch of a session before it started, if
    /// the session itself reports none.
    pub(crate) fn inherited_unit(&self, session: &SessionId) -> EngineResult<Option<WorkUnitRef>> {
        let Some(started) = self.session(session)?.map(|session| session.started_at) else {
            return Ok(None);
        };
        let mut reports = self.work_reports(LogKind::WorkUnit)?;
        reports.retain(|report| report.at <= started);
        if reports.is_empty() {
            return Ok(None);
        }
        let branch = checkout(&self.notes_of(session)?).branch;
        let work = CurrentWork::declared(reports, Some(session), branch.as_deref());
        Ok(work.unit().cloned())
    }

    /// Returns the phase in which a session worked last.
    pub(crate) fn phase_of(&self, session: &SessionId) -> EngineResult<Option<UniversalPhase>> {
        let Some(last) = self.session(session)?.map(|session| session.last_at) else {
            return Ok(None);
        };
        let mut reports = self.work_reports(LogKind::Phase)?;
        reports.retain(|report| report.at <= last);
        if reports.is_empty() {
            return Ok(None);
        }
        let branch = checkout(&self.notes_of(session)?).branch;
        Ok(CurrentWork::declared(reports, Some(session), branch.as_deref()).phase())
    }

    /// Returns the last reports of a kind, newest first.
    fn work_reports(&self, kind: LogKind) -> EngineResult<Vec<WorkReport>> {
        let query = EventQuery { kinds: vec![kind], limit: REPORTS, ..EventQuery::default() };
        let report = |Event { session, at, record, .. }| WorkReport { session, at, record };
        Ok(self.events(&query)?.into_iter().map(report).collect())
    }

    /// Logs the progress of a unit of work. Returns the session of the report.
    pub fn report_work(
        &mut self,
        by: &Reporter,
        report: &WorkUnitRecord,
    ) -> EngineResult<SessionId> {
        WorkReport::check(report)?;
        let report = WorkUnitRecord {
            branch: by.here.branch.clone(),
            by: Some(by.client.clone()),
            tool: Some(by.tool.clone()),
            ..report.clone()
        };
        self.report(by, LogRecord::WorkUnit(report))
    }

    /// Logs the current phase in the methodology's terms; `None` ends the phase.
    pub fn report_phase(
        &mut self,
        by: &Reporter,
        phase: Option<(&str, UniversalPhase)>,
    ) -> EngineResult<SessionId> {
        let phase = phase.map(|(own, universal)| DeclaredPhase { own: own.to_owned(), universal });
        let report = PhaseRecord {
            phase,
            methodology: Some(self.methodology().id().to_owned()),
            branch: by.here.branch.clone(),
            by: Some(by.client.clone()),
            tool: Some(by.tool.clone()),
        };
        self.report(by, LogRecord::Phase(report))
    }

    /// Returns the session with the latest activity, unless it ended.
    pub fn current_session(&self) -> Option<SessionId> {
        self.store(StoreScope::Project)?;
        let last = EventQuery { limit: LAST, ..EventQuery::default() };
        let happened = |event: &Event| event.record.kind() != LogKind::Continued;
        let event = self.events(&last).ok()?.into_iter().find(happened)?;
        let session = self.session(&event.session).ok()??;
        session.ended.is_none().then_some(session.id)
    }

    /// Redacts a report and writes it to the log of its session.
    fn report(&mut self, by: &Reporter, report: LogRecord) -> EngineResult<SessionId> {
        let record = redact_record(report)?;
        let at = self.clock.now();
        let known = by.here.session.clone().or_else(|| self.current_session());
        let (session, client, change) = match known {
            Some(session) => (session, by.client.clone(), SessionChange::Seen),
            None => {
                // Ended at once, so that no other activity is taken for a part of it.
                (no_session()?, NO_CLIENT.to_owned(), SessionChange::Ended("reported".into()))
            }
        };
        let id = self.ids.next_id(at).to_string();
        let event = Event { id, session: session.clone(), at, record };
        let sessions =
            vec![SessionUpdate { id: session.clone(), client, at, change, held_out: None }];
        self.record(ActivityBatch { sessions, events: vec![event], ..ActivityBatch::default() })?;
        Ok(session)
    }

    /// Returns sessions with activity since a time, oldest first.
    fn sessions_since(&self, since: Option<Timestamp>) -> EngineResult<Vec<SessionId>> {
        let moments = [EventName::ToolFinished, EventName::TurnStopped, EventName::SessionStarted];
        let mut sessions =
            self.sessions_with(&moments.map(LogKind::Client), SESSION_EVENTS, |event| {
                since.is_none_or(|since| event.at >= since)
            })?;
        sessions.retain(|session| session.as_str() != NO_SESSION);
        sessions.reverse();
        Ok(sessions)
    }

    /// Returns the distinct sessions of the last events of these kinds.
    fn sessions_with(
        &self,
        kinds: &[LogKind],
        limit: usize,
        meant: impl Fn(&Event) -> bool,
    ) -> EngineResult<Vec<SessionId>> {
        let mut sessions: Vec<SessionId> = Vec::new();
        for kind in kinds {
            let query = EventQuery { kinds: vec![*kind], limit, ..EventQuery::default() };
            for event in self.events(&query)?.into_iter().filter(&meant) {
                if !sessions.contains(&event.session) {
                    sessions.push(event.session);
                }
            }
        }
        Ok(sessions)
    }

    /// Returns the last events of a session, oldest first.
    fn history_of(
        &self,
        session: &SessionId,
        since: Option<Timestamp>,
        limit: usize,
    ) -> EngineResult<Vec<Event>> {
        let query = EventQuery { session: Some(session.clone()), limit, ..EventQuery::default() };
        let mut events = self.events(&query)?;
        events.retain(|event| since.is_none_or(|since| event.at >= since));
        events.reverse();
        Ok(events)
    }

    /// Returns the notes of a session, newest first.
    pub(crate) fn notes_of(&self, session: &SessionId) -> EngineResult<Vec<Note>> {
        self.notes(session, &[], NOTES)
    }

    /// Generates and parses an answer. Returns it with the name of the model; `None` if no model is
    /// configured, the budget is spent, or the answer cannot be parsed.
    pub(crate) fn generate_answer<T>(
        &self,
        purpose: GenerationPurpose,
        question: &ModelQuestion,
        read: fn(&str) -> Option<T>,
    ) -> Option<(T, String)> {
        let name = self.generator_name()?.to_owned();
        let prompt = Prompt {
            system: question.task.to_owned(),
            user: tacit_redact::redact(&question.about).text.into_owned(),
            max_tokens: question.max_tokens,
            temperature: Some(0.0),
        };
        let body = self.generate(purpose, &prompt).ok()?;
        Some((read(&body.text)?, name))
    }
}

/// Finds the branch and worktree of a session in its notes, given newest first.
pub(crate) fn checkout(notes: &[Note]) -> CheckoutNote {
    let place = notes.iter().find_map(|note| match &note.record {
        NoteRecord::Checkout(place) => Some(place.clone()),
        _ => None,
    });
    place.unwrap_or_default()
}

/// Returns the session of reports outside any session.
fn no_session() -> EngineResult<SessionId> {
    SessionId::new(NO_SESSION).map_err(|problem| FieldError::new("session", problem).into())
}
