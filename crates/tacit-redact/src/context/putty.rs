//! The private part of a PuTTY key file: the lines below `Private-Lines: 14`.

use super::pem::cut_off_end;
use crate::bytes::{BLANK, DIGIT};
use crate::scan::{Hit, Outcome, Place};

pub(super) const ID: &str = "putty-private-key";

const LONGEST_BODY: usize = 32 * 1024;

pub(super) fn find(place: &Place<'_>) -> Outcome {
    let bytes = place.bytes;
    let mut at = place.at + place.keyword.len();
    at += BLANK.run(bytes, at, 8);
    let digits = DIGIT.run(bytes, at, 4);
    at += digits;
    at += match &bytes[at..] {
        [b'\r', b'\n', ..] | [b'\\', b'n', ..] => 2,
        [b'\n', ..] => 1,
        [b'\\', b'r', b'\\', b'n', ..] => 4,
        _ => return Outcome::No,
    };
    let body = &bytes[at..bytes.len().min(at + LONGEST_BODY)];
    match cut_off_end(body) {
        Some(length) if digits > 0 => {
            let blanks = body.iter().take_while(|b| b.is_ascii_whitespace()).count();
            Outcome::Found(Hit { start: at + blanks, end: at + length, rule: ID })
        }
        _ => Outcome::No,
    }
}
