//! `when` and `how`: open sections of the project's decision files by trigger.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_triggers::Operator;

use super::{Effect, ToolSpec, object, text, texts};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolAnswer, ToolError, ToolResult, read, shortened};

pub(super) const WHEN: ToolSpec = ToolSpec {
    name: "when",
    title: "What was decided",
    description: "Open the decision for a situation, by a `/when` line of the project's index.",
    input,
    output,
    effect: Effect::Reads,
    run: |ctx, arguments| run(ctx, Operator::When, arguments),
};

pub(super) const HOW: ToolSpec = ToolSpec {
    name: "how",
    title: "How it is done",
    description: "Open how to do something here, by a `/how` line of the project's index.",
    input,
    output,
    effect: Effect::Reads,
    run: |ctx, arguments| run(ctx, Operator::How, arguments),
};

/// The most characters of a query, and of an answer.
const MAX_QUERY: usize = 1_000;
const MAX_ANSWER: usize = 60_000;

fn input() -> Value {
    object(json!({"trigger": text("The trigger, `.Section Title`, or `..file.md`")}), &["trigger"])
}

fn output() -> Value {
    object(
        json!({
            "title": text(""), "file": text(""), "line": {"type": "integer"}, "content": text(""),
            "broader": texts(""), "related": texts(""),
        }),
        &["file", "line", "content", "broader", "related"],
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    trigger: String,
}

fn run(ctx: &ToolContext<'_>, operator: Operator, arguments: Map<String, Value>) -> ToolResult {
    let Arguments { trigger } = read(arguments)?;
    let config = ctx.config()?;
    ctx.check_cancelled()?;
    let query = shortened(&trigger, MAX_QUERY);
    let opened = tacit_app::triggers::open(ctx.app(), &config, operator, &query)?;
    // Uses the same message as the commands, with suggestions.
    let found = opened.map_err(|error| ToolError::NotFound(error.to_string()))?;
    let content = String::from_utf8_lossy(&found.content);
    let mut value = json!({
        "file": found.path, "line": found.line, "content": shortened(&content, MAX_ANSWER),
        "broader": found.broader, "related": found.related,
    });
    if let Some(title) = &found.title {
        value["title"] = json!(title);
    }
    let text = shortened(&String::from_utf8_lossy(&found.render()), MAX_ANSWER);
    Ok(ToolAnswer { text, value })
}
