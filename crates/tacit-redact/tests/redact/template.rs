//! Invented values of the right shape, made at run time so that no scanner takes
//! this repository's own tests for leaks.

/// Fills `{A36}`-like holes: a letter for the alphabet, a number for the length.
/// Other braces stay.
pub(crate) fn fill(template: &str, seed: u64) -> String {
    let mut out = String::new();
    let mut rest = template;
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        match hole(rest) {
            Some((alphabet, length, used)) => {
                // A value always holds a digit and a letter, as all but very few real ones do.
                for i in 0..length {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let pick = (state >> 33) as usize;
                    let byte = match (i, alphabet) {
                        (1, b"0123456789") => alphabet[pick % 10],
                        (1, _) if alphabet.contains(&b'7') => b'7',
                        (2, b"0123456789") => alphabet[pick % 10],
                        (2, _) if alphabet.contains(&b'e') => b'e',
                        _ => alphabet[pick % alphabet.len()],
                    };
                    out.push(char::from(byte));
                }
                rest = &rest[used..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn hole(text: &str) -> Option<(&'static [u8], usize, usize)> {
    let close = text.find('}')?;
    let inner = &text[1..close];
    let alphabet: &[u8] = match inner.as_bytes().first()? {
        b'A' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        b'U' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        b'l' => b"abcdefghijklmnopqrstuvwxyz0123456789",
        b'L' => b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        b'h' => b"0123456789abcdef",
        b'd' => b"0123456789",
        b'w' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        b'b' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        _ => return None,
    };
    Some((alphabet, inner[1..].parse().ok()?, close + 1))
}
