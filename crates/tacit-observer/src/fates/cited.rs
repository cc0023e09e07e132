//! Cited: the agent's own words name the memory, or repeat words that only the memory can have given
//! it.

use std::collections::BTreeSet;

use super::guidance::Guidance;
use super::session::{Window, has_word};
use super::{CITED_WORDS, ShownMemory};
use crate::text::quoted_list;

/// The fewest letters of an ordinary word that can be distinctive.
const MIN_LETTERS: usize = 7;
/// Long words that any message about code may have.
const ORDINARY: [&str; 60] = [
    "because",
    "between",
    "through",
    "without",
    "against",
    "another",
    "already",
    "instead",
    "whether",
    "however",
    "therefore",
    "otherwise",
    "everything",
    "something",
    "anything",
    "nothing",
    "implement",
    "implemented",
    "implementation",
    "function",
    "functions",
    "variable",
    "variables",
    "changes",
    "changed",
    "updated",
    "created",
    "removed",
    "returns",
    "returned",
    "running",
    "working",
    "failing",
    "passing",
    "passed",
    "problem",
    "problems",
    "project",
    "command",
    "commands",
    "directory",
    "configuration",
    "existing",
    "current",
    "correct",
    "correctly",
    "default",
    "similar",
    "example",
    "previous",
    "required",
    "requires",
    "necessary",
    "possible",
    "actually",
    "currently",
    "following",
    "different",
    "support",
    "handling",
];

/// Returns the words with which the agent cited a memory, if it did.
pub(super) fn cited(
    window: &Window<'_>,
    shown: &ShownMemory<'_>,
    all: &[ShownMemory<'_>],
    guidance: &Guidance,
) -> Option<String> {
    let id = shown.memory.id.short().to_string();
    let named = window.events().find(|(at, _, entry)| {
        entry.words().iter().any(|text| has_word(text, &id))
            && !window.texts_before(*at).any(|text| has_word(text, &id))
    });
    if named.is_some() {
        return Some(format!("the agent named {id}"));
    }
    words(window, shown, all, guidance)
}

fn words(
    window: &Window<'_>,
    shown: &ShownMemory<'_>,
    all: &[ShownMemory<'_>],
    guidance: &Guidance,
) -> Option<String> {
    let mut own = distinctive(&shown.memory.body.titled());
    // What other memories say may have given the words.
    for other in all.iter().filter(|other| other.memory.id != shown.memory.id) {
        let said = distinctive(&other.memory.body.titled());
        own.retain(|word| !said.contains(word));
    }
    if own.len() < CITED_WORDS {
        return None;
    }
    window.events().find_map(|(at, _, entry)| {
        entry.words().iter().find_map(|text| {
            let said = distinctive(text);
            let mut shared: Vec<&String> = own.intersection(&said).collect();
            if shared.len() < CITED_WORDS || window.opened(&guidance.files, at) {
                return None;
            }
            let before: BTreeSet<String> = window.texts_before(at).flat_map(distinctive).collect();
            shared.retain(|word| !before.contains(*word));
            (shared.len() >= CITED_WORDS)
                .then(|| format!("the agent wrote {}", quoted_list(&shared[..CITED_WORDS])))
        })
    })
}

/// Returns the words of a text that few other texts have: names in code, and long words.
fn distinctive(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    let words = text.split(|c: char| !is_part(c));
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| is_distinctive(word)).map(str::to_lowercase).collect()
}

fn is_distinctive(word: &str) -> bool {
    let letters = word.chars().count();
    let has_digit = word.chars().any(|c| c.is_ascii_digit());
    let has_letter = word.chars().any(char::is_alphabetic);
    let has_mark = word.contains(['_', '/', '.']);
    let has_inner_capital =
        word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let is_name = has_letter && letters >= 4 && (has_digit || has_mark || has_inner_capital);
    let lower = word.to_lowercase();
    is_name || (letters >= MIN_LETTERS && has_letter && !ORDINARY.contains(&lower.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_rare_words_are_distinctive() {
        for (word, expected) in [
            ("max_idle", true),
            ("TickClock", true),
            ("src/pool.rs", true),
            ("utf8", true),
            ("deadlock", true),
            ("because", false),
            ("Changed", false),
            ("pool", false),
            ("Pool", false),
            ("12", false),
            ("3.14", false),
        ] {
            assert_eq!(is_distinctive(word), expected, "{word}");
        }
    }
}
