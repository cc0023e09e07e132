//! `bindpw` and `rootpw` of LDAP clients and servers.

use crate::bytes::{BLANK, LETTER, starts_word};
use crate::scan::{Hit, LONG_VALUE, Outcome, Place, named};
use crate::value::{Form, Promise, is_given_password, is_secret};

pub(super) const ID: &str = "ldap-password";

pub(super) fn find(place: &Place<'_>) -> Outcome {
    let bytes = place.bytes;
    let mut at = place.at + place.keyword.len();
    let blanks = BLANK.run(bytes, at, 32);
    at += blanks;
    let assigned = matches!(bytes.get(at), Some(b':' | b'='));
    if assigned {
        at += 1;
        at += BLANK.run(bytes, at, 32);
    }
    if (!assigned && blanks == 0) || !starts_word(bytes, place.floor, place.at) {
        return Outcome::No;
    }
    let quoted = matches!(bytes.get(at), Some(b'"' | b'\''));
    at += usize::from(quoted);
    let length = super::literal::env_run(bytes, at, LONG_VALUE);
    let value = &bytes[at..at + length];
    // A directive has its line to itself; `the bindpw option` is prose.
    let before = &bytes[place.floor..place.at];
    let alone = before.iter().rev().take_while(|b| **b != b'\n').all(u8::is_ascii_whitespace)
        && matches!(bytes.get(at + length), None | Some(b'\n' | b'\r' | b'\\'));
    let sure = (alone || assigned || quoted) && is_given_password(value);
    // A hash in braces names its scheme first: `{SSHA}…`.
    let likely =
        is_secret(Promise::Password, Form::Bare, value) && value.iter().any(|b| LETTER.has(*b));
    if length == LONG_VALUE || !(sure || likely) {
        return Outcome::No;
    }
    Outcome::Found(named(bytes, place.floor, Hit { start: at, end: at + length, rule: ID }))
}
