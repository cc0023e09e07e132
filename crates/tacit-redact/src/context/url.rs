//! `scheme://user:password@host`, for any scheme. Scheme, user and host stay.

use crate::bytes::{DIGIT, find_folded};
use crate::scan::{Hit, MARKER_START, Outcome, Place, named};
use crate::value::{Form, Promise, is_given_password, is_secret};

pub(super) const ID: &str = "url-password";

const LONGEST_AUTHORITY: usize = 1024;

pub(super) fn find(place: &Place<'_>) -> Outcome {
    let bytes = place.bytes;
    let start = place.at + place.keyword.len();
    let authority = bytes[start..]
        .iter()
        .take(LONGEST_AUTHORITY)
        .take_while(|b| {
            !b.is_ascii_whitespace()
                && !matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
        })
        .count();
    let authority = &bytes[start..start + authority];
    // A password may hold an `@` that nobody escaped, a host may not.
    let Some(at_sign) = authority.iter().rposition(|b| *b == b'@') else { return Outcome::No };
    let login = &authority[..at_sign];
    if find_folded(login, MARKER_START.as_bytes()).is_some() {
        return Outcome::No;
    }
    let colon = login.iter().position(|b| *b == b':').unwrap_or(login.len());
    let (user, password) = (&login[..colon], login.get(colon + 1..).unwrap_or_default());
    if is_given_password(password) && !is_port(password) {
        let hit = Hit { start: start + colon + 1, end: start + at_sign, rule: ID };
        return Outcome::Found(named(bytes, place.floor, hit));
    }
    // `https://<token>@host` and `https://<token>:x-oauth-basic@host`.
    if matches!(password, b"" | b"x-oauth-basic" | b"x")
        && is_secret(Promise::Token, Form::Bare, user)
    {
        let hit = Hit { start, end: start + colon, rule: ID };
        return Outcome::Found(named(bytes, place.floor, hit));
    }
    Outcome::No
}

fn is_port(password: &[u8]) -> bool {
    password.len() <= 5 && password.iter().all(|b| DIGIT.has(*b))
}
