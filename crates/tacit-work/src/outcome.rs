//! The outcome of a unit of work: what belonged to it, and what is remembered of it.

use tacit_core::log::{UnitStatus, WorkUnitRecord};
use tacit_core::{
    BuiltinType, Details, Draft, Scope, SessionId, Source, Timestamp, TokensFrom, WorkUnitOutcome,
    WorkUnitRef,
};

use crate::completion::GENERATOR;
use crate::current::Report;
use crate::definition::Methodology;
use crate::scope::contains;
use crate::trail::Trail;

/// The most files, decisions and bytes of a decision that an outcome keeps.
const MOST_FILES: usize = 64;
const MOST_DECISIONS: usize = 20;
const LONGEST_DECISION: usize = 300;

/// The course of a unit of work, told by what was reported of it before it ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Course {
    /// The moment it began; none if that is not known.
    pub since: Option<Timestamp>,
    /// The branch it was begun on.
    branch: Option<String>,
    /// The sessions in which it was begun.
    sessions: Vec<SessionId>,
    /// The number of times it failed.
    retries: u32,
}

impl Course {
    /// The course of a unit that ends on a branch; `reports` have the newest first.
    pub fn of(unit: &WorkUnitRef, reports: &[Report], branch: Option<&str>) -> Course {
        let mut course = Course::default();
        let mut first_inside = None;
        let mut begins = true;
        for report in reports {
            let Some(said) = report.unit().filter(|said| contains(unit, &said.work_unit)) else {
                continue;
            };
            if said.work_unit.hierarchy() != unit.hierarchy() {
                first_inside = first_inside.into_iter().chain([report.at]).min();
            } else if begins && said.status == UnitStatus::Started {
                course.since = Some(report.at);
                course.branch.clone_from(&said.branch);
                course.sessions.push(report.session.clone());
            } else {
                begins = false;
                course.retries += u32::from(said.status == UnitStatus::Failed);
            }
        }
        // Without a beginning of its own, it began with the first unit inside it.
        course.since = course.since.or(first_inside);
        course.branch = course.branch.or_else(|| branch.map(str::to_owned));
        course
    }

    /// Returns true if a session that took place on a branch worked on it.
    pub fn includes(
        &self,
        session: &SessionId,
        there: Option<&str>,
        methodology: &Methodology,
    ) -> bool {
        // Without a beginning, only what is known to belong to it is counted.
        let begun = self.since.is_some();
        let here = match (there, self.branch.as_deref()) {
            // On a branch that names no work, everything is done.
            (Some(there), Some(branch)) => {
                there == branch && (begun || methodology.infer(Some(branch), None).is_some())
            }
            _ => begun,
        };
        here || self.sessions.contains(session)
    }
}

/// Everything that is known of a unit of work when it ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Done<'d> {
    /// The report that it ended.
    pub report: &'d WorkUnitRecord,
    /// The course until then.
    pub course: Course,
    /// The work done in its sessions.
    pub trail: Trail,
    /// Decisions that agents noted.
    pub decided: Vec<String>,
    /// The tokens that it took, and how they are known.
    pub tokens: Option<(u64, TokensFrom)>,
    /// The last of its sessions.
    pub session: Option<SessionId>,
}

impl Methodology {
    /// The memory of what came of a unit of work.
    pub fn outcome(&self, done: Done<'_>) -> Draft {
        let Done { report, course, trail, decided, tokens, session } = done;
        let mut files = report.files.clone();
        files.extend(trail.files);
        files.sort();
        files.dedup();
        files.truncate(MOST_FILES);
        let mut decisions: Vec<String> = report.decisions.iter().cloned().chain(decided).collect();
        decisions.truncate(MOST_DECISIONS);
        for decision in &mut decisions {
            decision.truncate(decision.floor_char_boundary(LONGEST_DECISION));
        }
        let succeeded = report.status == UnitStatus::Succeeded;
        let related_files = files.iter().map(ToString::to_string).collect();
        let outcome = WorkUnitOutcome {
            succeeded,
            files_modified: files,
            key_decisions: decisions,
            steps_taken: trail.steps,
            context_tokens_used: tokens.map(|(tokens, _)| tokens),
            context_tokens_from: tokens.map(|(_, from)| from),
            retry_count: course.retries,
            failure_reason: report.summary.clone().filter(|_| !succeeded),
        };
        let state = self.extract_work_state(&trail.output);
        let mut content = self.tell_outcome(&report.work_unit, &outcome, &state);
        if let Some(summary) = report.summary.as_deref().filter(|_| succeeded) {
            content = format!("{content} {summary}");
        }
        Draft {
            content,
            kind: Some(BuiltinType::WorkUnitOutcome.to_string()),
            details: Details::WorkUnitOutcome(outcome).to_json(),
            scope: Some(Scope::WorkUnit.to_string()),
            work_unit: Some(report.work_unit.clone()),
            tags: self.completion.tags.clone(),
            related_files,
            session: session.map(|session| session.to_string()),
            source: Some(Source::ObserverInferred.to_string()),
            generator: Some(GENERATOR.into()),
            ..Draft::default()
        }
    }
}
