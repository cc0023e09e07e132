//! Renders memories for agents, in a line or in full. Stored text is made safe here.

use std::path::Path;

use serde_json::{Map, Value, json};
use tacit_agents::{FencedNote, render_notes, safe_text};
use tacit_app::briefing::recipe_text;
use tacit_app::inject::FilePresence;
use tacit_core::log::NoteRecord;
use tacit_core::{Memory, Review, StatusKind, Timestamp};
use tacit_engine::{CLEAR, RecallResult, StoreScope, StoredMemory};

use crate::tool_result::shortened;

/// The most characters of a hit: enough to decide whether to read the whole.
const MAX_HIT: usize = 160;
/// The maximum number of files in a hit.
const MAX_HIT_FILES: usize = 3;
/// The token budget of one result.
const BUDGET: usize = 20_000;

/// A memory or session note to show: its id, kind, provenance and text.
pub(crate) struct ShownNote {
    id: Option<tacit_core::ShortId>,
    kind: String,
    provenance: Vec<String>,
    text: String,
}

impl ShownNote {
    /// Renders a memory in one line.
    pub(crate) fn hit(root: &Path, recalled: &RecallResult) -> ShownNote {
        let found = &recalled.found;
        let mut text = with_warnings(root, found, headline(&found.memory));
        let files = files_of_a_hit(&found.memory);
        if !files.is_empty() {
            text.push_str(&format!(" ({})", files.join(", ")));
        }
        let mut note = ShownNote::of(found, text);
        if let Some(why) = recalled.why.filter(|why| why.likelihood < CLEAR) {
            note.provenance.push(format!("likely {:.0}%", why.likelihood * 100.0));
        }
        for id in &recalled.conflicts {
            note.provenance.push(format!("conflicts with {}", id.short()));
        }
        note
    }

    /// Renders a memory in full.
    pub(crate) fn whole(root: &Path, found: &StoredMemory) -> ShownNote {
        let said = &found.memory.body;
        let mut text = match &said.title {
            Some(title) => format!("{title}\n{}", said.content),
            None => said.content.to_string(),
        };
        if let Some(reasoning) = &said.reasoning {
            text.push_str(&format!("\nWhy: {reasoning}"));
        }
        for (label, list) in [
            ("Files", joined(said.files.iter())),
            ("Symbols", joined(said.symbols.iter())),
            ("Modules", joined(said.modules.iter())),
            ("References", joined(said.references.iter())),
            ("Tags", joined(said.tags.iter())),
        ] {
            if !list.is_empty() {
                text.push_str(&format!("\n{label}: {list}"));
            }
        }
        if let Some(details) = said.subject.details().to_json() {
            text.push_str(&format!("\nDetails: {details}"));
        }
        ShownNote::of(found, with_warnings(root, found, text))
    }

    /// Renders the steps of a recipe; other memories in full.
    pub(crate) fn recipe(root: &Path, found: &StoredMemory) -> ShownNote {
        let Some(text) = recipe_text(&found.memory) else { return ShownNote::whole(root, found) };
        ShownNote::of(found, with_warnings(root, found, text))
    }

    /// Renders a note that is not a memory yet.
    pub(crate) fn note(note: &tacit_store::Note) -> ShownNote {
        let (kind, provenance) = match &note.record {
            NoteRecord::QaFailure(_) => ("qa", "not fixed yet"),
            _ => ("note", "noted in this session"),
        };
        ShownNote {
            id: None,
            kind: kind.to_owned(),
            provenance: vec![provenance.to_owned()],
            text: note.text.clone(),
        }
    }

    fn of(found: &StoredMemory, text: String) -> ShownNote {
        ShownNote {
            id: Some(found.memory.id.short()),
            kind: found.memory.memory_type().to_string(),
            provenance: provenance(found),
            text,
        }
    }
}

/// Fences the notes; returns `nothing` if there are none.
pub(crate) fn fenced(heading: &str, shown: &[ShownNote], nothing: &str) -> String {
    let notes: Vec<FencedNote<'_>> = shown
        .iter()
        .map(|shown| FencedNote {
            id: shown.id,
            kind: &shown.kind,
            provenance: &shown.provenance,
            text: &shown.text,
        })
        .collect();
    let Some(rendered) = render_notes(heading, &notes, BUDGET) else { return nothing.to_owned() };
    match notes.len() - rendered.shown.len() {
        0 => rendered.text,
        rest => format!("{}\n{rest} more did not fit; ask for fewer.", rendered.text),
    }
}

/// Converts a hit to JSON.
pub(crate) fn hit_value(recalled: &RecallResult) -> Value {
    let found = &recalled.found;
    let memory = &found.memory;
    let mut value = json!({
        "id": memory.id.short().to_string(),
        "type": memory.memory_type().as_str(),
        "headline": safe_text(&headline(memory)),
        "confidence": memory.body.effective_confidence().value(),
        "created_at": memory.created_at.to_string(),
    });
    if let Value::Object(fields) = &mut value {
        let files = files_of_a_hit(memory);
        if !files.is_empty() {
            fields.insert("files".into(), files.into_iter().map(|file| safe_text(&file)).collect());
        }
        if !recalled.conflicts.is_empty() {
            let ids = recalled.conflicts.iter().map(|id| id.short().to_string());
            fields.insert("conflicts".into(), ids.collect());
        }
        if let Some(why) = recalled.why {
            fields.insert("likely".into(), json!((why.likelihood * 100.0).round() / 100.0));
        }
        for (name, is_set) in [
            ("verified", memory.body.trust.review == Review::Verified),
            ("committed", memory.body.trust.review == Review::Committed),
            ("stale", memory.body.trust.stale_at.is_some()),
            ("global", found.store == StoreScope::Global),
        ] {
            if is_set {
                fields.insert(name.into(), json!(true));
            }
        }
    }
    value
}

/// Converts a whole memory to JSON, with safe texts.
pub(crate) fn record(found: &StoredMemory) -> Value {
    let mut value = found.memory.to_json();
    make_safe(&mut value);
    if let Value::Object(fields) = &mut value {
        let mut first = Map::new();
        first.insert("id".into(), json!(found.memory.id.to_string()));
        first.insert("short_id".into(), json!(found.memory.id.short().to_string()));
        first.insert("store".into(), json!(found.store.as_str()));
        first.extend(std::mem::take(fields));
        *fields = first;
    }
    value
}

/// Makes every text in a value safe.
fn make_safe(value: &mut Value) {
    match value {
        Value::String(text) => *text = safe_text(text),
        Value::Array(items) => items.iter_mut().for_each(make_safe),
        Value::Object(fields) => {
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(name, mut field)| {
                    make_safe(&mut field);
                    (safe_text(&name), field)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the title and the beginning of a memory, in one line.
pub(crate) fn headline(memory: &Memory) -> String {
    let whole = memory.body.titled();
    let line: Vec<&str> = whole.split_whitespace().collect();
    shortened(&line.join(" "), MAX_HIT)
}

/// Puts warnings before a text: unverified changes, staleness, and that the memory is not in use.
pub(crate) fn with_warnings(root: &Path, found: &StoredMemory, text: String) -> String {
    let memory = &found.memory;
    let mut text = text;
    if FilePresence::default().is_unnoticed(root, memory) {
        text = format!("[STALE — file no longer exists] {text}");
    } else if let Some(marker) = memory.body.trust.stale_marker() {
        text = format!("{marker} {text}");
    }
    match memory.status.kind() {
        StatusKind::Active => text,
        status => format!("[{} — no longer in use] {text}", status.as_str().to_uppercase()),
    }
}

fn provenance(found: &StoredMemory) -> Vec<String> {
    let memory = &found.memory;
    let mut parts = vec![memory.trust_label().to_owned()];
    if memory.observations > 1 {
        parts.push(format!("learnt {} times", memory.observations));
    }
    parts.push(day(memory.created_at));
    if found.store == StoreScope::Global {
        parts.push("from the global store".to_owned());
    }
    parts
}

fn day(moment: Timestamp) -> String {
    moment.to_string().split('T').next().unwrap_or_default().to_owned()
}

fn files_of_a_hit(memory: &Memory) -> Vec<String> {
    memory.body.files.iter().take(MAX_HIT_FILES).map(ToString::to_string).collect()
}

fn joined<T: ToString>(items: impl Iterator<Item = T>) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}
