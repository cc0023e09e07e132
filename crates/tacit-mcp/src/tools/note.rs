//! `remember_this`: adds a note of the session, which becomes a memory only if the work passes.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_core::log::{AgentNote, NoteRecord};
use tacit_core::{BuiltinType, Content, MemoryType, clean};
use tacit_engine::{StoreAccess, StoreScope};
use tacit_redact::redact;
use tacit_store::{ActivityBatch, Note};

use super::{Effect, ToolSpec, object, text, texts};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolAnswer, ToolError, ToolResult, field, read};

pub(super) const SPEC: ToolSpec = ToolSpec {
    name: "remember_this",
    title: "Note for this session",
    description: "Note something you just found out. Available at once in this session; \
                  becomes a memory only if the work passes its checks. Needs no permission.",
    input: || {
        object(
            json!({
                "content": text(""),
                "type": text("gotcha, decision, …"),
                "files": texts("Files it is about"),
            }),
            &["content"],
        )
    },
    output: || {
        object(
            json!({
                "id": text(""), "session": text(""),
                "redacted": {"type": "integer"},
            }),
            &["id", "session"],
        )
    },
    effect: Effect::Adds,
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    content: String,
    r#type: Option<String>,
    files: Option<Vec<String>>,
}

fn run(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let arguments: Arguments = read(arguments)?;
    let kind: MemoryType = match arguments.r#type {
        Some(word) => word.parse().map_err(|problem| field("type", problem))?,
        None => BuiltinType::ModuleInsight.into(),
    };
    let files = ctx.files(arguments.files)?;
    let content = Content::new(clean(&arguments.content).text)
        .map_err(|problem| field("content", problem))?;
    let redacted = redact(content.as_str());
    let count = redacted.count();
    let note_text = redacted.text.into_owned();
    let mut engine = ctx.engine(StoreAccess::Write(StoreScope::Project))?;
    let session = ctx.session(&engine);
    if !ctx.captures(&engine, &session)? {
        return Err(ToolError::error("capture is off in this session, so nothing was noted"));
    }
    let note = Note {
        id: ctx.new_id(),
        session: session.clone(),
        at: ctx.now(),
        text: note_text,
        files,
        record: NoteRecord::Agent(AgentNote { memory_type: kind, by: Some(ctx.client.clone()) }),
    };
    let id = note.id.clone();
    let sessions = vec![ctx.seen(&session)];
    engine.record(ActivityBatch { sessions, notes: vec![note], ..ActivityBatch::default() })?;
    let mut text =
        "Noted for this session; it becomes a memory if the work passes its checks.".to_owned();
    let mut value = json!({"id": id, "session": session.as_str()});
    if count > 0 {
        value["redacted"] = json!(count);
        text.push_str(&format!(" Redacted {count} secret(s)."));
    }
    Ok(ToolAnswer::message(text, value))
}
