//! What somebody says about the work where nobody could see it: that a check passed or failed.
//! Commands and agents report by the same way.

use serde_json::json;
use tacit_core::{RepoPath, SessionId, WorkUnitRef};
use tacit_observer::log::{VALIDATION, WORK_UNIT};
use tacit_redact::redact;
use tacit_store::{Event, EventQuery, Record, SessionChange, SessionUpdate};

use crate::engine::Engine;
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
}

impl Engine<'_> {
    /// Writes to the log that a check passed or failed. A report about a unit of work goes to every session on it, others to the
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
        for session in &sessions {
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
