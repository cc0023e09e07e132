//! Validation of salvaged rows. A damaged page may still be readable although its values make no
//! sense; one such row would fail every list that contains it.

use rusqlite::types::Value;
use tacit_core::{Author, Fate, MemoryId, RepoPath, SessionId, Timestamp};
use tacit_store::ActionKind;

/// Returns the first column with an invalid value. Rows of memories are checked elsewhere.
pub(crate) fn invalid_column<'c>(
    table: &str,
    columns: &[&'c str],
    values: &[Value],
) -> Option<&'c str> {
    let mut pairs = columns.iter().zip(values).filter(|_| table != "memories");
    pairs.find(|(column, value)| !is_valid_value(table, column, value)).map(|(column, _)| *column)
}

fn is_valid_value(table: &str, column: &str, value: &Value) -> bool {
    match (table, column, value) {
        (_, _, Value::Null) => true,
        ("change_items" | "agent_injections", "memory", Value::Blob(bytes)) => {
            <[u8; 16]>::try_from(bytes.as_slice())
                .is_ok_and(|id| MemoryId::from_bytes(id).is_some())
        }
        ("change_items", "before" | "after", Value::Text(json)) => {
            serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(json).is_ok()
        }
        ("changes", "kind", Value::Text(word)) => ActionKind::from_word(word).is_some(),
        ("agent_injections", "fate", Value::Text(word)) => word.parse::<Fate>().is_ok(),
        ("changes", "actor", Value::Text(name)) => Author::new(name.clone()).is_ok(),
        ("agent_notes", "files", Value::Text(json)) => serde_json::from_str::<Vec<String>>(json)
            .is_ok_and(|files| files.iter().all(|file| RepoPath::new(file.clone()).is_ok())),
        ("agent_sessions", "id", Value::Text(id))
        | ("observer_sessions", "tree", Value::Text(id))
        | (_, "session" | "session_id", Value::Text(id)) => id.parse::<SessionId>().is_ok(),
        ("agent_sessions" | "agent_injections", "context" | "tokens", Value::Integer(count)) => {
            u32::try_from(*count).is_ok()
        }
        (_, "file_path" | "file_a" | "file_b" | "path", Value::Text(path)) => {
            table == "work_units" || RepoPath::new(path.clone()).is_ok()
        }
        (
            _,
            "at" | "started_at" | "last_at" | "created_at" | "last_accessed_at" | "last_seen_at"
            | "last_observed_at" | "upto",
            Value::Integer(at),
        ) => Timestamp::from_millis(*at).is_some(),
        _ => true,
    }
}
