//! `memory_timeline`: lists what happened around a memory.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_agents::safe_text;
use tacit_core::{Memory, Timestamp};
use tacit_engine::{Engine, StoreAccess, StoredMemory};
use tacit_store::{ChangeQuery, EventQuery, Filter, ListOrder};

use super::{Effect, ToolSpec, object, text};
use crate::show::headline;
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolAnswer, ToolError, ToolResult, read, shortened};

pub(super) const SPEC: ToolSpec = ToolSpec {
    name: "memory_timeline",
    title: "Around a memory",
    description: "What was learnt and done around a memory, and how it has changed since.",
    input: || {
        object(
            json!({"id": text(""), "limit": {"type": "integer", "description": "Per side; 5"}}),
            &["id"],
        )
    },
    output: || {
        object(
            json!({"entries": {"type": "array", "items": object(
                json!({"at": text(""), "kind": text(""), "text": text(""), "id": text("")}),
                &["at", "kind", "text"],
            )}}),
            &["entries"],
        )
    },
    effect: Effect::Reads,
    run,
};

/// The default and the greatest number of memories on each side.
const DEFAULT_LIMIT: u64 = 5;
const MAX_LIMIT: u64 = 25;
/// The maximum number of changes listed.
const CHANGES: usize = 20;
/// The number of events examined of its sessions, and their maximum distance, in days.
const EVENTS: usize = 500;
const EVENT_DAYS: f64 = 0.25;
/// The most characters of a line.
const MAX_LINE: usize = 160;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
    limit: Option<u64>,
}

/// One entry of the timeline.
struct Entry {
    at: Timestamp,
    kind: String,
    text: String,
    id: Option<String>,
}

fn run(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let Arguments { id, limit } = read(arguments)?;
    let limit = usize::try_from(limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT)).unwrap_or(1);
    let engine = ctx.engine(StoreAccess::ReadBoth)?;
    let found = engine.find(&id)?;
    let mut entries = changes(&engine, &found)?;
    entries.extend(beside(&engine, &found, limit)?);
    entries.extend(events(&engine, &found.memory, limit));
    entries.sort_by_key(|entry| entry.at);
    let mut lines = vec![format!("Around memory {}:", found.memory.id.short())];
    let mut values = Vec::new();
    for entry in &entries {
        let text = safe_text(&shortened(&entry.text, MAX_LINE)).replace('\n', " ");
        let kind = safe_text(&entry.kind);
        let id = entry.id.as_deref().map(|id| format!(" [{id}]")).unwrap_or_default();
        lines.push(format!("{}  {kind}{id}  {text}", entry.at));
        let mut value = json!({"at": entry.at.to_string(), "kind": kind, "text": text});
        if let Some(id) = &entry.id {
            value["id"] = json!(id);
        }
        values.push(value);
    }
    Ok(ToolAnswer::unfenced_notes(&lines.join("\n"), json!({"entries": values})))
}

/// Lists the changes of the memory itself.
fn changes(engine: &Engine<'_>, found: &StoredMemory) -> Result<Vec<Entry>, ToolError> {
    let query =
        ChangeQuery { memory: Some(found.memory.id), limit: CHANGES, ..ChangeQuery::default() };
    let changes = engine.history(found.store, &query)?;
    let id = found.memory.id.short().to_string();
    let entries = changes.into_iter().map(|change| {
        let action = &change.action;
        let new =
            change.items.iter().any(|item| item.memory == found.memory.id && item.before.is_none());
        let mut text = match new {
            true => headline(&found.memory),
            false => format!("by {}", action.actor),
        };
        if let Some(reason) = &action.reason {
            text.push_str(&format!(": {reason}"));
        }
        let kind = if new { "this was learnt" } else { action.kind.as_str() };
        Entry { at: action.at, kind: kind.to_owned(), text, id: Some(id.clone()) }
    });
    Ok(entries.collect())
}

/// Lists memories stored just before and after it.
fn beside(
    engine: &Engine<'_>,
    found: &StoredMemory,
    limit: usize,
) -> Result<Vec<Entry>, ToolError> {
    let memory = &found.memory;
    let before = Filter { until: Some(memory.created_at), ..Filter::default() };
    let after = Filter { since: Some(memory.created_at), ..Filter::default() };
    let mut near = engine.list(Some(found.store), &before, ListOrder::Newest, limit, 0)?;
    let later = engine.list(Some(found.store), &after, ListOrder::Oldest, limit + 1, 0)?;
    near.extend(later.into_iter().filter(|other| other.memory.id != memory.id).take(limit));
    let entry = |found: StoredMemory| Entry {
        at: found.memory.created_at,
        kind: format!("{} learnt", found.memory.memory_type()),
        text: headline(&found.memory),
        id: Some(found.memory.id.short().to_string()),
    };
    Ok(near.into_iter().map(entry).collect())
}

/// Lists the nearest events of the sessions the memory comes from.
fn events(engine: &Engine<'_>, memory: &Memory, limit: usize) -> Vec<Entry> {
    let mut near = Vec::new();
    for session in memory.body.origin.sessions.iter() {
        let query =
            EventQuery { session: Some(session.clone()), limit: EVENTS, ..EventQuery::default() };
        // Memories in the global store have no session log.
        near.extend(engine.events(&query).unwrap_or_default());
    }
    let distance = |at: Timestamp| at.days_since(memory.created_at).abs();
    near.retain(|event| distance(event.at) <= EVENT_DAYS);
    near.sort_by(|a, b| distance(a.at).total_cmp(&distance(b.at)));
    near.truncate(2 * limit);
    near.into_iter()
        .map(|event| {
            let parts = [event.record.tool().map(Into::into), event.record.subject()];
            let text: Vec<Cow<'_, str>> = parts.into_iter().flatten().collect();
            let kind = event.record.kind().to_string();
            Entry { at: event.at, kind, text: text.join(" "), id: None }
        })
        .collect()
}
