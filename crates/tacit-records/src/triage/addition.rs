//! Finds what a rule-based draft adds to the record it belongs to. Pure.
//!
//! Rules cannot judge whether new wording is better, so lists grow and other fields stay.

use serde_json::{Map, Value, json};

use crate::candidate::overlap;
use crate::record::Record;

/// The share of words from which on a record already says the same.
const ALREADY_SAID: f64 = 0.9;

/// An addition to a record.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordAddition {
    /// The fields to merge.
    pub fields: Map<String, Value>,
    /// The summary for the change log.
    pub note: String,
}

/// Returns what a draft adds to a record; `None` if the record already says it all.
pub fn addition_to(record: &Record, draft: &Map<String, Value>) -> Option<RecordAddition> {
    let title = draft.get("title").and_then(Value::as_str).unwrap_or_default();
    let note = format!("Came up again: {title}");
    if record.changes.iter().any(|change| change.summary() == note) {
        return None;
    }
    let mut fields = Map::new();
    let mut content = Map::new();
    for (name, value) in draft.get("content").and_then(Value::as_object).into_iter().flatten() {
        let existing = record.content.get(name).and_then(Value::as_array);
        let new: Vec<Value> = value
            .as_array()
            .into_iter()
            .flatten()
            .filter(|item| !existing.is_some_and(|existing| existing.contains(item)))
            .filter(|item| item.as_str().is_none_or(|text| overlap(text, record) < ALREADY_SAID))
            .cloned()
            .collect();
        if !new.is_empty() {
            content.insert(name.clone(), Value::Array(new));
        }
    }
    if content.is_empty() && overlap(title, record) >= ALREADY_SAID {
        return None;
    }
    if !content.is_empty() {
        fields.insert("content".to_owned(), Value::Object(content));
    }
    let files: Vec<&str> = draft
        .get("related_files")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|file| !record.related_files.iter().any(|known| known == file))
        .take(crate::record::MAX_FILES.saturating_sub(record.related_files.len()))
        .collect();
    if !files.is_empty() {
        fields.insert("related_files".to_owned(), json!(files));
    }
    Some(RecordAddition { fields, note })
}
