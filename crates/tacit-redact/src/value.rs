//! Whether the value of an assignment is a secret.
//!
//! Most of what stands behind `token =` in a code base is not: calls, types,
//! variables, placeholders, messages. The judgement takes three things: what the
//! key promises, how the value is written, and what it is made of.

use crate::bytes::{
    ALNUM, DIGIT, LETTER, LOWER_HEX, entropy, find_folded, is_encoded_pair, is_encoded_text,
    is_wordy,
};
use crate::placeholder::{is_placeholder, is_reference};

/// What the key promises about its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    /// People choose passwords, so a short word with a digit is one.
    Password,
    /// Several words, with blanks or hyphens between them.
    Passphrase,
    /// Machines make tokens: long and random.
    Token,
    /// `auth` holds a token or an encoded pair, but more often a scheme.
    Auth,
    /// A plain `key` is mostly a key of a map.
    Key,
}

/// How the value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Between quotes or tags: surely a literal.
    Quoted,
    /// Could be a literal, a type, a variable or a word of prose.
    Bare,
    /// `NAME=value` of shells and `.env` files: a literal unless it starts with `$`.
    Env,
}

pub(crate) fn is_secret(promise: Promise, form: Form, value: &[u8]) -> bool {
    let random = match promise {
        Promise::Password => is_password(form, value),
        Promise::Passphrase => is_password(form, value) || is_passphrase(value),
        Promise::Token => is_token(form, value),
        Promise::Auth => (value.len() >= 8 && is_encoded_pair(value)) || is_random_key(value),
        Promise::Key => is_random_key(value),
    };
    random && !is_placeholder(value) && !is_reference(value)
}

fn is_password(form: Form, value: &[u8]) -> bool {
    let letters = value.iter().filter(|b| LETTER.has(**b)).count();
    let digits = value.iter().filter(|b| DIGIT.has(**b)).count();
    let marks =
        value.iter().any(|b| !ALNUM.has(*b) && !matches!(b, b'_' | b'-' | b'.' | b'/' | b':'));
    if value.len() < 6 || value[0] == b'/' {
        return false;
    }
    match form {
        // `SECRET=config.secret` is an expression even where `.env` files allow it.
        Form::Env => !(value.contains(&b'.') && is_wordy(value)),
        Form::Quoted if is_wordy(value) && names_a_credential(value) => false,
        Form::Quoted => digits > 0 || marks || is_long_word(value) || is_encoded_text(value),
        Form::Bare => {
            letters > 0
                && (digits > 0 || marks || is_encoded_text(value))
                && ALNUM.has(value[0])
                && !names_a_credential(value)
                && (!is_wordy(value) || is_numbered_word(value) || is_encoded_text(value))
        }
    }
}

fn is_token(form: Form, value: &[u8]) -> bool {
    let least = if form == Form::Env { 12 } else { 16 };
    let digits = value.iter().filter(|b| DIGIT.has(**b)).count();
    // `private_key: ed25519.Ed25519PrivateKey` is a type.
    let named = ["key", "token", "secret", "password", "auth"].iter().any(|word| {
        value.len() > word.len()
            && value[value.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
    });
    let upper = value.iter().any(u8::is_ascii_uppercase);
    let lower = value.iter().any(u8::is_ascii_lowercase);
    value.len() >= least
        && (upper || lower)
        && (digits > 0 || (upper && lower))
        && (form != Form::Bare || ALNUM.has(value[0]) || matches!(value[0], b'/' | b'+' | b'_'))
        && !(form == Form::Bare && named)
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
        // The key of a cache often ends in the hash of a file.
        && !value.split(|b| !LOWER_HEX.has(*b)).any(|run| run.len() >= 32)
}

/// `correcthorsebattery`, but not `challengePassword`: a word only a person would put together.
fn is_long_word(value: &[u8]) -> bool {
    let named = ["pass", "secret", "token", "auth", "cred"]
        .iter()
        .any(|word| find_folded(value, word.as_bytes()).is_some());
    value.len() >= 16 && !named && value.iter().all(u8::is_ascii_lowercase) && entropy(value) > 3.0
}

/// Four words or more that no sentence is made of: `correct horse battery staple`.
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

/// `hunter2`, but not `sha256`: words that end in a number and name a thing.
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

/// Returns true if the password of a URL, a connection string or a command line is one.
///
/// The place leaves no doubt, so anything that is not a placeholder counts.
pub(crate) fn is_given_password(value: &[u8]) -> bool {
    let template = value.iter().any(|b| matches!(b, b'{' | b'}'));
    let variable = is_wordy(value) && names_a_credential(value);
    value.len() >= 3 && !template && !variable && !is_placeholder(value)
}
