//! The unit of work and the phase that somebody is in: declared by whoever directs the work, or
//! inferred from the branch and from spec files.
//!
//! What is declared is an event of a session, as everything that happens in one; nothing else is
//! kept of it.

mod consolidate;
mod outcome;
mod qa;
mod reflexion;
mod report;
mod runner;
mod sessions;
mod state;
mod trail;

use std::path::PathBuf;

use tacit_core::log::{Complexity, LogKind, LogRecord, UnitStatus};
use tacit_core::{SessionId, Timestamp, UniversalPhase, WorkUnitRef};
use tacit_store::{Event, EventQuery};

pub use consolidate::{Consolidated, LARGE as LARGE_WORK};
pub use outcome::Finished;
pub use qa::{QaIssue, QaNoted, Severity};
pub use report::{Reporter, WorkReport};
pub use runner::TestRun;
pub(crate) use sessions::place;

use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::methodology::spec_files;

/// How many reports of units of work, and of phases, are looked at.
const LOOKED_AT: usize = 200;

/// Where somebody works.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Here {
    /// In which session, if it is one of an agent.
    pub session: Option<SessionId>,
    /// On which branch.
    pub branch: Option<String>,
    /// In which worktree.
    pub worktree: PathBuf,
}

/// What is being worked on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Work {
    /// The unit of work, and how it is known.
    pub unit: Option<(WorkUnitRef, KnownBy)>,
    /// The phase, as it was declared, and the universal phase that it is.
    pub phase: Option<(String, UniversalPhase)>,
    /// How demanding the unit is, as it was declared.
    pub complexity: Option<Complexity>,
}

impl Work {
    /// The unit of work.
    pub fn unit(&self) -> Option<&WorkUnitRef> {
        self.unit.as_ref().map(|(unit, _)| unit)
    }

    /// The universal phase.
    pub fn phase(&self) -> Option<UniversalPhase> {
        self.phase.as_ref().map(|(_, phase)| *phase)
    }
}

/// How a unit of work is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KnownBy {
    /// Somebody said so, then.
    Declared(Timestamp),
    /// This told it.
    Inferred(String),
}

impl Engine<'_> {
    /// What is being worked on here.
    pub fn work(&self, here: &Here) -> EngineResult<Work> {
        let mut work = match self.store(Shelf::Project) {
            Some(_) => declared(&self.reports(here)?),
            None => Work::default(),
        };
        if work.unit.is_none() {
            let specs = spec_files(&here.worktree);
            let inferred = self.methodology().infer(here.branch.as_deref(), specs.as_ref());
            work.unit = inferred.map(|found| (found.unit, KnownBy::Inferred(found.from)));
        }
        if let Some((own, universal)) = &mut work.phase {
            // The word may be one of a methodology that was active then; what it meant stays.
            *universal = self.methodology().find_phase(own).unwrap_or(*universal);
        }
        Ok(work)
    }

    /// What was reported of work here, the newest first: in this session, or if nothing was, on this
    /// branch.
    fn reports(&self, here: &Here) -> EngineResult<Vec<Report>> {
        let mut events = Vec::new();
        for kind in [LogKind::Phase, LogKind::WorkUnit] {
            let kinds = vec![kind];
            let query = EventQuery { kinds, limit: LOOKED_AT, ..EventQuery::default() };
            events.extend(self.events(&query)?);
        }
        // Of the same moment, the phase came last: one follows from finishing a unit.
        events.sort_by_key(|event| std::cmp::Reverse(event.at));
        let all: Vec<Report> = events.into_iter().filter_map(Report::read).collect();
        let own = |report: &Report| Some(&report.session) == here.session.as_ref();
        if all.iter().any(own) {
            return Ok(all.into_iter().filter(own).collect());
        }
        let elsewhere = |report: &Report| matches!((&report.branch, &here.branch), (Some(there), Some(here)) if there != here);
        Ok(all.into_iter().filter(|report| !elsewhere(report)).collect())
    }
}

/// Something that was reported of the work.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Report {
    pub(crate) session: SessionId,
    pub(crate) at: Timestamp,
    pub(crate) branch: Option<String>,
    pub(crate) said: Said,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    /// What became of a unit.
    Unit { unit: WorkUnitRef, status: UnitStatus, complexity: Option<Complexity> },
    /// Which phase it is; none if it is none any more.
    Phase(Option<(String, UniversalPhase)>),
}

impl Report {
    /// The report of an event, if it is one.
    pub(crate) fn read(event: Event) -> Option<Report> {
        let Event { session, at, record, .. } = event;
        let (branch, said) = match record {
            LogRecord::WorkUnit(report) => {
                let (unit, status) = (report.work_unit, report.status);
                (report.branch, Said::Unit { unit, status, complexity: report.complexity })
            }
            LogRecord::Phase(report) => {
                let phase = report.phase.map(|phase| (phase.own, phase.universal));
                (report.branch, Said::Phase(phase))
            }
            _ => return None,
        };
        Some(Report { session, at, branch, said })
    }
}

/// What is being worked on, told by reports, the newest first.
fn declared(reports: &[Report]) -> Work {
    let mut work = Work::default();
    let mut closed: Vec<&WorkUnitRef> = Vec::new();
    let mut phase = None;
    let mut over_since = false;
    for report in reports {
        match &report.said {
            Said::Phase(said) => {
                phase.get_or_insert_with(|| {
                    over_since = !closed.is_empty();
                    said
                });
            }
            Said::Unit { unit, status: UnitStatus::Started, complexity } => {
                let over = closed.iter().any(|closed| contains(closed, unit));
                if work.unit.is_none() && !over {
                    work.unit = Some((unit.clone(), KnownBy::Declared(report.at)));
                    work.complexity = *complexity;
                }
            }
            Said::Unit { unit, .. } => closed.push(unit),
        }
    }
    // A phase goes on while anything does that it can be the phase of.
    if work.unit.is_some() || !over_since {
        work.phase = phase.cloned().flatten();
    }
    work
}

/// Whether a unit is another, or the other is inside it.
pub(crate) fn contains(outer: &WorkUnitRef, inner: &WorkUnitRef) -> bool {
    outer.methodology() == inner.methodology() && inner.hierarchy().starts_with(outer.hierarchy())
}
