//! Finds `/when` and `/how` invocations in commands and messages.

use tacit_core::SlashCommand;

use crate::operator::Operator;

/// An invocation of `/when` or `/how`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The operator.
    pub operator: Operator,
    /// The trigger, or a section or file with leading dots.
    pub query: String,
}

/// Words that end a command.
const ENDS: &[&str] = &["&&", "||", ";", "|", "&", ">", ">>", "2>&1", "2>/dev/null"];

/// Returns the invocations in a shell command (`tacit when …`) or a user message (`/when …`, or the
/// client's tags for it).
pub fn invocations(text: &str) -> Vec<Invocation> {
    if let Some(invocation) = slash(text) {
        return vec![invocation];
    }
    let mut found = Vec::new();
    let words = shell_words(text);
    let mut at = 0;
    while at < words.len() {
        at += 1;
        if !is_program(&words[at - 1]) {
            continue;
        }
        // Options and the value of `-C` may come before the command.
        while words.get(at).is_some_and(|word| word.starts_with('-')) {
            at += if matches!(words[at].as_str(), "-C" | "--directory") { 2 } else { 1 };
        }
        let Some(operator) = words.get(at).and_then(|word| Operator::from_word(word)) else {
            continue;
        };
        let query: Vec<&str> = words[at + 1..]
            .iter()
            .map(String::as_str)
            .take_while(|word| !ENDS.contains(word))
            .filter(|word| !word.starts_with("--"))
            .collect();
        at += 1 + query.len();
        if !query.is_empty() {
            found.push(Invocation { operator, query: query.join(" ") });
        }
    }
    found
}

fn is_program(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    matches!(name, "tacit" | "when-resolve.py")
}

/// Parses `/when …` at the beginning of a message, from any plugin. In a transcript, other tags may
/// come before it.
fn slash(text: &str) -> Option<Invocation> {
    let command = SlashCommand::parse(&text[text.find("<command-name>").unwrap_or(0)..])?;
    let word = command.name.rsplit(':').next()?;
    let query = command.arguments.lines().next()?.to_owned();
    Some(Invocation { operator: Operator::from_word(word)?, query })
}

/// Splits a command into words like a shell, as far as quotes go. Separators are words of their
/// own.
fn shell_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut open) = (String::new(), None, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(mark), _) if letter == mark => quote = None,
            (None, '"' | '\'') => (quote, open) = (Some(letter), true),
            (Some('"') | None, '\\') => word.extend(letters.next()),
            (Some(_), _) => word.push(letter),
            // A redirection such as `2>&1`.
            (None, '&') if word.ends_with('>') => word.push(letter),
            (None, ';' | '\n' | '|' | '&' | ')' | '(') => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                    open = false;
                }
                let double = letters.next_if_eq(&letter).is_some();
                words.push(match (letter, double) {
                    ('|', true) => "||".to_owned(),
                    ('&', true) => "&&".to_owned(),
                    ('|' | '&', false) => letter.to_string(),
                    _ => ";".to_owned(),
                });
            }
            (None, _) if letter.is_whitespace() => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                    open = false;
                }
            }
            (None, _) => word.push(letter),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invocations_are_found_in_commands_and_messages() {
        for (text, expected) in [
            ("tacit when writing mock tests", vec!["when writing mock tests"]),
            (
                "cd x && tacit -C . when 'writing mock tests' --json | head",
                vec!["when writing mock tests"],
            ),
            (
                "tacit how \"encode paths\"; tacit when ..testing.md",
                vec!["how encode paths", "when ..testing.md"],
            ),
            ("./target/debug/tacit when .Mock\\ Patching", vec!["when .Mock Patching"]),
            ("agent-core/bin/when-resolve.py when auth error 2>&1", vec!["when auth error"]),
            ("/when writing mock tests", vec!["when writing mock tests"]),
            (
                "<command-name>/how</command-name> <command-args>encode paths</command-args>",
                vec!["how encode paths"],
            ),
            ("tacit recall when pigs fly", vec![]),
            ("when in doubt, say how", vec![]),
            ("tacit when", vec![]),
            ("/whenever you like", vec![]),
            ("echo 'unclosed", vec![]),
        ] {
            let found: Vec<String> =
                invocations(text).iter().map(|i| format!("{} {}", i.operator, i.query)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
