//! The name in front of a value: `DB_PASSWORD`, `"apiKey"`, `--token`, `<secret>`.

use super::Stem;
use crate::bytes::{ALNUM, Class, LETTER};
use crate::scan::Place;
use crate::value::Promise;

const NAME: Class = Class::new("-0-9A-Za-z_.");
const NAME_REST: Class = Class::new("-0-9A-Za-z_");

/// A name that promises a secret.
pub(super) struct Key {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) promise: Promise,
}

impl Key {
    /// Reads the name around the word that was found.
    ///
    /// The word must be the last of the name: `token_count` and `password_min_length`
    /// hold no secrets.
    pub(super) fn read(place: &Place<'_>, stem: Stem) -> Option<Self> {
        let bytes = place.bytes;
        let mut end = place.at + place.keyword.len();
        let rest = &bytes[end..(end + 16).min(bytes.len())];
        let longer = |forms: &[&str]| {
            let form = forms.iter().find(|form| starts_with_folded(rest, form));
            form.map_or(0, |form| form.len())
        };
        let promise = match stem {
            Stem::Pass => {
                let form = longer(&["word", "wd", "phrase", "code", "key", "wort", "ord"]);
                if form == 0 && !is_later_part(place) {
                    return None;
                }
                end += form;
                if form == "phrase".len() { Promise::Passphrase } else { Promise::Password }
            }
            Stem::Pwd if is_part(place) => Promise::Password,
            Stem::Secret => Promise::Password,
            Stem::Token => Promise::Token,
            Stem::Credential => {
                end += longer(&["s"]);
                Promise::Token
            }
            Stem::Key => key_promise(place)?,
            Stem::Auth if is_part(place) => Promise::Auth,
            Stem::Pat if is_part(place) => Promise::Token,
            Stem::Foreign(forms) if is_part(place) => {
                let form = longer(forms);
                if form == 0 && !forms.is_empty() {
                    return None;
                }
                end += form;
                Promise::Password
            }
            Stem::Pwd | Stem::Auth | Stem::Pat | Stem::Foreign(_) => return None,
        };
        let suffix = NAME_REST.run(bytes, end, 20);
        if !is_harmless_suffix(&bytes[end..end + suffix]) {
            return None;
        }
        let start = place.at - NAME.run_back(bytes, place.floor, place.at, 64);
        Some(Self { start, end: end + suffix, promise })
    }

    /// `DB_PASSWORD`: the way environment variables are written.
    pub(super) fn is_upper(&self, bytes: &[u8]) -> bool {
        !bytes[self.start..self.end].iter().any(u8::is_ascii_lowercase)
    }

    /// `--password`, `-token`.
    pub(super) fn is_flag(&self, bytes: &[u8]) -> bool {
        bytes[self.start] == b'-'
    }
}

/// Returns true if the word found is a word of its own inside the name: `my_pwd`, `myPwd`, not
/// `oldpwd`.
fn is_part(place: &Place<'_>) -> bool {
    match place.bytes[place.floor..place.at].last() {
        Some(before) if LETTER.has(*before) => {
            before.is_ascii_lowercase() && place.bytes[place.at].is_ascii_uppercase()
        }
        _ => true,
    }
}

/// `db_pass` and `dbPass`, but not `pass`, which is mostly a verb.
fn is_later_part(place: &Place<'_>) -> bool {
    match place.bytes[place.floor..place.at] {
        [.., before, b'_' | b'-'] => ALNUM.has(before),
        [.., before] => before.is_ascii_lowercase() && place.bytes[place.at] == b'P',
        [] => false,
    }
}

/// What a key promises depends on the word before it; a public or primary key, nothing.
fn key_promise(place: &Place<'_>) -> Option<Promise> {
    const SECRET: &str = "api access secret private signing signature encryption encrypt master auth service \
        app admin account shared client license deploy consumer session jwt hmac crypto \
        webhook subscription storage application root integration bot server";
    let mut before = &place.bytes[place.floor..place.at];
    if let [rest @ .., b'_' | b'-' | b'.' | b' '] = before {
        before = rest;
    }
    let word = &before[before.len() - LETTER.run_back(before, 0, before.len(), 24)..];
    if SECRET.split(' ').any(|name| ends_with_folded(word, name)) {
        return Some(Promise::Token);
    }
    (is_part(place) && !ends_with_folded(word, "public")).then_some(Promise::Key)
}

/// What may follow the word without changing what the name holds.
fn is_harmless_suffix(suffix: &[u8]) -> bool {
    const WORDS: &str = "value base prod production dev test staging live string text plain plaintext raw \
        b64 base64 hex old new primary secondary";
    let word = match suffix {
        [b'_' | b'-', rest @ ..] if !rest.is_empty() => rest,
        _ => suffix,
    };
    word.iter().all(u8::is_ascii_digit)
        || WORDS.split(' ').any(|name| name.as_bytes().eq_ignore_ascii_case(word))
}

fn starts_with_folded(bytes: &[u8], word: &str) -> bool {
    bytes.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
}

fn ends_with_folded(bytes: &[u8], word: &str) -> bool {
    bytes.len() >= word.len()
        && bytes[bytes.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
}
