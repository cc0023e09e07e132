//! `curl -u name:password`: a login on a command line.

use crate::bytes::{BLANK, find_folded};
use crate::scan::{Hit, LONG_VALUE, MARKER_START, Outcome, Place, named};
use crate::value::is_given_password;

pub(super) const ID: &str = "curl-password";

pub(super) fn user(place: &Place<'_>) -> Outcome {
    let bytes = place.bytes;
    let mut at = place.at + place.keyword.len();
    if bytes.get(at) == Some(&b'=') {
        at += 1;
    }
    at += BLANK.run(bytes, at, 8);
    if matches!(bytes.get(at), Some(b'"' | b'\'')) {
        at += 1;
    }
    let login = &bytes[at..];
    let length = login
        .iter()
        .take(LONG_VALUE)
        .take_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'\\'))
        .count();
    let Some(colon) = login[..length].iter().position(|b| *b == b':') else { return Outcome::No };
    let (start, end) = (at + colon + 1, at + length);
    let marked = find_folded(&login[..length], MARKER_START.as_bytes()).is_some();
    if marked
        || length == LONG_VALUE
        || login[..colon].contains(&b'/')
        || !is_given_password(&bytes[start..end])
    {
        return Outcome::No;
    }
    let before = &bytes[place.floor.max(place.at.saturating_sub(256))..place.at];
    let line = before.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    if find_folded(line, b"curl").is_none() {
        return Outcome::No;
    }
    Outcome::Found(named(bytes, place.floor, Hit { start, end, rule: ID }))
}
