//! `memory_get`: returns memories in full.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_engine::{RecallResult, StoreAccess};

use super::{Effect, ToolSpec, object, texts};
use crate::show::{ShownNote, fenced, record};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolAnswer, ToolError, ToolResult, read};

pub(super) const SPEC: ToolSpec = ToolSpec {
    name: "memory_get",
    title: "Read memories",
    description: "Read memories in full, by the ids that `memory_search` or a shown note gives.",
    input: || object(json!({"ids": texts("At most 20; a prefix is enough")}), &["ids"]),
    output: || {
        object(
            json!({
                "memories": {"type": "array", "items": {"type": "object"}},
                "missing": texts(""),
            }),
            &["memories", "missing"],
        )
    },
    effect: Effect::Reads,
    run,
};

/// The maximum number of memories per call.
const MAX_IDS: usize = 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    ids: Vec<String>,
}

fn run(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let Arguments { ids } = read(arguments)?;
    if ids.is_empty() || ids.len() > MAX_IDS {
        return Err(ToolError::error(format!(
            "`ids` has {} entries; give 1 to {MAX_IDS}",
            ids.len()
        )));
    }
    let engine = ctx.engine(StoreAccess::ReadBoth)?;
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for (at, id) in ids.iter().enumerate() {
        ctx.check_cancelled()?;
        match engine.find(id).map_err(ToolError::from) {
            Ok(one) => found.push(one),
            Err(ToolError::NotFound(_)) if ids.len() > 1 => {
                missing.push(crate::tool_result::shortened(id, 100));
            }
            Err(refusal) => return Err(refusal),
        }
        (ctx.progress)(at + 1, ids.len());
    }
    let root = engine.paths().root.clone();
    let shown: Vec<ShownNote> = found.iter().map(|found| ShownNote::whole(&root, found)).collect();
    let mut text = fenced("by id", &shown, "No memory has any of these ids.");
    if !missing.is_empty() && !shown.is_empty() {
        text.push_str(&format!("\nNot found: {}", missing.join(", ")));
    }
    let memories: Vec<Value> = found.iter().map(record).collect();
    let read: Vec<RecallResult> = found.into_iter().map(RecallResult::unranked).collect();
    engine.note_uses(&read);
    Ok(ToolAnswer::notes(text, json!({"memories": memories, "missing": missing})))
}
