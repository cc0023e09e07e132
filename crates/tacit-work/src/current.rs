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

    /// Finds the work of a session or branch in reports, which must be ordered newest first. A session
    /// with reports of its own on units follows only those. One without works on what was declared
    /// for its branch; of phases, its own count if it has any.
    pub fn declared(
        mut reports: Vec<WorkReport>,
        session: Option<&SessionId>,
        branch: Option<&str>,
    ) -> CurrentWork {
        let own = |report: &WorkReport| Some(&report.session) == session;
        let on_branch = |report: &WorkReport| match (report.branch(), branch) {
            (Some(report_branch), Some(here)) => report_branch == here,
            _ => true,
        };
        let has_own = reports.iter().any(own);
        let has_own_unit = reports.iter().any(|report| own(report) && report.unit().is_some());
        reports.retain(|report| match report.unit() {
            _ if own(report) => true,
            Some(_) => !has_own_unit && on_branch(report),
            None => !has_own && on_branch(report),
        });
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

#[cfg(test)]
mod tests {
    use tacit_core::log::PhaseRecord;

    use super::*;

    fn session(name: &str) -> SessionId {
        SessionId::new(name).unwrap()
    }

    fn unit(name: &str) -> WorkUnitRef {
        WorkUnitRef::new("native", vec![name.into()], name).unwrap()
    }

    fn report(by: &str, record: LogRecord) -> WorkReport {
        WorkReport { session: session(by), at: Timestamp::MIN, record }
    }

    fn started(by: &str, name: &str, branch: &str) -> WorkReport {
        let record = WorkUnitRecord::new(unit(name), UnitStatus::Started);
        let record = WorkUnitRecord { branch: Some(branch.to_owned()), ..record };
        report(by, LogRecord::WorkUnit(record))
    }

    fn phase(by: &str, own: &str) -> WorkReport {
        let declared = DeclaredPhase { own: own.to_owned(), universal: UniversalPhase::Implement };
        report(
            by,
            LogRecord::Phase(PhaseRecord {
                phase: Some(declared),
                methodology: None,
                branch: Some("main".to_owned()),
                by: None,
                tool: None,
            }),
        )
    }

    #[test]
    fn a_session_without_a_unit_of_its_own_works_on_that_of_its_branch() {
        // Reports, newest first; the unit and the phase of session `a` on `main`.
        for (reports, expected) in [
            (vec![started("cli", "7", "main")], (Some("7"), None)),
            (vec![started("cli", "7", "other")], (None, None)),
            (vec![phase("a", "coding"), started("cli", "7", "main")], (Some("7"), Some("coding"))),
            (vec![started("cli", "8", "main"), started("a", "7", "main")], (Some("7"), None)),
            (vec![phase("cli", "coding"), started("a", "7", "main")], (Some("7"), None)),
            (vec![phase("cli", "coding")], (None, Some("coding"))),
        ] {
            let work = CurrentWork::declared(reports.clone(), Some(&session("a")), Some("main"));
            let (name, own) = expected;
            assert_eq!(work.unit().map(WorkUnitRef::label), name, "{reports:?}");
            assert_eq!(work.phase.map(|(own, _)| own).as_deref(), own, "{reports:?}");
        }
    }
}
