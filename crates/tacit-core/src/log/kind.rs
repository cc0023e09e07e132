//! The words in the column `kind`, by which rows are queried.

use std::fmt;
use std::str::FromStr;

use crate::domain::words::word_enum;
use crate::event::EventName;
use crate::field::Problem;

/// The kind of a line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogKind {
    /// A client told of an event of this kind.
    Client(EventName),
    /// The result of a check.
    Check,
    /// Progress of a unit of work.
    WorkUnit,
    /// The phase of the work.
    Phase,
    /// Findings of QA.
    QaReport,
    /// The session that one goes on from.
    Continued,
    /// The judgement of a memory.
    Feedback,
}

impl LogKind {
    /// The kinds that no client tells of.
    const REPORTS: [LogKind; 6] = [
        LogKind::Check,
        LogKind::WorkUnit,
        LogKind::Phase,
        LogKind::QaReport,
        LogKind::Continued,
        LogKind::Feedback,
    ];

    /// The word in the column.
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
        /// An agent said it.
        Agent = "agent",
        /// A commit.
        Commit = "commit",
        /// The branch and the worktree of a session.
        Checkout = "place",
        /// Something that was noticed while events were written.
        Inferred = "inferred",
        /// An answer of an MCP server.
        Observation = "observation",
        /// A failure that QA found.
        QaFailure = "qa_failure",
    }
}
