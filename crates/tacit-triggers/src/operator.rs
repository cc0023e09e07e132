//! The operators `/when` and `/how`, and their headings and triggers.

use std::fmt;

use serde::Serialize;

use crate::fold;

/// An operator of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    /// `/when`: what to do in a situation.
    When,
    /// `/how`: how something is done.
    How,
}

impl Operator {
    /// Both operators.
    pub const ALL: [Operator; 2] = [Operator::When, Operator::How];

    /// Returns the word, without the slash.
    pub fn as_str(self) -> &'static str {
        match self {
            Operator::When => "when",
            Operator::How => "how",
        }
    }

    /// Returns the operator for a type of memory: `/how` for procedures.
    pub fn of_memory_type(kind: &str) -> Operator {
        match kind {
            "workflow" | "workflow_recipe" | "pattern" => Operator::How,
            _ => Operator::When,
        }
    }

    /// Returns the beginning of headings.
    pub fn heading_prefix(self) -> &'static str {
        match self {
            Operator::When => "When",
            Operator::How => "How to",
        }
    }

    /// Parses a word without the slash.
    pub fn from_word(word: &str) -> Option<Operator> {
        Operator::ALL.into_iter().find(|operator| operator.as_str() == word)
    }

    /// Returns the operator of a heading, by its first word.
    pub fn of_heading(title: &str) -> Option<Operator> {
        Operator::from_word(&fold::key(title.split_whitespace().next()?))
    }

    /// Returns the heading of a trigger: `writing mock tests` becomes `When Writing Mock Tests`.
    pub fn heading(self, trigger: &str) -> String {
        let mut heading = self.heading_prefix().to_owned();
        for word in strip(self, trigger).split_whitespace() {
            heading.push(' ');
            let mut letters = word.chars();
            // A word with capitals keeps its spelling.
            if word.chars().any(char::is_uppercase) {
                heading.push_str(word);
            } else if let Some(first) = letters.next() {
                heading.push(capital(first));
                heading.push_str(letters.as_str());
            }
        }
        heading
    }

    /// Returns the query for a trigger, with the operator's word.
    pub fn query(self, trigger: &str) -> String {
        format!("{} {}", self.as_str(), strip(self, trigger))
    }

    /// Returns true if a heading can belong to this operator.
    pub fn allows(self, title: &str) -> bool {
        Operator::of_heading(title).is_none_or(|operator| operator == self)
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the capital of a letter, if the conversion is reversible.
fn capital(letter: char) -> char {
    let mut capitals = letter.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) if capital.to_lowercase().eq([letter]) => capital,
        _ => letter,
    }
}

/// Removes the operator's words from the beginning of a trigger, which people type out of habit. A
/// trigger of only those words stays.
pub(crate) fn strip(operator: Operator, trigger: &str) -> &str {
    let mut rest = trigger.trim();
    let words: &[&str] = match operator {
        Operator::When => &["when"],
        Operator::How => &["how", "to"],
    };
    for word in words {
        let Some((first, after)) = rest.split_once(char::is_whitespace) else { break };
        if first.eq_ignore_ascii_case(word) {
            rest = after.trim_start();
        }
    }
    rest
}

/// Returns the lookup key of an entry's heading, for any spelling of the trigger.
pub(crate) fn trigger_key(operator: Operator, trigger: &str) -> String {
    fold::key(&operator.query(trigger))
}

/// Returns the lookup key of a heading; `None` if it has no operator.
pub(crate) fn heading_key(title: &str) -> Option<String> {
    Operator::of_heading(title).map(|operator| trigger_key(operator, title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triggers_are_converted_to_headings() {
        for (operator, trigger, heading) in [
            (Operator::When, "writing mock tests", "When Writing Mock Tests"),
            (Operator::How, "encode paths", "How to Encode Paths"),
            (Operator::How, "how to encode paths", "How to Encode Paths"),
            (Operator::When, "using SQLite with iOS", "When Using SQLite With iOS"),
            (Operator::When, "éclair ßeta", "When Éclair ßeta"),
            (Operator::When, "when", "When When"),
        ] {
            assert_eq!(operator.heading(trigger), heading);
            let key = trigger_key(operator, trigger);
            assert_eq!(heading_key(heading).as_deref(), Some(key.as_str()), "{heading}");
        }
    }

    #[test]
    fn the_memory_type_selects_the_operator() {
        for (kind, operator) in [
            ("workflow_recipe", Operator::How),
            ("pattern", Operator::How),
            ("gotcha", Operator::When),
            ("decision", Operator::When),
        ] {
            assert_eq!(Operator::of_memory_type(kind), operator, "{kind}");
        }
    }

    #[test]
    fn a_heading_without_an_operator_allows_both() {
        assert!(Operator::How.allows("How To Do It") && !Operator::How.allows("When To"));
        assert!(Operator::How.allows("Paths") && Operator::When.allows("Paths"));
        assert!(Operator::When.allows(""));
    }
}
