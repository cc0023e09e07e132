//! The log record of an event that a client reported.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::codec;
use super::stored::EventJson;
use crate::event::{AgentEvent, EventName, VisitText};
use crate::field::Problem;

/// The log record of an event that a client reported. The event is kept as JSON, because command
/// output makes it long and most queries need only the columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientRecord {
    name: EventName,
    tool: Option<String>,
    subject: Option<String>,
    json: EventJson,
}

/// The effect of a tool call on the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallEffect {
    /// The call changes files.
    Changes,
    /// The call runs a command.
    Runs,
}

/// The parts of an event that tell the kind of its tool.
#[derive(Deserialize)]
struct Outline {
    what: BTreeMap<String, OutlinedCall>,
}

#[derive(Deserialize)]
struct OutlinedCall {
    tool: Option<OutlinedTool>,
}

#[derive(Deserialize)]
struct OutlinedTool {
    kind: BTreeMap<String, IgnoredAny>,
}

impl ClientRecord {
    /// Creates the record of an event. `subject` is the command or the file, relative to the
    /// repository.
    pub fn new(event: &AgentEvent, subject: Option<String>) -> Result<ClientRecord, Problem> {
        Ok(ClientRecord {
            name: event.name(),
            tool: event.tool().map(|tool| tool.name.clone()),
            subject,
            json: EventJson::new(codec::write(event)?),
        })
    }

    pub(super) fn from_columns(
        name: EventName,
        tool: Option<String>,
        subject: Option<String>,
        json: EventJson,
    ) -> ClientRecord {
        ClientRecord { name, tool, subject, json }
    }

    /// Returns the name of the event.
    pub fn name(&self) -> EventName {
        self.name
    }

    /// Returns the tool of the event.
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// Returns the command or the file of the event.
    pub fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    /// Parses the event.
    pub fn event(&self) -> Result<AgentEvent, Problem> {
        codec::read(self.json())
    }

    /// Returns the effect of the tool call. Parses no more of the event than the kind of its tool,
    /// because most calls change nothing and their output is long.
    pub fn effect(&self) -> Option<CallEffect> {
        let Outline { what } = codec::read(self.json()).ok()?;
        let tool = what.into_values().next()?.tool?;
        match tool.kind.into_keys().next()?.as_str() {
            "shell" => Some(CallEffect::Runs),
            "edit" | "write" | "patch" => Some(CallEffect::Changes),
            _ => None,
        }
    }

    /// Returns true if the event's JSON contains `word`, which must not need escaping.
    pub fn mentions(&self, word: &str) -> bool {
        self.json().contains(word)
    }

    pub(super) fn json(&self) -> &str {
        self.json.text()
    }

    pub(super) fn visit_texts(&mut self, visit: &mut VisitText<'_>) -> Result<(), Problem> {
        let mut event = self.event()?;
        event.visit_texts(visit);
        event.visit_names(&mut |name| visit(None, name));
        let mut subject = self.subject.take();
        if let Some(subject) = &mut subject {
            visit(None, subject);
        }
        *self = ClientRecord::new(&event, subject)?;
        Ok(())
    }
}
