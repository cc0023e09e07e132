//! The outcome of a unit of work: what belonged to it, and what is remembered of it.

use tacit_core::log::{UnitStatus, WorkUnitRecord};
use tacit_core::{
    BuiltinType, Details, Draft, Scope, SessionId, Source, Timestamp, TokensFrom, WorkUnitOutcome,
    WorkUnitRef,
};

use crate::activity::SessionActivity;
use crate::completion::GENERATOR;
use crate::current::WorkReport;
use crate::definition::Methodology;
use crate::scope::contains;

/// The most files, decisions and bytes of a decision that an outcome keeps.
const MAX_FILES: usize = 64;
const MAX_DECISIONS: usize = 20;
const MAX_DECISION: usize = 300;

/// The course of a unit of work, told by what was reported of it before it ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitHistory {
    /// The moment it began; none if that is not known.
    pub since: Option<Timestamp>,
    /// The branch it was begun on.
    branch: Option<String>,
    /// The sessions in which it was begun.
    sessions: Vec<SessionId>,
    /// The number of times it failed.
    retries: u32,
}

impl UnitHistory {
    /// The course of a unit that ends on a branch; `reports` have the newest first.
    pub fn of(unit: &WorkUnitRef, reports: &[WorkReport], branch: Option<&str>) -> UnitHistory {
        let mut history = UnitHistory::default();
        let mut first_inside = None;
        let mut before_first_end = true;
        for report in reports {
            let Some(record) = report.unit().filter(|record| contains(unit, &record.work_unit))
            else {
                continue;
            };
            if record.work_unit.hierarchy() != unit.hierarchy() {
                first_inside = first_inside.into_iter().chain([report.at]).min();
            } else if before_first_end && record.status == UnitStatus::Started {
                history.since = Some(report.at);
                history.branch.clone_from(&record.branch);
                history.sessions.push(report.session.clone());
            } else {
                before_first_end = false;
                history.retries += u32::from(record.status == UnitStatus::Failed);
            }
        }
        // Without a beginning of its own, it began with the first unit inside it.
        history.since = history.since.or(first_inside);
        history.branch = history.branch.or_else(|| branch.map(str::to_owned));
        history
    }

    /// Returns true if a session that took place on a branch worked on it.
    pub fn includes(
        &self,
        session: &SessionId,
        session_branch: Option<&str>,
        methodology: &Methodology,
    ) -> bool {
        // Without a beginning, only what is known to belong to it is counted.
        let begun = self.since.is_some();
        let same_work = match (session_branch, self.branch.as_deref()) {
            // On a branch that names no work, everything is done.
            (Some(session_branch), Some(branch)) => {
                session_branch == branch
                    && (begun || methodology.infer(Some(branch), None).is_some())
            }
            _ => begun,
        };
        same_work || self.sessions.contains(session)
    }
}

/// Everything that is known of a unit of work when it ends.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedUnit<'d> {
    /// The report that it ended.
    pub report: &'d WorkUnitRecord,
    /// The course until then.
    pub history: UnitHistory,
    /// The work done in its sessions.
    pub activity: SessionActivity,
    /// Decisions that agents noted.
    pub noted_decisions: Vec<String>,
    /// The tokens that it took, and how they are known.
    pub tokens: Option<(u64, TokensFrom)>,
    /// The last of its sessions.
    pub session: Option<SessionId>,
}

impl Methodology {
    /// The memory of what came of a unit of work.
    pub fn outcome(&self, done: FinishedUnit<'_>) -> Draft {
        let FinishedUnit { report, history, activity, noted_decisions, tokens, session } = done;
        let mut files = report.files.clone();
        files.extend(activity.files);
        files.sort();
        files.dedup();
        files.truncate(MAX_FILES);
        let mut decisions: Vec<String> =
            report.decisions.iter().cloned().chain(noted_decisions).collect();
        decisions.truncate(MAX_DECISIONS);
        for decision in &mut decisions {
            decision.truncate(decision.floor_char_boundary(MAX_DECISION));
        }
        let succeeded = report.status == UnitStatus::Succeeded;
        let related_files = files.iter().map(ToString::to_string).collect();
        let outcome = WorkUnitOutcome {
            succeeded,
            files_modified: files,
            key_decisions: decisions,
            steps_taken: activity.steps,
            context_tokens_used: tokens.map(|(tokens, _)| tokens),
            context_tokens_from: tokens.map(|(_, from)| from),
            retry_count: history.retries,
            failure_reason: report.summary.clone().filter(|_| !succeeded),
        };
        let state = self.extract_work_state(&activity.output);
        let mut content = self.describe_outcome(&report.work_unit, &outcome, &state);
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
