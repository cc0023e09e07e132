//! Passwords on command lines: `curl -u name:password`, `mysql -pX`, `sshpass -p X`.

use crate::bytes::{ALNUM, BLANK, DIGIT, find_folded};
use crate::scan::{Hit, LONG_VALUE, MARKER_START, Outcome, Place, named};
use crate::value::is_given_password;

pub(super) const ID: &str = "curl-password";
pub(super) const PASSWORD: &str = "command-password";

/// A program whose flag takes a password.
struct Program {
    name: &'static str,
    flag: u8,
    /// True if the password may be glued to the flag.
    glued: bool,
    /// True if a blank may stand between the two.
    apart: bool,
}

const fn program(name: &'static str, flag: u8, glued: bool, apart: bool) -> Program {
    Program { name, flag, glued, apart }
}

/// `mysql -p db` asks for the password, and `db` is a database.
const PROGRAMS: &[Program] = &[
    program("mysql", b'p', true, false),
    program("mysqldump", b'p', true, false),
    program("mysqladmin", b'p', true, false),
    program("mysqlimport", b'p', true, false),
    program("mysqlcheck", b'p', true, false),
    program("mysqlpump", b'p', true, false),
    program("mysqlsh", b'p', true, false),
    program("mariadb", b'p', true, false),
    program("mariadb-dump", b'p', true, false),
    program("mariadb-admin", b'p', true, false),
    program("sshpass", b'p', true, true),
    // `docker login -u me -p …`, and other registries.
    program("login", b'p', false, true),
    program("mongosh", b'p', false, true),
    program("mongo", b'p', false, true),
    program("mongodump", b'p', false, true),
    program("redis-cli", b'a', false, true),
    program("sqlcmd", b'P', true, true),
    program("ldapsearch", b'w', false, true),
    program("ldapadd", b'w', false, true),
    program("ldapmodify", b'w', false, true),
    program("ldapwhoami", b'w', false, true),
];

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

/// `mysql -pX` and the like: the program in front says what the flag means.
pub(super) fn flag(place: &Place<'_>) -> Outcome {
    let bytes = place.bytes;
    let at = place.at + place.keyword.len();
    let Some(letter) = bytes.get(at - 1) else { return Outcome::No };
    let glued = bytes.get(at).is_some_and(|b| !b.is_ascii_whitespace());
    let before = &bytes[place.floor.max(place.at.saturating_sub(256))..place.at];
    let part = before.rsplit(|b| matches!(b, b'\n' | b'|' | b';' | b'&' | b'`')).next();
    let words =
        part.unwrap_or_default().split(|b| !ALNUM.has(*b) && !matches!(b, b'-' | b'_' | b'.'));
    let takes = |word: &[u8]| {
        PROGRAMS.iter().any(|program| {
            *letter == program.flag
                && (if glued { program.glued } else { program.apart })
                && word.eq_ignore_ascii_case(program.name.as_bytes())
        })
    };
    if !words.into_iter().any(takes) {
        return Outcome::No;
    }
    let Some((start, end)) = argument(bytes, at) else { return Outcome::No };
    let value = &bytes[start..end];
    // `-p3306:3306` publishes a port, `-prefix` is another program's.
    let port = value.iter().all(|b| DIGIT.has(*b) || *b == b':') && value.contains(&b':');
    if port || value.starts_with(b"-") || !is_given_password(value) {
        return Outcome::No;
    }
    Outcome::Found(named(bytes, place.floor, Hit { start, end, rule: PASSWORD }))
}

/// Returns the next argument of a command line, without its quotes.
pub(super) fn argument(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut start = at + BLANK.run(bytes, at, 16);
    let quote = bytes.get(start).copied().filter(|b| matches!(b, b'"' | b'\''));
    start += usize::from(quote.is_some());
    let ends = |b: &u8| match quote {
        Some(quote) => *b == quote || *b == b'\n',
        None => b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b';' | b'|'),
    };
    let length = bytes[start..].iter().take(LONG_VALUE).position(ends);
    let length = length.unwrap_or((bytes.len() - start).min(LONG_VALUE));
    (length > 0 && length < LONG_VALUE).then_some((start, start + length))
}
