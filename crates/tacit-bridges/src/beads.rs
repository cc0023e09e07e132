//! Reads the JSON lines of beads: memories of `bd remember`, and decisions that were made. Other
//! issues are work, and work that is done is no memory. Its Dolt database is read only by `bd` itself.

use serde_json::Value;
use tacit_core::BuiltinType;

use crate::draft::{self, Attribution, Statement, named_paths};
use crate::{BridgeError, ImportItem};

pub(crate) fn read(name: &str, text: &str) -> Result<Vec<ImportItem>, BridgeError> {
    let mut items = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        let record: Value = serde_json::from_str(line).map_err(|_| BridgeError::Line {
            line: number,
            problem: "not valid JSON".to_owned(),
        })?;
        let statement = statement(name, &record, number);
        items.extend(draft::items(statement, number, Attribution::agent("beads")));
    }
    Ok(items)
}

/// Returns true if a line is one of beads: a memory, or an issue.
pub(crate) fn is_line(record: &Value) -> bool {
    let is_memory = record["_type"] == "memory" && record["value"].is_string();
    let is_issue = record["id"].is_string()
        && record["title"].is_string()
        && (record["issue_type"].is_string() || record["_type"] == "issue");
    is_memory || is_issue
}

fn statement(name: &str, record: &Value, line: usize) -> Result<Statement, &'static str> {
    let text = |field: &str| record[field].as_str().map(str::trim).filter(|it| !it.is_empty());
    if record["_type"] == "memory" {
        let content = text("value").ok_or("the memory is empty")?;
        return Ok(Statement {
            line,
            content: content.to_owned(),
            reference: format!("{name}#memory {}", text("key").unwrap_or("-")),
            paths: named_paths(content),
            kind: Some(BuiltinType::infer(content)),
            ..Statement::default()
        });
    }
    if text("issue_type") != Some("decision") {
        return Err("an issue, not a memory");
    }
    if text("status") != Some("closed") {
        return Err("a decision that is still open");
    }
    let content = text("close_reason").filter(|reason| reason.split_whitespace().count() > 2);
    let content = content.or_else(|| text("description")).ok_or("the decision is empty")?;
    let reasoning = [text("description"), text("design"), text("notes")].into_iter().flatten();
    let labels = record["labels"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(Statement {
        line,
        title: text("title").map(str::to_owned),
        content: content.to_owned(),
        reasoning: reasoning.into_iter().find(|text| *text != content).map(str::to_owned),
        kind: Some(BuiltinType::Decision),
        tags: labels.map(str::to_owned).collect(),
        reference: format!("{name}#issue {}", text("id").unwrap_or("-")),
        paths: named_paths(content),
    })
}
