//! `memory_feedback`: reports that a memory helped or misled.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_app::verdict::{Judged, Verdict};
use tacit_core::Review;
use tacit_core::log::{FeedbackRecord, LogRecord, MemoryVerdict};
use tacit_engine::{Requester, StoreAccess};

use super::{Effect, ToolSpec, object, one_of, text};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolAnswer, ToolResult, field, read};

pub(super) const SPEC: ToolSpec = ToolSpec {
    name: "memory_feedback",
    title: "Judge a memory",
    description: "Report that a memory was `used` (it helped), `wrong` (it misled you) or `outdated` \
                  (no longer true). Hooks hide wrong and outdated ones until reviewed.",
    input: || {
        object(
            json!({
                "id": text(""),
                "verdict": one_of(&["used", "wrong", "outdated"]),
                "note": text("What is true instead, or how it helped"),
            }),
            &["id", "verdict"],
        )
    },
    output: || {
        object(
            json!({
                "id": text(""), "verdict": text(""),
                "confidence": {"type": "number"}, "review": text(""),
            }),
            &["id", "verdict", "confidence", "review"],
        )
    },
    effect: Effect::Changes,
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
    verdict: MemoryVerdict,
    note: Option<String>,
}

fn run(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let Arguments { id, verdict, note } = read(arguments)?;
    let note = note.filter(|note| !note.trim().is_empty());
    let plain = Verdict::Plain(verdict);
    let reason = plain.reason(note.as_deref(), Requester::Agent);
    let reason = reason.map_err(|problem| field("note", problem))?;
    let mut engine = ctx.engine(StoreAccess::WriteBoth)?;
    let Judged { found, settled } =
        plain.apply(&mut engine, &id, reason, Review::Needed, ctx.now())?;
    // Without a project store there is no log; the verdict is still in the memory itself.
    if engine.store(tacit_engine::StoreScope::Project).is_some() {
        let tool = Some(SPEC.name.to_owned());
        let record = FeedbackRecord { memory: found.memory.id, verdict, note, tool };
        ctx.record_event(&mut engine, LogRecord::Feedback(record))?;
    }
    let memory = &found.memory;
    let (short, review) = (memory.id.short(), memory.body.trust.review.as_str());
    let text = match verdict {
        MemoryVerdict::Used if settled => {
            format!("Counted: memory {short} was useful. It no longer needs to be verified.")
        }
        MemoryVerdict::Used => format!("Counted: memory {short} was useful."),
        _ => format!(
            "Marked memory {short} as {}; its confidence is now {:.2}. `tacit undo` reverts this.",
            verdict.as_str(),
            memory.body.confidence.value()
        ),
    };
    let value = json!({
        "id": short.to_string(), "verdict": verdict.as_str(),
        "confidence": memory.body.confidence.value(), "review": review,
    });
    Ok(ToolAnswer::message(text, value))
}
