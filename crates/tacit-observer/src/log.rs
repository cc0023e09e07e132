//! Log entries and session notes, the input of learning.

use tacit_core::log::{CheckRecord, LogRecord, NoteRecord, WorkUnitRecord};
use tacit_core::{AgentEvent, RepoPath, SessionId, Timestamp};

/// An entry of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEntry {
    /// The unique identifier, used to drop duplicates.
    pub id: String,
    /// The session it belongs to.
    pub session: SessionId,
    /// The time of the event.
    pub at: Timestamp,
    /// The index within its session, which breaks ties between equal times.
    pub order: usize,
    /// The file as memories name it, or the command.
    pub subject: Option<String>,
    /// The recorded event.
    pub event: LogEvent,
}

impl LogEntry {
    /// Converts a log record, or returns `None` if nothing can be learnt from it or it cannot be
    /// read.
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

    /// Returns the key that orders entries by time.
    pub(crate) fn sort_key(&self) -> (Timestamp, usize, &str) {
        (self.at, self.order, &self.id)
    }
}

/// An event in the log.
#[derive(Debug, Clone, PartialEq)]
pub enum LogEvent {
    /// Reported by a client.
    Client(Box<AgentEvent>),
    /// A reported result of a check.
    Check(CheckRecord),
    /// A reported status of a unit of work.
    Unit(WorkUnitRecord),
}

/// A note made in a session, not yet confirmed.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionNote {
    /// The unique identifier.
    pub id: String,
    /// The time of the note.
    pub at: Timestamp,
    /// The text of the note.
    pub text: String,
    /// The files it is about.
    pub files: Vec<RepoPath>,
    /// The kind of note with its data.
    pub record: NoteRecord,
}
