//! An event that a client told.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::codec;
use crate::event::{AgentEvent, EventName, VisitText};
use crate::field::Problem;

/// An event that a client told. It is kept as its JSON, because what commands printed makes it long
/// and most of those who query the log need the columns alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientRecord {
    moment: EventName,
    tool: Option<String>,
    subject: Option<String>,
    json: String,
}

/// The effect of a call, as far as others can follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallEffect {
    /// The call changes files.
    Changes,
    /// The call runs a command.
    Runs,
}

/// An event, as far as the kind of its tool.
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
    /// The record of an event; `subject` is the file, as memories name it, or the command.
    pub fn new(event: &AgentEvent, subject: Option<String>) -> Result<ClientRecord, Problem> {
        Ok(ClientRecord {
            moment: event.moment(),
            tool: event.tool().map(|tool| tool.name.clone()),
            subject,
            json: codec::write(event)?,
        })
    }

    pub(super) fn kept(
        moment: EventName,
        tool: Option<String>,
        subject: Option<String>,
        json: String,
    ) -> ClientRecord {
        ClientRecord { moment, tool, subject, json }
    }

    /// The kind of event.
    pub fn moment(&self) -> EventName {
        self.moment
    }

    /// The tool it is about.
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// The file, as memories name it, or the command it is about.
    pub fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    /// Reads the event.
    pub fn event(&self) -> Result<AgentEvent, Problem> {
        codec::read(&self.json)
    }

    /// The effect of the call it tells of. Of the event no more is read than the kind of its tool:
    /// most calls change nothing, and what they printed is long.
    pub fn effect(&self) -> Option<CallEffect> {
        let Outline { what } = codec::read(&self.json).ok()?;
        let tool = what.into_values().next()?.tool?;
        match tool.kind.into_keys().next()?.as_str() {
            "shell" => Some(CallEffect::Runs),
            "edit" | "write" | "patch" => Some(CallEffect::Changes),
            _ => None,
        }
    }

    /// Returns true if a text of the event has this word, which needs no escaping.
    pub fn mentions(&self, word: &str) -> bool {
        self.json.contains(word)
    }

    pub(super) fn json(&self) -> &str {
        &self.json
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
