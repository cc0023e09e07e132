//! Passwords in `scheme://user:password@host`, for any scheme. Scheme, user and host are kept.

use crate::bytes::{DIGIT, find_folded};
use crate::scan::{Detection, KeywordMatch, MARKER_START, SecretHit, with_token_rule};
use crate::value::{SecretKind, ValueForm, is_certain_password, is_secret};

pub(super) const ID: &str = "url-password";

const MAX_AUTHORITY: usize = 1024;

pub(super) fn find(matched: &KeywordMatch<'_>) -> Detection {
    let bytes = matched.bytes;
    let start = matched.at + matched.keyword.len();
    let authority = bytes[start..]
        .iter()
        .take(MAX_AUTHORITY)
        .take_while(|b| {
            !b.is_ascii_whitespace()
                && !matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
        })
        .count();
    let authority = &bytes[start..start + authority];
    // A password may contain an unescaped `@`, a host may not.
    let Some(at_sign) = authority.iter().rposition(|b| *b == b'@') else { return Detection::No };
    let login = &authority[..at_sign];
    if find_folded(login, MARKER_START.as_bytes()).is_some() {
        return Detection::No;
    }
    let colon = login.iter().position(|b| *b == b':').unwrap_or(login.len());
    let (user, password) = (&login[..colon], login.get(colon + 1..).unwrap_or_default());
    if is_certain_password(password) && !is_port(password) {
        let hit = SecretHit { start: start + colon + 1, end: start + at_sign, rule: ID };
        return Detection::Found(with_token_rule(bytes, matched.floor, hit));
    }
    // `https://<token>@host` and `https://<token>:x-oauth-basic@host`.
    if matches!(password, b"" | b"x-oauth-basic" | b"x")
        && is_secret(SecretKind::Token, ValueForm::Bare, user)
    {
        let hit = SecretHit { start, end: start + colon, rule: ID };
        return Detection::Found(with_token_rule(bytes, matched.floor, hit));
    }
    Detection::No
}

fn is_port(password: &[u8]) -> bool {
    password.len() <= 5 && password.iter().all(|b| DIGIT.has(*b))
}
