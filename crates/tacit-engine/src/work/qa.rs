//! Failures that QA found: held as notes of the session, and remembered when the work that had them
//! succeeded after all.

use tacit_core::log::{
    LogKind, LogRecord, NoteKind, NoteRecord, QaFailureNote, QaFinding, QaReportRecord,
};
use tacit_core::{BuiltinType, Draft, RepoPath, Scope, SessionId, Source, WorkUnitRef};
use tacit_store::{EventQuery, Note, Record};

use super::outcome::GENERATOR;
use super::{Reporter, contains};
use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::remember::{Remembered, redact_note};

/// The note that holds a failure, and the tag of the memory that it becomes.
const HELD: NoteKind = NoteKind::QaFailure;
/// How sure a failure that was fixed is.
const CONFIDENCE: f64 = 0.8;
/// How many reports and checks are looked at.
const LOOKED_AT: usize = 200;

/// How bad an issue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is what it says")]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

/// Something that QA found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QaIssue {
    /// How bad it is.
    pub severity: Severity,
    /// What went wrong.
    pub description: String,
    /// The file it is about.
    pub file: Option<RepoPath>,
    /// The module it is about.
    pub module: Option<String>,
    /// What was tried.
    pub what_was_tried: Option<String>,
    /// What should be done.
    pub recommendation: Option<String>,
}

/// What became of a report.
#[derive(Debug)]
pub struct QaNoted {
    /// The session it was written to.
    pub session: SessionId,
    /// The failures that are held until the work succeeds.
    pub held: Vec<String>,
    /// Failures of earlier reports that are remembered now.
    pub remembered: Vec<Remembered>,
}

impl QaIssue {
    /// Whether it is bad enough to be learnt from.
    pub fn is_severe(&self) -> bool {
        self.severity >= Severity::High
    }

    /// What went wrong, what is right, and how to avoid it, in a few sentences.
    fn told(&self) -> String {
        let sentence = |text: &str| {
            let text = text.trim().trim_end_matches(['.', '!', ' ']);
            let mut chars = text.chars();
            chars.next().map(|first| format!("{}{}.", first.to_uppercase(), chars.as_str()))
        };
        let mut parts = Vec::new();
        let place = self.file.as_ref().map(|file| format!(" (in `{file}`)")).unwrap_or_default();
        let found = self.description.trim().trim_end_matches(['.', '!', ' ']);
        parts.extend(sentence(&format!("QA found: {found}{place}")));
        if let Some(tried) = self.what_was_tried.as_deref().filter(|text| !text.trim().is_empty()) {
            parts.extend(sentence(&format!("what was tried: {}", tried.trim())));
        }
        if let Some(right) = self.recommendation.as_deref().filter(|text| !text.trim().is_empty()) {
            parts.extend(sentence(&format!("do this instead: {}", right.trim())));
        }
        parts.join(" ")
    }

    /// Everything it says, for a model.
    fn told_whole(&self) -> QaFinding {
        QaFinding {
            issue: self.description.clone(),
            file: self.file.clone(),
            module: self.module.clone(),
            what_was_tried: self.what_was_tried.clone(),
            what_should_be_done: self.recommendation.clone(),
        }
    }

    fn draft(&self, unit: Option<&WorkUnitRef>, session: &SessionId) -> Draft {
        Draft {
            content: self.told(),
            kind: Some(BuiltinType::ErrorPattern.to_string()),
            confidence: Some(CONFIDENCE),
            related_files: self.file.iter().map(ToString::to_string).collect(),
            related_modules: self.module.iter().cloned().collect(),
            source: Some(Source::QaAuto.to_string()),
            generator: Some(GENERATOR.into()),
            work_unit: unit.cloned(),
            session: Some(session.to_string()),
            scope: Some(Scope::Module.to_string()),
            tags: vec![HELD.to_string()],
            ..Draft::default()
        }
    }
}

impl Engine<'_> {
    /// Writes what QA found. Severe issues are held; a report that passed lets those be remembered
    /// that were held for the same unit of work.
    pub fn report_qa(
        &mut self,
        by: &Reporter,
        unit: Option<&WorkUnitRef>,
        passed: bool,
        issues: &[QaIssue],
    ) -> EngineResult<QaNoted> {
        let severe: Vec<&QaIssue> = issues.iter().filter(|issue| issue.is_severe()).collect();
        // What cannot be remembered later is refused now.
        let session = by.here.session.clone().or_else(|| self.session_in_use());
        let probe = session.unwrap_or(super::report::no_session()?);
        for issue in &severe {
            self.prepare(Shelf::Project, issue.draft(unit, &probe))?;
        }
        let report = QaReportRecord {
            work_unit: unit.cloned(),
            passed,
            issues: issues.len(),
            severe: severe.len(),
            branch: by.here.branch.clone(),
            by: Some(by.client.clone()),
            tool: Some(by.tool.clone()),
        };
        let session = self.report(by, LogRecord::QaReport(report))?;
        let at = self.clock.now();
        let mut notes = Vec::new();
        for issue in severe {
            let draft = issue.draft(unit, &session);
            notes.push(redact_note(Note {
                id: self.ids.next_id(at).to_string(),
                session: session.clone(),
                at,
                text: draft.content.clone(),
                files: issue.file.iter().cloned().collect(),
                record: NoteRecord::QaFailure(Box::new(QaFailureNote {
                    draft,
                    work_unit: unit.cloned(),
                    issue: Some(issue.told_whole()),
                })),
            })?);
        }
        let held = notes.iter().map(|note| note.text.clone()).collect();
        if !notes.is_empty() {
            self.record(Record { notes, ..Record::default() })?;
        }
        let remembered = match unit {
            Some(unit) if passed => self.promote_reflexions(unit)?,
            _ => Vec::new(),
        };
        Ok(QaNoted { session, held, remembered })
    }

    /// Remembers the failures that were held for a unit of work, or one inside it.
    pub(crate) fn promote_reflexions(
        &mut self,
        unit: &WorkUnitRef,
    ) -> EngineResult<Vec<Remembered>> {
        let inside =
            |held: &QaFailureNote| held.work_unit.as_ref().is_some_and(|held| contains(unit, held));
        let mut remembered = Vec::new();
        for session in self.sessions_with_reports()? {
            remembered.extend(self.promote(&session, inside)?);
        }
        Ok(remembered)
    }

    /// Remembers the failures that were held in sessions whose checks passed afterwards.
    pub fn settle_reflexions(&mut self) -> EngineResult<usize> {
        let mut count = 0;
        for session in self.sessions_with_reports()? {
            // Reports of different work that belong to no session have only that in common.
            if session.as_str() == super::report::NO_SESSION {
                continue;
            }
            let query = EventQuery {
                session: Some(session.clone()),
                kinds: vec![LogKind::Check, LogKind::QaReport],
                limit: 1,
                ..EventQuery::default()
            };
            let passed = match self.events(&query)?.pop().map(|event| event.record) {
                Some(LogRecord::Check(check)) => check.passed,
                Some(LogRecord::QaReport(report)) => report.passed,
                _ => false,
            };
            if passed {
                count += self.promote(&session, |_| true)?.len();
            }
        }
        Ok(count)
    }

    fn sessions_with_reports(&self) -> EngineResult<Vec<SessionId>> {
        let kinds = vec![LogKind::QaReport];
        let query = EventQuery { kinds, limit: LOOKED_AT, ..EventQuery::default() };
        let mut sessions: Vec<SessionId> = Vec::new();
        for event in self.events(&query)? {
            if !sessions.contains(&event.session) {
                sessions.push(event.session);
            }
        }
        Ok(sessions)
    }

    /// Remembers what was held in a session, each failure once.
    fn promote(
        &mut self,
        session: &SessionId,
        meant: impl Fn(&QaFailureNote) -> bool,
    ) -> EngineResult<Vec<Remembered>> {
        let mut remembered = Vec::new();
        for note in self.notes_of(session)?.into_iter().rev() {
            let NoteRecord::QaFailure(held) = note.record else { continue };
            if !meant(&held) {
                continue;
            }
            let QaFailureNote { mut draft, issue, .. } = *held;
            let name = format!("{HELD} {}", note.id);
            // Nobody is asked to write what is remembered already.
            let store = self.store(Shelf::Project).ok_or_else(|| self.not_initialised())?;
            if store.count_requests(&name)? > 0 {
                continue;
            }
            if let Some((text, by)) = issue.and_then(|issue| self.written_reflexion(&issue)) {
                draft.content = text;
                draft.generator = Some(by);
            }
            remembered.extend(self.remember_once(&name, [draft])?);
        }
        Ok(remembered)
    }
}
