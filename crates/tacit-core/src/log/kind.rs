//! The values of the column `kind`, by which rows are queried.

use std::fmt;
use std::str::FromStr;

use crate::domain::words::word_enum;
use crate::event::EventName;
use crate::field::Problem;

/// The kind of a log record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogKind {
    /// An event that a client reported.
    Client(EventName),
    /// The result of a check.
    Check,
    /// The progress of a unit of work.
    WorkUnit,
    /// The current phase.
    Phase,
    /// A QA report.
    QaReport,
    /// The session that this one continues.
    Continued,
    /// An agent's verdict on a memory.
    Feedback,
}

impl LogKind {
    /// The kinds that do not come from a client.
    const REPORTS: [LogKind; 6] = [
        LogKind::Check,
        LogKind::WorkUnit,
        LogKind::Phase,
        LogKind::QaReport,
        LogKind::Continued,
        LogKind::Feedback,
    ];

    /// Returns the value of the column `kind`.
    pub const fn as_str(self) -> &'static str {
        match self {
            LogKind::Client(moment) => moment.as_str(),
            LogKind::Check => "validation",
            LogKind::WorkUnit => "work_unit",
            LogKind::Phase => "phase",
            LogKind::QaReport => "qa_report",
            LogKind::Continued => "continued",
            LogKind::Feedback => "feedback",
        }
    }
}

impl From<EventName> for LogKind {
    fn from(moment: EventName) -> LogKind {
        LogKind::Client(moment)
    }
}

impl fmt::Display for LogKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for LogKind {
    type Err = Problem;

    fn from_str(word: &str) -> Result<LogKind, Problem> {
        match LogKind::REPORTS.into_iter().find(|kind| kind.as_str() == word) {
            Some(kind) => Ok(kind),
            None => word.parse().map(LogKind::Client),
        }
    }
}

word_enum! {
    /// The kind of a note.
    NoteKind, "a kind of note" {
        /// A note that an agent made.
        Agent = "agent",
        /// A commit that an agent made.
        Commit = "commit",
        /// The branch and worktree of a session.
        Checkout = "place",
        /// An observation inferred while events were written.
        Inferred = "inferred",
        /// The answer of an MCP server.
        Observation = "observation",
        /// A failure that QA found.
        QaFailure = "qa_failure",
    }
}
