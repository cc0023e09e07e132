//! Where unfinished work stands: read from what was said in a session, and told to the next.
//!
//! Beside the methodology's own fields a state has a few that every methodology has, and fields of
//! another methodology are told as they are.

use serde_json::{Map, Value};

use crate::definition::Methodology;
use crate::pattern::Pattern;

/// How many values a list keeps; the newest.
const MAX_LIST_VALUES: usize = 20;

/// A field of a methodology's account of unfinished work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateField {
    /// Its name in what is stored.
    pub name: String,
    /// Its name in what is told.
    pub label: String,
    /// What it holds.
    pub kind: FieldKind,
    /// The lines it is read from.
    pub patterns: Vec<Pattern>,
}

/// What a field of a work state holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Everything that was found, each once.
    List,
    /// What was found last.
    Text,
    /// The number that was found last.
    Number,
}

impl FieldKind {
    /// Every kind with its word.
    pub(crate) const WORDS: [(&'static str, FieldKind); 3] =
        [("list", FieldKind::List), ("text", FieldKind::Text), ("number", FieldKind::Number)];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        FieldKind::WORDS.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }
}

/// The fields that every state can have, and what they are called when they are told.
const COMMON_FIELDS: [(&str, &str); 4] = [
    ("task", "Asked for"),
    ("files_changed", "Files changed"),
    ("still_failing", "Still failing"),
    ("branch", "Branch"),
];

impl Methodology {
    /// Where the work stands, as far as what was said in a session tells.
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

    /// A state as it is told to the next session, a line for each field: this methodology's own,
    /// those that all have, and then what is left, by the names it has.
    pub fn format_work_state(&self, state: &Map<String, Value>) -> String {
        let own = self.state.iter().map(|field| (field.name.as_str(), field.label.as_str()));
        let known: Vec<(&str, &str)> = own.chain(COMMON_FIELDS).collect();
        let rest = state.keys().map(|name| (name.as_str(), name.as_str()));
        let rest = rest.filter(|(name, _)| known.iter().all(|(other, _)| other != name));
        let mut lines = Vec::new();
        for (name, label) in known.iter().copied().chain(rest) {
            if let Some(value) = state.get(name).and_then(render_value) {
                lines.push(format!("{label}: {value}"));
            }
        }
        lines.join("\n")
    }
}

/// A value in words; none if it says nothing.
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

/// A line without the marks of lists, headings and emphasis.
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
