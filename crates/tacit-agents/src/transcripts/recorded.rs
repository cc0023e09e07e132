//! Payloads of hooks as orchestrators record them: a line has the time `at`, the `session`, the payload
//! as `event`, and the `client` if it is not Claude Code.

use std::collections::BTreeMap;

use tacit_core::{AgentEvent, ClientName, EventKind, EventName, SessionId};

use super::lines::{Lines, text, time};
use super::{PastSessionEvent, TranscriptSession};
use crate::client::Client;

pub(super) fn read(content: &str) -> Vec<TranscriptSession> {
    let lines = Lines::parse(content);
    let mut sessions: BTreeMap<SessionId, TranscriptSession> = BTreeMap::new();
    let mut unread = lines.unread;
    for value in lines.values {
        let client =
            text(&value, "/client").map_or(Some(ClientName::Claude), |name| name.parse().ok());
        let read = client.zip(time(&value, "/at")).and_then(|(client, at)| {
            let payload = serde_json::to_vec(value.get("event")?).ok()?;
            Some((at, Client::named(client).parse(text(&value, "/name"), &payload).ok()?))
        });
        let Some((at, event)) = read else {
            unread += 1;
            continue;
        };
        let Some(event) = event else { continue };
        let session = sessions.entry(event.session.clone()).or_insert_with(|| TranscriptSession {
            client: event.client,
            session: event.session.clone(),
            branch: None,
            events: Vec::new(),
            unread: 0,
            is_ended: false,
        });
        let key = format!("line {}", session.events.len());
        session.events.push(PastSessionEvent { at, key, event });
    }
    let mut sessions: Vec<TranscriptSession> = sessions.into_values().collect();
    for session in &mut sessions {
        session.events.sort_by_key(|event| event.at);
        let Some(last) = session.events.last().cloned() else { continue };
        session.is_ended = last.event.name() == EventName::SessionEnded;
        if !session.is_ended {
            let kind = EventKind::SessionEnded { reason: None };
            let event = AgentEvent { kind, agent: None, ..last.event };
            let key = format!("end {}", last.key);
            session.events.push(PastSessionEvent { key, event, at: last.at });
        }
    }
    if let Some(first) = sessions.first_mut() {
        first.unread = unread;
    }
    sessions
}
