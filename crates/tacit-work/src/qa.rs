//! Issues that QA found, and the memories that they become once the work that had them succeeded.

use serde::Deserialize;
use tacit_core::log::{NoteKind, QaFinding};
use tacit_core::{BuiltinType, Draft, RepoPath, Scope, SessionId, Source, WorkUnitRef};

use crate::completion::GENERATOR;

/// The confidence of a failure that was fixed.
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

/// Something that QA found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QaIssue {
    /// The severity of the issue.
    pub severity: QaSeverity,
    /// The failure.
    pub description: String,
    /// The file it is about.
    pub file: Option<RepoPath>,
    /// The module it is about.
    pub module: Option<String>,
    /// The attempt that did not work.
    pub what_was_tried: Option<String>,
    /// The right way.
    pub recommendation: Option<String>,
}

impl QaIssue {
    /// Returns true if it is bad enough to be learnt from.
    pub fn is_severe(&self) -> bool {
        self.severity >= QaSeverity::High
    }

    /// Says what went wrong, what is right, and how to avoid it, in a few sentences.
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

    /// The issue as the log keeps it, for a model that puts it into words later.
    pub fn finding(&self) -> QaFinding {
        QaFinding {
            issue: self.description.clone(),
            file: self.file.clone(),
            module: self.module.clone(),
            what_was_tried: self.what_was_tried.clone(),
            what_should_be_done: self.recommendation.clone(),
        }
    }

    /// The memory that it becomes.
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
