//! What is told of a unit of work that is finished.

use serde_json::{Map, Value};
use tacit_core::{UniversalPhase, WorkUnitOutcome, WorkUnitRef};

use crate::definition::Methodology;
use crate::template;

/// The author of what is put into words here and not by a model.
pub(crate) const GENERATOR: &str = "rules";

/// What is done when a unit of work is finished.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    pub(crate) text: String,
    /// Labels of what is remembered.
    pub tags: Vec<String>,
    /// The phase that follows a unit that succeeded, as the methodology calls it.
    pub next_phase: Option<(String, UniversalPhase)>,
}

impl Completion {
    /// The places its text can have, beside the fields of the work state.
    pub(crate) const PLACEHOLDERS: [&'static str; 6] =
        ["label", "outcome", "steps", "files", "retries", "reason"];
}

impl Default for Completion {
    fn default() -> Completion {
        Completion {
            text: "{label} {outcome} after {steps}, with {files} changed.".into(),
            tags: Vec::new(),
            next_phase: None,
        }
    }
}

impl Methodology {
    /// Writes the memory of a finished unit, given the position of the work in the methodology's
    /// terms. A sentence whose values are not known is left out; decisions and the reason for a
    /// failure are always told.
    pub fn describe_outcome(
        &self,
        unit: &WorkUnitRef,
        outcome: &WorkUnitOutcome,
        state: &Map<String, Value>,
    ) -> String {
        let steps = counted(outcome.steps_taken as usize, "step", "steps");
        let files = counted(outcome.files_modified.len(), "file", "files");
        let retries = counted(outcome.retry_count as usize, "retry", "retries");
        let fields: Vec<(String, String)> = state
            .iter()
            .filter_map(|(name, value)| {
                Some((name.clone(), crate::work_state::render_value(value)?))
            })
            .collect();
        let mut text = template::fill_sentences(&self.completion.text, |name| match name {
            "label" => Some(unit.label()),
            "outcome" => Some(if outcome.succeeded { "succeeded" } else { "failed" }),
            "steps" => Some(&steps),
            "files" => Some(&files),
            "retries" => Some(&retries),
            "reason" => outcome.failure_reason.as_deref(),
            _ => fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str()),
        });
        let mut add = |sentence: String| {
            if !text.is_empty() && !text.ends_with(char::is_whitespace) {
                text.push(' ');
            }
            text.push_str(&sentence);
        };
        if outcome.retry_count > 0 && !self.completion.text.contains("{retries}") {
            add(format!("It took {retries}."));
        }
        if let Some(reason) = &outcome.failure_reason
            && !self.completion.text.contains("{reason}")
        {
            add(format!("It failed because: {}.", reason.trim_end_matches('.')));
        }
        if !outcome.key_decisions.is_empty() {
            add(format!("Decided: {}.", outcome.key_decisions.join("; ").trim_end_matches('.')));
        }
        text.trim().to_owned()
    }
}

/// `1 step`, `2 steps`.
fn counted(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
