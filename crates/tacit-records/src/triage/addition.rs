//! What a draft adds to the record it belongs to. Pure.
//!
//! Without a model there is nobody to judge whether the new words are better than those that are
//! there: lists grow, and what is said stays.

use serde_json::{Map, Value, json};

use crate::candidate::overlap;
use crate::record::Record;

/// From this share of its words on, a record already says what a draft says.
const SAID: f64 = 0.9;

/// What is added to a record.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordAddition {
    /// The fields to be joined to those that are there.
    pub fields: Map<String, Value>,
    /// What is noted as the change.
    pub note: String,
}

/// What a draft adds to a record; nothing if the record says it all.
pub fn addition_to(record: &Record, draft: &Map<String, Value>) -> Option<RecordAddition> {
    let title = draft.get("title").and_then(Value::as_str).unwrap_or_default();
    let note = format!("Came up again: {title}");
    if record.changes.iter().any(|change| change.summary() == note) {
        return None;
    }
    let mut fields = Map::new();
    let mut content = Map::new();
    for (name, value) in draft.get("content").and_then(Value::as_object).into_iter().flatten() {
        let there = record.content.get(name).and_then(Value::as_array);
        let new: Vec<Value> = value
            .as_array()
            .into_iter()
            .flatten()
            .filter(|item| !there.is_some_and(|there| there.contains(item)))
            .filter(|item| item.as_str().is_none_or(|text| overlap(text, record) < SAID))
            .cloned()
            .collect();
        if !new.is_empty() {
            content.insert(name.clone(), Value::Array(new));
        }
    }
    if content.is_empty() && overlap(title, record) >= SAID {
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
