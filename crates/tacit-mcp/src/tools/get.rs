//! `memory_get`: memories in full.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_engine::{RecallResult, StoreAccess};

use super::{Effect, Spec, object, texts};
use crate::answer::{Answer, Refusal, Told, read};
use crate::desk::Desk;
use crate::show::{Shown, fenced, record};

pub(super) const SPEC: Spec = Spec {
    name: "memory_get",
    title: "Read memories",
    description: "Memories in full, by the ids that `memory_search` or a shown note gives.",
    input: || {
        object(json!({"ids": texts("At most 20; the beginning of an id is enough")}), &["ids"])
    },
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

/// The most memories that one call reads.
const MOST: usize = 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    ids: Vec<String>,
}

fn run(desk: &Desk<'_>, arguments: Map<String, Value>) -> Told {
    let Arguments { ids } = read(arguments)?;
    if ids.is_empty() || ids.len() > MOST {
        return Err(Refusal::error(format!("`ids` has {} entries; give 1 to {MOST}", ids.len())));
    }
    let engine = desk.engine(StoreAccess::ReadBoth)?;
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for (at, id) in ids.iter().enumerate() {
        desk.go_on()?;
        match engine.find(id).map_err(Refusal::from) {
            Ok(one) => found.push(one),
            Err(Refusal::NotFound(_)) if ids.len() > 1 => {
                missing.push(crate::answer::shortened(id, 100));
            }
            Err(refusal) => return Err(refusal),
        }
        (desk.progress)(at + 1, ids.len());
    }
    let root = engine.paths().root.clone();
    let shown: Vec<Shown> = found.iter().map(|found| Shown::whole(&root, found)).collect();
    let mut text = fenced("by id", &shown, "None of these ids is known.");
    if !missing.is_empty() && !shown.is_empty() {
        text.push_str(&format!("\nNot found: {}", missing.join(", ")));
    }
    let memories: Vec<Value> = found.iter().map(record).collect();
    let read: Vec<RecallResult> = found
        .into_iter()
        .map(|found| RecallResult { found, score: 0.0, why: None, folded: Vec::new() })
        .collect();
    engine.note_uses(&read);
    Ok(Answer { text, value: json!({"memories": memories, "missing": missing}) })
}
