//! `forget`: takes a memory out of use.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_core::{Reasoning, StatusKind};
use tacit_engine::{ForgetMode, StoreAccess};

use super::{Effect, ToolSpec, object, text};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolAnswer, ToolResult, field, read};

pub(super) const SPEC: ToolSpec = ToolSpec {
    name: "forget",
    title: "Forget a memory",
    description: "Take a memory out of use if the user wants it gone or it is plainly wrong. \
                  `tacit restore ID` brings it back.",
    input: || {
        object(json!({"id": text(""), "reason": text("Why, for the history")}), &["id", "reason"])
    },
    output: || object(json!({"id": text(""), "status": text("")}), &["id", "status"]),
    effect: Effect::Removes,
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
    reason: String,
}

fn run(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let Arguments { id, reason } = read(arguments)?;
    let reason = Reasoning::new(reason).map_err(|problem| field("reason", problem))?;
    let mut engine = ctx.engine(StoreAccess::WriteBoth)?;
    let found = engine.find(&id)?;
    let short = found.memory.id.short();
    let (found, text) = if found.memory.status.kind() == StatusKind::Retired {
        (found, format!("Memory {short} was already forgotten."))
    } else {
        let id = found.memory.id.to_string();
        let found = engine.forget(&id, ForgetMode::Retire, reason)?;
        (found, format!("Forgot memory {short}. `tacit restore {short}` brings it back."))
    };
    let status = found.memory.status.kind().as_str();
    Ok(ToolAnswer::message(text, json!({"id": short.to_string(), "status": status})))
}
