//! The session log: the records that hooks, commands and tools write while agents work. This module
//! is the only code that knows their JSON.
//!
//! A [`LogRecord`] is a row of the log; a [`NoteRecord`] is an observation beside it. Both are
//! encoded to and decoded from columns here, a [`StoredRow`] in the form that takes least space. Queries use the columns `kind`, `tool` and `subject`,
//! which are derived from the record. Rows of every earlier version can be read (see `codec`).

mod client;
mod codec;
mod kind;
mod note;
mod packed;
mod paths;
mod report;
mod stored;
#[cfg(test)]
mod tests;
mod work;

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

pub use client::{CallEffect, ClientRecord};
pub use kind::{LogKind, NoteKind};
pub use note::{
    AgentNote, CheckoutNote, ClientProcess, CommitNote, InferredNote, NoteRecord, QaFailureNote,
    QaFinding,
};
pub use packed::unpack_body;
pub use paths::EventPaths;
pub use report::{CheckRecord, Continuation, FeedbackRecord, MemoryVerdict};
pub use stored::StoredRow;
pub use work::{
    Complexity, DeclaredPhase, PhaseRecord, QaReportRecord, UnitStatus, WorkUnitRecord,
};

use stored::EventJson;

use crate::event::{EventName, VisitText};
use crate::field::Problem;

/// A record of the session log.
#[derive(Debug, Clone, PartialEq)]
pub enum LogRecord {
    /// An event that a client reported.
    Client(ClientRecord),
    /// The result of a check.
    Check(CheckRecord),
    /// The progress of a unit of work.
    WorkUnit(WorkUnitRecord),
    /// The current phase.
    Phase(PhaseRecord),
    /// A QA report.
    QaReport(QaReportRecord),
    /// The session that this one continues.
    Continued(Continuation),
    /// An agent's verdict on a memory.
    Feedback(FeedbackRecord),
}

/// The columns of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRow<'r> {
    /// The word of its [`LogKind`].
    pub kind: Cow<'r, str>,
    /// The tool of the event, or the tool or command that reported the record.
    pub tool: Option<Cow<'r, str>>,
    /// The file, command, unit of work or memory that the record is about.
    pub subject: Option<Cow<'r, str>>,
    /// The other fields, as JSON.
    pub body: Cow<'r, str>,
}

/// Decodes a row of any version. The event of a client is parsed only by [`ClientRecord::event`],
/// because most queries need only the columns; [`LogRecord::check`] parses it too.
pub fn decode(row: LogRow<'_>) -> Result<LogRecord, Problem> {
    let LogRow { kind, tool, subject, body } = row;
    let tool = tool.map(Cow::into_owned);
    Ok(match kind.parse()? {
        LogKind::Client(moment) => {
            let subject = subject.map(Cow::into_owned);
            let json = EventJson::new(body.into_owned());
            LogRecord::Client(ClientRecord::from_columns(moment, tool, subject, json))
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
    /// Encodes the record in the newest version.
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

    /// Returns the kind of record.
    pub fn kind(&self) -> LogKind {
        match self {
            LogRecord::Client(client) => LogKind::Client(client.name()),
            LogRecord::Check(_) => LogKind::Check,
            LogRecord::WorkUnit(_) => LogKind::WorkUnit,
            LogRecord::Phase(_) => LogKind::Phase,
            LogRecord::QaReport(_) => LogKind::QaReport,
            LogRecord::Continued(_) => LogKind::Continued,
            LogRecord::Feedback(_) => LogKind::Feedback,
        }
    }

    /// Returns the tool of the event, or the tool or command that reported the record.
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

    /// Returns the file, command, unit of work, phase, session or memory that the record is about.
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

    /// Returns the client's event, if the record is one.
    pub fn client(&self) -> Option<&ClientRecord> {
        match self {
            LogRecord::Client(client) => Some(client),
            _ => None,
        }
    }

    /// Returns true for a client's event of this name.
    pub fn is_event(&self, moment: EventName) -> bool {
        self.kind() == LogKind::Client(moment)
    }

    /// Parses what [`decode`] postponed. Returns the first problem.
    pub fn check(&self) -> Result<(), Problem> {
        match self {
            LogRecord::Client(client) => client.event().map(drop),
            _ => Ok(()),
        }
    }

    /// Visits every text of the record, so that all of it can be redacted. Fails if the changed
    /// texts do not form a valid record.
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
