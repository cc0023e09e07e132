//! HTTP headers that carry credentials, in requests, in code and in prose.

use crate::bytes::{BLANK, Class, DIGIT, is_encoded_pair, is_wordy, starts_word};
use crate::placeholder::is_placeholder;
use crate::scan::{Hit, LONG_VALUE, Outcome, Place, named};
use crate::value::{Form, Promise, is_secret};

pub(super) const AUTHORIZATION: &str = "authorization-header";
pub(super) const BEARER: &str = "bearer-token";
pub(super) const BASIC: &str = "basic-auth";
pub(super) const COOKIE: &str = "cookie-header";

const CREDENTIAL: Class = Class::new("-0-9A-Za-z_.~+/=:");

/// `Authorization: <scheme> <credential>`, as a header, a JSON member or an argument.
pub(super) fn authorization(place: &Place<'_>) -> Outcome {
    let bytes = place.bytes;
    let mut at = place.at + place.keyword.len();
    at += Class::new("\\\"'`]").run(bytes, at, 8);
    at += BLANK.run(bytes, at, 8);
    match &bytes[at..] {
        [b'=', b'>', ..] => at += 2,
        [b':' | b'=' | b',', ..] => at += 1,
        _ => return Outcome::No,
    }
    at += Class::new(" \t\\\"'`").run(bytes, at, 16);
    let word = Class::new("-0-9A-Za-z").run(bytes, at, 32);
    let blanks = BLANK.run(bytes, at + word, 8);
    let scheme = if word > 0 && blanks > 0 { &bytes[at..at + word] } else { b"" };
    if !scheme.is_empty() {
        at += word + blanks;
    }
    let end = at + CREDENTIAL.run(bytes, at, usize::MAX);
    let value = &bytes[at..end];
    let likely = value.len() >= 8 && value.iter().any(|b| DIGIT.has(*b)) || value.len() >= 20;
    let basic = scheme.eq_ignore_ascii_case(b"basic") && is_encoded_pair(value);
    let random = likely && !is_wordy(value) && !is_placeholder(value);
    if is_call(bytes, end) || !(basic || random) {
        return Outcome::No;
    }
    Outcome::Found(named(bytes, place.floor, Hit { start: at, end, rule: AUTHORIZATION }))
}

/// `Bearer …` anywhere: only a random value, since people write about bearer tokens.
pub(super) fn bearer(place: &Place<'_>) -> Outcome {
    let (start, end) = credential(place);
    let value = &place.bytes[start..end];
    if value.len() < 16
        || !starts_word(place.bytes, place.floor, place.at)
        || is_call(place.bytes, end)
        || !is_secret(Promise::Token, Form::Quoted, value)
    {
        return Outcome::No;
    }
    Outcome::Found(named(place.bytes, place.floor, Hit { start, end, rule: BEARER }))
}

/// `Basic …` anywhere: only an encoded `user:password`.
pub(super) fn basic(place: &Place<'_>) -> Outcome {
    let (start, end) = credential(place);
    if end - start < 8
        || !starts_word(place.bytes, place.floor, place.at)
        || !is_encoded_pair(&place.bytes[start..end])
    {
        return Outcome::No;
    }
    Outcome::Found(Hit { start, end, rule: BASIC })
}

/// `Cookie:` and `Set-Cookie:`: the whole value, if one of its cookies is random.
pub(super) fn cookie(place: &Place<'_>) -> Outcome {
    let bytes = place.bytes;
    let mut start = place.at + place.keyword.len();
    start += BLANK.run(bytes, start, 8);
    if start < place.read_to.get() {
        return Outcome::No;
    }
    let stop = |b: &u8| matches!(b, b'\n' | b'\r' | b'"' | b'\'' | b'\\' | b'`');
    let length =
        bytes[start..].iter().take(8192).position(stop).unwrap_or((bytes.len() - start).min(8192));
    let value = bytes[start..start + length].trim_ascii_end();
    let random = value.split(|b| *b == b';').any(|pair| {
        let at = pair.iter().position(|b| *b == b'=');
        at.is_some_and(|at| is_secret(Promise::Token, Form::Bare, &pair[at + 1..]))
    });
    if !random {
        if length > LONG_VALUE {
            place.read_to.set(start + length);
        }
        return Outcome::No;
    }
    Outcome::Found(named(bytes, place.floor, Hit { start, end: start + value.len(), rule: COOKIE }))
}

fn credential(place: &Place<'_>) -> (usize, usize) {
    let mut start = place.at + place.keyword.len();
    start += BLANK.run(place.bytes, start, 4);
    (start, start + CREDENTIAL.run(place.bytes, start, usize::MAX))
}

fn is_call(bytes: &[u8], end: usize) -> bool {
    matches!(bytes.get(end), Some(b'(' | b'[' | b'{'))
}
