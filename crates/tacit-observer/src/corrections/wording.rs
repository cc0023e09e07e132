//! Compares words and phrases, and tells names from other words.

use super::phrases::{CorrectionPhrases, TOOLS};

impl CorrectionPhrases {
    /// Returns the object of an instruction. Where verbs come last it is the whole sentence.
    pub(super) fn object<'a>(&self, rule: &'a str) -> Option<&'a str> {
        if self.spaced {
            return after(rule, self.verbs);
        }
        contains(rule, self.verbs).then_some(rule)
    }

    /// Returns true if the first words of an object are a well-known tool. In scripts without
    /// spaces the tool may stand anywhere.
    pub(super) fn begins_with_tool(&self, object: &str) -> bool {
        let most = if self.spaced { 2 } else { usize::MAX };
        object
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')
            .filter(|word| !word.is_empty())
            .take(most)
            .any(|word| TOOLS.contains(&word))
    }

    pub(super) fn has(&self, text: &str, list: &[&str]) -> bool {
        if self.spaced { begins(text, list) } else { contains(text, list) }
    }

    pub(super) fn contains_any(&self, text: &str, list: &[&str]) -> bool {
        list.iter().any(|phrase| self.contains_phrase(text, phrase))
    }

    /// Returns true if a text contains a phrase as whole words.
    pub(super) fn contains_phrase(&self, text: &str, phrase: &str) -> bool {
        text.match_indices(phrase).any(|(at, _)| {
            !self.spaced
                || (!text[..at].ends_with(char::is_alphanumeric)
                    && (phrase.ends_with(' ')
                        || !text[at + phrase.len()..].starts_with(char::is_alphanumeric)))
        })
    }
}

pub(super) fn begins(text: &str, list: &[&str]) -> bool {
    list.iter().any(|phrase| text.starts_with(phrase))
}

pub(super) fn contains(text: &str, list: &[&str]) -> bool {
    list.iter().any(|phrase| text.contains(phrase))
}

/// Returns the text after the longest phrase that it begins with.
pub(super) fn after<'a>(text: &'a str, list: &[&str]) -> Option<&'a str> {
    list.iter().filter_map(|phrase| text.strip_prefix(phrase)).min_by_key(|rest| rest.len())
}

pub(super) fn without_marks(text: &str) -> &str {
    text.trim().trim_end_matches(['.', '!', ';', ',', '。', '！', '；', '，', ' '])
}

/// Returns a sentence in lower case with one kind of apostrophe. It has as many characters as
/// before, so that positions can be found again.
pub(super) fn normalised(sentence: &str) -> String {
    let lower = |c: char| {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) => one,
            _ => c,
        }
    };
    sentence.chars().map(|c| if c == '’' { '\'' } else { lower(c) }).collect()
}

/// Returns true if a text names code: a code span, a path, an identifier or a flag.
pub(super) fn names_code(text: &str) -> bool {
    text.split_whitespace().any(|token| {
        let word = token.trim_matches(|c: char| {
            !c.is_alphanumeric() && !matches!(c, '`' | '~' | '/' | '.' | '-' | '_' | '(' | ')')
        });
        let word = word.trim_end_matches(['.', ',']);
        let letters = || word.chars().zip(word.chars().skip(1));
        word.contains(['`', '_'])
            || word.contains("::")
            || word.ends_with("()")
            || (word.starts_with("--") && word.len() > 2)
            || (word.contains('/')
                && word.chars().filter(|c| c.is_alphanumeric()).count() >= 4
                && !is_pair_of_words(word))
            || letters().any(|(one, two)| one.is_lowercase() && two.is_uppercase())
            || word.char_indices().any(|(at, c)| {
                c == '.'
                    && word.len() > 3
                    && word[..at].ends_with(char::is_alphabetic)
                    && word[at + 1..].starts_with(char::is_alphabetic)
            })
    })
}

/// Returns true for `and/or` and `read/write`, which are no paths.
fn is_pair_of_words(word: &str) -> bool {
    let parts: Vec<&str> = word.split('/').collect();
    parts.len() == 2
        && parts.iter().all(|part| part.chars().all(char::is_alphabetic) && !part.is_empty())
}

/// Returns true if a text names a product by a capital letter.
pub(super) fn names_product(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        word.starts_with(char::is_uppercase)
            && word.chars().filter(|c| c.is_lowercase()).count() >= 2
    })
}

/// Returns a rule with a capital letter, unless it begins with code or its script has none.
pub(super) fn capitalised(text: &str, spaced: bool) -> String {
    let text = without_marks(text);
    let first = text.split_whitespace().next().unwrap_or_default();
    let code = first.contains(['_', '/', '`', '.', '(', '-'])
        || first.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit());
    if code || !spaced {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
