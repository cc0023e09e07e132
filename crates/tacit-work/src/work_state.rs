//! Work states: extracted from a session's output, and rendered for the next session.
//!
//! In addition to the methodology's fields, a state has a few common ones. Fields of another
//! methodology are rendered as they are.

use serde_json::{Map, Value};

use crate::definition::Methodology;
use crate::pattern::Pattern;
use crate::unfinished::FAILING_COMMANDS;

/// Maximum number of values in a list; the newest are kept.
const MAX_LIST_VALUES: usize = 20;

/// A field of a work state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateField {
    /// The name in storage.
    pub name: String,
    /// The label when rendered.
    pub label: String,
    /// The kind of value.
    pub kind: FieldKind,
    /// The patterns of lines it is read from.
    pub patterns: Vec<Pattern>,
}

/// The kind of value in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// All captured values, each once.
    List,
    /// The last captured text.
    Text,
    /// The last captured number.
    Number,
}

impl FieldKind {
    /// Every kind with its name.
    pub(crate) const WORDS: [(&'static str, FieldKind); 3] =
        [("list", FieldKind::List), ("text", FieldKind::Text), ("number", FieldKind::Number)];

    /// Returns the name in definitions.
    pub fn as_str(self) -> &'static str {
        FieldKind::WORDS.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }
}

/// The fields that every state can have, with their labels.
const COMMON_FIELDS: [(&str, &str); 6] = [
    ("task", "Task"),
    ("files_changed", "Changed"),
    ("still_failing", "Still failing"),
    ("passed", "Passed"),
    ("last_said", "Last said"),
    ("branch", "Branch"),
];

/// The fields that no reader needs, because other fields say the same.
const INTERNAL_FIELDS: [&str; 2] = [FAILING_COMMANDS, "unfinished"];

impl Methodology {
    /// Extracts a work state from the output of a session.
    pub fn extract_work_state(&self, output: &str) -> Map<String, Value> {
        let mut state = Map::new();
        for line in output.lines().map(without_markup) {
            for field in &self.state {
                let Some(taken) = field.patterns.iter().find_map(|pattern| pattern.take(&line))
                else {
                    continue;
                };
                match field.kind {
                    FieldKind::Text => drop(state.insert(field.name.clone(), taken.into())),
                    FieldKind::Number => {
                        if let Ok(number) = taken.parse::<u64>() {
                            state.insert(field.name.clone(), number.into());
                        }
                    }
                    FieldKind::List => {
                        let list = state.entry(&field.name).or_insert_with(|| Value::Array(vec![]));
                        if let Value::Array(values) = list {
                            let taken = Value::from(taken);
                            values.retain(|value| *value != taken);
                            values.push(taken);
                            let extra = values.len().saturating_sub(MAX_LIST_VALUES);
                            values.drain(..extra);
                        }
                    }
                }
            }
        }
        state
    }

    /// Renders a state with one line per field: the methodology's own, the common ones, and any
    /// others by name.
    pub fn format_work_state(&self, state: &Map<String, Value>) -> String {
        let own = self.state.iter().map(|field| (field.name.as_str(), field.label.as_str()));
        let known: Vec<(&str, &str)> = own.chain(COMMON_FIELDS).collect();
        let rest = state.keys().map(|name| (name.as_str(), name.as_str()));
        let rest = rest.filter(|(name, _)| {
            !INTERNAL_FIELDS.contains(name) && known.iter().all(|(other, _)| other != name)
        });
        let mut lines = Vec::new();
        for (name, label) in known.iter().copied().chain(rest) {
            if let Some(value) = state.get(name).and_then(render_value) {
                lines.push(format!("{label}: {value}"));
            }
        }
        lines.join("\n")
    }
}

/// Renders a value, or returns `None` if it is empty.
pub(crate) fn render_value(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            values.iter().filter_map(render_value).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Removes the marks of lists, headings and emphasis.
fn without_markup(line: &str) -> String {
    let mut text = line.trim();
    loop {
        let shorter = text.trim_start_matches(['#', '>']).trim_start();
        let bullet = ["- ", "* ", "+ ", "• "].iter().find_map(|mark| shorter.strip_prefix(mark));
        let numbered = || {
            let (number, rest) = shorter.split_once(['.', ')'])?;
            let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            rest.strip_prefix(' ').filter(|_| is_number)
        };
        match bullet.or_else(numbered) {
            Some(rest) => text = rest.trim_start(),
            None => {
                text = shorter;
                break;
            }
        }
    }
    text.replace("**", "").replace("__", "")
}
