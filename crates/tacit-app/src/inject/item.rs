//! One item of an injection: a memory, a note of this session, a trigger entry, or likely files.

use std::path::Path;

use tacit_agents::{Client, FencedNote};
use tacit_core::{MemoryId, Reference, Review, Source, shorten_at_word};
use tacit_engine::{RecallResult, StoreScope, StoredMemory};
use tacit_observer::rules::CHECKER_TAG;
use tacit_store::Note as Noted;

use crate::briefing::recipe_text;

/// The most bytes of a text that are shown; `tacit show` has the rest.
const MAX_BYTES: usize = 700;

/// The most characters of a text in the log of what was shown.
const MAX_HEADLINE: usize = 120;

/// The kind of notes of this session, and of issues that QA found.
const NOTE: &str = "note";
const QA_ISSUE: &str = "qa";

/// Returns the beginning of the first line, up to a word.
pub(super) fn headline(text: &str) -> String {
    shorten_at_word(text.lines().next().unwrap_or_default(), MAX_HEADLINE)
}

/// One item of an injection.
pub struct InjectionItem {
    /// The memory, if the item is one.
    found: Option<Box<StoredMemory>>,
    kind: String,
    text: String,
    /// The reason to show it.
    pub why: String,
}

impl InjectionItem {
    pub(crate) fn memory(found: StoredMemory, why: impl Into<String>) -> InjectionItem {
        let whole = recipe_text(&found.memory).unwrap_or_else(|| found.memory.body.titled());
        let text = if whole.len() <= MAX_BYTES {
            whole
        } else {
            let end = whole.floor_char_boundary(MAX_BYTES);
            let end = whole[..end].rfind(char::is_whitespace).unwrap_or(end);
            format!("{} … (`tacit show {}` has the rest)", &whole[..end], found.memory.id.short())
        };
        let kind = found.memory.memory_type().as_str().to_owned();
        InjectionItem { found: Some(Box::new(found)), kind, text, why: why.into() }
    }

    /// Returns true if the item is from a file that the client loads by itself in this session.
    /// `directory` is the working directory, from the root of the worktree.
    pub(super) fn is_loaded_by(&self, client: &Client, root: &Path, directory: &str) -> bool {
        let Some(memory) = self.found.as_ref().map(|found| &found.memory) else { return false };
        let exists = |file: &str| root.join(file).exists();
        let is_loaded = |reference: &Reference| {
            let file = reference.file();
            client.loads(file, directory, exists) && (file.starts_with('~') || exists(file))
        };
        matches!(memory.body.origin.source, Source::Imported | Source::File)
            && memory.body.references.iter().any(is_loaded)
    }

    /// Replaces the text by a part of it that fits the occasion.
    pub(super) fn with_text(mut self, text: impl Into<String>) -> InjectionItem {
        self.text = text.into();
        self
    }

    /// Creates an item for the start of a session: of the rules of a checker only their names.
    pub(super) fn introduced(found: StoredMemory, why: &str) -> InjectionItem {
        let is_house_rule =
            found.memory.body.tags.iter().any(|tag| tag.as_str().starts_with(CHECKER_TAG));
        let first = found.memory.body.content.as_str().split_once(". ");
        let first = first.map(|(first, _)| format!("{first}."));
        let item = InjectionItem::memory(found, why);
        match first.filter(|_| is_house_rule) {
            Some(first) => item.with_text(first),
            None => item,
        }
    }

    /// Appends a text.
    pub fn with_more(mut self, more: &str) -> InjectionItem {
        self.text.push('\n');
        self.text.push_str(more);
        self
    }

    /// Creates an item from a result of recall, with its scores as the reason.
    pub fn recalled(recalled: RecallResult) -> InjectionItem {
        let why = recalled.why.map_or_else(
            || "listed".to_owned(),
            |why| {
                let cosine = why.cosine.map_or_else(String::new, |c| format!(", cosine {c:.2}"));
                format!(
                    "likelihood {:.0}% (covers {:.0}% of the words{cosine})",
                    why.likelihood * 100.0,
                    why.coverage * 100.0
                )
            },
        );
        InjectionItem::memory(recalled.found, why)
    }

    pub(super) fn noted(note: &Noted) -> InjectionItem {
        InjectionItem::line(NOTE, &note.text, "noted in this session")
    }

    /// Creates an item for an issue that QA found and that is not fixed yet.
    pub(crate) fn qa_issue(note: &Noted) -> InjectionItem {
        InjectionItem::line(QA_ISSUE, &note.text, "not fixed yet")
    }

    pub(super) fn offer(text: &str) -> InjectionItem {
        InjectionItem::line("trigger", text, "a matching trigger")
    }

    pub(super) fn files(line: &str) -> InjectionItem {
        InjectionItem::line("files", line, "files that the prompt names")
    }

    fn line(kind: &str, text: &str, why: &str) -> InjectionItem {
        InjectionItem { found: None, kind: kind.into(), text: text.into(), why: why.into() }
    }

    /// Returns true if this is the section that an offered trigger opens.
    pub(super) fn is_opened_by(&self, offer: &InjectionItem) -> bool {
        let trigger = offer.text.split_once(' ').map_or("", |(_, trigger)| trigger);
        self.found.as_ref().is_some_and(|found| {
            let body = &found.memory.body;
            body.origin.source == Source::File
                && body.cues.iter().any(|cue| {
                    // After the trigger come other words for it, and how to open it.
                    let rest = trigger.strip_prefix(cue.as_str());
                    rest.is_some_and(|rest| {
                        rest.is_empty() || rest.starts_with(" (") || rest.starts_with(" |")
                    })
                })
        })
    }

    pub(super) fn memory_id(&self) -> Option<MemoryId> {
        self.found.as_ref().map(|found| found.memory.id)
    }

    pub(super) fn found(&self) -> Option<&StoredMemory> {
        self.found.as_deref()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns a short name for traces.
    pub fn name(&self) -> String {
        self.memory_id().map_or_else(|| self.kind.clone(), |id| id.short().to_string())
    }

    /// Returns the beginning of the first line.
    pub fn headline(&self) -> String {
        headline(&self.text)
    }

    /// Returns what speaks for the item: its review status, how often it was seen, and its store.
    pub fn provenance(&self) -> Vec<String> {
        let Some(found) = &self.found else {
            let is_note = [NOTE, QA_ISSUE].contains(&self.kind.as_str());
            return if is_note { vec![self.why.clone()] } else { Vec::new() };
        };
        let memory = &found.memory;
        let mut parts = Vec::new();
        parts.push(match memory.body.trust.review {
            Review::Needed if !memory.is_unconfirmed_claim() => "not verified".to_owned(),
            _ => memory.trust_label().to_owned(),
        });
        if memory.body.origin.source == Source::McpAuto {
            parts.push(Source::McpAuto.to_string());
        }
        let sessions = memory.body.origin.sessions.iter().len();
        if sessions > 1 {
            parts.push(format!("{sessions} sessions"));
        } else if memory.observations > 1 {
            parts.push(format!("learnt {} times", memory.observations));
        }
        if found.store == StoreScope::Global {
            parts.push("from the global store".into());
        }
        parts
    }

    /// Converts the item for rendering.
    pub fn note<'a>(&'a self, provenance: &'a [String]) -> FencedNote<'a> {
        let id = self.memory_id().map(|id| id.short());
        FencedNote { id, kind: &self.kind, provenance, text: &self.text }
    }
}

#[cfg(test)]
mod headline_tests {
    use super::*;

    #[test]
    fn a_headline_ends_with_a_whole_word_and_says_that_there_is_more() {
        let words = "reconnect ".repeat(20);
        let cut = headline(&words);
        assert!(cut.ends_with("reconnect…") && cut.chars().count() <= MAX_HEADLINE, "{cut}");
        assert_eq!(headline("Close the pool.\nIt is shared."), "Close the pool.");
    }
}
