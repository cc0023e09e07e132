//! Decides whether the value of an assignment is a secret.
//!
//! Most values after `token =` in source code are not: calls, types, variables, placeholders,
//! messages. The decision depends on the key, on how the value is written, and on its characters.

use crate::bytes::{
    ALNUM, DIGIT, LETTER, LOWER_HEX, entropy, find_folded, is_encoded_pair, is_encoded_text,
    is_wordy,
};
use crate::placeholder::{is_placeholder, is_reference};

/// The kind of secret that a key suggests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretKind {
    /// Chosen by people: a short word with a digit counts.
    Password,
    /// Several words, separated by blanks or hyphens.
    Passphrase,
    /// Generated: long and random.
    Token,
    /// `auth`: a token or an encoded pair, but more often a scheme.
    Auth,
    /// A plain `key`, which is mostly the key of a map.
    Key,
}

/// The notation of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueForm {
    /// In quotes or tags: certainly a literal.
    Quoted,
    /// Bare: a literal, a type, a variable or a word of prose.
    Bare,
    /// `NAME=value` in shells and `.env` files: a literal unless it starts with `$`.
    Env,
}

pub(crate) fn is_secret(kind: SecretKind, form: ValueForm, value: &[u8]) -> bool {
    let random = match kind {
        SecretKind::Password => is_password(form, value),
        SecretKind::Passphrase => is_password(form, value) || is_passphrase(value),
        SecretKind::Token => is_token(form, value),
        SecretKind::Auth => (value.len() >= 8 && is_encoded_pair(value)) || is_random_key(value),
        SecretKind::Key => is_random_key(value),
    };
    random && !is_placeholder(value) && !is_reference(value)
}

fn is_password(form: ValueForm, value: &[u8]) -> bool {
    let letters = value.iter().filter(|b| LETTER.has(**b)).count();
    let digits = value.iter().filter(|b| DIGIT.has(**b)).count();
    let marks =
        value.iter().any(|b| !ALNUM.has(*b) && !matches!(b, b'_' | b'-' | b'.' | b'/' | b':'));
    if value.len() < 6 || value[0] == b'/' {
        return false;
    }
    match form {
        // `SECRET=config.secret` is an expression, even though `.env` files allow it.
        ValueForm::Env => !(value.contains(&b'.') && is_wordy(value)),
        ValueForm::Quoted if is_wordy(value) && names_a_credential(value) => false,
        ValueForm::Quoted => digits > 0 || marks || is_long_word(value) || is_encoded_text(value),
        ValueForm::Bare => {
            letters > 0
                && (digits > 0 || marks || is_encoded_text(value))
                && ALNUM.has(value[0])
                && !names_a_credential(value)
                && (!is_wordy(value) || is_numbered_word(value) || is_encoded_text(value))
        }
    }
}

fn is_token(form: ValueForm, value: &[u8]) -> bool {
    let min_length = if form == ValueForm::Env { 12 } else { 16 };
    let digits = value.iter().filter(|b| DIGIT.has(**b)).count();
    // `private_key: ed25519.Ed25519PrivateKey` is a type.
    let ends_in_key_word = ["key", "token", "secret", "password", "auth"].iter().any(|word| {
        value.len() > word.len()
            && value[value.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
    });
    let upper = value.iter().any(u8::is_ascii_uppercase);
    let lower = value.iter().any(u8::is_ascii_lowercase);
    value.len() >= min_length
        && (upper || lower)
        && (digits > 0 || (upper && lower))
        && (form != ValueForm::Bare
            || ALNUM.has(value[0])
            || matches!(value[0], b'/' | b'+' | b'_'))
        && !(form == ValueForm::Bare && ends_in_key_word)
        && entropy(value) >= 2.7
        && !is_wordy(value)
}

fn is_random_key(value: &[u8]) -> bool {
    value.len() >= 24
        && value.iter().all(|b| ALNUM.has(*b) || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-'))
        && value.iter().any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_lowercase)
        && value.iter().any(|b| DIGIT.has(*b))
        && entropy(value) >= 4.0
        && !is_wordy(value)
        // Cache keys often end in the hash of a file.
        && !value.split(|b| !LOWER_HEX.has(*b)).any(|run| run.len() >= 32)
}

/// Returns true for words that only a person would combine: `correcthorsebattery`, but not
/// `challengePassword`.
fn is_long_word(value: &[u8]) -> bool {
    let ends_in_key_word = ["pass", "secret", "token", "auth", "cred"]
        .iter()
        .any(|word| find_folded(value, word.as_bytes()).is_some());
    value.len() >= 16
        && !ends_in_key_word
        && value.iter().all(u8::is_ascii_lowercase)
        && entropy(value) > 3.0
}

/// Returns true for four or more words that do not form a sentence: `correct horse battery staple`.
pub(crate) fn is_passphrase(value: &[u8]) -> bool {
    const SENTENCE: &str = "a an and are as at be by can empty for from has have how if in is it key must no not of on \
        one only or prompt should so that the then this to under use used using via was when \
        which will with you your characters long words word";
    let words = || value.split(|b| matches!(b, b' ' | b'-' | b'_' | b'.'));
    (4..=12).contains(&words().count())
        && words().all(|word| {
            (3..=12).contains(&word.len())
                && word.iter().all(u8::is_ascii_alphabetic)
                && !SENTENCE.split(' ').any(|known| known.as_bytes().eq_ignore_ascii_case(word))
        })
        && !names_a_credential(value)
        && !is_placeholder(value)
}

/// Returns true for a word with a number: `hunter2`, but not `sha256` or other names of things.
fn is_numbered_word(value: &[u8]) -> bool {
    const NAMES: &str = "sha utf oauth uint int float base aes argon pbkdf bcrypt scrypt blake latin token key \
        secret password passwd pass arg param value var tmp test user str string foo bar \
        number bytes byte hash char varchar vec simd version level type line step page part \
        item index client server http curve secp double word buf node field option input \
        column";
    let stem = LETTER.run(value, 0, value.len());
    value[stem..].iter().all(|b| DIGIT.has(*b))
        && !NAMES.split(' ').any(|name| name.as_bytes().eq_ignore_ascii_case(&value[..stem]))
}

/// Returns true if one of the words in the value is a credential word: `user_password_2`.
fn names_a_credential(value: &[u8]) -> bool {
    const WORDS: &str = "password passwd pass pwd secret token key auth credential credentials";
    value.split(|b| !ALNUM.has(*b)).any(|word| {
        let word = &word[..LETTER.run(word, 0, word.len())];
        WORDS.split(' ').any(|name| name.as_bytes().eq_ignore_ascii_case(word))
    })
}

/// Returns true if the password of a URL, a connection string or a command line is real.
///
/// The context leaves no doubt, so anything but a placeholder counts.
pub(crate) fn is_certain_password(value: &[u8]) -> bool {
    let template = value.iter().any(|b| matches!(b, b'{' | b'}'));
    let variable = is_wordy(value) && names_a_credential(value);
    value.len() >= 3 && !template && !variable && !is_placeholder(value)
}
