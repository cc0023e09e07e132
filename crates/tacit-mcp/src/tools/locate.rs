//! `locate`: finds the files that a task is about.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_app::locate::LocatedFiles;

use super::graph::{lines_answer, output};
use super::{Effect, ToolSpec, object, text};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolError, ToolResult, read};

pub(super) const SPEC: ToolSpec = ToolSpec {
    name: "locate",
    title: "Find files",
    description: "Find the files that a task, issue or stack trace is about.",
    input: || object(json!({"text": text("")}), &["text"]),
    output,
    effect: Effect::Reads,
    run: locate,
};

/// The maximum number of files listed.
const LISTED: usize = 8;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    text: String,
}

fn locate(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let Arguments { text } = read(arguments)?;
    if text.trim().is_empty() {
        return Err(ToolError::error("`text` is empty; describe the task"));
    }
    ctx.check_cancelled()?;
    let LocatedFiles { answer, warnings } = tacit_app::locate::locate(ctx.app(), &text, LISTED)?;
    let mut lines = answer.lines(true);
    lines.extend(warnings);
    Ok(lines_answer(&lines))
}
