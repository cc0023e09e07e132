//! Lines of the log that something can be learnt from, and notes.

use tacit_core::log::{CheckRecord, LogRecord, NoteRecord, WorkUnitRecord};
use tacit_core::{AgentEvent, RepoPath, SessionId, Timestamp};

/// A line of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEntry {
    /// Names it.
    pub id: String,
    /// The session.
    pub session: SessionId,
    /// When.
    pub at: Timestamp,
    /// Its place among the lines of its session, which decides where times are equal.
    pub order: usize,
    /// The file it is about, as memories name it, or the command.
    pub subject: Option<String>,
    /// What happened.
    pub event: LogEvent,
}

impl LogEntry {
    /// Takes a record of the log; none if nothing can be learnt from it, or it cannot be read.
    pub fn new(
        id: String,
        session: SessionId,
        at: Timestamp,
        order: usize,
        record: LogRecord,
    ) -> Option<LogEntry> {
        let subject = record.subject().map(Into::into);
        let event = match record {
            LogRecord::Client(client) => LogEvent::Client(Box::new(client.event().ok()?)),
            LogRecord::Check(check) => LogEvent::Check(check),
            LogRecord::WorkUnit(unit) => LogEvent::Unit(unit),
            LogRecord::Phase(_)
            | LogRecord::QaReport(_)
            | LogRecord::Continued(_)
            | LogRecord::Feedback(_) => return None,
        };
        Some(LogEntry { id, session, at, order, subject, event })
    }

    /// By which lines are put in the order in which things happened.
    pub(crate) fn sort_key(&self) -> (Timestamp, usize, &str) {
        (self.at, self.order, &self.id)
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum LogEvent {
    /// A client told it.
    Client(Box<AgentEvent>),
    /// Somebody reported the result of a check.
    Check(CheckRecord),
    /// Somebody reported how a unit of work goes.
    Unit(WorkUnitRecord),
}

/// Something noted in a session, before it is known to be true.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionNote {
    /// Names it.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// What was noted.
    pub text: String,
    /// The files it is about.
    pub files: Vec<RepoPath>,
    /// Everything else about it.
    pub record: NoteRecord,
}
