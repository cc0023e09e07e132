//! Sample records of every category, and times.

use serde_json::{Map, Value, json};
use tacit_core::Timestamp;
use tacit_records::{Record, RecordCategory, new_record};

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn now() -> Timestamp {
    at("2026-11-15T10:30:00Z")
}

pub(crate) fn fields(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { unreachable!("an object") };
    fields
}

pub(crate) fn content(category: RecordCategory) -> Value {
    match category {
        RecordCategory::SessionSummary => json!({
            "goal": "ship the importer", "outcome": "partial", "completed": ["parser"],
            "in_progress": [], "blockers": ["no fixtures"], "next_actions": ["write fixtures"],
            "key_changes": [],
        }),
        RecordCategory::Decision => json!({
            "status": "accepted", "context": "writers block readers",
            "decision": "use WAL mode",
            "alternatives": [{"option": "one file a day", "rejected_reason": "hard to query"}],
            "rationale": ["readers never wait"], "consequences": ["two more files"],
        }),
        RecordCategory::Runbook => json!({
            "trigger": "database is locked", "symptoms": ["exit code 5"],
            "steps": ["find the process", "end it"], "verification": "`tacit health` is well",
            "root_cause": "a writer that hangs", "environment": "any",
        }),
        RecordCategory::Constraint => json!({
            "kind": "technical", "rule": "no network in tests", "impact": ["stubs"],
            "workarounds": ["a local server"], "severity": "high", "active": true,
            "expires": "none",
        }),
        RecordCategory::TechDebt => json!({
            "status": "open", "priority": "low", "description": "the parser copies every line",
            "reason_deferred": "fast enough", "impact": [], "suggested_fix": [],
            "acceptance_criteria": [],
        }),
        RecordCategory::Preference => json!({
            "topic": "spelling", "value": "British", "reason": "the team is", "strength": "strong",
            "examples": {"prefer": ["colour"], "avoid": ["color"]},
        }),
    }
}

/// Returns the fields for a new record.
pub(crate) fn given(category: RecordCategory, title: &str) -> Map<String, Value> {
    fields(json!({"title": title, "tags": ["first"], "content": content(category)}))
}

pub(crate) fn record(category: RecordCategory, title: &str) -> Record {
    new_record(category, None, given(category, title), now()).unwrap()
}

/// Returns a record as JSON with one more change entry.
pub(crate) fn next(record: &Record) -> Value {
    let mut json = record.to_json();
    let changes = json["changes"].as_array_mut().unwrap();
    changes.push(json!({"date": "2026-11-15", "summary": format!("change {}", changes.len())}));
    json
}
