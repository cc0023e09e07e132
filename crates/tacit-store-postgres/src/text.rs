//! Text that PostgreSQL stores: any but the character U+0000.

use std::borrow::Cow;

/// The character that begins an escape.
const ESCAPE: char = '\u{1}';

/// Escapes U+0000, and the character that escapes it. Equal texts stay equal and different ones different,
/// so the result may be searched for.
pub(crate) fn to_stored(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut stored = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\0' => stored.extend([ESCAPE, '0']),
            ESCAPE => stored.extend([ESCAPE, '1']),
            other => stored.push(other),
        }
    }
    Cow::Owned(stored)
}

/// Reverses [`to_stored`].
pub(crate) fn from_stored(stored: &str) -> String {
    if !stored.contains(ESCAPE) {
        return stored.to_owned();
    }
    let mut text = String::with_capacity(stored.len());
    let mut characters = stored.chars();
    while let Some(character) = characters.next() {
        match character {
            ESCAPE => text.push(if characters.next() == Some('0') { '\0' } else { ESCAPE }),
            other => text.push(other),
        }
    }
    text
}

/// Encodes bytes for SQL's `decode`.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a number of rows as a parameter.
pub(crate) fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_a_round_trip_without_null_characters() {
        for text in ["", "plain", "\0", "a\0b", "\u{1}", "\u{1}0", "\0\u{1}\0", "\u{1}1é"] {
            let stored = to_stored(text);
            assert!(!stored.contains('\0'));
            assert_eq!(from_stored(&stored), text);
        }
    }
}
