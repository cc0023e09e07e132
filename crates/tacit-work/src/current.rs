//! The unit of work and the phase that somebody is in, told by what was reported.

use tacit_core::log::{Complexity, DeclaredPhase, LogRecord, UnitStatus, WorkUnitRecord};
use tacit_core::{FieldError, Problem, SessionId, Timestamp, UniversalPhase, WorkUnitRef};

use crate::scope::{Position, contains};

/// The work that somebody is at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurrentWork {
    /// The unit of work, and how it is known.
    pub unit: Option<(WorkUnitRef, UnitSource)>,
    /// The phase, as it was declared, and the universal phase that it is.
    pub phase: Option<(String, UniversalPhase)>,
    /// The size of the unit, as it was declared.
    pub complexity: Option<Complexity>,
}

/// The evidence for a unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitSource {
    /// Somebody said so, then.
    Declared(Timestamp),
    /// A branch or a file with this name told it.
    Inferred(String),
}

/// A line of the log in which somebody reported something of the work.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkReport {
    /// The session it was reported in.
    pub session: SessionId,
    /// The moment of the report.
    pub at: Timestamp,
    /// The report itself.
    pub record: LogRecord,
}

impl WorkReport {
    /// The longest text in a report, in bytes.
    pub const LONGEST: usize = 4_096;

    /// Returns the record of a unit, if it is about one.
    pub fn unit(&self) -> Option<&WorkUnitRecord> {
        match &self.record {
            LogRecord::WorkUnit(unit) => Some(unit),
            _ => None,
        }
    }

    fn branch(&self) -> Option<&str> {
        match &self.record {
            LogRecord::WorkUnit(unit) => unit.branch.as_deref(),
            LogRecord::Phase(phase) => phase.branch.as_deref(),
            _ => None,
        }
    }

    /// Refuses a report of a unit whose texts are too long.
    pub fn check(unit: &WorkUnitRecord) -> Result<(), FieldError> {
        let texts = unit.summary.iter().map(|text| ("summary", text));
        for (field, text) in texts.chain(unit.decisions.iter().map(|text| ("decision", text))) {
            if text.len() > WorkReport::LONGEST {
                let rule =
                    format!("is {} bytes long; at most {} fit", text.len(), WorkReport::LONGEST);
                return Err(FieldError::new(field, Problem::rule(rule)));
            }
        }
        Ok(())
    }
}

impl CurrentWork {
    /// The unit of work.
    pub fn unit(&self) -> Option<&WorkUnitRef> {
        self.unit.as_ref().map(|(unit, _)| unit)
    }

    /// The universal phase.
    pub fn phase(&self) -> Option<UniversalPhase> {
        self.phase.as_ref().map(|(_, phase)| *phase)
    }

    /// The place of a session that is at this work.
    pub fn position<'w>(&'w self, session: Option<&'w SessionId>) -> Position<'w> {
        Position { session, unit: self.unit() }
    }

    /// Finds the work of a session or on a branch in reports, the newest first.
    /// Those of the session count alone, if there are any.
    pub fn declared(
        mut reports: Vec<WorkReport>,
        session: Option<&SessionId>,
        branch: Option<&str>,
    ) -> CurrentWork {
        let own = |report: &WorkReport| Some(&report.session) == session;
        if reports.iter().any(own) {
            reports.retain(own);
        } else {
            let report_branch = |report: &WorkReport| match (report.branch(), branch) {
                (Some(report_branch), Some(here)) => report_branch == here,
                _ => true,
            };
            reports.retain(report_branch);
        }
        let mut work = CurrentWork::default();
        let mut closed: Vec<&WorkUnitRef> = Vec::new();
        let mut phase = None;
        let mut closed_after_phase = false;
        for report in &reports {
            match &report.record {
                LogRecord::Phase(declared) => {
                    phase.get_or_insert_with(|| {
                        closed_after_phase = !closed.is_empty();
                        &declared.phase
                    });
                }
                LogRecord::WorkUnit(WorkUnitRecord { work_unit, status, complexity, .. }) => {
                    if *status != UnitStatus::Started {
                        closed.push(work_unit);
                        continue;
                    }
                    let is_closed = closed.iter().any(|closed| contains(closed, work_unit));
                    if work.unit.is_none() && !is_closed {
                        work.unit = Some((work_unit.clone(), UnitSource::Declared(report.at)));
                        work.complexity = *complexity;
                    }
                }
                _ => {}
            }
        }
        // A phase goes on while anything does that it can be the phase of.
        if work.unit.is_some() || !closed_after_phase {
            let phase = phase.cloned().flatten();
            work.phase = phase.map(|DeclaredPhase { own, universal }| (own, universal));
        }
        work
    }
}
