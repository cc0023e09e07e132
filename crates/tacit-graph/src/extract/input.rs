//! Prepares the bytes of a file for its grammar.
//!
//! Grammars have scanners in C with limits of their own. What exceeds them is replaced by bytes of
//! the same number, so that offsets stay the same; names are cut from the original text.

use std::borrow::Cow;

use crate::Language;

/// The longest end word of a heredoc, in bytes. The Ruby scanner keeps the length in one byte, and
/// aborts the process if it does not fit.
const LONGEST_HEREDOC_WORD: usize = 255;

/// Returns the bytes to parse.
pub(super) fn grammar_input(language: Language, bytes: &[u8]) -> Cow<'_, [u8]> {
    match language {
        // The scanner reads out of bounds for characters outside a small table.
        Language::Bash if !bytes.is_ascii() => Cow::Owned(
            bytes.iter().map(|&byte| if byte.is_ascii() { byte } else { b'x' }).collect(),
        ),
        Language::Ruby => without_long_heredocs(bytes),
        _ => Cow::Borrowed(bytes),
    }
}

/// Replaces the `<<` before every end word that is too long by another operator.
fn without_long_heredocs(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut prepared = Cow::Borrowed(bytes);
    for (at, pair) in bytes.windows(2).enumerate() {
        if pair == b"<<" && has_long_word(&bytes[at + 2..]) {
            prepared.to_mut()[at..at + 2].copy_from_slice(b" +");
        }
    }
    prepared
}

/// Returns true if the end word of a heredoc after its `<<` is too long. A quoted word may contain
/// anything and, if it is not closed, has no end.
fn has_long_word(rest: &[u8]) -> bool {
    let word = match rest {
        [b'-' | b'~', word @ ..] => word,
        word => word,
    };
    let length = match word {
        [quote @ (b'"' | b'\'' | b'`'), word @ ..] => {
            word.iter().take(LONGEST_HEREDOC_WORD + 1).take_while(|byte| *byte != quote).count()
        }
        word => {
            let is_part =
                |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || !byte.is_ascii();
            word.iter().take(LONGEST_HEREDOC_WORD + 1).take_while(is_part).count()
        }
    };
    length > LONGEST_HEREDOC_WORD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_end_words_of_heredocs_are_replaced() {
        let (longest, long) = ("x".repeat(255), "x".repeat(256));
        for (text, is_replaced) in [
            ("a = <<EOF\ntext\nEOF\n".to_owned(), false),
            (format!("f <<~{longest}\n{longest}\n"), false),
            (format!("f <<~{long}\n{long}\n"), true),
            (format!("f <<-\"{longest}\"\n"), false),
            (format!("f <<'{long}'\n"), true),
            (format!("f <<`{}", "a b\n".repeat(64)), true),
            (format!("f <<{}", "é".repeat(128)), true),
            (format!("list << \"{long}\""), false),
            ("<<".to_owned(), false),
        ] {
            let prepared = grammar_input(Language::Ruby, text.as_bytes());
            assert_eq!(prepared.len(), text.len());
            assert_eq!(*prepared != *text.as_bytes(), is_replaced, "{text}");
        }
    }
}
