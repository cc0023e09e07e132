//! `memory_feedback`: whether a memory helped or misled.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_core::Reasoning;
use tacit_core::log::{FeedbackRecord, LogRecord, MemoryVerdict};
use tacit_engine::{RecallResult, StoreAccess, StoredMemory};

use super::{Effect, Spec, object, one_of, text};
use crate::answer::{Answer, Told, field, read};
use crate::desk::Desk;

pub(super) const SPEC: Spec = Spec {
    name: "memory_feedback",
    title: "Judge a memory",
    description: "Say that a memory was `used` (it helped), `wrong` (it misled you) or `outdated` (it \
                  no longer holds). Those two are not shown unasked until somebody looked at them.",
    input: || {
        object(
            json!({
                "id": text(""),
                "verdict": one_of(&["used", "wrong", "outdated"]),
                "note": text("What is so instead, or how it helped"),
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

/// What is left of the confidence in a memory that was wrong.
const WRONG: f64 = 0.5;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
    verdict: MemoryVerdict,
    note: Option<String>,
}

fn run(desk: &Desk<'_>, arguments: Map<String, Value>) -> Told {
    let Arguments { id, verdict, note } = read(arguments)?;
    let note = note.filter(|note| !note.trim().is_empty());
    let reason = match (&note, verdict) {
        (Some(note), verdict) => format!("{}: {note}", verdict.as_str()),
        (None, verdict) => format!("an agent found it {}", verdict.as_str()),
    };
    let reason = Reasoning::new(reason).map_err(|problem| field("note", problem))?;
    let mut engine = desk.engine(StoreAccess::WriteBoth)?;
    let found = engine.find(&id)?;
    let full = found.memory.id.to_string();
    let doubted = found.memory.body.trust.stale_reason().is_some();
    let found = match patch(desk, &found, verdict) {
        None => {
            let used =
                RecallResult { found: found.clone(), score: 0.0, why: None, folded: Vec::new() };
            engine.note_uses(&[used]);
            found
        }
        Some(patch) => engine.edit(&full, &patch, Some(reason))?.0,
    };
    let settled = verdict == MemoryVerdict::Used && doubted;
    // What was said of a memory on the user's shelf is kept with it; a project without a memory has
    // no log to write it to.
    if engine.store(tacit_engine::StoreScope::Project).is_some() {
        let tool = Some(SPEC.name.to_owned());
        let record = FeedbackRecord { memory: found.memory.id, verdict, note, tool };
        desk.record_event(&mut engine, LogRecord::Feedback(record))?;
    }
    let memory = &found.memory;
    let (short, review) = (memory.id.short(), memory.body.trust.review.as_str());
    let text = match verdict {
        MemoryVerdict::Used if settled => {
            format!("Memory {short} was of use; it no longer has to be verified.")
        }
        MemoryVerdict::Used => format!("Counted: memory {short} was of use."),
        _ => format!(
            "Marked memory {short} as {}; confidence is {:.2}. It can be taken back with `tacit undo`.",
            verdict.as_str(),
            memory.body.confidence.value()
        ),
    };
    let value = json!({
        "id": short.to_string(), "verdict": verdict.as_str(),
        "confidence": memory.body.confidence.value(), "review": review,
    });
    Ok(Answer { text, value })
}

/// What a verdict changes about a memory; saying the same again changes nothing more.
fn patch(
    desk: &Desk<'_>,
    found: &StoredMemory,
    verdict: MemoryVerdict,
) -> Option<Map<String, Value>> {
    let memory = &found.memory;
    let doubted = memory.body.trust.review == tacit_core::Review::Needed;
    let mut patch = Map::new();
    match verdict {
        // What helped holds, whatever changed since it was learnt.
        MemoryVerdict::Used => {
            memory.body.trust.stale_reason()?;
            patch.insert("stale_at".into(), Value::Null);
            patch.insert("stale_why".into(), Value::Null);
            return Some(patch);
        }
        MemoryVerdict::Wrong => {
            if !doubted {
                patch.insert("confidence".into(), json!(memory.body.confidence.value() * WRONG));
            }
        }
        MemoryVerdict::Outdated => {
            if memory.body.trust.stale_at.is_none() {
                patch.insert("stale_at".into(), json!(desk.now().to_string()));
            }
        }
    }
    patch.insert("review".into(), json!("needed"));
    Some(patch)
}
