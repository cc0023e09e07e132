//! Reports about work, written to the log of a session.

use tacit_core::log::{
    Complexity, DeclaredPhase, LogKind, LogRecord, PhaseRecord, UnitStatus, WorkUnitRecord,
};
use tacit_core::{FieldError, Problem, RepoPath, SessionId, UniversalPhase, WorkUnitRef};
use tacit_store::{Event, EventQuery, Record, SessionChange, SessionUpdate};

use super::Here;
use crate::engine::{Engine, Shelf};
use crate::error::{EngineError, EngineResult};
use crate::remember::redact_record;

/// The session of reports that belong to none.
pub(super) const NO_SESSION: &str = "tacit-cli";
/// The client of that session.
const NO_CLIENT: &str = "tacit";

/// How many of the last events are looked at for one that happened.
const LAST: usize = 20;

/// Who reports, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reporter {
    /// Where they work; without a session, the report is in the one that is going on, if any is.
    pub here: Here,
    /// The agent client of the session, or whoever else it is.
    pub client: String,
    /// The tool or the command by which it was reported.
    pub tool: String,
}

/// A report about a unit of work.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkReport {
    /// Which.
    pub unit: WorkUnitRef,
    /// What became of it.
    pub status: UnitStatus,
    /// What was done, or what went wrong.
    pub summary: Option<String>,
    /// What was decided on the way.
    pub decisions: Vec<String>,
    /// Files that it changed, beside those that were seen to change.
    pub files: Vec<RepoPath>,
    /// How demanding it is.
    pub complexity: Option<Complexity>,
}

impl WorkReport {
    /// The longest text in a report, in bytes.
    pub const LONGEST: usize = 4_096;

    /// That a unit was started.
    pub fn new(unit: WorkUnitRef, status: UnitStatus) -> WorkReport {
        WorkReport {
            unit,
            status,
            summary: None,
            decisions: Vec::new(),
            files: Vec::new(),
            complexity: None,
        }
    }

    pub(super) fn check(&self) -> EngineResult<()> {
        let texts = self.summary.iter().map(|text| ("summary", text));
        for (field, text) in texts.chain(self.decisions.iter().map(|text| ("decision", text))) {
            if text.len() > WorkReport::LONGEST {
                let rule =
                    format!("is {} bytes long; at most {} fit", text.len(), WorkReport::LONGEST);
                return Err(invalid(field, Problem::rule(rule)));
            }
        }
        Ok(())
    }
}

pub(super) fn invalid(field: &str, problem: Problem) -> EngineError {
    EngineError::Invalid(vec![FieldError::new(field, problem)])
}

/// The session of reports that belong to none.
pub(super) fn no_session() -> EngineResult<SessionId> {
    SessionId::new(NO_SESSION).map_err(|problem| invalid("session", problem))
}

impl Engine<'_> {
    /// Writes what became of a unit of work. Returns the session it was written to.
    pub fn report_work(&mut self, by: &Reporter, report: &WorkReport) -> EngineResult<SessionId> {
        report.check()?;
        let WorkReport { unit, status, summary, decisions, files, complexity } = report.clone();
        let record = WorkUnitRecord {
            work_unit: unit,
            status,
            summary,
            decisions,
            files,
            complexity,
            branch: by.here.branch.clone(),
            by: Some(by.client.clone()),
            tool: Some(by.tool.clone()),
        };
        self.report(by, LogRecord::WorkUnit(record))
    }

    /// Writes which phase it is, in the words of the methodology; none if it is none any more.
    pub fn report_phase(
        &mut self,
        by: &Reporter,
        phase: Option<(&str, UniversalPhase)>,
    ) -> EngineResult<SessionId> {
        let record = PhaseRecord {
            phase: phase.map(|(own, universal)| DeclaredPhase { own: own.to_owned(), universal }),
            methodology: Some(self.methodology().id().to_owned()),
            branch: by.here.branch.clone(),
            by: Some(by.client.clone()),
            tool: Some(by.tool.clone()),
        };
        self.report(by, LogRecord::Phase(record))
    }

    /// The session that hooks last told of, unless it is over.
    pub fn session_in_use(&self) -> Option<SessionId> {
        self.store(Shelf::Project)?;
        let last = EventQuery { limit: LAST, ..EventQuery::default() };
        let happened = |event: &Event| event.record.kind() != LogKind::Continued;
        let event = self.events(&last).ok()?.into_iter().find(happened)?;
        let session = self.session(&event.session).ok()??;
        session.ended.is_none().then_some(session.id)
    }

    /// Writes a report to the log of the session it belongs to; secrets are taken out before.
    pub(crate) fn report(&mut self, by: &Reporter, record: LogRecord) -> EngineResult<SessionId> {
        let record = redact_record(record)?;
        let at = self.clock.now();
        let known = by.here.session.clone().or_else(|| self.session_in_use());
        let (session, client, change) = match known {
            Some(session) => (session, by.client.clone(), SessionChange::Seen),
            None => {
                // Over at once, so that nothing else is taken for a part of it.
                (no_session()?, NO_CLIENT.to_owned(), SessionChange::Ended("reported".into()))
            }
        };
        let event =
            Event { id: self.ids.next_id(at).to_string(), session: session.clone(), at, record };
        let sessions = vec![SessionUpdate { id: session.clone(), client, at, change }];
        self.record(Record { sessions, events: vec![event], ..Record::default() })?;
        Ok(session)
    }
}
