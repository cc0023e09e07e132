//! Normalises text for comparison: composed, in lower case, with a bonus for each position.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::fuzzy::{BONUS_CAMEL_CASE, BONUS_DELIMITER, BONUS_WHITESPACE};

/// The class of a character, for bonuses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    White,
    Delimiter,
    Small,
    Capital,
    Digit,
}

fn class(c: char) -> Class {
    if c.is_whitespace() {
        Class::White
    } else if c.is_numeric() {
        Class::Digit
    } else if c.is_uppercase() {
        Class::Capital
    } else if c.is_alphanumeric() {
        Class::Small
    } else {
        Class::Delimiter
    }
}

/// Returns the bonus of a character by the class before it. White space and punctuation get none.
fn bonus(before: Class, this: Class) -> i32 {
    match (before, this) {
        (_, Class::White | Class::Delimiter) => 0,
        (Class::White, _) => BONUS_WHITESPACE,
        (Class::Delimiter, _) => BONUS_DELIMITER,
        (Class::Small, Class::Capital) | (Class::Small | Class::Capital, Class::Digit) => {
            BONUS_CAMEL_CASE
        }
        _ => 0,
    }
}

/// Appends at most `limit` lower-case letters of a text, and the bonuses of their positions.
pub(crate) fn letters(text: &str, limit: usize, letters: &mut Vec<char>, bonuses: &mut Vec<i32>) {
    if text.is_ascii() {
        return ascii(text, limit, letters, bonuses);
    }
    let end = letters.len() + limit;
    let mut before = Class::White;
    let mut take = |c: char| {
        let this = class(c);
        let mut worth = bonus(before, this);
        before = this;
        for small in lower(c) {
            if letters.len() == end {
                return;
            }
            letters.push(small);
            bonuses.push(worth);
            worth = 0;
        }
    };
    // Composing already composed text would take most of the time.
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        text.chars().take(limit).for_each(&mut take);
    } else {
        text.nfc().take(limit).for_each(&mut take);
    }
}

/// Does the same for ASCII, which nearly all headings are, without Unicode tables.
fn ascii(text: &str, limit: usize, letters: &mut Vec<char>, bonuses: &mut Vec<i32>) {
    let mut before = Class::White;
    for byte in text.bytes().take(limit) {
        let this = match byte {
            b'a'..=b'z' => Class::Small,
            b'A'..=b'Z' => Class::Capital,
            b'0'..=b'9' => Class::Digit,
            b' ' | b'\t'..=b'\r' => Class::White,
            _ => Class::Delimiter,
        };
        letters.push(char::from(byte.to_ascii_lowercase()));
        bonuses.push(bonus(before, this));
        before = this;
    }
}

/// Returns a character in lower case, with both lower-case sigmas as one letter.
fn lower(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().map(|small| if small == 'ς' { 'σ' } else { small })
}

/// Returns a key for equality of headings: composed, in lower case, without emphasis, and with
/// single spaces.
pub(crate) fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    let plain = text.nfc().filter(|c| !matches!(c, '`' | '*')).collect::<String>();
    for word in plain.split_whitespace() {
        if !key.is_empty() {
            key.push(' ');
        }
        key.extend(word.chars().flat_map(lower));
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_and_unicode_folding_agree() {
        for text in ["When Writing Mock Tests", "camelCase x2-Y_z.\u{b}\u{1c}\u{7f} A\tb", ""] {
            let (mut short, mut plain) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
            letters(text, 100, &mut short.0, &mut short.1);
            // A non-ASCII letter at the end selects the general path.
            letters(&format!("{text} é"), 100, &mut plain.0, &mut plain.1);
            plain.0.truncate(text.len());
            plain.1.truncate(text.len());
            assert_eq!(short, plain, "{text:?}");
        }
    }

    #[test]
    fn keys_ignore_case_emphasis_and_spaces() {
        for (text, expected) in [
            ("When  Using `git` **now**", "when using git now"),
            ("CAFE\u{301}", "café"),
            ("ΟΔΟΣ", "οδοσ"),
            (" ", ""),
        ] {
            assert_eq!(key(text), expected);
        }
    }
}
