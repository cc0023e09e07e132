//! `client-key-data:` of a kubeconfig. The certificates beside it are public.

use crate::bytes::{BASE64_PADDED, BLANK, Class, entropy};
use crate::placeholder::is_placeholder;
use crate::scan::{Hit, Outcome, Place};

pub(super) const ID: &str = "kubeconfig-client-key";

const SHORTEST: usize = 24;
const TOKEN: Class = Class::new("-A-Za-z0-9+/=_.~");

pub(super) fn find(place: &Place<'_>) -> Outcome {
    let bytes = place.bytes;
    let mut at = place.at + place.keyword.len();
    at += Class::new("\\\"'").run(bytes, at, 4);
    at += BLANK.run(bytes, at, 8);
    if !matches!(bytes.get(at), Some(b':' | b'=')) {
        return Outcome::No;
    }
    at += 1;
    // A folded scalar begins on the next line.
    at += Class::new(" \t\r\n>|-\\\"'").run(bytes, at, 32);
    let end = at + BASE64_PADDED.run(bytes, at, usize::MAX);
    let value = &bytes[at..end];
    // A token of another form goes as a whole, or half of it would stay.
    let end = end + TOKEN.run(bytes, end, usize::MAX);
    if value.len() < SHORTEST || entropy(value) < 2.5 || is_placeholder(value) {
        return Outcome::No;
    }
    Outcome::Found(Hit { start: at, end, rule: ID })
}
