//! HTTP headers that carry credentials, in requests, in code and in prose.

use crate::bytes::{BLANK, Class, DIGIT, is_encoded_pair, is_wordy, starts_word};
use crate::placeholder::is_placeholder;
use crate::scan::{Detection, KeywordMatch, LONG_VALUE, SecretHit, with_token_rule};
use crate::value::{SecretKind, ValueForm, is_secret};

pub(super) const AUTHORIZATION: &str = "authorization-header";
pub(super) const BEARER: &str = "bearer-token";
pub(super) const BASIC: &str = "basic-auth";
pub(super) const COOKIE: &str = "cookie-header";

const CREDENTIAL: Class = Class::new("-0-9A-Za-z_.~+/=:");

/// Finds `Authorization: <scheme> <credential>` as a header, a JSON member or an argument.
pub(super) fn authorization(matched: &KeywordMatch<'_>) -> Detection {
    let bytes = matched.bytes;
    let mut at = matched.at + matched.keyword.len();
    at += Class::new("\\\"'`]").run(bytes, at, 8);
    at += BLANK.run(bytes, at, 8);
    match &bytes[at..] {
        [b'=', b'>', ..] => at += 2,
        [b':' | b'=' | b',', ..] => at += 1,
        _ => return Detection::No,
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
        return Detection::No;
    }
    Detection::Found(with_token_rule(
        bytes,
        matched.floor,
        SecretHit { start: at, end, rule: AUTHORIZATION },
    ))
}

/// Finds `Bearer …` anywhere. Only a random value counts, because people write about bearer tokens.
pub(super) fn bearer(matched: &KeywordMatch<'_>) -> Detection {
    let (start, end) = credential(matched);
    let value = &matched.bytes[start..end];
    if value.len() < 16
        || !starts_word(matched.bytes, matched.floor, matched.at)
        || is_call(matched.bytes, end)
        || !is_secret(SecretKind::Token, ValueForm::Quoted, value)
    {
        return Detection::No;
    }
    Detection::Found(with_token_rule(
        matched.bytes,
        matched.floor,
        SecretHit { start, end, rule: BEARER },
    ))
}

/// Finds `Basic …` anywhere. Only an encoded `user:password` counts.
pub(super) fn basic(matched: &KeywordMatch<'_>) -> Detection {
    let (start, end) = credential(matched);
    if end - start < 8
        || !starts_word(matched.bytes, matched.floor, matched.at)
        || !is_encoded_pair(&matched.bytes[start..end])
    {
        return Detection::No;
    }
    Detection::Found(SecretHit { start, end, rule: BASIC })
}

/// Finds `Cookie:` and `Set-Cookie:`, and redacts the whole value if one of its cookies is random.
pub(super) fn cookie(matched: &KeywordMatch<'_>) -> Detection {
    let bytes = matched.bytes;
    let mut start = matched.at + matched.keyword.len();
    start += BLANK.run(bytes, start, 8);
    if start < matched.read_to.get() {
        return Detection::No;
    }
    let stop = |b: &u8| matches!(b, b'\n' | b'\r' | b'"' | b'\'' | b'\\' | b'`');
    let length =
        bytes[start..].iter().take(8192).position(stop).unwrap_or((bytes.len() - start).min(8192));
    let value = bytes[start..start + length].trim_ascii_end();
    let random = value.split(|b| *b == b';').any(|pair| {
        let at = pair.iter().position(|b| *b == b'=');
        at.is_some_and(|at| is_secret(SecretKind::Token, ValueForm::Bare, &pair[at + 1..]))
    });
    if !random {
        if length > LONG_VALUE {
            matched.read_to.set(start + length);
        }
        return Detection::No;
    }
    Detection::Found(with_token_rule(
        bytes,
        matched.floor,
        SecretHit { start, end: start + value.len(), rule: COOKIE },
    ))
}

fn credential(matched: &KeywordMatch<'_>) -> (usize, usize) {
    let mut start = matched.at + matched.keyword.len();
    start += BLANK.run(matched.bytes, start, 4);
    (start, start + CREDENTIAL.run(matched.bytes, start, usize::MAX))
}

fn is_call(bytes: &[u8], end: usize) -> bool {
    matches!(bytes.get(end), Some(b'(' | b'[' | b'{'))
}
