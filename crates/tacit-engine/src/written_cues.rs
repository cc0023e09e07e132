//! Cues that the text model writes for memories that have none.

use serde_json::Value;
use tacit_core::{
    BuiltinType, Cue, Cues, Memory, Source, StatusKind, Timestamp, clean, escape_tags,
};
use tacit_models::Prompt;
use tacit_store::{ActionKind, Filter, ListOrder};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::generation::GenerationPurpose;
use crate::remember::{TextCleanup, embedded_texts, index, redact_memory, titled_text};

const TASK: &str = include_str!("../prompts/cues.md");
/// The most tokens of an answer.
const MAX_TOKENS: u32 = 200;
/// The most cues of an answer that are kept.
const MAX_CUES: usize = 4;
/// The most memories that get cues in one run.
const PER_RUN: usize = 5;
/// The number of newest memories among which those without cues are looked for.
const LOOKED_AT: usize = 500;

impl Engine<'_> {
    /// Asks the text model for cues of the newest memories that have none: what people taught and
    /// what sessions showed. Each text is asked about once. Stops when the model fails or the budget
    /// is spent. Returns the number of memories that got cues.
    pub fn write_missing_cues(&mut self) -> EngineResult<usize> {
        let Some(name) = self.generator_name().map(str::to_owned) else { return Ok(0) };
        let mut written = 0;
        for (memory, request) in self.memories_without_cues()? {
            let prompt = Prompt {
                system: TASK.to_owned(),
                user: format!(
                    "<note_data>\n{}\n</note_data>\n",
                    escape_tags(&tacit_redact::redact(&titled_text(&memory.body)).text)
                ),
                max_tokens: MAX_TOKENS,
                temperature: Some(0.0),
            };
            let Ok(answer) = self.generate(GenerationPurpose::Cues, &prompt) else { break };
            let cues = read(&answer.text).unwrap_or_default();
            written += usize::from(self.add_written_cues(&memory, &request, &cues, &name)?);
        }
        Ok(written)
    }

    /// Returns the newest memories to ask about, each with the name of its request.
    fn memories_without_cues(&self) -> EngineResult<Vec<(Memory, String)>> {
        let filter = Filter {
            sources: vec![Source::UserTaught, Source::ObserverInferred],
            ..Filter::default()
        };
        let project = Some(StoreScope::Project);
        let newest = self.list(project, &filter, ListOrder::Newest, LOOKED_AT, 0)?;
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        let mut found = Vec::new();
        for memory in newest.into_iter().map(|found| found.memory) {
            // The card of a module is found by its name.
            let is_card = memory.memory_type() == BuiltinType::ModuleInsight.into()
                && memory.body.origin.source == Source::ObserverInferred;
            if is_card || !memory.body.cues.is_empty() || embedded_texts(&memory.body).is_none() {
                continue;
            }
            let request = format!("cues {} {}", memory.id, memory.content_hash());
            if store.count_requests(&request)? == 0 {
                found.push((memory, request));
            }
            if found.len() == PER_RUN {
                break;
            }
        }
        Ok(found)
    }

    /// Adds cues to a memory, unless it changed while the model was writing. Returns true if it got
    /// any.
    fn add_written_cues(
        &mut self,
        asked: &Memory,
        request: &str,
        cues: &Cues,
        by: &str,
    ) -> EngineResult<bool> {
        let action = self.tacit_action(ActionKind::Edit, &format!("cues written by {by}"));
        let mut transaction = self.store_mut(StoreScope::Project)?.begin(action)?;
        transaction.claim_request(request)?;
        let before = transaction.read(&[asked.id])?.pop().filter(|memory| {
            memory.status.kind() == StatusKind::Active
                && memory.body.cues.is_empty()
                && memory.content_hash() == asked.content_hash()
        });
        let Some(before) = before.filter(|_| !cues.is_empty()) else {
            transaction.commit()?;
            return Ok(false);
        };
        let mut after = before.clone();
        after.body.cues = cues.clone();
        // A memory decays from its last change, which this is not. Yet vectors that another process
        // is making of the text without cues must not be taken for current.
        let later = Timestamp::from_millis(before.updated_at.as_millis() + 1);
        after.updated_at = later.unwrap_or(before.updated_at);
        let after = redact_memory(after, &mut TextCleanup::default())?;
        transaction.update(&before, &after)?;
        index(transaction.as_mut(), &after)?;
        transaction.commit()?;
        Ok(true)
    }
}

/// Reads an answer; `None` if it is not a list of texts that can be cues.
fn read(answer: &str) -> Option<Cues> {
    let text = clean(answer).text.trim().to_owned();
    // Many models put JSON into a fence.
    let text = match text.strip_prefix("```") {
        Some(fenced) => fenced.strip_prefix("json").unwrap_or(fenced).trim_end_matches('`'),
        None => &text,
    };
    let Ok(Value::Array(items)) = serde_json::from_str(text.trim()) else { return None };
    let cue = |item: &Value| {
        let redacted = tacit_redact::redact(item.as_str()?).text.into_owned();
        Cue::new(redacted).ok()
    };
    let cues: Option<Vec<Cue>> = items.iter().take(MAX_CUES).map(cue).collect();
    Cues::collect(cues?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lists_of_short_texts_are_read() {
        let long = "x".repeat(Cue::MOST_CHARACTERS + 1);
        for (answer, expected) in [
            (r#"["checkout hangs", "before a sale"]"#.to_owned(), Some(2)),
            ("```json\n[\"checkout hangs\"]\n```".to_owned(), Some(1)),
            (r#"["1", "2", "3", "4", "5"]"#.to_owned(), Some(4)),
            ("[]".to_owned(), Some(0)),
            (r#"["one", 2]"#.to_owned(), None),
            (r#"{"cues": ["one"]}"#.to_owned(), None),
            (format!(r#"["{long}"]"#), None),
            (r#"["two\nlines"]"#.to_owned(), None),
            ("Here are some: checkout hangs".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(read(&answer).map(|cues| cues.iter().len()), expected, "{answer}");
        }
    }
}
