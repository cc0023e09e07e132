//! What somebody says about the work where nobody could see it: that a check passed or failed, and
//! what a report of it complains of. Commands and agents report by the same way.

use serde::Deserialize;
use serde_json::json;
use tacit_core::{RepoPath, SessionId, WorkUnitRef};
use tacit_observer::log::{QA_NOTE, VALIDATION, WORK_UNIT};
use tacit_redact::redact;
use tacit_store::{Event, EventQuery, Note, Record, SessionChange, SessionUpdate};

use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::remember::{Treatment, redact_json};

/// How many reports about a unit are looked through.
const REPORTS: usize = 1_000;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ValidationReport {
    /// Whether it passed.
    pub passed: bool,
    /// The command that checked.
    pub command: Option<String>,
    /// What was checked, or what failed.
    pub summary: Option<String>,
    /// The files it is about.
    pub files: Vec<RepoPath>,
    /// The unit of work it is about; the session's own, if it is not said.
    pub work_unit: Option<WorkUnitRef>,
    /// What a report complains of.
    pub issues: Vec<QaIssue>,
}

/// A report of checks, as tools write it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct QaReport {
    /// What it complains of.
    pub issues: Vec<QaIssue>,
}

/// Something a report complains of.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct QaIssue {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub description: String,
    /// The file it is in.
    #[serde(default)]
    pub file: Option<String>,
    /// What was tried.
    #[serde(default, alias = "whatWasTried")]
    pub what_was_tried: Option<String>,
    /// What should be done.
    #[serde(default)]
    pub recommendation: Option<String>,
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each is what it says")]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

impl QaIssue {
    fn files(&self) -> Vec<RepoPath> {
        self.file.as_deref().and_then(|file| RepoPath::new(file).ok()).into_iter().collect()
    }

    /// Whether it is bad enough to be learnt from.
    pub fn is_serious(&self) -> bool {
        self.severity >= Severity::High
    }
}

impl Engine<'_> {
    /// The session that was last told of and is not over.
    pub fn session_at_work(&self) -> Option<SessionId> {
        self.store(Shelf::Project)?;
        let last = EventQuery { limit: 1, ..EventQuery::default() };
        let event = self.events(&last).ok()?.pop()?;
        let session = self.session(&event.session).ok()??;
        session.ended.is_none().then_some(session.id)
    }

    /// Writes to the log that a check passed or failed, and notes what is to be learnt from it once
    /// the work passes. A report about a unit of work goes to every session on it, others to the
    /// session; returned is where it went. `by` says who reports.
    pub fn report_validation(
        &mut self,
        session: &SessionId,
        report: &ValidationReport,
        by: &str,
        tool: &str,
    ) -> EngineResult<Vec<SessionId>> {
        let mut sessions = match &report.work_unit {
            Some(unit) => self.sessions_on(unit)?,
            None => Vec::new(),
        };
        if sessions.is_empty() {
            sessions.push(session.clone());
        }
        let mut body = json!({
            "passed": report.passed, "command": report.command, "summary": report.summary,
            "files": report.files, "by": by,
        });
        if let Some(unit) = &report.work_unit {
            body["work_unit"] = json!(unit);
        }
        redact_json(&mut body, &mut Treatment::default());
        let mut record = Record::default();
        let now = self.clock.now();
        for (place, session) in sessions.iter().enumerate() {
            record.sessions.push(SessionUpdate {
                id: session.clone(),
                client: by.to_owned(),
                at: now,
                change: SessionChange::Seen,
            });
            record.events.push(Event {
                id: self.ids.next_id(now).to_string(),
                session: session.clone(),
                at: now,
                kind: VALIDATION.to_owned(),
                tool: Some(tool.to_owned()),
                subject: report.command.as_deref().map(clean),
                body: body.to_string(),
            });
            // What is to be learnt is learnt once.
            if place == 0 {
                let serious = report.issues.iter().filter(|issue| issue.is_serious());
                record.notes.extend(serious.map(|issue| {
                    Note {
                        id: self.ids.next_id(now).to_string(),
                        session: session.clone(),
                        at: now,
                        kind: QA_NOTE.to_owned(),
                        text: clean(&issue.description),
                        files: issue.files(),
                        body: json!({
                            "recommendation": issue.recommendation.as_deref().map(clean),
                            "tried": issue.what_was_tried.as_deref().map(clean),
                        })
                        .to_string(),
                    }
                }));
            }
        }
        self.record(record)?;
        Ok(sessions)
    }

    /// The sessions that said to be on a unit of work.
    fn sessions_on(&self, unit: &WorkUnitRef) -> EngineResult<Vec<SessionId>> {
        let named = EventQuery {
            kinds: vec![WORK_UNIT.to_owned()],
            subject: Some(unit.hierarchy().join("/")),
            limit: REPORTS,
            ..EventQuery::default()
        };
        let mut sessions: Vec<SessionId> =
            self.events(&named)?.into_iter().map(|event| event.session).collect();
        sessions.sort();
        sessions.dedup();
        Ok(sessions)
    }
}

fn clean(text: &str) -> String {
    redact(text).text.into_owned()
}
