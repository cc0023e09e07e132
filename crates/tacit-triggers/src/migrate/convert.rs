//! One old entry to one new: the operator, the trigger, and other ways to say it.

use crate::fold;
use crate::operator::{Operator, strip};

/// First words of keys that tell how something is done: verbs that are seldom anything else.
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
/// Words that no phrase is made of.
const COMMON: &[&str] = &[
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "before", "but", "by", "can", "do",
    "does", "each", "every", "for", "from", "has", "have", "if", "in", "instead", "into", "is",
    "it", "its", "must", "never", "no", "not", "of", "on", "once", "one", "only", "or", "over",
    "own", "per", "so", "than", "that", "the", "their", "them", "then", "they", "this", "to",
    "until", "up", "use", "used", "via", "was", "when", "where", "which", "while", "with",
    "without", "you",
];
/// How many other ways to say it are taken from a description.
const MOST_EXTRAS: usize = 2;

/// The key and the description of a line `Key — description`.
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

/// The operator, trigger and extra triggers of an old entry.
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

/// The words of a text as plain prose. Capitals stay only in words that have them inside, which
/// are names.
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

/// The first runs of two or three telling words in a description that say more than the trigger.
fn phrases(description: &str, trigger: &str) -> Vec<String> {
    let said = fold::key(trigger);
    let said: Vec<&str> = said.split(' ').collect();
    let mut phrases: Vec<String> = Vec::new();
    let mut run: Vec<String> = Vec::new();
    let mut end = |run: &mut Vec<String>| {
        let new = run.iter().any(|word| !said.contains(&fold::key(word).as_str()));
        if (2..=3).contains(&run.len()) && new && phrases.len() < MOST_EXTRAS {
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
    fn old_entries_are_told_from_prose() {
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
    fn keys_become_triggers() {
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
