//! QA failures: held as notes of a session, and remembered once the work succeeds.

use tacit_core::log::{LogKind, LogRecord, NoteKind, NoteRecord, QaFailureNote, QaReportRecord};
use tacit_core::{RepoPath, SessionId, WorkUnitRef};
use tacit_store::{ActivityBatch, EventQuery, Note};
use tacit_work::{QaIssue, open_qa_reports, reflexion, scope};

use super::{NO_SESSION, NOTES, REPORTS, Reporter, no_session};
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::generation::GenerationPurpose;
use crate::remember::{RememberResult, redact_note};

/// The result of a QA report.
#[derive(Debug)]
pub struct QaReportResult {
    /// The session of the report.
    pub session: SessionId,
    /// The failures that are held until the work succeeds.
    pub pending: Vec<String>,
    /// Earlier failures that are remembered now.
    pub remembered: Vec<RememberResult>,
}

impl Engine<'_> {
    /// Logs a QA report. Severe issues are held; a passing report promotes those held for the same
    /// unit of work.
    pub fn report_qa(
        &mut self,
        by: &Reporter,
        unit: Option<&WorkUnitRef>,
        passed: bool,
        issues: &[QaIssue],
    ) -> EngineResult<QaReportResult> {
        let severe: Vec<&QaIssue> = issues.iter().filter(|issue| issue.is_severe()).collect();
        // An issue that could not be remembered later is rejected now.
        let session = by.here.session.clone().or_else(|| self.current_session());
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
        Ok(QaReportResult { session, pending: held, remembered })
    }

    /// Returns the issues that QA found in the work at hand and that are not fixed yet, as reported;
    /// given files, only those about one of them. `unit` is called only if there are QA reports.
    pub fn open_qa_failures(
        &self,
        unit: impl FnOnce() -> Option<WorkUnitRef>,
        branch: Option<&str>,
        files: &[RepoPath],
    ) -> EngineResult<Vec<Note>> {
        let Some(store) = self.store(StoreScope::Project) else { return Ok(Vec::new()) };
        let reports = self.work_reports(LogKind::QaReport)?;
        if reports.is_empty() {
            return Ok(Vec::new());
        }
        let mut open: Vec<Note> = Vec::new();
        for report in open_qa_reports(&reports, unit().as_ref(), branch) {
            let reported = report.qa().and_then(|qa| qa.work_unit.as_ref());
            for note in self.notes(&report.session, files, NOTES)?.into_iter().rev() {
                let NoteRecord::QaFailure(held) = &note.record else { continue };
                let is_of_report = note.at >= report.at && held.work_unit.as_ref() == reported;
                if is_of_report
                    && open.iter().all(|known| known.text != note.text)
                    && store.count_requests(&promotion(&note))? == 0
                {
                    open.push(note);
                }
            }
        }
        Ok(open)
    }

    /// Creates the redacted note of an issue.
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

    /// Remembers the failures held for a unit of work or one inside it.
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

    /// Remembers the failures held in sessions whose later checks passed. Returns their number.
    pub fn promote_passed_reflexions(&mut self) -> EngineResult<usize> {
        let mut count = 0;
        for session in self.sessions_with(&[LogKind::QaReport], REPORTS, |_| true)? {
            // Reports outside any session have nothing in common.
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

    /// Remembers the failures held in a session, each once.
    fn promote(
        &mut self,
        session: &SessionId,
        meant: impl Fn(&QaFailureNote) -> bool,
    ) -> EngineResult<Vec<RememberResult>> {
        let mut remembered = Vec::new();
        for note in self.notes_of(session)?.into_iter().rev() {
            let name = promotion(&note);
            let NoteRecord::QaFailure(held) = note.record else { continue };
            // The model is not called for what is already remembered.
            let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
            if !meant(&held) || store.count_requests(&name)? > 0 {
                continue;
            }
            let mut draft = held.draft;
            let written = held.issue.as_ref().map(reflexion::question).and_then(|question| {
                self.generate_answer(GenerationPurpose::Reflexion, &question, reflexion::read)
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

/// Returns the name under which a failure is remembered once.
fn promotion(note: &Note) -> String {
    format!("{} {}", NoteKind::QaFailure, note.id)
}
