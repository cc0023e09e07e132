//! The tools, one file each, with arguments, schemas and function.
//!
//! Agents pay for every word of a description in every session. Descriptions say when to use a
//! tool, schemas what a name does not make clear; a test enforces a budget for all of them.

mod feedback;
mod forget;
mod get;
mod graph;
mod locate;
mod note;
mod recipe;
mod report;
mod search;
mod store;
mod timeline;
mod trigger;

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

/// The definition of a tool.
pub(crate) struct ToolSpec {
    pub(crate) name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The schemas of its arguments and its result.
    input: fn() -> Value,
    output: fn() -> Value,
    effect: Effect,
    /// The function behind it.
    pub(crate) run: fn(&ToolContext<'_>, Map<String, Value>) -> ToolResult,
}

/// The effect of a tool on the stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Reads only.
    Reads,
    /// Adds something with every call.
    Adds,
    /// Changes something; a repeated call changes nothing more.
    Changes,
    /// Removes something; a repeated call changes nothing more.
    Removes,
}

const TOOLS: [&ToolSpec; 16] = [
    &search::SPEC,
    &get::SPEC,
    &timeline::SPEC,
    &store::SPEC,
    &note::SPEC,
    &feedback::SPEC,
    &forget::SPEC,
    &trigger::WHEN,
    &trigger::HOW,
    &recipe::SPEC,
    &report::VALIDATION,
    &report::WORK_UNIT,
    &graph::IMPACT,
    &graph::DEPENDENCIES,
    &graph::FLOW,
    &locate::SPEC,
];

/// Finds a tool by name.
pub(crate) fn find(name: &str) -> Option<&'static ToolSpec> {
    TOOLS.into_iter().find(|spec| spec.name == name)
}

/// Lists the tools.
pub fn tools() -> Vec<Tool> {
    TOOLS.into_iter().map(ToolSpec::tool).collect()
}

impl ToolSpec {
    /// Converts the definition for the protocol.
    pub(crate) fn tool(&self) -> Tool {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(self.effect == Effect::Reads)
            .destructive(self.effect == Effect::Removes)
            .idempotent(self.effect != Effect::Adds)
            .open_world(false);
        Tool::new(self.name, self.description, schema(self.input))
            .with_raw_output_schema(output_schema(self.output))
            .with_annotations(annotations)
    }
}

fn schema(make: fn() -> Value) -> Arc<Map<String, Value>> {
    match make() {
        Value::Object(fields) => Arc::new(fields),
        _ => Arc::default(),
    }
}

/// Returns an output schema without `required`: clients only read outputs, and every
/// word costs tokens.
fn output_schema(make: fn() -> Value) -> Arc<Map<String, Value>> {
    let mut fields = schema(make);
    Arc::make_mut(&mut fields).remove("required");
    fields
}

/// Returns the schema of an object.
fn object(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({"type": "object"});
    schema["properties"] = properties;
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Returns the schema of a string.
fn text(description: &str) -> Value {
    if description.is_empty() {
        json!({"type": "string"})
    } else {
        json!({"type": "string", "description": description})
    }
}

/// Returns the schema of a list of strings.
fn texts(description: &str) -> Value {
    let mut schema = json!({"type": "array", "items": {"type": "string"}});
    if !description.is_empty() {
        schema["description"] = json!(description);
    }
    schema
}

/// Returns the schema of an enumeration.
fn one_of(parse_all: &[&str]) -> Value {
    json!({"type": "string", "enum": parse_all})
}
