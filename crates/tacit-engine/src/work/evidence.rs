//! Evidence of the end of a unit of work: reports, branches and commits.

use std::collections::BTreeSet;

use tacit_core::log::{LogKind, NoteRecord, UnitStatus};
use tacit_core::{SessionId, WorkUnitRef};
use tacit_work::scope;

use super::checkout;
use crate::engine::Engine;
use crate::error::EngineResult;
use crate::life::ProjectState;

/// The most sessions of a unit whose notes are read.
const SESSIONS: usize = 20;

/// The evidence of the end of a unit of work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UnitEvidence {
    /// True if the last report says that the work is done or given up.
    pub(crate) is_closed: bool,
    /// The branches on which it was worked on.
    pub(crate) branches: BTreeSet<String>,
    /// The commits that were made for it.
    pub(crate) commits: BTreeSet<String>,
}

impl UnitEvidence {
    /// Returns true if the unit is merged and closed. Without a report of its end, that takes a
    /// commit on the main branch, and branches that are all merged or deleted.
    pub(crate) fn is_over(&self, project: &dyn ProjectState) -> bool {
        if self.branches.iter().any(|branch| project.is_open_branch(branch)) {
            return false;
        }
        let is_merged = |commit: &String| {
            let was_squashed = |branch: &String| project.was_squashed(branch, commit);
            project.is_on_main(commit) || self.branches.iter().any(was_squashed)
        };
        let has_merged_commit = || self.commits.iter().any(is_merged);
        let has_branch = !self.branches.is_empty();
        if self.is_closed {
            return has_branch || self.commits.is_empty() || has_merged_commit();
        }
        let was_on_main = self.branches.iter().any(|branch| project.is_main_branch(branch));
        has_branch && !was_on_main && has_merged_commit()
    }
}

impl Engine<'_> {
    /// Gathers the evidence about a unit, with the sessions and commits of its memories.
    pub(crate) fn unit_evidence(
        &self,
        unit: &WorkUnitRef,
        has_outcome: bool,
        sessions: &BTreeSet<SessionId>,
        commits: BTreeSet<String>,
    ) -> EngineResult<UnitEvidence> {
        let mut evidence = UnitEvidence { commits, ..UnitEvidence::default() };
        let reports = self.work_reports(LogKind::WorkUnit)?;
        let reports: Vec<_> = reports.iter().filter_map(|report| report.unit()).collect();
        // Reports are newest first. A unit inside a finished one is finished.
        let own = reports.iter().find(|report| report.work_unit == *unit);
        let outer = reports.iter().find(|report| scope::contains(&report.work_unit, unit));
        evidence.is_closed = match own.or(outer).map(|report| report.status) {
            Some(UnitStatus::Started) => false,
            Some(UnitStatus::Succeeded | UnitStatus::Failed) => true,
            // Reports are deleted in time; the outcome stays.
            None => has_outcome,
        };
        let related = reports.iter().filter(|report| {
            scope::contains(&report.work_unit, unit) || scope::contains(unit, &report.work_unit)
        });
        evidence.branches.extend(related.filter_map(|report| report.branch.clone()));
        for session in sessions.iter().take(SESSIONS) {
            let notes = self.notes_of(session)?;
            evidence.branches.extend(checkout(&notes).branch);
            evidence.commits.extend(notes.into_iter().filter_map(|note| match note.record {
                NoteRecord::Commit(commit) => Some(commit.sha.to_string()),
                _ => None,
            }));
        }
        Ok(evidence)
    }
}
