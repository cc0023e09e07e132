//! A past session in the making: payloads as the client's hooks would report them, one after the other.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tacit_core::{AgentEvent, ClientName, EventKind, EventName, SessionId, Timestamp};

use super::head::sum;
use crate::client::Client;

/// The most events of a session. Real ones have a few thousand.
const MOST_EVENTS: usize = 100_000;

/// An event of a past session.
#[derive(Debug, Clone, PartialEq)]
pub struct PastSessionEvent {
    /// The time of the event.
    pub at: Timestamp,
    /// The name of the event within its session, the same whenever the transcript is read.
    pub key: String,
    /// The event.
    pub event: AgentEvent,
}

impl PastSessionEvent {
    /// Returns the identifier of the event in the session log, the same whenever the transcript is read.
    pub fn id(&self) -> String {
        let AgentEvent { client, session, .. } = &self.event;
        format!("past-{}", &sum(&format!("{client} {session} {}", self.key))[..32])
    }
}

/// A session that a transcript tells of.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptSession {
    /// The client.
    pub client: ClientName,
    /// The session.
    pub session: SessionId,
    /// The branch on which it began, if the transcript tells it.
    pub branch: Option<String>,
    /// The events, in the order of time.
    pub events: Vec<PastSessionEvent>,
    /// The number of lines that could not be read.
    pub unread: usize,
    /// True if the transcript tells that the session has ended.
    pub is_ended: bool,
}

impl TranscriptSession {
    /// Returns true if the user said something in the session, or a tool was used.
    pub(super) fn has_work(&self) -> bool {
        let is_work = |event: &PastSessionEvent| {
            event.event.tool().is_some() || event.event.name() == EventName::PromptSubmitted
        };
        self.events.iter().any(is_work)
    }

    /// Returns the first and the last time.
    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        Some((self.events.first()?.at, self.events.last()?.at))
    }

    /// Returns the working directory at the beginning.
    pub fn directory(&self) -> Option<&PathBuf> {
        self.events.iter().find_map(|event| event.event.cwd.as_ref())
    }
}

/// A subagent, as payloads name it.
#[derive(Debug, Clone)]
pub(super) struct Helper {
    pub(super) id: String,
    pub(super) kind: Option<String>,
}

/// The payloads of a session. Those that its client would not send to our hooks are left out.
pub(super) struct PastSession {
    client: &'static Client,
    session: SessionId,
    path: Option<String>,
    /// The working directory of the next payloads.
    pub(super) cwd: String,
    pub(super) branch: Option<String>,
    events: Vec<PastSessionEvent>,
    pub(super) unread: usize,
}

impl PastSession {
    pub(super) fn new(
        client: ClientName,
        session: &str,
        path: Option<&Path>,
    ) -> Option<PastSession> {
        Some(PastSession {
            client: Client::named(client),
            session: SessionId::new(session).ok()?,
            path: path.and_then(Path::to_str).map(str::to_owned),
            cwd: String::new(),
            branch: None,
            events: Vec::new(),
            unread: 0,
        })
    }

    /// Adds a payload. `key` names it within the session.
    pub(super) fn add(
        &mut self,
        at: Timestamp,
        key: impl Into<String>,
        event: &str,
        helper: Option<&Helper>,
        fields: Value,
    ) {
        let tool = fields.get("tool_name").or_else(|| fields.get("toolName"));
        let tool = tool.and_then(Value::as_str);
        if self.events.len() >= MOST_EVENTS || !self.client.has_hook_for(event, tool) {
            return;
        }
        let mut payload = Map::new();
        payload.insert("session_id".into(), json!(self.session.as_str()));
        payload.insert("hook_event_name".into(), json!(event));
        if !self.cwd.is_empty() {
            payload.insert("cwd".into(), json!(self.cwd));
        }
        if let Some(path) = &self.path {
            payload.insert("transcript_path".into(), json!(path));
        }
        if let Some(helper) = helper {
            payload.insert("agent_id".into(), json!(helper.id));
            payload.insert("agent_type".into(), json!(helper.kind));
        }
        if let Value::Object(fields) = fields {
            payload.extend(fields);
        }
        let bytes = serde_json::to_vec(&payload).unwrap_or_default();
        if let Ok(Some(event)) = self.client.parse(Some(event), &bytes) {
            self.events.push(PastSessionEvent { at, key: key.into(), event });
        }
    }

    /// Changes the last event.
    pub(super) fn last_event(&mut self) -> Option<&mut AgentEvent> {
        self.events.last_mut().map(|event| &mut event.event)
    }

    /// Returns the finished session, which ends with its last event.
    pub(super) fn finish(mut self, end: &str) -> Option<TranscriptSession> {
        // Subagents work beside the main conversation.
        self.events.sort_by_key(|event| event.at);
        let last = self.events.last()?;
        let is_ended = matches!(last.event.kind, EventKind::SessionEnded { .. });
        if !is_ended {
            let (at, key) = (last.at, format!("end {}", last.key));
            self.add(at, key, end, None, json!({"reason": "other"}));
        }
        Some(TranscriptSession {
            client: self.client.name,
            session: self.session,
            branch: self.branch,
            events: self.events,
            unread: self.unread,
            is_ended,
        })
    }
}
