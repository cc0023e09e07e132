//! Issues that QA found, and the memories they become once the work succeeds.

use serde::Deserialize;
use tacit_core::log::{NoteKind, QaFinding};
use tacit_core::{BuiltinType, Draft, RepoPath, Scope, SessionId, Source, WorkUnitRef};

use crate::completion::GENERATOR;

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
