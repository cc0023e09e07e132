//! Converts an old entry to an operator, a trigger and additional triggers.

use crate::fold;
use crate::operator::{Operator, strip};

/// Verbs that start keys about procedures and are rarely nouns.
const IMPERATIVES: &[&str] = &[
    "add",
    "apply",
    "avoid",
    "choose",
    "clean",
    "compare",
    "compile",
    "compress",
    "configure",
    "convert",
    "create",
    "debug",
    "deduplicate",
    "define",
    "delete",
    "deploy",
    "deprecate",
    "derive",
    "detect",
    "disable",
    "embed",
    "enable",
    "encode",
    "escape",
    "extract",
    "fetch",
    "find",
    "fix",
    "freeze",
    "generate",
    "handle",
    "inject",
    "install",
    "isolate",
    "keep",
    "load",
    "make",
    "measure",
    "merge",
    "migrate",
    "move",
    "parse",
    "prefer",
    "publish",
    "read",
    "rebase",
    "remove",
    "rename",
    "replace",
    "reproduce",
    "resolve",
    "restore",
    "resume",
    "retry",
    "return",
    "roll",
    "rotate",
    "run",
    "sanitise",
    "sanitize",
    "save",
    "send",
    "store",
    "trim",
    "tune",
    "update",
    "upgrade",
    "use",
    "validate",
    "verify",
    "wrap",
    "write",
];
/// Common words that end a phrase.
const COMMON: &[&str] = &[
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "before", "but", "by", "can", "do",
    "does", "each", "every", "for", "from", "has", "have", "if", "in", "instead", "into", "is",
    "it", "its", "must", "never", "no", "not", "of", "on", "once", "one", "only", "or", "over",
    "own", "per", "so", "than", "that", "the", "their", "them", "then", "they", "this", "to",
    "until", "up", "use", "used", "via", "was", "when", "where", "which", "while", "with",
    "without", "you",
];
/// The maximum number of additional triggers taken from a description.
const MAX_EXTRAS: usize = 2;

/// Parses a line `Key — description`.
pub(super) fn old_entry(line: &str) -> Option<(String, String)> {
    let text = line.trim_end();
    let text = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).unwrap_or(text);
    if !crate::index::is_old_entry(text) || text.starts_with('/') {
        return None;
    }
    let (key, description) = text.split_once(" — ")?;
    let key = key.trim().trim_matches(['*', '`']).trim();
    (!key.is_empty()).then(|| (key.to_owned(), description.trim().to_owned()))
}

/// Converts an old entry.
pub fn convert(key: &str, description: &str) -> (Operator, String, Vec<String>) {
    let plain = plain_words(key);
    let operator = operator(&plain);
    let trigger = strip(operator, &plain.join(" ")).to_owned();
    let trigger = if trigger.is_empty() { "unnamed".to_owned() } else { trigger };
    let extras = phrases(description, &trigger);
    (operator, trigger, extras)
}

fn operator(words: &[String]) -> Operator {
    let first = words.first().map_or("", String::as_str);
    match first {
        "when" => Operator::When,
        "how" => Operator::How,
        _ if words.len() > 1 && IMPERATIVES.contains(&first) => Operator::How,
        _ => Operator::When,
    }
}

/// Splits a text into plain words. Capitals stay only inside words, where they mark names.
fn plain_words(text: &str) -> Vec<String> {
    let apart = |c: char| c.is_whitespace() || !(c.is_alphanumeric() || "'’.+#".contains(c));
    text.split(apart)
        .map(|word| word.trim_matches(['.', '\'', '’', '#']))
        .filter(|word| !word.is_empty())
        .map(|word| {
            let inside = word.chars().skip(1).any(char::is_uppercase);
            if inside { word.to_owned() } else { word.to_lowercase() }
        })
        .collect()
}

/// Returns the first phrases of two or three words in a description that add to the trigger.
fn phrases(description: &str, trigger: &str) -> Vec<String> {
    let trigger_words = fold::key(trigger);
    let trigger_words: Vec<&str> = trigger_words.split(' ').collect();
    let mut phrases: Vec<String> = Vec::new();
    let mut run: Vec<String> = Vec::new();
    let mut end = |run: &mut Vec<String>| {
        let new = run.iter().any(|word| !trigger_words.contains(&fold::key(word).as_str()));
        if (2..=3).contains(&run.len()) && new && phrases.len() < MAX_EXTRAS {
            phrases.push(run.join(" "));
        }
        run.clear();
    };
    for part in description.split([',', ';', ':', '.', '(', ')', '—', '/']) {
        for word in plain_words(part) {
            if COMMON.contains(&word.as_str()) {
                end(&mut run);
            } else {
                run.push(word);
            }
        }
        end(&mut run);
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_entries_are_distinguished_from_prose() {
        for (line, key) in [
            ("Mock patching pattern — patch where used", Some("Mock patching pattern")),
            ("- **Mock patching** — patch where used", Some("Mock patching")),
            ("/when writing mock tests | a — b", None),
            ("# Heading — with a dash", None),
            ("Something without a description —", None),
            ("Prose that goes on and on for many words before it — has a dash", None),
        ] {
            assert_eq!(old_entry(line).map(|(key, _)| key).as_deref(), key, "{line}");
        }
    }

    #[test]
    fn keys_are_converted_to_triggers() {
        for (key, description, entry) in [
            ("Mock Patching Pattern", "patch where object is used", "/when mock patching pattern"),
            ("Encode Paths", "slashes to hyphens", "/how encode paths"),
            (
                "How to Encode Paths",
                "percent encoding, by hand",
                "/how encode paths | percent encoding",
            ),
            (
                "Auth-Error `retry` (CI)",
                "token refresh then backoff",
                "/when auth error retry CI | token refresh",
            ),
            ("SQLite WAL", "", "/when SQLite WAL"),
            ("***", "", "/when unnamed"),
        ] {
            let (operator, trigger, extras) = convert(key, description);
            let extras =
                if extras.is_empty() { String::new() } else { format!(" | {}", extras.join(", ")) };
            assert_eq!(format!("/{operator} {trigger}{extras}"), entry);
        }
    }
}
