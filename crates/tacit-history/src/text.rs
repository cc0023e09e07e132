//! Helpers for texts that come from a repository.

/// Joins a text to one line of at most `most` characters, cut between words. Control characters are
/// dropped, and backticks and curly quotes, which would end a quotation, become plain quotes.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let plain: String = text
        .chars()
        .filter(|c| !c.is_control() || c.is_whitespace())
        .map(|c| match c {
            '“' | '”' => '"',
            c => c,
        })
        .collect();
    let mut line = String::new();
    let mut length = 0;
    for word in plain.split_whitespace() {
        let gap = usize::from(length > 0);
        let more = word.chars().count();
        if length + gap + more > most {
            if length == 0 {
                line.extend(word.chars().take(most));
            }
            line.push('…');
            return line;
        }
        if gap == 1 {
            line.push(' ');
        }
        line.push_str(word);
        length += gap + more;
    }
    line
}

/// Quotes a text in curly quotes.
pub(crate) fn quoted(text: &str, most: usize) -> String {
    format!("“{}”", one_line(text, most))
}

/// Quotes code in backticks. Inner backticks become apostrophes.
pub(crate) fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

/// Lists names in backticks.
pub(crate) fn codes<T: AsRef<str>>(names: &[T]) -> String {
    names.iter().map(|name| code(name.as_ref())).collect::<Vec<_>>().join(", ")
}

/// Returns the lower-case words of a text: letters and digits, with inner hyphens, underscores and
/// apostrophes.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '\'')))
        .map(|word| word.trim_matches(['-', '_', '\'']).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Returns true if a text contains one of the phrases between word boundaries. Both are in lower
/// case.
pub(crate) fn has_phrase(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        text.match_indices(phrase).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + phrase.len()..].chars().next();
            before.is_none_or(|c| !c.is_alphanumeric())
                && after.is_none_or(|c| !c.is_alphanumeric())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_between_words() {
        for (text, most, expected) in [
            ("one\n two", 20, "one two"),
            ("one two three", 8, "one two…"),
            ("abcdefgh", 3, "abc…"),
            ("a \u{1b}[31m “b”", 20, "a [31m \"b\""),
        ] {
            assert_eq!(one_line(text, most), expected);
        }
    }

    #[test]
    fn phrases_are_whole_words() {
        assert!(has_phrase("it breaks x", &["breaks"]));
        assert!(!has_phrase("outbreaks", &["breaks"]));
        assert!(has_phrase("too slow.", &["too slow"]));
    }
}
