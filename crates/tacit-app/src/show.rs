//! Memories as JSON, the same for every door.

use serde_json::{Value, json};
use tacit_engine::StoredMemory;
use tacit_store::CodeLink;

/// Renders a memory as JSON, with its store and its short identifier.
pub fn to_json(found: &StoredMemory) -> Value {
    let mut value = found.memory.to_json();
    if let Value::Object(fields) = &mut value {
        fields.insert("short_id".into(), json!(found.memory.id.short().to_string()));
        fields.insert("store".into(), json!(found.store.as_str()));
    }
    value
}

/// Renders memories as JSON.
pub fn all_to_json<'f>(found: impl IntoIterator<Item = &'f StoredMemory>) -> Value {
    found.into_iter().map(to_json).collect()
}

/// Renders a memory with the symbols of the code graph that it is linked to.
pub fn with_links(found: &StoredMemory, links: &[CodeLink]) -> Value {
    let mut value = to_json(found);
    let links: Vec<&str> = links.iter().map(|link| link.symbol.as_str()).collect();
    if !links.is_empty() {
        value["linked_symbols"] = json!(links);
    }
    value
}
