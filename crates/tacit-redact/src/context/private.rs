//! `<private>…</private>`: text that its author wants kept nowhere.
//!
//! A block may span lines, hold blocks of its own, and be written in any case. One that is never
//! closed reaches to the end: what was meant to be hidden must not depend on a slip of the pen.

use crate::bytes::{BLANK, Class};
use crate::scan::{Hit, Outcome, Place};

pub(super) const ID: &str = "private";
pub(crate) const KEYWORD: &str = "<private";

const NAME: &[u8] = b"private";
const ATTRIBUTE: Class = Class::new("-A-Za-z_:");
const LONGEST_TAG: usize = 1024;

pub(super) fn find(place: &Place<'_>) -> Outcome {
    match block(place.bytes, place.at) {
        Some(end) => Outcome::Found(Hit { start: place.at, end, rule: ID }),
        None => Outcome::No,
    }
}

/// Returns the end of the block whose opening tag starts at `at`.
pub(crate) fn block(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = opening(bytes, at)?;
    let mut depth = 1;
    while depth > 0 {
        let Some(next) = bytes[end..].iter().position(|b| *b == b'<') else {
            return Some(bytes.len());
        };
        end += next;
        if let Some(inner) = opening(bytes, end) {
            (depth, end) = (depth + 1, inner);
        } else if let Some(outer) = closing(bytes, end) {
            (depth, end) = (depth - 1, outer);
        } else {
            end += 1;
        }
    }
    Some(end)
}

/// Returns the end of an opening tag: `<private>`, `< private >`, `<Private reason="x">`, but not
/// `<private key>`.
fn opening(bytes: &[u8], at: usize) -> Option<usize> {
    let start = at + 1 + blanks(bytes, at + 1);
    let name = start + NAME.len();
    if !bytes.get(start..name)?.eq_ignore_ascii_case(NAME) {
        return None;
    }
    let blanks = blanks(bytes, name);
    if bytes.get(name + blanks) == Some(&b'>') {
        return Some(name + blanks + 1);
    }
    let attribute = ATTRIBUTE.run(bytes, name + blanks, 64);
    let equals = name + blanks + attribute;
    let equals = equals + BLANK.run(bytes, equals, 8);
    if blanks == 0 || attribute == 0 || bytes.get(equals) != Some(&b'=') {
        return None;
    }
    let rest = &bytes[equals..bytes.len().min(equals + LONGEST_TAG)];
    let length = rest.iter().position(|b| *b == b'>').unwrap_or(rest.len() - 1);
    (rest[length.saturating_sub(1)] != b'/').then_some(equals + length + 1)
}

/// Returns the end of a closing tag.
fn closing(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1 + blanks(bytes, at + 1);
    if bytes.get(end) != Some(&b'/') {
        return None;
    }
    end += 1;
    end += blanks(bytes, end);
    let tail = bytes.get(end..end + NAME.len())?;
    if !tail.eq_ignore_ascii_case(NAME) {
        return None;
    }
    end += NAME.len();
    end += blanks(bytes, end);
    (bytes.get(end) == Some(&b'>')).then_some(end + 1)
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    Class::new(" \t\r\n").run(bytes, at, 64)
}
