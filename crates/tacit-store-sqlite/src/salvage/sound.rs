//! Checks of salvaged rows. Damage can leave a page that SQLite reads although its values make no
//! sense; one such row would fail every list that holds it.

use rusqlite::types::Value;
use tacit_core::{Author, MemoryId, RepoPath, SessionId, Timestamp};
use tacit_store::ActionKind;

/// Returns true if every value is one that a row of the table can have. Rows of memories are
/// checked as memories.
pub(super) fn is_sound(table: &str, columns: &[&str], values: &[Value]) -> bool {
    table == "memories"
        || columns.iter().zip(values).all(|(column, value)| is_sound_value(table, column, value))
}

fn is_sound_value(table: &str, column: &str, value: &Value) -> bool {
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
        ("changes", "actor", Value::Text(name)) => Author::new(name.clone()).is_ok(),
        ("agent_notes", "files", Value::Text(json)) => serde_json::from_str::<Vec<String>>(json)
            .is_ok_and(|files| files.iter().all(|file| RepoPath::new(file.clone()).is_ok())),
        ("agent_sessions", "id", Value::Text(id))
        | (_, "session" | "session_id", Value::Text(id)) => id.parse::<SessionId>().is_ok(),
        (_, "file_path" | "file_a" | "file_b" | "path", Value::Text(path)) => {
            table == "work_units" || RepoPath::new(path.clone()).is_ok()
        }
        (
            _,
            "at" | "started_at" | "last_at" | "created_at" | "last_accessed_at" | "last_seen_at"
            | "last_observed_at",
            Value::Integer(at),
        ) => Timestamp::from_millis(*at).is_some(),
        _ => true,
    }
}
