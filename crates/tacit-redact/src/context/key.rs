//! The name before a value: `DB_PASSWORD`, `"apiKey"`, `--token`, `<secret>`.

use super::Stem;
use crate::bytes::{ALNUM, Class, LETTER};
use crate::scan::KeywordMatch;
use crate::value::SecretKind;

const NAME: Class = Class::new("-0-9A-Za-z_.");
const NAME_REST: Class = Class::new("-0-9A-Za-z_");

/// A name whose value is likely a secret.
pub(super) struct SensitiveKey {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: SecretKind,
}

impl SensitiveKey {
    /// Reads the name around the keyword.
    ///
    /// The keyword must be the last word of the name: `token_count` and `password_min_length` hold
    /// no secrets.
    pub(super) fn read(matched: &KeywordMatch<'_>, stem: Stem) -> Option<Self> {
        let bytes = matched.bytes;
        let mut end = matched.at + matched.keyword.len();
        let rest = &bytes[end..(end + 16).min(bytes.len())];
        let suffix_len = |forms: &[&str]| {
            let form = forms.iter().find(|form| starts_with_folded(rest, form));
            form.map_or(0, |form| form.len())
        };
        let kind = match stem {
            Stem::Pass => {
                let form = suffix_len(&["word", "wd", "phrase", "code", "key", "wort", "ord"]);
                if form == 0 && !is_later_part(matched) {
                    return None;
                }
                end += form;
                if form == "phrase".len() { SecretKind::Passphrase } else { SecretKind::Password }
            }
            Stem::Pwd if is_part(matched) => SecretKind::Password,
            Stem::Secret => SecretKind::Password,
            Stem::Token => SecretKind::Token,
            Stem::Credential => {
                end += suffix_len(&["s"]);
                SecretKind::Token
            }
            Stem::Key => kind_of_key(matched)?,
            Stem::Auth if is_part(matched) => SecretKind::Auth,
            Stem::Pat if is_part(matched) => SecretKind::Token,
            Stem::Foreign(forms) if is_part(matched) => {
                let form = suffix_len(forms);
                if form == 0 && !forms.is_empty() {
                    return None;
                }
                end += form;
                SecretKind::Password
            }
            Stem::Pwd | Stem::Auth | Stem::Pat | Stem::Foreign(_) => return None,
        };
        let suffix = NAME_REST.run(bytes, end, 20);
        if !is_harmless_suffix(&bytes[end..end + suffix]) {
            return None;
        }
        let start = matched.at - NAME.run_back(bytes, matched.floor, matched.at, 64);
        Some(Self { start, end: end + suffix, kind })
    }

    /// Returns true for names like environment variables: `DB_PASSWORD`.
    pub(super) fn is_upper(&self, bytes: &[u8]) -> bool {
        !bytes[self.start..self.end].iter().any(u8::is_ascii_lowercase)
    }

    /// Returns true for command-line flags: `--password`, `-token`.
    pub(super) fn is_flag(&self, bytes: &[u8]) -> bool {
        bytes[self.start] == b'-'
    }
}

/// Returns true if the keyword is a separate word in the name: `my_pwd`, `myPwd`, not `oldpwd`.
fn is_part(matched: &KeywordMatch<'_>) -> bool {
    match matched.bytes[matched.floor..matched.at].last() {
        Some(before) if LETTER.has(*before) => {
            before.is_ascii_lowercase() && matched.bytes[matched.at].is_ascii_uppercase()
        }
        _ => true,
    }
}

/// Returns true if the keyword is a later word of the name: `db_pass` and `dbPass`, but not `pass`,
/// which is mostly a verb.
fn is_later_part(matched: &KeywordMatch<'_>) -> bool {
    match matched.bytes[matched.floor..matched.at] {
        [.., before, b'_' | b'-'] => ALNUM.has(before),
        [.., before] => before.is_ascii_lowercase() && matched.bytes[matched.at] == b'P',
        [] => false,
    }
}

/// Classifies a `key` by the word before it; a public or primary key is not secret.
fn kind_of_key(matched: &KeywordMatch<'_>) -> Option<SecretKind> {
    const SECRET: &str = "api access secret private signing signature encryption encrypt master auth service \
        app admin account shared client license deploy consumer session jwt hmac crypto \
        webhook subscription storage application root integration bot server";
    let mut before = &matched.bytes[matched.floor..matched.at];
    if let [rest @ .., b'_' | b'-' | b'.' | b' '] = before {
        before = rest;
    }
    let word = &before[before.len() - LETTER.run_back(before, 0, before.len(), 24)..];
    if SECRET.split(' ').any(|name| ends_with_folded(word, name)) {
        return Some(SecretKind::Token);
    }
    (is_part(matched) && !ends_with_folded(word, "public")).then_some(SecretKind::Key)
}

/// Returns true if a suffix does not change the meaning of the name.
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
