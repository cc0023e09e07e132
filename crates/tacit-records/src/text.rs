//! Renders records as text, for search, the index and readers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::category::RecordCategory;
use crate::record::Record;
use crate::shape::shown;

/// Renders the content, one line per item: `goal: …`, `steps: …`.
pub fn content_text(record: &Record) -> String {
    let mut text = String::new();
    for (name, value) in &record.content {
        add(&mut text, &name.replace('_', " "), value);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Renders the whole record, with title and tags.
pub fn record_text(record: &Record) -> String {
    format!("{}\n{}\n{}", record.title, record.tags.join(" "), content_text(record))
}

fn add(text: &mut String, name: &str, value: &Value) {
    match value {
        Value::String(line) => {
            let _ = writeln!(text, "{name}: {line}");
        }
        Value::Array(items) => items.iter().for_each(|item| match item {
            Value::Object(fields) => {
                let _ = writeln!(text, "{name}: {}", inline(fields));
            }
            other => add(text, name, other),
        }),
        Value::Object(fields) => {
            for (inner, value) in fields {
                add(text, &inner.replace('_', " "), value);
            }
        }
        Value::Bool(_) | Value::Number(_) => {
            let _ = writeln!(text, "{name}: {value}");
        }
        Value::Null => {}
    }
}

fn inline(fields: &Map<String, Value>) -> String {
    let parts: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{} {}", name.replace('_', " "), shown(value)))
        .collect();
    parts.join("; ")
}

/// Renders the index of active records. The same records give the same bytes.
pub fn index_markdown(records: &[Record]) -> String {
    let mut active: Vec<&Record> = records.iter().filter(|r| r.status.is_active()).collect();
    active.sort_by(|a, b| a.id.cmp(&b.id));
    let mut entries: BTreeMap<RecordCategory, Vec<String>> = BTreeMap::new();
    for record in active {
        let title = escape(&record.title);
        let tags: Vec<String> = record.tags.iter().map(|tag| escape(tag)).collect();
        let line = format!("- [{title}]({}) ({})", record.path(), tags.join(", "));
        entries.entry(record.category).or_default().push(line);
    }
    index_of_lines(&entries)
}

/// Renders an index with these lines under the headings of their categories.
pub(crate) fn index_of_lines<S: AsRef<str>>(entries: &BTreeMap<RecordCategory, Vec<S>>) -> String {
    let mut text =
        String::from("# Memory index\n\nWritten by `tacit records`; changes made here are lost.\n");
    for (category, lines) in entries {
        let _ = write!(text, "\n## {}\n\n", category.heading());
        for line in lines {
            let _ = writeln!(text, "{}", line.as_ref());
        }
    }
    text
}

/// Escapes Markdown, so that text cannot end a link or start markup.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '[' | ']' | '\\' | '`' | '*' | '_' | '<' | '>' | '|') {
            escaped.push('\\');
        }
        escaped.push(if c.is_control() { ' ' } else { c });
    }
    escaped
}
