//! One thing to show: a memory, a note of the same session, an offer, or likely files.

use tacit_agents::Note;
use tacit_core::{MemoryId, Review};
use tacit_engine::{RecallResult, StoreScope, StoredMemory};
use tacit_store::Note as Noted;

use crate::context::recipe_text;

/// The most bytes of a text that are shown; the rest can be asked for by its id.
const MOST: usize = 700;

/// The kind of what was noted in the same session.
const NOTE: &str = "note";

/// One thing to show.
pub struct Item {
    /// The memory, if it is one.
    found: Option<Box<StoredMemory>>,
    kind: String,
    text: String,
    /// Why it is shown.
    pub why: String,
}

impl Item {
    pub(crate) fn memory(found: StoredMemory, why: impl Into<String>) -> Item {
        let whole = recipe_text(&found.memory).unwrap_or_else(|| found.memory.body.titled());
        let text = if whole.len() <= MOST {
            whole
        } else {
            let end = whole.floor_char_boundary(MOST);
            let end = whole[..end].rfind(char::is_whitespace).unwrap_or(end);
            format!("{} … (`tacit show {}` has the rest)", &whole[..end], found.memory.id.short())
        };
        let kind = found.memory.memory_type().as_str().to_owned();
        Item { found: Some(Box::new(found)), kind, text, why: why.into() }
    }

    /// The same, with more of what it says.
    pub fn with_more(mut self, more: &str) -> Item {
        self.text.push('\n');
        self.text.push_str(more);
        self
    }

    /// What recall answered, with what put it there.
    pub fn recalled(recalled: RecallResult) -> Item {
        let why = recalled.why.map_or_else(
            || "listed".to_owned(),
            |why| {
                let cosine = why.cosine.map_or_else(String::new, |c| format!(", cosine {c:.2}"));
                format!(
                    "likely {:.0}% (covers {:.0}% of the words{cosine})",
                    why.likelihood * 100.0,
                    why.coverage * 100.0
                )
            },
        );
        Item::memory(recalled.found, why)
    }

    pub(super) fn noted(note: &Noted) -> Item {
        Item::line(NOTE, &note.text, "noted in this session")
    }

    pub(super) fn offer(text: &str) -> Item {
        Item::line("trigger", text, "a trigger that matches")
    }

    pub(super) fn files(line: &str) -> Item {
        Item::line("files", line, "files that the prompt is surely about")
    }

    fn line(kind: &str, text: &str, why: &str) -> Item {
        Item { found: None, kind: kind.into(), text: text.into(), why: why.into() }
    }

    pub(super) fn memory_id(&self) -> Option<MemoryId> {
        self.found.as_ref().map(|found| found.memory.id)
    }

    /// A short name for a trace.
    pub fn name(&self) -> String {
        self.memory_id().map_or_else(|| self.kind.clone(), |id| id.short().to_string())
    }

    /// Its beginning, on one line.
    pub fn headline(&self) -> String {
        let line = self.text.lines().next().unwrap_or_default();
        line[..line.floor_char_boundary(120)].to_owned()
    }

    /// Why it can be trusted.
    pub fn provenance(&self) -> Vec<String> {
        let Some(found) = &self.found else {
            return if self.kind == NOTE { vec![self.why.clone()] } else { Vec::new() };
        };
        let memory = &found.memory;
        let mut parts = Vec::new();
        parts.push(match memory.body.trust.review {
            Review::Needed if !memory.is_unconfirmed_claim() => "not verified".to_owned(),
            _ => memory.trust_label().to_owned(),
        });
        let sessions = memory.body.origin.sessions.iter().len();
        if sessions > 1 {
            parts.push(format!("{sessions} sessions"));
        } else if memory.observations > 1 {
            parts.push(format!("learnt {} times", memory.observations));
        }
        if found.store == StoreScope::Global {
            parts.push("the user's own".into());
        }
        parts
    }

    /// As the fence shows it.
    pub fn note<'a>(&'a self, provenance: &'a [String]) -> Note<'a> {
        let id = self.memory_id().map(|id| id.short());
        Note { id, kind: &self.kind, provenance, text: &self.text }
    }
}
