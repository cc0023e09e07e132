//! Lines of JSON, bounded in number and size.

use serde_json::Value;
use tacit_core::Timestamp;

/// The longest line that is read, in bytes. A longer one holds a picture or a dump.
const LONGEST_LINE: usize = 16 * 1024 * 1024;
/// The most lines of a transcript.
const MOST_LINES: usize = 500_000;

/// The lines of a transcript that are JSON objects, and the number of those that are not.
pub(super) struct Lines {
    pub(super) values: Vec<Value>,
    pub(super) unread: usize,
}

impl Lines {
    /// Parses the lines of a text. The last one may be half-written.
    pub(super) fn parse(text: &str) -> Lines {
        let mut lines = Lines { values: Vec::new(), unread: 0 };
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let value = (line.len() <= LONGEST_LINE && lines.values.len() < MOST_LINES)
                .then(|| serde_json::from_str::<Value>(line).ok())
                .flatten();
            match value.filter(Value::is_object) {
                Some(value) => lines.values.push(value),
                None => lines.unread += 1,
            }
        }
        lines
    }
}

/// Returns a text field that is not empty.
pub(super) fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer)?.as_str().filter(|text| !text.is_empty())
}

/// Returns true if a field is `true`.
pub(super) fn is_set(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool) == Some(true)
}

/// Returns the time in a field.
pub(super) fn time(value: &Value, pointer: &str) -> Option<Timestamp> {
    text(value, pointer)?.parse().ok()
}

/// Returns the texts of a message: one text, or the text blocks of a list.
pub(super) fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str)).collect()
        }
        _ => Vec::new(),
    }
}
