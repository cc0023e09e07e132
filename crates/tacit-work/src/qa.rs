//! Issues that QA found, and the memories they become once the work succeeds.

use serde::Deserialize;
use tacit_core::log::{LogRecord, NoteKind, QaFinding, QaReportRecord};
use tacit_core::{BuiltinType, Draft, RepoPath, Scope, SessionId, Source, WorkUnitRef};

use crate::completion::GENERATOR;
use crate::current::WorkReport;
use crate::scope::{contains, is_related};

/// The confidence of a fixed failure.
const CONFIDENCE: f64 = 0.8;

/// The severity of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each is what it says")]
pub enum QaSeverity {
    Low,
    Medium,
    High,
    Critical,
}

/// An issue that QA found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QaIssue {
    /// The severity of the issue.
    pub severity: QaSeverity,
    /// A description of the failure.
    pub description: String,
    /// The file it is about.
    pub file: Option<RepoPath>,
    /// The module it is about.
    pub module: Option<String>,
    /// The attempt that did not work.
    pub what_was_tried: Option<String>,
    /// The recommended solution.
    pub recommendation: Option<String>,
}

impl QaIssue {
    /// Returns true if it is severe enough to learn from.
    pub fn is_severe(&self) -> bool {
        self.severity >= QaSeverity::High
    }

    /// Describes the issue, the failed attempt and the recommendation.
    fn text(&self) -> String {
        let trimmed = |text: &str| text.trim().trim_end_matches(['.', '!', ' ']).to_owned();
        let place = self.file.as_ref().map(|file| format!(" (in `{file}`)")).unwrap_or_default();
        let mut text = format!("QA found: {}{place}.", trimmed(&self.description));
        for (before, part) in
            [("What was tried", &self.what_was_tried), ("Do this instead", &self.recommendation)]
        {
            if let Some(part) = part.as_deref().filter(|text| !text.trim().is_empty()) {
                text.push_str(&format!(" {before}: {}.", trimmed(part)));
            }
        }
        text
    }

    /// Converts the issue to its form in the log, from which a model may write a note later.
    pub fn finding(&self) -> QaFinding {
        QaFinding {
            issue: self.description.clone(),
            file: self.file.clone(),
            module: self.module.clone(),
            what_was_tried: self.what_was_tried.clone(),
            what_should_be_done: self.recommendation.clone(),
        }
    }

    /// Drafts the memory of a fixed issue.
    pub fn draft(&self, unit: Option<&WorkUnitRef>, session: &SessionId) -> Draft {
        Draft {
            content: self.text(),
            kind: Some(BuiltinType::ErrorPattern.to_string()),
            confidence: Some(CONFIDENCE),
            related_files: self.file.iter().map(ToString::to_string).collect(),
            related_modules: self.module.iter().cloned().collect(),
            source: Some(Source::QaAuto.to_string()),
            generator: Some(GENERATOR.into()),
            work_unit: unit.cloned(),
            session: Some(session.to_string()),
            scope: Some(Scope::Module.to_string()),
            tags: vec![NoteKind::QaFailure.to_string()],
            ..Draft::default()
        }
    }
}

impl WorkReport {
    /// Returns the record of a QA report, if it is one.
    pub fn qa(&self) -> Option<&QaReportRecord> {
        match &self.record {
            LogRecord::QaReport(report) => Some(report),
            _ => None,
        }
    }
}

/// Returns the QA reports whose issues are not fixed yet and concern a unit of work or a branch:
/// those that did not pass and are the last about their work. `reports` must be ordered newest
/// first.
pub fn open_qa_reports<'r>(
    reports: &'r [WorkReport],
    unit: Option<&WorkUnitRef>,
    branch: Option<&str>,
) -> Vec<&'r WorkReport> {
    let mut later: Vec<&QaReportRecord> = Vec::new();
    let mut open = Vec::new();
    for report in reports {
        let Some(record) = report.qa() else { continue };
        let on_branch = is_same_or_unknown(record.branch.as_deref(), branch);
        let concerns = match (&record.work_unit, unit) {
            (Some(reported), Some(unit)) => is_related(reported, unit),
            _ => on_branch,
        };
        if concerns && !record.passed && !later.iter().any(|later| replaces(later, record)) {
            open.push(report);
        }
        later.push(record);
    }
    open
}

/// Returns true if a later report is about all the work of an earlier one.
fn replaces(later: &QaReportRecord, earlier: &QaReportRecord) -> bool {
    match (&later.work_unit, &earlier.work_unit) {
        (Some(later), Some(earlier)) => contains(later, earlier),
        (None, None) => is_same_or_unknown(later.branch.as_deref(), earlier.branch.as_deref()),
        _ => false,
    }
}

fn is_same_or_unknown(one: Option<&str>, other: Option<&str>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use tacit_core::Timestamp;

    use super::*;

    fn unit(path: &str) -> Option<WorkUnitRef> {
        let hierarchy = path.split('/').map(str::to_owned).collect();
        (!path.is_empty()).then(|| WorkUnitRef::new("native", hierarchy, path).unwrap())
    }

    #[test]
    fn the_last_failed_report_about_the_work_is_open() {
        // Reports as unit, branch and verdict, newest first; current unit and branch; open ones.
        for (reports, here, expected) in [
            (&[("7/1", "a", false)][..], ("7/1", "a"), &[0][..]),
            (&[("7/1", "a", false)], ("7/1", "b"), &[0]),
            (&[("7/1", "a", false)], ("7", "a"), &[0]),
            (&[("7/1", "a", false)], ("7/2", "a"), &[]),
            (&[("7/1", "a", false)], ("", "a"), &[0]),
            (&[("7/1", "a", false)], ("", "b"), &[]),
            (&[("", "a", false)], ("7/1", "a"), &[0]),
            (&[("", "a", false)], ("", "b"), &[]),
            (&[("7/1", "a", true), ("7/1", "a", false)], ("7/1", "a"), &[]),
            (&[("7", "a", true), ("7/1", "a", false)], ("7/1", "a"), &[]),
            (&[("7/2", "a", true), ("7/1", "a", false)], ("7/1", "a"), &[1]),
            (&[("7/1", "a", false), ("7/1", "a", false)], ("7/1", "a"), &[0]),
            (&[("", "a", true), ("", "a", false)], ("", "a"), &[]),
            (&[("", "b", true), ("", "a", false)], ("", "a"), &[1]),
        ] {
            let log: Vec<WorkReport> = reports
                .iter()
                .map(|(own, branch, passed)| WorkReport {
                    session: SessionId::new("qa").unwrap(),
                    at: Timestamp::MIN,
                    record: LogRecord::QaReport(QaReportRecord {
                        work_unit: unit(own),
                        passed: *passed,
                        issues: 1,
                        severe: 1,
                        branch: Some((*branch).to_owned()),
                        by: None,
                        tool: None,
                    }),
                })
                .collect();
            let open = open_qa_reports(&log, unit(here.0).as_ref(), Some(here.1));
            let expected: Vec<&WorkReport> = expected.iter().map(|at| &log[*at]).collect();
            assert_eq!(open, expected, "{reports:?} {here:?}");
        }
    }
}
