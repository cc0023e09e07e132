//! What all checks of a session tree together say: whether what was done up to some step is right.

use tacit_core::Timestamp;
use tacit_core::log::UnitStatus;

use super::commit::RUNNER;
use super::{Check, Outcome};
use crate::timeline::{Act, Timeline};

/// What the checks say about a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// All that failed has passed since. What was done up to this place holds.
    Passed {
        /// The place of the last check that passed.
        upto: usize,
        /// When that was.
        at: Timestamp,
        /// What passed, in words.
        by: String,
    },
    /// A check failed and has not passed since.
    Failed {
        /// What failed, in words.
        by: String,
    },
    /// Nothing was checked.
    Unvalidated,
}

impl Verdict {
    /// Whether what is complete at this place was checked and holds.
    pub fn holds(&self, place: usize) -> bool {
        matches!(self, Verdict::Passed { upto, .. } if place <= *upto)
    }

    /// Whether the work passed.
    pub fn passed(&self) -> bool {
        matches!(self, Verdict::Passed { .. })
    }

    /// The verdict in words.
    pub fn told(&self) -> String {
        match self {
            Verdict::Passed { by, .. } => format!("passed: {by}"),
            Verdict::Failed { by } => format!("failed: {by}"),
            Verdict::Unvalidated => "nothing was checked".to_owned(),
        }
    }
}

/// Weighs the checks of a tree. A check that failed stays failed until it passes, or one that covers
/// it does, or somebody says that the work passed.
pub fn verdict(timeline: &Timeline) -> Verdict {
    let mut open: Vec<(Option<Check>, String)> = Vec::new();
    let mut passed = None;
    for (place, step) in timeline.steps.iter().enumerate() {
        match &step.act {
            Act::Ran(run) => {
                let checks = &run.checked.checks;
                if run.checked.committed {
                    open.retain(|(failed, _)| {
                        failed.as_ref().is_none_or(|failed| failed.runner != RUNNER)
                    });
                }
                match run.checked.outcome {
                    Outcome::Passed if !checks.is_empty() => {
                        open.retain(|(failed, _)| {
                            failed.as_ref().is_none_or(|failed| {
                                !checks.iter().any(|check| check.covers(failed))
                            })
                        });
                        passed = Some((place, step.at, run.line.clone()));
                    }
                    Outcome::Failed => {
                        for check in checks {
                            open.retain(|(failed, _)| {
                                failed.as_ref().is_none_or(|f| f.key != check.key)
                            });
                            open.push((Some(check.clone()), run.line.clone()));
                        }
                    }
                    Outcome::Passed | Outcome::Unknown => {}
                }
            }
            Act::Reported(report) => {
                let said = report.summary.as_ref().or(report.command.as_ref());
                let said = said.map_or("reported", String::as_str);
                take_word(report.passed, said, (place, step.at), &mut open, &mut passed);
            }
            Act::Unit(unit) if unit.status != UnitStatus::Started => {
                let succeeded = unit.status == UnitStatus::Succeeded;
                let said = unit.work_unit.label();
                take_word(succeeded, said, (place, step.at), &mut open, &mut passed);
            }
            _ => {}
        }
    }
    match (open.pop(), passed) {
        (Some((_, by)), _) => Verdict::Failed { by: crate::text::line(&by, 100) },
        (None, Some((upto, at, by))) => {
            Verdict::Passed { upto, at, by: crate::text::line(&by, 100) }
        }
        (None, None) => Verdict::Unvalidated,
    }
}

/// Somebody's word ends whatever failed before, or stands until somebody takes it back.
fn take_word(
    is_good: bool,
    said: &str,
    (place, at): (usize, Timestamp),
    open: &mut Vec<(Option<Check>, String)>,
    passed: &mut Option<(usize, Timestamp, String)>,
) {
    if is_good {
        open.clear();
        *passed = Some((place, at, said.to_owned()));
    } else {
        open.push((None, said.to_owned()));
    }
}
