//! The private part of a PuTTY key file: the lines below `Private-Lines: 14`.

use super::pem::truncated_end;
use crate::bytes::{BLANK, DIGIT};
use crate::scan::{Detection, KeywordMatch, SecretHit};

pub(super) const ID: &str = "putty-private-key";

const MAX_BODY: usize = 32 * 1024;

pub(super) fn find(matched: &KeywordMatch<'_>) -> Detection {
    let bytes = matched.bytes;
    let mut at = matched.at + matched.keyword.len();
    at += BLANK.run(bytes, at, 8);
    let digits = DIGIT.run(bytes, at, 4);
    at += digits;
    at += match &bytes[at..] {
        [b'\r', b'\n', ..] | [b'\\', b'n', ..] => 2,
        [b'\n', ..] => 1,
        [b'\\', b'r', b'\\', b'n', ..] => 4,
        _ => return Detection::No,
    };
    let body = &bytes[at..bytes.len().min(at + MAX_BODY)];
    match truncated_end(body) {
        Some(length) if digits > 0 => {
            let blanks = body.iter().take_while(|b| b.is_ascii_whitespace()).count();
            Detection::Found(SecretHit { start: at + blanks, end: at + length, rule: ID })
        }
        _ => Detection::No,
    }
}
