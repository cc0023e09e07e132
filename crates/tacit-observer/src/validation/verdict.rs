//! Combines the checks of a session tree: what passed, and what failed and has not passed since.

use tacit_core::log::UnitStatus;
use tacit_core::{CheckKind, RepoPath, Timestamp};

use super::commit::RUNNER;
use super::trial::Trials;
use super::{CheckCommand, CheckOutcome};
use crate::findings::{FindingKind, findings};
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
    /// A check failed and has not passed since. It speaks against what it is about.
    Failed {
        /// The command or report that failed.
        summary: String,
        /// The index of the last passed check.
        last_step: Option<usize>,
        /// The failed checks.
        open: Vec<FailedCheck>,
    },
    /// Unchecked work.
    Unvalidated,
}

/// A check that failed and has not passed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCheck {
    /// The index of its step.
    pub step_index: usize,
    /// The check; `None` for a report, which is about all work.
    pub check: Option<CheckCommand>,
    /// The command line or the report.
    pub summary: String,
    /// The files that its findings name, as printed.
    pub files: Vec<String>,
}

impl FailedCheck {
    /// Returns true if the failure is about something that was complete at a step and concerns
    /// these files: its findings name one of them; or, if it names none, it came afterwards. A
    /// linter speaks against nothing: what it dislikes may still work.
    fn is_about(&self, step_index: usize, files: &[RepoPath]) -> bool {
        let Some(check) = &self.check else { return true };
        if check.kind == CheckKind::Lint {
            return false;
        }
        if self.files.is_empty() {
            return self.step_index > step_index;
        }
        files.iter().any(|file| self.files.iter().any(|printed| is_same_file(file, printed)))
    }
}

/// Returns true if a printed path is that of a file, in full or relative to some directory.
fn is_same_file(file: &RepoPath, printed: &str) -> bool {
    let printed = printed.trim_start_matches("./");
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    !printed.is_empty() && (ends(file.as_str(), printed) || ends(printed, file.as_str()))
}

impl SessionVerdict {
    /// Returns true if a check passed at a step or after it.
    pub fn covers_step(&self, step_index: usize) -> bool {
        self.last_passed_step().is_some_and(|last_step| step_index <= last_step)
    }

    /// Returns the index of the last passed check.
    pub fn last_passed_step(&self) -> Option<usize> {
        match self {
            SessionVerdict::Passed { last_step, .. } => Some(*last_step),
            SessionVerdict::Failed { last_step, .. } => *last_step,
            SessionVerdict::Unvalidated => None,
        }
    }

    /// Returns the failed check that speaks against something that was complete at a step and
    /// concerns these files.
    pub fn veto(&self, step_index: usize, files: &[RepoPath]) -> Option<&FailedCheck> {
        match self {
            SessionVerdict::Failed { open, .. } => {
                open.iter().find(|failed| failed.is_about(step_index, files))
            }
            _ => None,
        }
    }

    /// Returns true if the work passed.
    pub fn passed(&self) -> bool {
        matches!(self, SessionVerdict::Passed { .. })
    }

    /// Describes the verdict.
    pub fn describe(&self) -> String {
        match self {
            SessionVerdict::Passed { summary, .. } => format!("passed: {summary}"),
            SessionVerdict::Failed { summary, .. } => format!("failed: {summary}"),
            SessionVerdict::Unvalidated => "nothing was checked".to_owned(),
        }
    }
}

/// Combines the checks of a timeline. A failed check stays failed until it passes, or a check that
/// covers it passes, or someone reports that the work passed. Trials count neither way.
pub fn verdict(timeline: &Timeline) -> SessionVerdict {
    let trials = Trials::of(timeline);
    let mut open: Vec<FailedCheck> = Vec::new();
    let mut passed = None;
    for (step_index, step) in timeline.steps.iter().enumerate() {
        match &step.kind {
            StepKind::Command(run) => {
                let checks = &run.check.checks;
                if run.check.committed {
                    open.retain(|failed| {
                        failed.check.as_ref().is_none_or(|check| check.runner != RUNNER)
                    });
                }
                if trials.include(step_index, run) {
                    continue;
                }
                match run.check.outcome {
                    CheckOutcome::Passed if !checks.is_empty() => {
                        open.retain(|failed| {
                            failed.check.as_ref().is_none_or(|failed| {
                                !checks.iter().any(|check| check.covers(failed))
                            })
                        });
                        passed = Some((step_index, step.at, run.line.clone()));
                    }
                    CheckOutcome::Failed if !checks.is_empty() => {
                        let found = findings(&run.output);
                        let kinds: Vec<FindingKind> = found.iter().map(|one| one.kind).collect();
                        let files: Vec<String> =
                            found.into_iter().filter_map(|one| one.file).collect();
                        for check in failed_checks(checks, &kinds) {
                            open.retain(|failed| {
                                failed.check.as_ref().is_none_or(|f| f.key != check.key)
                            });
                            open.push(FailedCheck {
                                step_index,
                                check: Some(check.clone()),
                                summary: run.line.clone(),
                                files: files.clone(),
                            });
                        }
                    }
                    _ => {}
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
    let short = |summary: &str| crate::text::one_line(summary, 100);
    match (open.last(), passed) {
        (Some(last), passed) => SessionVerdict::Failed {
            summary: short(&last.summary),
            last_step: passed.map(|(last_step, ..)| last_step),
            open,
        },
        (None, Some((last_step, at, summary))) => {
            SessionVerdict::Passed { last_step, at, summary: short(&summary) }
        }
        (None, None) => SessionVerdict::Unvalidated,
    }
}

/// Returns the checks of a line that failed, by the kinds of its findings: those before them passed,
/// and those after them may not have run. Without such findings, any of them may have failed.
fn failed_checks<'c>(checks: &'c [CheckCommand], kinds: &[FindingKind]) -> Vec<&'c CheckCommand> {
    let reports = |check: &&CheckCommand| {
        kinds.iter().any(|kind| match kind {
            FindingKind::Test => check.kind == CheckKind::Test,
            FindingKind::Compile => matches!(check.kind, CheckKind::Build | CheckKind::Test),
            FindingKind::Lint => check.kind == CheckKind::Lint,
            FindingKind::Types => matches!(check.kind, CheckKind::Types | CheckKind::Build),
            FindingKind::Usage => false,
        })
    };
    let failed: Vec<&CheckCommand> = checks.iter().filter(reports).collect();
    if failed.is_empty() { checks.iter().collect() } else { failed }
}

/// Applies a reported result: success clears all failures, a failure stays until a later success.
fn apply_report(
    is_good: bool,
    summary: &str,
    (step_index, at): (usize, Timestamp),
    open: &mut Vec<FailedCheck>,
    passed: &mut Option<(usize, Timestamp, String)>,
) {
    if is_good {
        open.clear();
        *passed = Some((step_index, at, summary.to_owned()));
    } else {
        let summary = summary.to_owned();
        open.push(FailedCheck { step_index, check: None, summary, files: Vec::new() });
    }
}

#[cfg(test)]
mod tests {
    use super::super::checks;
    use super::*;

    #[test]
    fn findings_tell_which_check_of_a_line_failed() {
        let line = checks("mise run lint && cargo build && mise run test:ci");
        for (kinds, expected) in [
            (&[][..], &["mise lint", "cargo build", "mise test:ci"][..]),
            (&[FindingKind::Lint], &["mise lint"]),
            (&[FindingKind::Test], &["mise test:ci"]),
            (&[FindingKind::Compile], &["cargo build", "mise test:ci"]),
            (&[FindingKind::Usage], &["mise lint", "cargo build", "mise test:ci"]),
        ] {
            let failed = failed_checks(&line, kinds).into_iter();
            let runners: Vec<&str> = failed.map(|check| check.runner.as_str()).collect();
            assert_eq!(runners, expected, "{kinds:?}");
        }
    }

    #[test]
    fn a_failure_speaks_against_the_files_that_it_names() {
        let failed = |command: &str, files: &[&str]| FailedCheck {
            step_index: 10,
            check: Some(checks(command).remove(0)),
            summary: command.into(),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
        };
        let file = |name: &str| vec![RepoPath::new(name).unwrap()];
        for (command, printed, step_index, files, expected) in [
            ("go test ./...", &["src/a.go"][..], 3, file("src/a.go"), true),
            ("go test ./...", &["./src/a.go"], 12, file("src/a.go"), true),
            ("go test ./...", &["a.go"], 3, file("src/a.go"), true),
            ("go test ./...", &["/srv/app/src/a.go"], 3, file("src/a.go"), true),
            ("go test ./...", &["src/a.go"], 3, file("src/b.go"), false),
            ("go test ./...", &["src/a.go"], 3, vec![], false),
            ("go test ./...", &["a.go"], 3, file("src/ba.go"), false),
            ("go test ./...", &[], 3, file("src/b.go"), true),
            ("go test ./...", &[], 3, vec![], true),
            ("go test ./...", &[], 12, file("src/b.go"), false),
            ("mise run lint", &["src/a.go"], 3, file("src/a.go"), false),
            ("mise run lint", &[], 3, file("src/b.go"), false),
        ] {
            let is_about = failed(command, printed).is_about(step_index, &files);
            assert_eq!(is_about, expected, "{command} {printed:?} {step_index} {files:?}");
        }
    }
}
