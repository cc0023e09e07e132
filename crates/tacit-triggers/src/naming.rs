//! Guidelines for triggers: plain prose, few words, what an agent would type.

use thiserror::Error;

/// The usual number of words of a trigger.
pub const USUAL_WORDS: std::ops::RangeInclusive<usize> = 2..=5;

/// A violation of the guidelines.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "each is what its message says")]
pub enum NamingProblem {
    #[error("a trigger needs words")]
    Empty,
    #[error("a trigger cannot start with a dot, which opens a section")]
    Dots,
    #[error("plain prose has no hyphens: `{}`, not `{}`", .0.replace('-', " "), .0)]
    Hyphen(String),
    #[error("plain prose has no `{0}`")]
    Special(char),
    #[error("{}; two to five are usual", amount(*.0))]
    WordCount(usize),
}

impl NamingProblem {
    /// Returns true if a new trigger with this problem is refused, not only remarked upon.
    pub fn is_error(&self) -> bool {
        !matches!(self, NamingProblem::WordCount(_))
    }
}

fn amount(words: usize) -> String {
    if words == 1 { "one word is too little".into() } else { format!("{words} words are too many") }
}

/// Returns all problems of a trigger.
pub fn naming_problems(trigger: &str) -> Vec<NamingProblem> {
    let words: Vec<&str> = trigger.split_whitespace().collect();
    if words.is_empty() {
        return vec![NamingProblem::Empty];
    }
    let mut naming_problems = Vec::new();
    if trigger.trim_start().starts_with('.') {
        naming_problems.push(NamingProblem::Dots);
    }
    let hyphens = words.iter().filter(|word| word.contains('-'));
    naming_problems.extend(hyphens.map(|word| NamingProblem::Hyphen((*word).to_owned())));
    let is_plain = |c: &char| c.is_alphanumeric() || c.is_whitespace() || "-'’.+#".contains(*c);
    let mut special: Vec<char> = trigger.chars().filter(|c| !is_plain(c)).collect();
    special.sort_unstable();
    special.dedup();
    naming_problems.extend(special.into_iter().map(NamingProblem::Special));
    if !USUAL_WORDS.contains(&words.len()) {
        naming_problems.push(NamingProblem::WordCount(words.len()));
    }
    naming_problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_of_the_guidelines_are_listed() {
        for (trigger, expected) in [
            ("writing mock tests", vec![]),
            ("using C++ or node.js", vec![]),
            (
                "auth-error",
                vec![
                    "plain prose has no hyphens: `auth error`, not `auth-error`",
                    "one word is too little; two to five are usual",
                ],
            ),
            ("a | b", vec!["plain prose has no `|`"]),
            (".section here", vec!["a trigger cannot start with a dot, which opens a section"]),
            ("one two three four five six", vec!["6 words are too many; two to five are usual"]),
            (" ", vec!["a trigger needs words"]),
        ] {
            let found: Vec<String> =
                naming_problems(trigger).iter().map(NamingProblem::to_string).collect();
            assert_eq!(found, expected, "{trigger}");
        }
    }
}
