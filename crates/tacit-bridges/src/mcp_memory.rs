//! The graph of the reference MCP memory server: entities with observations, and relations, one
//! JSON object a line, or all of it as one object.

use serde_json::Value;
use tacit_core::BuiltinType;

use crate::draft::{Attribution, Statement, named_paths};
use crate::{BridgeError, ImportItem};

const ATTRIBUTION: Attribution = Attribution::agent("mcp-memory");

pub(crate) fn read(name: &str, text: &str) -> Result<Vec<ImportItem>, BridgeError> {
    if let Ok(Value::Object(graph)) = serde_json::from_str::<Value>(text)
        && (graph.contains_key("entities") || graph.contains_key("relations"))
    {
        let list =
            |key: &str| graph.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let (entities, relations) = (list("entities"), list("relations"));
        let entities = entities.iter().flat_map(|value| entity(name, 1, value));
        let relations = relations.iter().flat_map(|value| relation(name, 1, value));
        return Ok(entities.chain(relations).collect());
    }
    let mut items = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        let value: Value = serde_json::from_str(line).map_err(|error| BridgeError::Line {
            line: number,
            problem: format!("not valid JSON (column {})", error.column()),
        })?;
        match value.get("type").and_then(Value::as_str) {
            Some("entity") => items.extend(entity(name, number, &value)),
            Some("relation") => items.extend(relation(name, number, &value)),
            _ => {
                let problem = "`type` is neither `entity` nor `relation`".to_owned();
                return Err(BridgeError::Line { line: number, problem });
            }
        }
    }
    Ok(items)
}

fn entity(file: &str, line: usize, value: &Value) -> Vec<ImportItem> {
    let Some(name) = text(value, "name") else {
        return vec![ImportItem::skipped(line, "it has no name")];
    };
    let class = text(value, "entityType");
    let observations = value.get("observations").and_then(Value::as_array);
    let mut items = Vec::new();
    for observation in observations.into_iter().flatten() {
        // Some servers keep when it was observed beside it.
        let Some(said) =
            observation.as_str().map(str::trim).or_else(|| text(observation, "content"))
        else {
            items.push(ImportItem::skipped(line, "an observation is no text"));
            continue;
        };
        if said.is_empty() {
            items.push(ImportItem::skipped(line, "an observation is empty"));
            continue;
        }
        let content =
            if said.starts_with(name) { said.to_owned() } else { format!("{name}: {said}") };
        let said = Statement {
            line,
            paths: named_paths(said),
            content,
            tags: class.map(str::to_owned).into_iter().collect(),
            reference: format!("{file}#{name}"),
            ..Statement::default()
        };
        items.extend(said.items(ATTRIBUTION));
    }
    if items.is_empty() {
        items.push(ImportItem::skipped(line, "it has no observations"));
    }
    items
}

fn relation(file: &str, line: usize, value: &Value) -> Vec<ImportItem> {
    let parts = (text(value, "from"), text(value, "relationType"), text(value, "to"));
    let (Some(from), Some(kind), Some(to)) = parts else {
        return vec![ImportItem::skipped(line, "it does not say what relates to what")];
    };
    let said = Statement {
        line,
        content: format!("{from} {} {to}", kind.replace('_', " ")),
        kind: Some(BuiltinType::ModuleInsight),
        tags: vec!["relation".into()],
        reference: format!("{file}#{from}"),
        ..Statement::default()
    };
    said.items(ATTRIBUTION)
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}
