//! `password = "…"`, `API_KEY=…`, `"token": "…"`, `--secret …`, `<password>…</password>`.

use super::Stem;
use super::key::Key;
use super::literal::{self, Literal};
use crate::bytes::{BLANK, Class, find_folded, is_wordy};
use crate::scan::{Hit, LONG_VALUE, Outcome, Place, named};
use crate::value::{Form, Promise, is_given_password, is_passphrase, is_secret};

pub(super) const ID: &str = "generic-secret";
pub(super) const NETRC: &str = "netrc-password";
pub(super) const CONNECTION: &str = "connection-string-password";

/// Better names for values whose key tells the service.
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

/// What stands between the name and the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    /// `=`, without blanks around it or with.
    Equals {
        tight: bool,
    },
    Colon,
    /// `=>`, `:=`, `?=`
    Arrow,
    /// `==`, `!=`: the value is a literal only between quotes.
    Compared,
    /// `"password", "…"`: likewise.
    Listed,
    /// `password is …`, `Passwort ist …`
    Is,
    /// A blank alone: command line flags and netrc.
    Blank,
    /// `<password>…</password>`
    Tag,
}

pub(crate) fn find(place: &Place<'_>, stem: Stem) -> Outcome {
    let bytes = place.bytes;
    let Some(key) = Key::read(place, stem) else { return Outcome::No };
    let Some((link, mut at)) = read_link(bytes, &key, place.floor) else { return Outcome::No };
    if at < place.read_to.get() || at >= bytes.len() {
        return Outcome::No;
    }
    if link == Link::Blank && stem == Stem::Pass && is_netrc(place, &key) {
        return given(bytes, at, at + literal::env_run(bytes, at, LONG_VALUE), NETRC);
    }
    let tight = link == Link::Equals { tight: true };
    if tight && key.promise == Promise::Password && is_connection_string(place, &key) {
        let found = given_bare(bytes, at);
        if let Outcome::Found(_) = found {
            return found;
        }
    }
    let mut quoted_only = matches!(link, Link::Compared | Link::Listed);
    if matches!(link, Link::Colon | Link::Blank)
        && let Some(value) = literal::behind_type(bytes, at)
    {
        (at, quoted_only) = (value, true);
    } else if link == Link::Blank && !key.is_flag(bytes) {
        return Outcome::No;
    }
    let env = tight && (key.is_upper(bytes) || key.is_flag(bytes));
    let literal = if link == Link::Tag { tagged(bytes, at) } else { literal::read(bytes, at, env) };
    let Some(mut literal) = literal else { return Outcome::No };
    if key.promise == Promise::Passphrase
        && let Some(end) = phrase_end(bytes, &literal)
    {
        literal.end = end;
        return Outcome::Found(Hit { start: literal.start, end, rule: ID });
    }
    let value = &bytes[literal.start..literal.end];
    // `"password", "hunter22"` may be two arguments, or two words of a list.
    if link == Link::Listed && is_wordy(value) {
        return Outcome::No;
    }
    let readable = !value.iter().any(u8::is_ascii_whitespace)
        && (!quoted_only || literal.form == Form::Quoted);
    if readable && is_secret(key.promise, literal.form, value) {
        let rule = name(&bytes[key.start.saturating_sub(16).max(place.floor)..key.end]);
        return Outcome::Found(named(
            bytes,
            place.floor,
            Hit { start: literal.start, end: literal.end, rule },
        ));
    }
    if value.len() > LONG_VALUE {
        place.read_to.set(literal.end);
    }
    Outcome::No
}

fn read_link(bytes: &[u8], key: &Key, floor: usize) -> Option<(Link, usize)> {
    let mut at = key.end;
    if bytes.get(at) == Some(&b'>') {
        let opened = key.start > floor && bytes[key.start - 1] == b'<';
        return opened.then_some((Link::Tag, at + 1));
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
    let (link, length) = match rest {
        [b':', b':', ..] => return None,
        [b'=', b'>', ..] => (Link::Arrow, 2),
        [b'=' | b'!', b'=', b'=', ..] => (Link::Compared, 3),
        [b'=' | b'!', b'=', ..] => (Link::Compared, 2),
        [b':' | b'?', b'=', ..] => (Link::Arrow, 2),
        [b'?', b':', ..] => (Link::Colon, 2),
        [b'=', next, ..] => (Link::Equals { tight: blanks == 0 && !BLANK.has(*next) }, 1),
        [b':', ..] => (Link::Colon, 1),
        [b',', ..] if closes => (Link::Listed, 1),
        [0xef, 0xbc, 0x9a, ..] => (Link::Colon, 3),
        [b'i', b's', b' ', ..] if blanks > 0 => (Link::Is, 3),
        [b'i' | b'e', b's', b't', b' ', ..] if blanks > 0 => (Link::Is, 4),
        [b'e', b's', b' ', ..] | [0xc3, 0xa9, b' ', ..] if blanks > 0 => (Link::Is, 3),
        _ if blanks > 0 => (Link::Blank, 0),
        _ => return None,
    };
    at += length;
    Some((link, at + BLANK.run(bytes, at, 64)))
}

/// Returns the end of a passphrase: several plain words, up to the end of the quotes or of the
/// line.
fn phrase_end(bytes: &[u8], literal: &Literal) -> Option<usize> {
    let end = match literal.form {
        Form::Quoted => literal.end,
        Form::Bare | Form::Env => {
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
    bytes[end..].starts_with(b"</").then_some(Literal { start: at, end, form: Form::Quoted })
}

fn name(key: &[u8]) -> &'static str {
    let hit = NAMED
        .iter()
        .find(|(_, words)| words.iter().any(|word| find_folded(key, word.as_bytes()).is_some()));
    hit.map_or(ID, |(id, _)| id)
}

fn given(bytes: &[u8], start: usize, end: usize, rule: &'static str) -> Outcome {
    if end - start == LONG_VALUE || !is_given_password(&bytes[start..end]) {
        return Outcome::No;
    }
    Outcome::Found(named(bytes, start, Hit { start, end, rule }))
}

fn given_bare(bytes: &[u8], at: usize) -> Outcome {
    let end = at + literal::env_run(bytes, at, LONG_VALUE);
    let expression = bytes[at..end].iter().any(|b| matches!(b, b'(' | b'['));
    if expression { Outcome::No } else { given(bytes, at, end, CONNECTION) }
}

/// `machine host login name password …`, on one line or on several.
fn is_netrc(place: &Place<'_>, key: &Key) -> bool {
    let before = &place.bytes[place.floor.max(key.start.saturating_sub(256))..key.start];
    find_folded(before, b"login ").is_some()
        && (find_folded(before, b"machine ").is_some() || find_folded(before, b"default").is_some())
}

/// `Server=db;User Id=app;Password=…` and `host=db user=app password=…`.
fn is_connection_string(place: &Place<'_>, key: &Key) -> bool {
    const FIELDS: [&str; 8] =
        ["server", "host", "source", "uid", "user id", "user", "username", "dbname"];
    let before = &place.bytes[place.floor.max(key.start.saturating_sub(256))..key.start];
    let line = before.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let names_field = |(equals, _): (usize, &u8)| {
        FIELDS.iter().any(|field| {
            let name = equals.checked_sub(field.len()).map(|from| &line[from..equals]);
            name.is_some_and(|name| name.eq_ignore_ascii_case(field.as_bytes()))
        })
    };
    // `user=None, password=…` are arguments.
    let listed = line.trim_ascii_end().ends_with(b",");
    !listed
        && !line.contains(&b'(')
        && line.iter().enumerate().filter(|(_, b)| **b == b'=').any(names_field)
}
