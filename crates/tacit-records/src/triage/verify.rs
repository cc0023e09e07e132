//! Verifies that a draft says only what the session said.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tacit_core::tokenize;

/// The share of a statement's words that the excerpt must contain.
const SUPPORTED: f64 = 0.5;

/// The result of verifying a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftVerdict {
    /// Every statement is supported.
    Pass,
    /// The listed statements are not supported; the draft must not be saved.
    Block(Vec<String>),
}

/// Checks every statement in the title and content against the excerpt. Words from fixed lists,
/// such as a status, need no support.
pub fn verify(draft: &Map<String, Value>, excerpt: &str) -> DraftVerdict {
    let known: BTreeSet<String> = tokenize(excerpt).iter().map(str::to_owned).collect();
    let mut unsupported = Vec::new();
    for field in ["title", "content"] {
        if let Some(value) = draft.get(field) {
            check(value, &known, &mut unsupported);
        }
    }
    unsupported.dedup();
    if unsupported.is_empty() { DraftVerdict::Pass } else { DraftVerdict::Block(unsupported) }
}

fn check(value: &Value, known: &BTreeSet<String>, unsupported: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let tokens = tokenize(text);
            let words = tokens.distinct();
            // One or two words are a choice from a list.
            if words.len() <= 2 {
                return;
            }
            let supported = words.iter().filter(|word| known.contains(**word)).count();
            if (supported as f64) < SUPPORTED * words.len() as f64 {
                unsupported.push(text.clone());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| check(item, known, unsupported)),
        Value::Object(fields) => fields.values().for_each(|field| check(field, known, unsupported)),
        _ => {}
    }
}
