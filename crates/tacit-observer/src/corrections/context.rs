//! Tells what a sentence is about: the project, a part of it, or something said before.

use super::phrases::CorrectionPhrases;
use super::wording::{begins, contains};

/// Maximum number of words in the name of a kind of things.
const MAX_KIND_NAME: usize = 3;
/// Minimum number of words before a pronoun that refers to something in the same sentence.
const MIN_WORDS_BEFORE_PRONOUN: usize = 3;

impl CorrectionPhrases {
    /// Returns true if a sentence cannot be understood without its context.
    pub(super) fn depends_on_context(&self, rule: &str, about_tools: bool) -> bool {
        let plain = self.without_project(rule);
        if !self.spaced {
            return self.context_words.iter().any(|word| plain.contains(word));
        }
        let mut in_code = false;
        let mut later_clause = false;
        let words: Vec<&str> = plain.split_whitespace().collect();
        for (index, token) in words.iter().enumerate() {
            let was_code = in_code;
            in_code ^= token.matches('`').count() % 2 == 1;
            if was_code || token.contains('`') {
                continue;
            }
            let word = token.trim_matches(|c: char| !c.is_alphanumeric());
            let next = words.get(index + 1).copied().unwrap_or_default();
            let refers = (self.context_words.contains(&word) && !(index == 0 && word == "there"))
                || (self.pronouns.contains(&word) && !later_clause)
                || (self.here.contains(&word) && !about_tools)
                || (word == "that" && self.refers_with_that(index, &words))
                || (word == "one" && refers_with_one(token, next));
            if refers || is_number_of_thing(token) {
                return true;
            }
            let ends_clause = token.ends_with([',', ':', ';'])
                || ["and", "or", "because", "when", "if", "since", "before", "after", "-", "—"]
                    .contains(&word);
            later_clause |= ends_clause && index + 1 >= MIN_WORDS_BEFORE_PRONOUN;
        }
        false
    }

    /// Returns true unless "that" begins a relative clause, as it does after a plural noun.
    fn refers_with_that(&self, index: usize, words: &[&str]) -> bool {
        let next = words.get(index + 1).copied().unwrap_or_default();
        let before = index.checked_sub(1).map_or("", |before| words[before]);
        let relative = self.after_relative.contains(&next)
            || (before.len() > 4 && before.ends_with('s') && !next.is_empty());
        !self.after_relative.is_empty() && (before.is_empty() || !relative)
    }

    /// Returns true if a choice is limited to a part of the code. Plural nouns are kinds of code:
    /// "in tests".
    pub(super) fn is_about_part(&self, rule: &str) -> bool {
        let in_one = |rest: &str| {
            !rest.split([' ', ',']).take(2).any(|word| {
                (word.ends_with('s') && !word.contains(['/', '.']))
                    || ["code", "production", "english"].contains(&word)
            })
        };
        let rule = &self.without_project(rule);
        contains(rule, self.parts)
            || (!self.parts.is_empty()
                && rule.match_indices(" in ").any(|(at, part)| in_one(&rule[at + part.len()..])))
    }

    /// Returns true if a prohibition is about things that projects have rules about, wherever they
    /// are: "… in integration tests", "… to commit messages".
    pub(super) fn is_about_kind(&self, action: &str) -> bool {
        [" in ", " to ", " from "].iter().any(|place| {
            action.find(place).is_some_and(|at| {
                let rest = &action[at + place.len()..];
                let words = rest.split([' ', ',']).take(MAX_KIND_NAME);
                !begins(rest, self.articles)
                    && words.clone().all(|word| !self.context_words.contains(&word))
                    && words.into_iter().any(|word| self.subjects.contains(&word))
            })
        })
    }

    /// Returns true if an object is a kind of things rather than a thing: "emojis", "small commits".
    pub(super) fn begins_with_kind(&self, object: &str) -> bool {
        !self.parts.is_empty()
            && !begins(object, self.articles)
            && object.split_whitespace().take(2).any(|word| {
                let word = word.trim_end_matches(',');
                word.len() > 4 && word.ends_with('s') && !word.ends_with("ss")
            })
    }

    fn without_project(&self, rule: &str) -> String {
        let phrases = self.project_phrases.iter();
        phrases.fold(rule.to_owned(), |text, phrase| text.replace(phrase, ""))
    }
}

/// Returns true unless "one" is a number before a noun.
fn refers_with_one(token: &str, next: &str) -> bool {
    token != "one" || ["", "for", "from", "in", "of", "with", "we", "you", "is"].contains(&next)
}

/// Returns true for `#12`, which names something of the present.
fn is_number_of_thing(token: &str) -> bool {
    token
        .trim_start_matches('(')
        .strip_prefix('#')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
