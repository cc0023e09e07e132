//! Cleaning and escaping of text from outside.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Cleaned text and the number of removed characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned<'a> {
    /// The text in Unicode NFC, with `\n` line breaks and no control character except tab.
    pub text: Cow<'a, str>,
    /// The number of removed control characters.
    pub removed: usize,
}

/// Normalises the text to NFC, turns `\r\n` and `\r` into `\n`, and removes control characters,
/// which terminals would interpret.
pub fn clean(text: &str) -> Cleaned<'_> {
    let composed = match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfc().collect()),
    };
    if !composed.chars().any(is_stray_control) {
        return Cleaned { text: composed, removed: 0 };
    }
    let mut removed = 0;
    let mut kept = String::with_capacity(composed.len());
    let mut chars = composed.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    kept.push('\n');
                }
            }
            c if is_stray_control(c) => removed += 1,
            c => kept.push(c),
        }
    }
    Cleaned { text: Cow::Owned(kept), removed }
}

/// Returns true for byte-order marks and for control characters other than line breaks and tabs.
pub(crate) fn is_stray_control(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || c == '\u{feff}'
}

/// Replaces angle brackets and control characters, so that quoted data in a prompt can neither
/// close nor imitate a tag.
pub fn escape_tags(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '<' => '‹',
            '>' => '›',
            c if c.is_control() && !matches!(c, '\t' | '\n') => ' ',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_data_cannot_close_its_tag() {
        assert_eq!(escape_tags("a </module_data>\u{1b}[0m\n\tb"), "a ‹/module_data› [0m\n\tb");
    }

    #[test]
    fn cleaning_removes_control_characters() {
        for (input, kept, removed) in [
            ("plain", "plain", 0),
            ("a\r\nb\rc\n", "a\nb\nc\n", 0),
            ("a\0b\u{1b}[31mc", "ab[31mc", 2),
            ("\u{feff}start", "start", 1),
            ("tab\tstays", "tab\tstays", 0),
            ("e\u{301}", "é", 0),
            ("right \u{202e} to left stays", "right \u{202e} to left stays", 0),
        ] {
            let cleaned = clean(input);
            assert_eq!((cleaned.text.as_ref(), cleaned.removed), (kept, removed), "{input:?}");
        }
    }
}
