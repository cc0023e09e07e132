//! `memory_feedback`: reports that a memory helped or misled.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_core::Reasoning;
use tacit_core::log::{FeedbackRecord, LogRecord, MemoryVerdict};
use tacit_engine::{Found, Needs, Recalled};

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
            json!({"id": text(""), "verdict": text(""), "confidence": {"type": "number"}, "review": text("")}),
            &["id", "verdict", "confidence", "review"],
        )
    },
    effect: Effect::Changes,
    run,
};

/// The factor for the confidence of a wrong memory.
const WRONG_FACTOR: f64 = 0.5;

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
    let reason = match (&note, verdict) {
        (Some(note), verdict) => format!("{}: {note}", verdict.as_str()),
        (None, verdict) => format!("an agent found it {}", verdict.as_str()),
    };
    let reason = Reasoning::new(reason).map_err(|problem| field("note", problem))?;
    let mut engine = ctx.engine(Needs::WriteBoth)?;
    let found = engine.find(&id)?;
    let full = found.memory.id.to_string();
    let doubted = found.memory.said.trust.doubt().is_some();
    let found = match patch(ctx, &found, verdict) {
        None => {
            let used = Recalled { found: found.clone(), score: 0.0, why: None, folded: Vec::new() };
            engine.count_shown(&[used]);
            found
        }
        Some(patch) => engine.edit(&full, &patch, Some(reason))?.0,
    };
    let is_settled = verdict == MemoryVerdict::Used && doubted;
    // Without a project store there is no log; the verdict is still in the memory itself.
    if engine.store(tacit_engine::Shelf::Project).is_some() {
        let tool = Some(SPEC.name.to_owned());
        let record = FeedbackRecord { memory: found.memory.id, verdict, note, tool };
        ctx.record_event(&mut engine, LogRecord::Feedback(record))?;
    }
    let memory = &found.memory;
    let (short, review) = (memory.id.short(), memory.said.trust.review.as_str());
    let text = match verdict {
        MemoryVerdict::Used if is_settled => {
            format!("Counted: memory {short} was useful. It no longer needs to be verified.")
        }
        MemoryVerdict::Used => format!("Counted: memory {short} was useful."),
        _ => format!(
            "Marked memory {short} as {}; its confidence is now {:.2}. `tacit undo` reverts this.",
            verdict.as_str(),
            memory.said.confidence.value()
        ),
    };
    let value = json!({
        "id": short.to_string(), "verdict": verdict.as_str(),
        "confidence": memory.said.confidence.value(), "review": review,
    });
    Ok(ToolAnswer { text, value })
}

/// Returns the changes that a verdict makes; repeating a verdict changes nothing more.
fn patch(
    ctx: &ToolContext<'_>,
    found: &Found,
    verdict: MemoryVerdict,
) -> Option<Map<String, Value>> {
    let memory = &found.memory;
    let doubted = memory.said.trust.review == tacit_core::Review::Needed;
    let mut patch = Map::new();
    match verdict {
        // A memory that helped is still true, even if the code has changed.
        MemoryVerdict::Used => {
            memory.said.trust.doubt()?;
            patch.insert("stale_at".into(), Value::Null);
            patch.insert("stale_why".into(), Value::Null);
            return Some(patch);
        }
        MemoryVerdict::Wrong => {
            if !doubted {
                patch.insert(
                    "confidence".into(),
                    json!(memory.said.confidence.value() * WRONG_FACTOR),
                );
            }
        }
        MemoryVerdict::Outdated => {
            if memory.said.trust.stale_at.is_none() {
                patch.insert("stale_at".into(), json!(ctx.now().to_string()));
            }
        }
    }
    patch.insert("review".into(), json!("needed"));
    Some(patch)
}
