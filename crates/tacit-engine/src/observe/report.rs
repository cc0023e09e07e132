//! Reports of check results from outside the session, by commands and agents.

use tacit_core::log::{CheckRecord, LogKind, LogRecord};
use tacit_core::{SessionId, WorkUnitRef};
use tacit_store::{ActivityBatch, Event, EventQuery, SessionChange, SessionUpdate};

use crate::engine::Engine;
use crate::error::EngineResult;
use crate::remember::redact_record;

/// The most reports about a unit that are read.
const REPORTS: usize = 1_000;

impl Engine<'_> {
    /// Logs the result of a check. A report about a unit of work goes to every session on it,
    /// others to `session`. Returns the sessions.
    pub fn report_validation(
        &mut self,
        session: &SessionId,
        report: CheckRecord,
    ) -> EngineResult<Vec<SessionId>> {
        let mut sessions = match &report.work_unit {
            Some(unit) => self.sessions_on(unit)?,
            None => Vec::new(),
        };
        if sessions.is_empty() {
            sessions.push(session.clone());
        }
        let client = report.by.clone().unwrap_or_default();
        let check = redact_record(LogRecord::Check(report))?;
        let mut record = ActivityBatch::default();
        let now = self.clock.now();
        for session in &sessions {
            record.sessions.push(SessionUpdate {
                id: session.clone(),
                client: client.clone(),
                at: now,
                change: SessionChange::Seen,
                held_out: None,
            });
            record.events.push(Event {
                id: self.ids.next_id(now).to_string(),
                session: session.clone(),
                at: now,
                record: check.clone(),
            });
        }
        self.record(record)?;
        Ok(sessions)
    }

    /// Returns the sessions that reported to work on a unit.
    fn sessions_on(&self, unit: &WorkUnitRef) -> EngineResult<Vec<SessionId>> {
        let named = EventQuery {
            kinds: vec![LogKind::WorkUnit],
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
