//! The current unit of work and phase, derived from reports.

use tacit_core::log::{Complexity, DeclaredPhase, LogRecord, UnitStatus, WorkUnitRecord};
use tacit_core::{FieldError, Problem, SessionId, Timestamp, UniversalPhase, WorkUnitRef};

use crate::scope::{Position, contains};

/// The current unit of work and phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurrentWork {
    /// The unit of work with its source.
    pub unit: Option<(WorkUnitRef, UnitSource)>,
    /// The phase as declared, and its universal phase.
    pub phase: Option<(String, UniversalPhase)>,
    /// The declared size of the unit.
    pub complexity: Option<Complexity>,
}

/// The source of a unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitSource {
    /// Declared in a report at this time.
    Declared(Timestamp),
    /// Inferred from the branch or file with this name.
    Inferred(String),
}

/// A log record about work.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkReport {
    /// The session of the report.
    pub session: SessionId,
    /// The time of the report.
    pub at: Timestamp,
    /// The record itself.
    pub record: LogRecord,
}

impl WorkReport {
    /// Maximum length of a text in a report, in bytes.
    pub const LONGEST: usize = 4_096;

    /// Returns the record of a unit, if it is one.
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

    /// Rejects a report with texts that are too long.
    pub fn check(unit: &WorkUnitRecord) -> Result<(), FieldError> {
        let texts = unit.summary.iter().map(|text| ("summary", text));
        for (field, text) in texts.chain(unit.decisions.iter().map(|text| ("decision", text))) {
            if text.len() > WorkReport::LONGEST {
                let rule =
                    format!("is {} bytes long; the limit is {}", text.len(), WorkReport::LONGEST);
                return Err(FieldError::new(field, Problem::rule(rule)));
            }
        }
        Ok(())
    }
}

impl CurrentWork {
    /// Returns the unit of work.
    pub fn unit(&self) -> Option<&WorkUnitRef> {
        self.unit.as_ref().map(|(unit, _)| unit)
    }

    /// Returns the universal phase.
    pub fn phase(&self) -> Option<UniversalPhase> {
        self.phase.as_ref().map(|(_, phase)| *phase)
    }

    /// Returns the position of a session at this work.
    pub fn position<'w>(&'w self, session: Option<&'w SessionId>) -> Position<'w> {
        Position { session, unit: self.unit() }
    }

    /// Finds the work of a session or branch in reports, which must be ordered newest first. If the
    /// session has reports of its own, only those count.
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
        // A phase lasts as long as any unit that it can belong to.
        if work.unit.is_some() || !closed_after_phase {
            let phase = phase.cloned().flatten();
            work.phase = phase.map(|DeclaredPhase { own, universal }| (own, universal));
        }
        work
    }
}
