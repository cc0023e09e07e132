//! Failures that QA found: held as notes of the session, and remembered when the work that had them
//! succeeded after all.

use tacit_core::log::{LogKind, LogRecord, NoteKind, NoteRecord, QaFailureNote, QaReportRecord};
use tacit_core::{SessionId, WorkUnitRef};
use tacit_store::{ActivityBatch, EventQuery, Note};
use tacit_work::{QaIssue, reflexion, scope};

use super::{NO_SESSION, REPORTS, Reporter, no_session};
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::generation::GenerationPurpose;
use crate::remember::{RememberResult, redact_note};

/// The results of a report.
#[derive(Debug)]
pub struct QaReportResult {
    /// The session it was written to.
    pub session: SessionId,
    /// The failures that are held until the work succeeds.
    pub held: Vec<String>,
    /// Failures of earlier reports that are remembered now.
    pub remembered: Vec<RememberResult>,
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
    ) -> EngineResult<QaReportResult> {
        let severe: Vec<&QaIssue> = issues.iter().filter(|issue| issue.is_severe()).collect();
        // What cannot be remembered later is refused now.
        let session = by.here.session.clone().or_else(|| self.session_in_use());
        let probe = session.unwrap_or(no_session()?);
        for issue in &severe {
            self.prepare(StoreScope::Project, issue.draft(unit, &probe))?;
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
        let notes = severe
            .into_iter()
            .map(|issue| self.held(&session, unit, issue))
            .collect::<EngineResult<Vec<_>>>()?;
        let held = notes.iter().map(|note| note.text.clone()).collect();
        if !notes.is_empty() {
            self.record(ActivityBatch { notes, ..ActivityBatch::default() })?;
        }
        let remembered = match unit {
            Some(unit) if passed => self.promote_reflexions(unit)?,
            _ => Vec::new(),
        };
        Ok(QaReportResult { session, held, remembered })
    }

    /// The note that holds an issue, without secrets.
    fn held(
        &self,
        session: &SessionId,
        unit: Option<&WorkUnitRef>,
        issue: &QaIssue,
    ) -> EngineResult<Note> {
        let at = self.clock.now();
        let draft = issue.draft(unit, session);
        redact_note(Note {
            id: self.ids.next_id(at).to_string(),
            session: session.clone(),
            at,
            text: draft.content.clone(),
            files: issue.file.iter().cloned().collect(),
            record: NoteRecord::QaFailure(Box::new(QaFailureNote {
                draft,
                work_unit: unit.cloned(),
                issue: Some(issue.finding()),
            })),
        })
    }

    /// Remembers the failures that were held for a unit of work, or one inside it.
    pub(super) fn promote_reflexions(
        &mut self,
        unit: &WorkUnitRef,
    ) -> EngineResult<Vec<RememberResult>> {
        let inside = |held: &QaFailureNote| {
            held.work_unit.as_ref().is_some_and(|held| scope::contains(unit, held))
        };
        let mut remembered = Vec::new();
        for session in self.sessions_with(&[LogKind::QaReport], REPORTS, |_| true)? {
            remembered.extend(self.promote(&session, inside)?);
        }
        Ok(remembered)
    }

    /// Remembers the failures that were held in sessions whose checks passed afterwards.
    pub fn settle_reflexions(&mut self) -> EngineResult<usize> {
        let mut count = 0;
        for session in self.sessions_with(&[LogKind::QaReport], REPORTS, |_| true)? {
            // Reports of different work that belong to no session have only that in common.
            if session.as_str() == NO_SESSION {
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

    /// Remembers what was held in a session, each failure once.
    fn promote(
        &mut self,
        session: &SessionId,
        meant: impl Fn(&QaFailureNote) -> bool,
    ) -> EngineResult<Vec<RememberResult>> {
        let mut remembered = Vec::new();
        for note in self.notes_of(session)?.into_iter().rev() {
            let NoteRecord::QaFailure(held) = note.record else { continue };
            let name = format!("{} {}", NoteKind::QaFailure, note.id);
            // Nobody is asked to write what is remembered already.
            let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
            if !meant(&held) || store.count_requests(&name)? > 0 {
                continue;
            }
            let mut draft = held.draft;
            let written = held.issue.as_ref().map(reflexion::question).and_then(|question| {
                self.written(GenerationPurpose::Reflexion, &question, reflexion::read)
            });
            if let Some((text, by)) = written {
                draft.content = text;
                draft.generator = Some(by);
            }
            remembered.extend(self.remember_once(&name, [draft])?);
        }
        Ok(remembered)
    }
}
