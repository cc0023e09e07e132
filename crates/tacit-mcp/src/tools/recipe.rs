//! `get_workflow_recipe`: returns the steps of a recurring task.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_app::recall::{RequestedPeriod, recall};
use tacit_core::BuiltinType;
use tacit_engine::{RecallRequest, StoredMemory};
use tacit_store::Filter;

use super::{Effect, ToolSpec, object, text};
use crate::show::{ShownNote, fenced, record};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolAnswer, ToolError, ToolResult, read, shortened};

pub(super) const SPEC: ToolSpec = ToolSpec {
    name: "get_workflow_recipe",
    title: "Recurring steps",
    description: "Steps that worked before for a kind of task, such as \"add a migration\". Look \
                  here before planning one.",
    input: || object(json!({"task": text("")}), &["task"]),
    output: || {
        object(json!({"recipes": {"type": "array", "items": {"type": "object"}}}), &["recipes"])
    },
    effect: Effect::Reads,
    run,
};

/// The maximum number of recipes returned.
const MAX_RECIPES: usize = 2;
/// The number of characters used of a task.
const MAX_TASK: usize = 4_096;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    task: String,
}

fn run(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let Arguments { task } = read(arguments)?;
    if task.trim().is_empty() {
        return Err(ToolError::error("`task` is empty"));
    }
    let engine = ctx.engine_for_query()?;
    let types = vec![BuiltinType::WorkflowRecipe.into(), BuiltinType::Workflow.into()];
    let filter = Filter { types, ..Filter::default() };
    let request = RecallRequest::explicit(shortened(&task, MAX_TASK), filter, MAX_RECIPES);
    let here = ctx.here(&engine);
    let answers = recall(ctx.app(), &engine, &here, request, &RequestedPeriod::Any)?;
    let found: Vec<&StoredMemory> = answers.shown.iter().map(|answer| &answer.found).collect();
    let root = &engine.paths().root;
    let shown: Vec<ShownNote> = found.iter().map(|found| ShownNote::recipe(root, found)).collect();
    let text = fenced("steps that worked before", &shown, "No recipe is known for that.");
    let recipes: Vec<Value> = found.into_iter().map(record).collect();
    Ok(ToolAnswer::notes(text, json!({"recipes": recipes})))
}
