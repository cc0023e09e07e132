//! The outcome of a session in numbers, from the log alone.

use tacit_core::log::LogKind;
use tacit_core::{EventName, SessionId};
use tacit_observer::SessionOutcome;
use tacit_observer::log::LogEntry;
use tacit_store::EventQuery;

use super::gather::entries;
use crate::engine::Engine;
use crate::error::EngineResult;

/// The most events of a session that are read.
const EVENTS: usize = 20_000;
/// The kinds of events that count; all others repeat these or have no part in the outcome.
const KINDS: [LogKind; 6] = [
    LogKind::Client(EventName::PromptSubmitted),
    LogKind::Client(EventName::ToolFinished),
    LogKind::Client(EventName::ToolFailed),
    LogKind::Client(EventName::TurnStopped),
    LogKind::Client(EventName::SubagentStopped),
    LogKind::Client(EventName::SessionEnded),
];

/// The log of a session, to be measured later or on another thread.
#[derive(Debug)]
pub struct SessionLog {
    session: SessionId,
    log: Vec<LogEntry>,
}

impl SessionLog {
    /// Measures the session.
    pub fn measure(self) -> SessionOutcome {
        SessionOutcome::measure(self.session, &self.log)
    }
}

impl Engine<'_> {
    /// Reads the events of a session that its outcome depends on.
    pub fn session_log(&self, session: &SessionId) -> EngineResult<SessionLog> {
        let query = EventQuery {
            session: Some(session.clone()),
            kinds: KINDS.to_vec(),
            limit: EVENTS,
            ..EventQuery::default()
        };
        Ok(SessionLog { session: session.clone(), log: entries(self.events(&query)?) })
    }
}
