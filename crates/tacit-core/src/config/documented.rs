//! The rows of the documentation: one for each key or family of keys. The names of a family differ in
//! one word only.

use super::{Config, ConfigKey, ConfigValue, KEYS};

/// The help of families of keys. That of a key with its own row is in the table of keys.
const FAMILIES: &[(&str, &str)] = &[
    (
        "backups.<period>",
        "Days (`daily`) and weeks (`weekly`) for which `tacit maintain` keeps a backup of each store, made at most once a day and only if something changed; `daily` 0 makes none.",
    ),
    ("embedding.<provider>.model", "Model with which `ollama` or `openai` embeds."),
    (
        "embedding.<provider>.url",
        "Address of the `ollama` server, or of OpenAI or a compatible server (`openai`).",
    ),
    (
        "generation.daily.<unit>",
        "Daily budget (UTC) of each project: `calls` to the model, and `tokens` read and written.",
    ),
    (
        "guard.<what>",
        "Let hooks hold an agent up: `commands` stops it before a command that you confirmed to be dangerous here, `once` in a session or `always`; `records` blocks writing record files directly and names the command to use.",
    ),
    (
        "hooks.tokens.<event>",
        "Approximate tokens that a hook may inject at the start of a `session`, with a `prompt`, and with one `tool` call; 0 injects nothing.",
    ),
    ("records.<category>.auto_capture", "Search sessions for records of this category."),
    (
        "records.<category>.description",
        "What belongs in a record of this category, for the classifier and for agents.",
    ),
    ("records.<category>.enabled", "Write records of this category."),
    (
        "records.<category>.retention_days",
        "Days without a change after which a record of this category is retired; 0 means never.",
    ),
    ("records.<category>.threshold", "Minimum score for capturing a record of this category."),
    (
        "records.models.<use>",
        "Model with which an agent drafts records of each category; `default` if that is empty, and `verification` to verify drafts.",
    ),
    (
        "timeouts.<operation>_ms",
        "Time limits in milliseconds: for another process to finish writing (`store`), for a hook (`hook`), for a hook's request to the team's server (`server`), and for a model to write a text, including retries (`generation`).",
    ),
];

/// Longer values are not shown in the documentation.
const LONGEST_DEFAULT: usize = 40;

/// A row of the documentation.
#[derive(Debug)]
pub struct DocumentedKey {
    /// The name, or the pattern of a family, such as `records.<category>.threshold`.
    pub pattern: &'static str,
    /// The effect, in a sentence or two.
    pub help: &'static str,
    /// The keys that the row stands for, sorted by name.
    pub keys: Vec<&'static ConfigKey>,
}

impl DocumentedKey {
    /// Returns every row, sorted by pattern.
    pub fn all() -> Vec<DocumentedKey> {
        let mut rows: Vec<DocumentedKey> = Vec::new();
        for key in KEYS.iter() {
            match rows.iter_mut().find(|row| row.pattern == key.pattern) {
                Some(row) => row.keys.push(key),
                None => {
                    let family = FAMILIES.iter().find(|(pattern, _)| *pattern == key.pattern);
                    let help = family.map_or(key.help, |(_, help)| help);
                    rows.push(DocumentedKey { pattern: key.pattern, help, keys: vec![key] });
                }
            }
        }
        rows.sort_unstable_by_key(|row| row.pattern);
        rows
    }

    /// Describes the values that the keys take.
    pub fn takes(&self) -> String {
        let mut kinds: Vec<String> = self.keys.iter().map(|key| key.kind.to_string()).collect();
        kinds.dedup();
        if kinds.len() == 1 {
            return kinds.concat();
        }
        let each = self.keys.iter().map(|key| format!("{}: {}", key.variant(), key.kind));
        each.collect::<Vec<_>>().join("; ")
    }

    /// Describes the defaults: the most frequent one first, then those that differ with the word
    /// that tells them apart.
    pub fn default(&self) -> String {
        let config = Config::default();
        let values: Vec<ConfigValue> = self.keys.iter().map(|key| key.get(&config)).collect();
        if values.iter().any(|value| value.to_string().len() > LONGEST_DEFAULT) {
            return "a sentence each".into();
        }
        let frequency = |value: &ConfigValue| values.iter().filter(|other| *other == value).count();
        let usual = values.iter().find(|value| {
            let most = frequency(value);
            (most > 1 || values.len() == 1) && values.iter().all(|other| frequency(other) <= most)
        });
        let others = self.keys.iter().zip(&values).filter(|(_, value)| Some(*value) != usual);
        let others = others.map(|(key, value)| format!("{} {}", key.variant(), quote(value)));
        usual.map(quote).into_iter().chain(others).collect::<Vec<_>>().join(", ")
    }
}

fn quote(value: &ConfigValue) -> String {
    let text = value.to_string();
    if text.is_empty() { "empty".into() } else { format!("`{text}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_help_and_several_keys() {
        let rows = DocumentedKey::all();
        for row in &rows {
            let family = FAMILIES.iter().any(|(pattern, _)| *pattern == row.pattern);
            assert_eq!(family, row.pattern.contains('<'), "{}", row.pattern);
            assert_eq!(family, row.keys.len() > 1, "{}", row.pattern);
        }
        assert!(FAMILIES.iter().all(|(pattern, _)| rows.iter().any(|row| row.pattern == *pattern)));
    }

    #[test]
    fn defaults_of_a_family_name_the_exceptions() {
        for (pattern, expected) in [
            ("recall.limit", "`10`"),
            ("user.name", "empty"),
            ("guard.<what>", "commands `once`, records `false`"),
            ("hooks.tokens.<event>", "prompt `600`, session `2000`, tool `300`"),
            ("records.<category>.threshold", "`0.4`, constraint `0.5`, session_summary `0.6`"),
            ("records.<category>.description", "a sentence each"),
        ] {
            let rows = DocumentedKey::all();
            let row = rows.iter().find(|row| row.pattern == pattern).unwrap();
            assert_eq!(row.default(), expected);
        }
    }
}
