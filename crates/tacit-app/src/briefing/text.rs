//! A briefing as text for an agent: a heading for each part, and stored text fenced as notes, so
//! that it cannot pass for instructions.

use tacit_agents::{FencedNote, render_notes, safe_text};
use tacit_core::{MemoryId, Source};
use tacit_engine::{Engine, StoredMemory};
use tacit_work::RelayedMemory;

use super::{Briefing, BriefingRequest, PrefetchedFile, observations, state_item};
use crate::inject::{InjectionItem, arrange};

/// The number of bytes that count as one token.
const BYTES_PER_TOKEN: usize = 4;

/// Converts a memory for a relay.
pub(super) fn relayed(found: &StoredMemory) -> RelayedMemory {
    let memory = &found.memory;
    RelayedMemory {
        id: memory.id.short().to_string(),
        kind: memory.memory_type().to_string(),
        text: safe_text(memory.body.content.as_str()),
    }
}

impl Briefing {
    /// Renders the briefing, with notes of at most `budget` tokens in all; prefetched files have
    /// their own limit. Returns an empty text if there is nothing to say.
    pub fn text(
        &self,
        engine: &Engine<'_>,
        request: &BriefingRequest<'_>,
        budget: usize,
    ) -> String {
        let known = self.ids();
        let conflicts = self.conflicts(engine, request.strictness.is_proactive());
        let (conflicts, known) = (conflicts.as_slice(), known.as_slice());
        let mut page = Page { text: String::new(), left: budget, conflicts, known };
        if let Some((unit, _)) = &request.work.unit {
            page.line(&format!("Work: {}", safe_text(unit.label())));
        }
        if let Some((own, phase)) = &request.phase {
            let universal =
                if own == phase.as_str() { String::new() } else { format!(" ({phase})") };
            page.line(&format!("Phase: {}{universal}", safe_text(own)));
        }
        let items = |found: &[StoredMemory], why: &str| -> Vec<InjectionItem> {
            found.iter().map(|found| InjectionItem::memory(found.clone(), why)).collect()
        };
        let state: Vec<InjectionItem> =
            self.state.iter().map(|found| state_item(engine, found.clone())).collect();
        page.notes("STATE OF THE WORK", "state of the work", &state);
        let qa_issues: Vec<InjectionItem> =
            self.qa_issues.iter().map(InjectionItem::qa_issue).collect();
        page.notes("FOUND BY QA, TO FIX", "found by QA", &qa_issues);
        page.notes(
            "KNOWN WORKFLOW PATTERNS",
            "steps that worked before",
            &items(&self.recipes, ""),
        );
        let relays: Vec<(&str, &str)> =
            self.relays.iter().map(|relay| ("relay", relay.text.as_str())).collect();
        page.texts("HANDED OVER BY EARLIER STAGES", "from earlier stages", &relays);
        page.notes("ABOUT THESE FILES", "about these files", &items(&self.about_files, ""));
        let groups: Vec<String> = observations::grouped(&self.observations)
            .into_iter()
            .map(|(name, group)| {
                let lines = group.iter().map(|found| {
                    let text = found.memory.body.content.as_str();
                    let seen = match found.memory.body.origin.source {
                        Source::McpAuto => " · mcp_auto",
                        _ => "",
                    };
                    let text = text.replace('\n', " ");
                    format!("- [{}{seen}] {text}", found.memory.id.short())
                });
                format!("{name}:\n{}", lines.collect::<Vec<_>>().join("\n"))
            })
            .collect();
        let groups: Vec<(&str, &str)> = groups.iter().map(|text| ("e2e", text.as_str())).collect();
        page.texts("E2E VALIDATION MEMORY", "observed application behaviour", &groups);
        let recalled: Vec<InjectionItem> =
            self.recalled.iter().cloned().map(InjectionItem::recalled).collect();
        page.notes("ABOUT THIS TASK", "for this task", &recalled);
        page.files(&self.prefetched);
        page.text
    }
}

impl Briefing {
    /// Returns the memories that conflict with one of the briefing, each with that one. If they
    /// cannot be read, the briefing has one side.
    fn conflicts(&self, engine: &Engine<'_>, proactive: bool) -> Vec<(MemoryId, InjectionItem)> {
        let recalled = self.recalled.iter().map(|recalled| &recalled.found);
        let found = self.recipes.iter().chain(&self.about_files).chain(recalled);
        let pairs = engine.conflicting(found.map(|found| &found.memory), proactive);
        let item = |found| InjectionItem::memory(found, "conflicts with another one");
        pairs.unwrap_or_default().into_iter().map(|(id, found)| (id, item(found))).collect()
    }
}

/// A text and the tokens left for its notes.
struct Page<'b> {
    text: String,
    left: usize,
    /// The memories that conflict with others of the briefing, which are known to be in it.
    conflicts: &'b [(MemoryId, InjectionItem)],
    known: &'b [MemoryId],
}

impl Page<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.line(&format!("## {heading}"));
    }

    fn notes(&mut self, heading: &str, about: &str, items: &[InjectionItem]) {
        let items: Vec<&InjectionItem> = items.iter().collect();
        let (items, provenance) = arrange(&items, self.conflicts, self.known);
        let notes: Vec<FencedNote<'_>> =
            items.iter().zip(&provenance).map(|(item, parts)| item.note(parts)).collect();
        self.fenced(heading, about, &notes);
    }

    fn texts(&mut self, heading: &str, about: &str, texts: &[(&str, &str)]) {
        let notes: Vec<FencedNote<'_>> = texts
            .iter()
            .map(|(kind, text)| FencedNote { id: None, kind, provenance: &[], text })
            .collect();
        self.fenced(heading, about, &notes);
    }

    fn fenced(&mut self, heading: &str, about: &str, notes: &[FencedNote<'_>]) {
        if let Some(rendered) = render_notes(about, notes, self.left) {
            self.left = self.left.saturating_sub(rendered.text.len().div_ceil(BYTES_PER_TOKEN));
            self.heading(heading);
            self.line(&rendered.text);
        }
    }

    fn files(&mut self, files: &[PrefetchedFile]) {
        if files.is_empty() {
            return;
        }
        self.heading("PRE-LOADED FILES");
        for PrefetchedFile { file, text, .. } in files {
            // A fence longer than any in the file, so that the file cannot close it.
            let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
            let fence = "`".repeat(longest.max(2) + 1);
            let end = if text.ends_with('\n') { "" } else { "\n" };
            self.line(&format!("### {file}\n{fence}\n{text}{end}{fence}"));
        }
    }
}
