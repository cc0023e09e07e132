//! The `bindpw` and `rootpw` of LDAP clients and servers.

use crate::bytes::{BLANK, LETTER, starts_word};
use crate::scan::{Detection, KeywordMatch, LONG_VALUE, SecretHit, with_token_rule};
use crate::value::{SecretKind, ValueForm, is_certain_password, is_secret};

pub(super) const ID: &str = "ldap-password";

pub(super) fn find(matched: &KeywordMatch<'_>) -> Detection {
    let bytes = matched.bytes;
    let mut at = matched.at + matched.keyword.len();
    let blanks = BLANK.run(bytes, at, 32);
    at += blanks;
    let assigned = matches!(bytes.get(at), Some(b':' | b'='));
    if assigned {
        at += 1;
        at += BLANK.run(bytes, at, 32);
    }
    if (!assigned && blanks == 0) || !starts_word(bytes, matched.floor, matched.at) {
        return Detection::No;
    }
    let quoted = matches!(bytes.get(at), Some(b'"' | b'\''));
    at += usize::from(quoted);
    let length = super::literal::env_run(bytes, at, LONG_VALUE);
    let value = &bytes[at..at + length];
    // A directive is alone on its line; `the bindpw option` is prose.
    let before = &bytes[matched.floor..matched.at];
    let alone = before.iter().rev().take_while(|b| **b != b'\n').all(u8::is_ascii_whitespace)
        && matches!(bytes.get(at + length), None | Some(b'\n' | b'\r' | b'\\'));
    let certain = (alone || assigned || quoted) && is_certain_password(value);
    // A hash starts with its scheme in braces: `{SSHA}…`.
    let likely = is_secret(SecretKind::Password, ValueForm::Bare, value)
        && value.iter().any(|b| LETTER.has(*b));
    if length == LONG_VALUE || !(certain || likely) {
        return Detection::No;
    }
    Detection::Found(with_token_rule(
        bytes,
        matched.floor,
        SecretHit { start: at, end: at + length, rule: ID },
    ))
}
