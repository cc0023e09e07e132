//! The tools: one file each, with its arguments, its schemas, and what it does.
//!
//! Agents pay for every word of a description, in every session. Descriptions say when a tool is
//! right, schemas what cannot be guessed from a name; a test holds all of them to a budget.

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

/// A tool.
pub(crate) struct ToolSpec {
    /// Its name.
    pub(crate) name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The schemas of what it takes and of what it gives.
    input: fn() -> Value,
    output: fn() -> Value,
    effect: Effect,
    /// Does it.
    pub(crate) run: fn(&ToolContext<'_>, Map<String, Value>) -> ToolResult,
}

/// What a tool does to the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Nothing.
    Reads,
    /// It adds to it, each time anew.
    Adds,
    /// It changes what is there, and doing it again changes nothing more.
    Changes,
    /// It takes out what is there, and doing it again changes nothing more.
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

/// The tool of a name.
pub(crate) fn find(name: &str) -> Option<&'static ToolSpec> {
    TOOLS.into_iter().find(|spec| spec.name == name)
}

/// The tools as clients are told of them.
pub fn tools() -> Vec<Tool> {
    TOOLS.into_iter().map(ToolSpec::tool).collect()
}

impl ToolSpec {
    /// The tool as clients are told of it.
    pub(crate) fn tool(&self) -> Tool {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(self.effect == Effect::Reads)
            .destructive(self.effect == Effect::Removes)
            .idempotent(self.effect != Effect::Adds)
            .open_world(false);
        Tool::new(self.name, self.description, schema(self.input))
            .with_raw_output_schema(shape(self.output))
            .with_annotations(annotations)
    }
}

fn schema(make: fn() -> Value) -> Arc<Map<String, Value>> {
    match make() {
        Value::Object(fields) => Arc::new(fields),
        _ => Arc::default(),
    }
}

/// A schema of what is given: which fields there are. Which are always there is left out, since
/// nobody has to fill them in and every word is paid for.
fn shape(make: fn() -> Value) -> Arc<Map<String, Value>> {
    let mut fields = schema(make);
    Arc::make_mut(&mut fields).remove("required");
    fields
}

/// A schema of an object with these properties.
fn object(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({"type": "object"});
    schema["properties"] = properties;
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// A schema of a text.
fn text(description: &str) -> Value {
    if description.is_empty() {
        json!({"type": "string"})
    } else {
        json!({"type": "string", "description": description})
    }
}

/// A schema of a list of texts.
fn texts(description: &str) -> Value {
    let mut schema = json!({"type": "array", "items": {"type": "string"}});
    if !description.is_empty() {
        schema["description"] = json!(description);
    }
    schema
}

/// A schema of one of several words.
fn one_of(parse_all: &[&str]) -> Value {
    json!({"type": "string", "enum": parse_all})
}
