//! Assignments: `password = "…"`, `API_KEY=…`, `"token": "…"`, `--secret …`,
//! `<password>…</password>`.

use super::Stem;
use super::key::SensitiveKey;
use super::literal::{self, Literal};
use crate::bytes::{BLANK, Class, find_folded, is_wordy};
use crate::scan::{Detection, KeywordMatch, LONG_VALUE, SecretHit, with_token_rule};
use crate::value::{SecretKind, ValueForm, is_certain_password, is_passphrase, is_secret};

pub(super) const ID: &str = "generic-secret";
pub(super) const NETRC: &str = "netrc-password";
pub(super) const CONNECTION: &str = "connection-string-password";

/// More specific rules for values whose key names the service.
pub(super) const NAMED: [(&str, &[&str]); 6] = [
    (
        "aws-secret-key",
        &[
            "aws_secret",
            "aws-secret",
            "awssecret",
            "secret_access_key",
            "secretaccesskey",
            "secret access key",
        ],
    ),
    ("cloudflare-token", &["cloudflare", "cf_api"]),
    ("heroku-api-key", &["heroku"]),
    ("datadog-key", &["datadog", "dd_api", "dd_app"]),
    ("azure-devops-pat", &["azure_devops", "azure-devops", "azuredevops", "azdo", "ado_pat"]),
    ("azure-secret", &["azure"]),
];

/// The text between the name and the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// `=`; tight if there are no blanks around it.
    Equals {
        tight: bool,
    },
    Colon,
    /// `=>`, `:=`, `?=`
    Arrow,
    /// `==`, `!=`: only a quoted value is a literal.
    Compared,
    /// `"password", "…"`: only a quoted value is a literal.
    Listed,
    /// `password is …`, `Passwort ist …`
    Is,
    /// A blank only: command-line flags and netrc.
    Blank,
    /// `<password>…</password>`
    Tag,
}

pub(crate) fn find(matched: &KeywordMatch<'_>, stem: Stem) -> Detection {
    let bytes = matched.bytes;
    let Some(key) = SensitiveKey::read(matched, stem) else { return Detection::No };
    let Some((separator, mut at)) = read_separator(bytes, &key, matched.floor) else {
        return Detection::No;
    };
    if at < matched.read_to.get() || at >= bytes.len() {
        return Detection::No;
    }
    if separator == Separator::Blank && stem == Stem::Pass && is_netrc(matched, &key) {
        return certain_secret(bytes, at, at + literal::env_run(bytes, at, LONG_VALUE), NETRC);
    }
    let tight = separator == Separator::Equals { tight: true };
    if tight && key.kind == SecretKind::Password && is_connection_string(matched, &key) {
        let found = connection_secret(bytes, at);
        if let Detection::Found(_) = found {
            return found;
        }
    }
    let mut quoted_only = matches!(separator, Separator::Compared | Separator::Listed);
    if matches!(separator, Separator::Colon | Separator::Blank)
        && let Some(value) = literal::after_type(bytes, at)
    {
        (at, quoted_only) = (value, true);
    } else if separator == Separator::Blank && !key.is_flag(bytes) {
        return Detection::No;
    }
    let env = tight && (key.is_upper(bytes) || key.is_flag(bytes));
    let literal =
        if separator == Separator::Tag { tagged(bytes, at) } else { literal::read(bytes, at, env) };
    let Some(mut literal) = literal else { return Detection::No };
    if key.kind == SecretKind::Passphrase
        && let Some(end) = phrase_end(bytes, &literal)
    {
        literal.end = end;
        return Detection::Found(SecretHit { start: literal.start, end, rule: ID });
    }
    let value = &bytes[literal.start..literal.end];
    // `"password", "hunter22"` may be two arguments, or two words of a list.
    if separator == Separator::Listed && is_wordy(value) {
        return Detection::No;
    }
    let readable = !value.iter().any(u8::is_ascii_whitespace)
        && (!quoted_only || literal.form == ValueForm::Quoted);
    if readable && is_secret(key.kind, literal.form, value) {
        let rule = rule_for(&bytes[key.start.saturating_sub(16).max(matched.floor)..key.end]);
        return Detection::Found(with_token_rule(
            bytes,
            matched.floor,
            SecretHit { start: literal.start, end: literal.end, rule },
        ));
    }
    if value.len() > LONG_VALUE {
        matched.read_to.set(literal.end);
    }
    Detection::No
}

fn read_separator(bytes: &[u8], key: &SensitiveKey, floor: usize) -> Option<(Separator, usize)> {
    let mut at = key.end;
    if bytes.get(at) == Some(&b'>') {
        let opened = key.start > floor && bytes[key.start - 1] == b'<';
        return opened.then_some((Separator::Tag, at + 1));
    }
    let escapes = Class::new("\\").run(bytes, at, 16);
    let closes = matches!(bytes.get(at + escapes), Some(b'"' | b'\'' | b'`'));
    if closes {
        at += escapes + 1;
    }
    if bytes.get(at) == Some(&b']') {
        at += 1;
    }
    let blanks = BLANK.run(bytes, at, 32);
    at += blanks;
    let rest = &bytes[at..];
    let (separator, length) = match rest {
        [b':', b':', ..] => return None,
        [b'=', b'>', ..] => (Separator::Arrow, 2),
        [b'=' | b'!', b'=', b'=', ..] => (Separator::Compared, 3),
        [b'=' | b'!', b'=', ..] => (Separator::Compared, 2),
        [b':' | b'?', b'=', ..] => (Separator::Arrow, 2),
        [b'?', b':', ..] => (Separator::Colon, 2),
        [b'=', next, ..] => (Separator::Equals { tight: blanks == 0 && !BLANK.has(*next) }, 1),
        [b':', ..] => (Separator::Colon, 1),
        [b',', ..] if closes => (Separator::Listed, 1),
        [0xef, 0xbc, 0x9a, ..] => (Separator::Colon, 3),
        [b'i', b's', b' ', ..] if blanks > 0 => (Separator::Is, 3),
        [b'i' | b'e', b's', b't', b' ', ..] if blanks > 0 => (Separator::Is, 4),
        [b'e', b's', b' ', ..] | [0xc3, 0xa9, b' ', ..] if blanks > 0 => (Separator::Is, 3),
        _ if blanks > 0 => (Separator::Blank, 0),
        _ => return None,
    };
    at += length;
    Some((separator, at + BLANK.run(bytes, at, 64)))
}

/// Returns the end of a passphrase: several plain words, up to the closing quote or the end of the
/// line.
fn phrase_end(bytes: &[u8], literal: &Literal) -> Option<usize> {
    let end = match literal.form {
        ValueForm::Quoted => literal.end,
        ValueForm::Bare | ValueForm::Env => {
            let rest = &bytes[literal.start..];
            let stop = |b: &u8| matches!(b, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\' | b'#');
            literal.start
                + rest.iter().take(LONG_VALUE).position(stop).unwrap_or(rest.len().min(LONG_VALUE))
        }
    };
    let phrase = bytes[literal.start..end].trim_ascii_end();
    is_passphrase(phrase).then_some(literal.start + phrase.len())
}

fn tagged(bytes: &[u8], at: usize) -> Option<Literal> {
    let length = bytes[at..].iter().take(1024).position(|b| matches!(b, b'<' | b'\n'))?;
    let end = at + length;
    bytes[end..].starts_with(b"</").then_some(Literal { start: at, end, form: ValueForm::Quoted })
}

fn rule_for(key: &[u8]) -> &'static str {
    let hit = NAMED
        .iter()
        .find(|(_, words)| words.iter().any(|word| find_folded(key, word.as_bytes()).is_some()));
    hit.map_or(ID, |(id, _)| id)
}

fn certain_secret(bytes: &[u8], start: usize, end: usize, rule: &'static str) -> Detection {
    if end - start == LONG_VALUE || !is_certain_password(&bytes[start..end]) {
        return Detection::No;
    }
    Detection::Found(with_token_rule(bytes, start, SecretHit { start, end, rule }))
}

fn connection_secret(bytes: &[u8], at: usize) -> Detection {
    let end = at + literal::env_run(bytes, at, LONG_VALUE);
    let expression = bytes[at..end].iter().any(|b| matches!(b, b'(' | b'['));
    if expression { Detection::No } else { certain_secret(bytes, at, end, CONNECTION) }
}

/// Returns true for `machine host login name password …`, on one line or several.
fn is_netrc(matched: &KeywordMatch<'_>, key: &SensitiveKey) -> bool {
    let before = &matched.bytes[matched.floor.max(key.start.saturating_sub(256))..key.start];
    find_folded(before, b"login ").is_some()
        && (find_folded(before, b"machine ").is_some() || find_folded(before, b"default").is_some())
}

/// Returns true for `Server=db;User Id=app;Password=…` and `host=db user=app password=…`.
fn is_connection_string(matched: &KeywordMatch<'_>, key: &SensitiveKey) -> bool {
    const FIELDS: [&str; 8] =
        ["server", "host", "source", "uid", "user id", "user", "username", "dbname"];
    let before = &matched.bytes[matched.floor.max(key.start.saturating_sub(256))..key.start];
    let line = before.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let names_field = |(equals, _): (usize, &u8)| {
        FIELDS.iter().any(|field| {
            let name = equals.checked_sub(field.len()).map(|from| &line[from..equals]);
            name.is_some_and(|name| name.eq_ignore_ascii_case(field.as_bytes()))
        })
    };
    // `user=None, password=…` are arguments of a function.
    let listed = line.trim_ascii_end().ends_with(b",");
    !listed
        && !line.contains(&b'(')
        && line.iter().enumerate().filter(|(_, b)| **b == b'=').any(names_field)
}
