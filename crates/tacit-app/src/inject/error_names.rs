//! The specific names in an error: identifiers, options, paths, codes and quoted words.
//!
//! Ordinary words do not count: almost every failure shares some with almost every memory.

/// The minimum length of a specific name, in bytes.
const MIN_NAME: usize = 4;
/// The minimum length of a quoted name, in bytes.
const MIN_QUOTED: usize = 3;
/// The minimum length of a word in capitals that is a code, in bytes.
const MIN_CAPITALS: usize = 5;
/// The number of digits of a number that names something, such as a port, a status or an exit code.
const DIGITS: std::ops::RangeInclusive<usize> = 3..=6;

/// Names that are part of many errors.
const GENERIC: [&str; 24] = [
    "ERROR",
    "FAILED",
    "FAILURE",
    "FATAL",
    "WARNING",
    "PASSED",
    "FAIL:",
    "AssertionError",
    "AttributeError",
    "Exception",
    "ImportError",
    "IndexError",
    "KeyError",
    "ModuleNotFoundError",
    "NameError",
    "NullPointerException",
    "ReferenceError",
    "RuntimeError",
    "SyntaxError",
    "TypeError",
    "ValueError",
    "node_modules",
    "site-packages",
    "main.py",
];

/// The specific names of an error.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ErrorNames<'t>(Vec<&'t str>);

impl<'t> ErrorNames<'t> {
    /// Finds the names in the lines of an error.
    pub(super) fn of(lines: &'t str) -> ErrorNames<'t> {
        let mut names: Vec<&str> = words(lines).filter(|word| is_specific(word)).collect();
        names.extend(quoted(lines));
        names.retain(|name| !GENERIC.contains(name));
        ErrorNames(names)
    }

    /// Returns true if a text has one of the names.
    pub(super) fn occur_in(&self, text: &str) -> bool {
        words(text).any(|word| self.0.contains(&word))
    }
}

/// Splits a text into words, each a name, an option, a path or a code.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | ':' | '@');
    text.split(move |c: char| !is_part(c))
        .map(|word| word.trim_end_matches(['.', ':', '-', '/']).trim_start_matches([':', '.']))
        .filter(|word| !word.is_empty())
}

/// Returns the single words in quotation marks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    ['\'', '"', '`'].into_iter().flat_map(move |mark| {
        text.lines().flat_map(move |line| line.split(mark).skip(1).step_by(2)).filter(|inside| {
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            inside.len() >= MIN_QUOTED
                && inside.chars().all(is_word)
                && inside.contains(char::is_alphabetic)
        })
    })
}

/// Returns true for a word that names one thing: an identifier, an option, a path or a code.
fn is_specific(word: &str) -> bool {
    let inner = word.trim_start_matches('-');
    let has_mark = inner.contains(['_', '/', '.', ':', '@']) || (word != inner && inner.len() > 2);
    let has_case =
        inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase);
    let has_digit = inner.starts_with(char::is_alphabetic) && inner.contains(char::is_numeric);
    let is_capitals = inner.len() >= MIN_CAPITALS && inner.chars().all(|c| c.is_ascii_uppercase());
    let is_number = DIGITS.contains(&inner.len()) && inner.bytes().all(|b| b.is_ascii_digit());
    let is_address = inner.contains(':') && inner.bytes().any(|b| b.is_ascii_digit());
    is_number
        || is_capitals
        || (inner.len() >= MIN_NAME
            && (inner.contains(char::is_alphabetic) || is_address)
            && (has_mark || has_case || has_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_codes_and_quoted_words_are_names() {
        let cases: [(&str, &[&str]); 8] = [
            ("Error: connect ECONNREFUSED 127.0.0.1:5433", &["ECONNREFUSED", "127.0.0.1:5433"]),
            ("error[E0308]: mismatched types", &["E0308"]),
            ("ModuleNotFoundError: No module named 'yaml'", &["yaml"]),
            ("Exit code 137", &["137"]),
            ("TypeError: x is not a function", &[]),
            ("FAILED: tests failed in the database", &[]),
            ("unknown option --frobnicate", &["--frobnicate"]),
            ("src/api/client.ts:10:5 no such export", &["src/api/client.ts:10:5"]),
        ];
        for (line, expected) in cases {
            assert_eq!(ErrorNames::of(line).0, expected, "{line}");
        }
    }
}
