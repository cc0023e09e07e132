//! The `client-key-data:` of a kubeconfig. The certificates beside it are public.

use crate::bytes::{BASE64_PADDED, BLANK, Class, entropy};
use crate::placeholder::is_placeholder;
use crate::scan::{Detection, KeywordMatch, SecretHit};

pub(super) const ID: &str = "kubeconfig-client-key";

const MIN_LENGTH: usize = 24;
const TOKEN: Class = Class::new("-A-Za-z0-9+/=_.~");

pub(super) fn find(matched: &KeywordMatch<'_>) -> Detection {
    let bytes = matched.bytes;
    let mut at = matched.at + matched.keyword.len();
    at += Class::new("\\\"'").run(bytes, at, 4);
    at += BLANK.run(bytes, at, 8);
    if !matches!(bytes.get(at), Some(b':' | b'=')) {
        return Detection::No;
    }
    at += 1;
    // A folded scalar starts on the next line.
    at += Class::new(" \t\r\n>|-\\\"'").run(bytes, at, 32);
    let end = at + BASE64_PADDED.run(bytes, at, usize::MAX);
    let value = &bytes[at..end];
    // A token of another form is taken completely, so that no part of it stays.
    let end = end + TOKEN.run(bytes, end, usize::MAX);
    if value.len() < MIN_LENGTH || entropy(value) < 2.5 || is_placeholder(value) {
        return Detection::No;
    }
    Detection::Found(SecretHit { start: at, end, rule: ID })
}
