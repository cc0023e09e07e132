//! The log of a session: every row that hooks, commands and tools write while agents work, as one
//! type, and the only code that knows the JSON they are kept as.
//!
//! [`LogRecord`] is a line of the log; [`NoteRecord`] is something noted beside it. Both become the
//! columns of a row here and are read from one here; queries use the column `kind`, `tool` and
//! `subject`, which follow from the record. Rows of every earlier version are read (see `codec`).

mod client;
mod codec;
mod kind;
mod note;
mod report;
#[cfg(test)]
mod tests;
mod work;

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

pub use client::{CallEffect, ClientRecord};
pub use kind::{LogKind, NoteKind};
pub use note::{
    AgentNote, CheckoutNote, CommitNote, InferredNote, NoteRecord, QaFailureNote, QaFinding,
};
pub use report::{CheckRecord, Continuation, FeedbackRecord, MemoryVerdict};
pub use work::{
    Complexity, DeclaredPhase, PhaseRecord, QaReportRecord, UnitStatus, WorkUnitRecord,
};

use crate::event::{EventName, VisitText};
use crate::field::Problem;

/// A line of the log.
#[derive(Debug, Clone, PartialEq)]
pub enum LogRecord {
    /// A client told of an event.
    Client(ClientRecord),
    /// Somebody reported the result of a check.
    Check(CheckRecord),
    /// Somebody reported how a unit of work goes.
    WorkUnit(WorkUnitRecord),
    /// Somebody reported which phase the work is in.
    Phase(PhaseRecord),
    /// Somebody reported what QA found.
    QaReport(QaReportRecord),
    /// The session goes on from another.
    Continued(Continuation),
    /// An agent judged a memory.
    Feedback(FeedbackRecord),
}

/// A record as the columns of its row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRow<'r> {
    /// The word for its [`LogKind`].
    pub kind: Cow<'r, str>,
    /// The tool or command that it tells of, or by which it was reported.
    pub tool: Option<Cow<'r, str>>,
    /// The file, command, unit or memory that it is about.
    pub subject: Option<Cow<'r, str>>,
    /// Everything else, as JSON.
    pub body: Cow<'r, str>,
}

/// Reads a row of any version. The event that a client told is not read before
/// [`ClientRecord::event`] is called, since most queries need no more than the columns;
/// [`LogRecord::check`] reads it too.
pub fn decode(row: LogRow<'_>) -> Result<LogRecord, Problem> {
    let LogRow { kind, tool, subject, body } = row;
    let tool = tool.map(Cow::into_owned);
    Ok(match kind.parse()? {
        LogKind::Client(moment) => {
            let subject = subject.map(Cow::into_owned);
            LogRecord::Client(ClientRecord::kept(moment, tool, subject, body.into_owned()))
        }
        LogKind::Check => LogRecord::Check(CheckRecord { tool, ..codec::read(&body)? }),
        LogKind::WorkUnit => LogRecord::WorkUnit(WorkUnitRecord { tool, ..codec::read(&body)? }),
        LogKind::Phase => LogRecord::Phase(PhaseRecord { tool, ..codec::read(&body)? }),
        LogKind::QaReport => LogRecord::QaReport(QaReportRecord { tool, ..codec::read(&body)? }),
        LogKind::Continued => LogRecord::Continued(codec::read(&body)?),
        LogKind::Feedback => LogRecord::Feedback(FeedbackRecord { tool, ..codec::read(&body)? }),
    })
}

impl LogRecord {
    /// The record as the columns of a row, in the newest version.
    pub fn encode(&self) -> Result<LogRow<'_>, Problem> {
        let body = match self {
            LogRecord::Client(client) => Cow::Borrowed(client.json()),
            LogRecord::Check(check) => Cow::Owned(codec::write(check)?),
            LogRecord::WorkUnit(unit) => Cow::Owned(codec::write(unit)?),
            LogRecord::Phase(phase) => Cow::Owned(codec::write(phase)?),
            LogRecord::QaReport(report) => Cow::Owned(codec::write(report)?),
            LogRecord::Continued(before) => Cow::Owned(codec::write(before)?),
            LogRecord::Feedback(feedback) => Cow::Owned(codec::write(feedback)?),
        };
        let kind = Cow::Borrowed(self.kind().as_str());
        Ok(LogRow { kind, tool: self.tool().map(Cow::Borrowed), subject: self.subject(), body })
    }

    /// The kind of record.
    pub fn kind(&self) -> LogKind {
        match self {
            LogRecord::Client(client) => LogKind::Client(client.moment()),
            LogRecord::Check(_) => LogKind::Check,
            LogRecord::WorkUnit(_) => LogKind::WorkUnit,
            LogRecord::Phase(_) => LogKind::Phase,
            LogRecord::QaReport(_) => LogKind::QaReport,
            LogRecord::Continued(_) => LogKind::Continued,
            LogRecord::Feedback(_) => LogKind::Feedback,
        }
    }

    /// The tool of a client that it tells of, or the tool or command by which it was reported.
    pub fn tool(&self) -> Option<&str> {
        match self {
            LogRecord::Client(client) => client.tool(),
            LogRecord::Check(CheckRecord { tool, .. })
            | LogRecord::WorkUnit(WorkUnitRecord { tool, .. })
            | LogRecord::Phase(PhaseRecord { tool, .. })
            | LogRecord::QaReport(QaReportRecord { tool, .. })
            | LogRecord::Feedback(FeedbackRecord { tool, .. }) => tool.as_deref(),
            LogRecord::Continued(_) => None,
        }
    }

    /// The file, as memories name it, the command, the unit of work, the phase, the session or the
    /// memory that it is about.
    pub fn subject(&self) -> Option<Cow<'_, str>> {
        match self {
            LogRecord::Client(client) => client.subject().map(Cow::Borrowed),
            LogRecord::Check(check) => check.command.as_deref().map(Cow::Borrowed),
            LogRecord::WorkUnit(report) => Some(report.work_unit.hierarchy().join("/").into()),
            LogRecord::Phase(report) => {
                report.phase.as_ref().map(|phase| Cow::Borrowed(phase.own.as_str()))
            }
            LogRecord::QaReport(report) => {
                report.work_unit.as_ref().map(|unit| unit.hierarchy().join("/").into())
            }
            LogRecord::Continued(before) => Some(before.session.as_str().into()),
            LogRecord::Feedback(feedback) => Some(feedback.memory.to_string().into()),
        }
    }

    /// The event that a client told, if this is one.
    pub fn client(&self) -> Option<&ClientRecord> {
        match self {
            LogRecord::Client(client) => Some(client),
            _ => None,
        }
    }

    /// Returns true if a client told of an event of this kind.
    pub fn is_moment(&self, moment: EventName) -> bool {
        self.kind() == LogKind::Client(moment)
    }

    /// Reads what [`decode`] postponed, and says what is wrong with it.
    pub fn check(&self) -> Result<(), Problem> {
        match self {
            LogRecord::Client(client) => client.event().map(drop),
            _ => Ok(()),
        }
    }

    /// Visits every text of the record, so that nothing is stored which nobody looked at. An error
    /// if what is left can be no record.
    pub fn visit_texts(&mut self, visit: &mut VisitText<'_>) -> Result<(), Problem> {
        if let LogRecord::Client(client) = self {
            return client.visit_texts(visit);
        }
        let LogRow { kind, tool, subject, body } = self.encode()?;
        let tool = tool.map(|tool| {
            let mut tool = tool.into_owned();
            visit(None, &mut tool);
            Cow::Owned(tool)
        });
        let body = Cow::Owned(codec::visit(&body, visit)?);
        *self = decode(LogRow { kind, tool, subject, body })?;
        Ok(())
    }
}

impl Serialize for LogRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encode().map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LogRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LogRecord, D::Error> {
        decode(LogRow::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}
