//! What makes a good trigger: plain prose, few words, what an agent would type.

use std::fmt;

/// How many words a trigger usually has.
pub const USUAL_WORDS: std::ops::RangeInclusive<usize> = 2..=5;

/// What a trigger does not keep to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what its message says")]
pub enum Lapse {
    Empty,
    Dots,
    Hyphen(String),
    Special(char),
    WordCount(usize),
}

impl Lapse {
    /// Whether a new trigger with it is refused, and not only remarked upon.
    pub fn is_refused(&self) -> bool {
        !matches!(self, Lapse::WordCount(_))
    }
}

impl fmt::Display for Lapse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lapse::Empty => f.write_str("a trigger needs words"),
            Lapse::Dots => {
                f.write_str("a trigger cannot start with a dot, which asks for a section")
            }
            Lapse::Hyphen(word) => {
                write!(f, "plain prose has no hyphens: `{}`, not `{word}`", word.replace('-', " "))
            }
            Lapse::Special(mark) => write!(f, "plain prose has no `{mark}`"),
            Lapse::WordCount(1) => {
                f.write_str("one word is little to go by: two to five are usual")
            }
            Lapse::WordCount(count) => write!(f, "{count} words are many: two to five are usual"),
        }
    }
}

/// Everything in which a trigger departs from the guidelines.
pub fn lapses(trigger: &str) -> Vec<Lapse> {
    let words: Vec<&str> = trigger.split_whitespace().collect();
    if words.is_empty() {
        return vec![Lapse::Empty];
    }
    let mut lapses = Vec::new();
    if trigger.trim_start().starts_with('.') {
        lapses.push(Lapse::Dots);
    }
    let hyphens = words.iter().filter(|word| word.contains('-'));
    lapses.extend(hyphens.map(|word| Lapse::Hyphen((*word).to_owned())));
    let is_plain = |c: &char| c.is_alphanumeric() || c.is_whitespace() || "-'’.+#".contains(*c);
    let mut special: Vec<char> = trigger.chars().filter(|c| !is_plain(c)).collect();
    special.sort_unstable();
    special.dedup();
    lapses.extend(special.into_iter().map(Lapse::Special));
    if !USUAL_WORDS.contains(&words.len()) {
        lapses.push(Lapse::WordCount(words.len()));
    }
    lapses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triggers_are_plain_prose() {
        for (trigger, expected) in [
            ("writing mock tests", vec![]),
            ("using C++ or node.js", vec![]),
            (
                "auth-error",
                vec![
                    "plain prose has no hyphens: `auth error`, not `auth-error`",
                    "one word is little to go by: two to five are usual",
                ],
            ),
            ("a | b", vec!["plain prose has no `|`"]),
            (".section here", vec!["a trigger cannot start with a dot, which asks for a section"]),
            ("one two three four five six", vec!["6 words are many: two to five are usual"]),
            (" ", vec!["a trigger needs words"]),
        ] {
            let found: Vec<String> = lapses(trigger).iter().map(Lapse::to_string).collect();
            assert_eq!(found, expected, "{trigger}");
        }
    }
}
