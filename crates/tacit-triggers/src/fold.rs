//! Text as it is compared: composed, in small letters, with the worth of each letter's place.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::fuzzy::{BONUS_CAMEL_CASE, BONUS_DELIMITER, BONUS_WHITESPACE};

/// What kind of character stands before another.
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

/// The bonus of a character after one of a class. White space and punctuation earn none: only
/// letters and digits begin anything.
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

/// Appends the small letters of a text and the bonuses of their places, at most so many.
pub(crate) fn letters(text: &str, limit: usize, letters: &mut Vec<char>, bonuses: &mut Vec<i32>) {
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
    // Composing what is composed already would cost most of the comparison.
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        text.chars().take(limit).for_each(&mut take);
    } else {
        text.nfc().take(limit).for_each(&mut take);
    }
}

/// A character in small letters. The two small sigmas are one letter.
fn lower(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().map(|small| if small == 'ς' { 'σ' } else { small })
}

/// A text by which equal headings are found: composed, in small letters, without emphasis, and
/// with single spaces.
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
