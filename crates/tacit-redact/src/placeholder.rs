//! Values that stand where a secret belongs and are none: placeholders, templates,
//! references, hashes, paths.

use crate::bytes::{DIGIT, LETTER, find_folded, is_wordy};

/// Values that stand for a secret without being one.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    const WHOLE: &str = "password passwd pass pwd passphrase secret token key apikey api_key api-key none null \
        nil undefined true false string str text value test testing default user username foo \
        bar baz foobar fake mock sample hidden masked required optional todo unset empty \
        mypassword my_password my-password mysecret pw p4ssw0rd credentials bearer basic \
        prompt inherit boolean number object x-oauth-basic";
    const WITHIN: &str = "${ $( {{ #{ %{ %( *** ... \u{2026} your example placeholder changeme change-me \
        change_me redacted insert replace dummy process.env environ getenv secrets. \
        import.meta env. required| _here -here [redacted:";
    let Some(first) = value.first() else { return true };
    let head = &value[..value.len().min(96)];
    WHOLE.split(' ').any(|word| word.as_bytes().eq_ignore_ascii_case(value))
        || WITHIN.split(' ').any(|word| find_folded(head, word.as_bytes()).is_some())
        || head.windows(4).any(|window| window == b"xxxx" || window == b"XXXX")
        || find_folded(value, b"[redacted:").is_some()
        || value.iter().all(|b| b.eq_ignore_ascii_case(first))
        || value.iter().all(|b| matches!(b, b'*' | b'.' | b'-' | b'_' | b'#' | b'?' | b'x' | b'X'))
        || matches!(value, [b'$', next, ..] if LETTER.has(*next) || DIGIT.has(*next) || *next == b'_')
        || matches!(
            value,
            [b'<', .., b'>'] | [b'%', .., b'%'] | [b'{', .., b'}'] | [b'%', b's' | b'd' | b'v']
        )
}

/// Values that say where a secret is, or what something hashes to.
pub(crate) fn is_reference(value: &[u8]) -> bool {
    const SCHEMES: &str = "sha1- sha256- sha384- sha512- sha1: sha256: sha512: md5: arn: vault: ref+ keychain: \
        env: file: ssh-rsa ssh-ed25519";
    let dated =
        matches!(value, [y, _, _, _, b'-', m, _, b'-', ..] if DIGIT.has(*y) && DIGIT.has(*m));
    SCHEMES.split(' ').any(|scheme| {
        value.get(..scheme.len()).is_some_and(|v| v.eq_ignore_ascii_case(scheme.as_bytes()))
    }) || find_folded(&value[..value.len().min(32)], b"://").is_some()
        || value.starts_with(b"./")
        || value.starts_with(b"../")
        || value.starts_with(b"~/")
        || is_absolute_path(value)
        || (dated && value.len() <= 35)
}

/// Returns a path, not base64 that happens to start with a slash: most of its parts are words.
fn is_absolute_path(value: &[u8]) -> bool {
    let Some(path) = value.strip_prefix(b"/") else { return false };
    let (parts, words) = path
        .split(|b| *b == b'/')
        .fold((0, 0), |(parts, words), part| (parts + 1, words + usize::from(is_wordy(part))));
    parts >= 2 && words * 2 > parts
}
