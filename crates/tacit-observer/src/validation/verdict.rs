//! What all checks of a session tree together say: whether what was done up to some step is right.

use tacit_core::Timestamp;
use tacit_core::log::UnitStatus;

use super::commit::RUNNER;
use super::{CheckCommand, CheckOutcome};
use crate::timeline::{StepKind, Timeline};

/// What the checks say about a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionVerdict {
    /// All that failed has passed since. What was done up to this place holds.
    Passed {
        /// The place of the last check that passed.
        last_step: usize,
        /// When that was.
        at: Timestamp,
        /// What passed, in words.
        summary: String,
    },
    /// A check failed and has not passed since.
    Failed {
        /// What failed, in words.
        summary: String,
    },
    /// Nothing was checked.
    Unvalidated,
}

impl SessionVerdict {
    /// Whether what is complete at this place was checked and holds.
    pub fn holds(&self, step_index: usize) -> bool {
        matches!(self, SessionVerdict::Passed { last_step, .. } if step_index <= *last_step)
    }

    /// Whether the work passed.
    pub fn passed(&self) -> bool {
        matches!(self, SessionVerdict::Passed { .. })
    }

    /// The verdict in words.
    pub fn describe(&self) -> String {
        match self {
            SessionVerdict::Passed { summary, .. } => format!("passed: {summary}"),
            SessionVerdict::Failed { summary } => format!("failed: {summary}"),
            SessionVerdict::Unvalidated => "nothing was checked".to_owned(),
        }
    }
}

/// Weighs the checks of a tree. A check that failed stays failed until it passes, or one that covers
/// it does, or somebody says that the work passed.
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

/// Somebody's word ends whatever failed before, or stands until somebody takes it back.
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
