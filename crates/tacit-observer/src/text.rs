//! Putting what was seen into words: short, on one line, and never more than it is.

use tacit_core::LineChange;

/// The longest piece of code that is quoted, in characters.
pub(crate) const LONGEST_QUOTE: usize = 90;
/// The longest command that is quoted, in bytes.
pub(crate) const LONGEST_COMMAND: usize = 200;

/// A text on one line, cut between words.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        let gap = usize::from(!line.is_empty());
        if line.chars().count() + gap + word.chars().count() > most {
            if line.is_empty() {
                line.extend(word.chars().take(most));
            }
            line.push('…');
            return line;
        }
        if gap == 1 {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Renders the change of a line.
pub(crate) fn describe_line_change(change: &LineChange) -> String {
    match (&change.removed, &change.added) {
        (Some(removed), Some(added)) => format!("{} became {}", quote(removed), quote(added)),
        (None, Some(added)) => format!("{} was added", quote(added)),
        (Some(removed), None) => format!("{} was taken out", quote(removed)),
        (None, None) => String::new(),
    }
}

/// A piece of code or a command between backticks, on one line. Backticks inside would end it early.
pub(crate) fn quote(text: &str) -> String {
    format!("`{}`", one_line(&text.replace('`', "'"), LONGEST_QUOTE))
}

/// A command between backticks.
pub(crate) fn quote_command(text: &str) -> String {
    format!("`{}`", one_line(&text.replace('`', "'"), LONGEST_COMMAND))
}

/// Names between backticks: `a`, `b` and `c`.
pub(crate) fn quoted_list<T: AsRef<str>>(names: &[T]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `1 time`, `2 times`.
pub(crate) fn count_times(count: usize) -> String {
    counted(count, "time", "times")
}

/// A number with the noun it counts.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// A key that is the same for the same parts, short enough to be the name of a claim.
pub(crate) fn stable_key(parts: &[&str]) -> String {
    use sha2::{Digest, Sha256};
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_between_words() {
        for (text, most, expected) in [
            ("", 10, ""),
            ("a  b\n c", 10, "a b c"),
            ("alpha beta", 10, "alpha beta"),
            ("alpha beta", 9, "alpha…"),
            ("alphabet", 5, "alpha…"),
        ] {
            assert_eq!(one_line(text, most), expected, "{text:?}");
        }
        assert_eq!(quote("a `b`"), "`a 'b'`");
        assert_eq!(quoted_list(&["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
