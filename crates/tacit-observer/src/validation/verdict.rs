//! Combines all checks of a session tree into one verdict.

use tacit_core::Timestamp;
use tacit_core::log::UnitStatus;

use super::commit::RUNNER;
use super::{CheckCommand, CheckOutcome};
use crate::timeline::{StepKind, Timeline};

/// The combined result of all checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionVerdict {
    /// Passed: every failed check has passed since. Work up to the last step counts.
    Passed {
        /// The index of the last passed check.
        last_step: usize,
        /// The time of that check.
        at: Timestamp,
        /// The command or report that passed.
        summary: String,
    },
    /// A check failed and has not passed since.
    Failed {
        /// The command or report that failed.
        summary: String,
    },
    /// Unchecked work.
    Unvalidated,
}

impl SessionVerdict {
    /// Returns true if a step is covered by a passed check.
    pub fn covers_step(&self, step_index: usize) -> bool {
        matches!(self, SessionVerdict::Passed { last_step, .. } if step_index <= *last_step)
    }

    /// Returns true if the work passed.
    pub fn passed(&self) -> bool {
        matches!(self, SessionVerdict::Passed { .. })
    }

    /// Describes the verdict.
    pub fn describe(&self) -> String {
        match self {
            SessionVerdict::Passed { summary, .. } => format!("passed: {summary}"),
            SessionVerdict::Failed { summary } => format!("failed: {summary}"),
            SessionVerdict::Unvalidated => "nothing was checked".to_owned(),
        }
    }
}

/// Combines the checks of a timeline. A failed check stays failed until it passes, or a wider check
/// passes, or someone reports that the work passed.
pub fn verdict(timeline: &Timeline) -> SessionVerdict {
    let mut open: Vec<(Option<CheckCommand>, String)> = Vec::new();
    let mut passed = None;
    for (step_index, step) in timeline.steps.iter().enumerate() {
        match &step.kind {
            StepKind::Command(run) => {
                let checks = &run.check.checks;
                if run.check.committed {
                    open.retain(|(failed, _)| {
                        failed.as_ref().is_none_or(|failed| failed.runner != RUNNER)
                    });
                }
                match run.check.outcome {
                    CheckOutcome::Passed if !checks.is_empty() => {
                        open.retain(|(failed, _)| {
                            failed.as_ref().is_none_or(|failed| {
                                !checks.iter().any(|check| check.covers(failed))
                            })
                        });
                        passed = Some((step_index, step.at, run.line.clone()));
                    }
                    CheckOutcome::Failed => {
                        for check in checks {
                            open.retain(|(failed, _)| {
                                failed.as_ref().is_none_or(|f| f.key != check.key)
                            });
                            open.push((Some(check.clone()), run.line.clone()));
                        }
                    }
                    CheckOutcome::Passed | CheckOutcome::Unknown => {}
                }
            }
            StepKind::CheckReport(report) => {
                let summary = report.summary.as_ref().or(report.command.as_ref());
                let summary = summary.map_or("reported", String::as_str);
                apply_report(report.passed, summary, (step_index, step.at), &mut open, &mut passed);
            }
            StepKind::UnitReport(unit) if unit.status != UnitStatus::Started => {
                let succeeded = unit.status == UnitStatus::Succeeded;
                let summary = unit.work_unit.label();
                apply_report(succeeded, summary, (step_index, step.at), &mut open, &mut passed);
            }
            _ => {}
        }
    }
    match (open.pop(), passed) {
        (Some((_, summary)), _) => {
            SessionVerdict::Failed { summary: crate::text::one_line(&summary, 100) }
        }
        (None, Some((last_step, at, summary))) => {
            SessionVerdict::Passed { last_step, at, summary: crate::text::one_line(&summary, 100) }
        }
        (None, None) => SessionVerdict::Unvalidated,
    }
}

/// Applies a reported result: success clears all failures, a failure stays until a later success.
fn apply_report(
    is_good: bool,
    summary: &str,
    (step_index, at): (usize, Timestamp),
    open: &mut Vec<(Option<CheckCommand>, String)>,
    passed: &mut Option<(usize, Timestamp, String)>,
) {
    if is_good {
        open.clear();
        *passed = Some((step_index, at, summary.to_owned()));
    } else {
        open.push((None, summary.to_owned()));
    }
}
