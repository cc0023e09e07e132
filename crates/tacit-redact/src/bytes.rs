//! Byte classes, and measures that distinguish random strings from words.
//!
//! The functions work on bytes: each class is ASCII, so a run of a class never ends inside a
//! multi-byte character.

/// A set of ASCII bytes, built at compile time.
#[derive(Clone, Copy)]
pub(crate) struct Class(u128);

impl Class {
    /// Builds a class from single bytes and `a-z` ranges; a `-` in first position stands for
    /// itself.
    pub(crate) const fn new(spec: &str) -> Self {
        let spec = spec.as_bytes();
        let mut bits = 0u128;
        let mut i = 0;
        while i < spec.len() {
            let mut from = spec[i];
            let mut to = from;
            if i + 2 < spec.len() && spec[i + 1] == b'-' {
                to = spec[i + 2];
                i += 2;
            }
            i += 1;
            while from <= to {
                bits |= 1 << from;
                from += 1;
            }
        }
        Self(bits)
    }

    pub(crate) const fn has(self, byte: u8) -> bool {
        byte < 128 && (self.0 >> byte) & 1 == 1
    }

    /// Returns the length of the run of this class at `from`, at most `limit`.
    pub(crate) fn run(self, bytes: &[u8], from: usize, limit: usize) -> usize {
        bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take(limit)
            .take_while(|b| self.has(**b))
            .count()
    }

    /// Returns the length of the run of this class that ends before `to`, at most `limit` and not
    /// going below `floor`.
    pub(crate) fn run_back(self, bytes: &[u8], floor: usize, to: usize, limit: usize) -> usize {
        let before = bytes.get(floor..to).unwrap_or_default();
        before.iter().rev().take(limit).take_while(|b| self.has(**b)).count()
    }
}

pub(crate) const DIGIT: Class = Class::new("0-9");
pub(crate) const HEX: Class = Class::new("0-9a-fA-F");
pub(crate) const LOWER_HEX: Class = Class::new("0-9a-f");
pub(crate) const ALNUM: Class = Class::new("0-9A-Za-z");
pub(crate) const LETTER: Class = Class::new("A-Za-z");
pub(crate) const UPPER_NUM: Class = Class::new("0-9A-Z");
pub(crate) const LOWER_NUM: Class = Class::new("0-9a-z");
pub(crate) const WORD: Class = Class::new("0-9A-Za-z_");
/// URL-safe base64, the alphabet of most vendors' tokens.
pub(crate) const URL64: Class = Class::new("-0-9A-Za-z_");
pub(crate) const BASE64: Class = Class::new("0-9A-Za-z+/");
pub(crate) const BASE64_PADDED: Class = Class::new("0-9A-Za-z+/=");
pub(crate) const BLANK: Class = Class::new(" \t");

/// Returns true if a token may start at `at`.
///
/// `floor` is the end of the last finding or marker: a token may follow it directly. The escapes
/// cover text that was quoted once more: `\n` in JSON, `%3D` in URLs, colour codes in terminal
/// output.
pub(crate) fn starts_word(bytes: &[u8], floor: usize, at: usize) -> bool {
    let before = bytes.get(floor..at).unwrap_or_default();
    match before {
        [] => true,
        [.., last] if !ALNUM.has(*last) => true,
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', a, b] if HEX.has(*a) && HEX.has(*b) => true,
        [rest @ .., b'm'] => {
            let codes = Class::new("0-9;").run_back(rest, 0, rest.len(), 12);
            rest[..rest.len() - codes].ends_with(b"\x1b[")
        }
        _ => false,
    }
}

/// Computes the Shannon entropy in bits per byte. Only the first 256 bytes are used, so that
/// hostile input costs no more than ordinary input.
pub(crate) fn entropy(bytes: &[u8]) -> f32 {
    let sample = &bytes[..bytes.len().min(256)];
    if sample.is_empty() {
        return 0.0;
    }
    let mut counts = [0u16; 256];
    for byte in sample {
        counts[usize::from(*byte)] += 1;
    }
    let total = sample.len() as f32;
    counts.iter().filter(|count| **count > 0).fold(0.0, |sum, count| {
        let share = f32::from(*count) / total;
        sum - share * share.log2()
    })
}

const SEPARATOR: Class = Class::new("-_./:\\ |+=@,");

/// Returns true if a value consists of words and numbers, like identifiers, paths, versions and
/// test names: `getAccessToken`, `disk-usage-report-2024`, `k8s_pool.v2`.
pub(crate) fn is_wordy(value: &[u8]) -> bool {
    let (mut plain, mut mixed) = (0, 0);
    for part in value.split(|b| SEPARATOR.has(*b)) {
        let letters = LETTER.run(part, 0, part.len());
        let digits = DIGIT.run(part, letters, part.len());
        if letters + digits == part.len()
            && (letters == 0 || digits <= 5)
            && is_camel(&part[..letters])
        {
            plain += part.len();
        } else if part.len() <= 4 && part.iter().all(|b| ALNUM.has(*b)) {
            mixed += part.len();
        } else {
            return false;
        }
    }
    plain > mixed
}

/// Returns true if a value is hyphenated prose: `your-token-goes-here`. Stricter than [`is_wordy`],
/// for strings that already have the prefix of a token.
pub(crate) fn is_prose(value: &[u8]) -> bool {
    value.split(|b| matches!(b, b'-' | b'_' | b'.')).all(|part| {
        let rest = part.get(1..).unwrap_or_default();
        part.iter().all(u8::is_ascii_digit)
            || (part.iter().all(u8::is_ascii_alphabetic)
                && (rest.iter().all(u8::is_ascii_lowercase)
                    || part.iter().all(u8::is_ascii_uppercase)))
    })
}

/// Returns true if the case changes rarely, as in words. Random letters change case at every second
/// position; the longer the string, the clearer the difference.
fn is_camel(letters: &[u8]) -> bool {
    let flips = letters
        .windows(2)
        .filter(|w| w[0].is_ascii_lowercase() != w[1].is_ascii_lowercase())
        .count();
    let most = if letters.len() > 20 { letters.len() / 3 } else { letters.len() * 2 / 5 };
    flips <= most
}

/// Returns the position of `needle` in `bytes`, ignoring ASCII case.
pub(crate) fn find_folded(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle))
}

/// Returns true if a value is the base64 of `user:password`.
pub(crate) fn is_encoded_pair(value: &[u8]) -> bool {
    let body = value.trim_ascii_end();
    let (mut colon, mut decoded) = (None, 0usize);
    let text = body.len().is_multiple_of(4)
        && decodes_to_text(body, |octet| {
            if octet == b':' && colon.is_none() {
                colon = Some(decoded);
            }
            decoded += 1;
        });
    text && colon.is_some_and(|at| decoded - at > 2)
}

/// Returns true if a value without digits is the base64 of some text and not a word:
/// `U3dvcmRmaXNo`. Hardly any word decodes to text, so short values count too.
pub(crate) fn is_encoded_text(value: &[u8]) -> bool {
    value.len() >= 8
        && value.len() % 4 != 1
        && value.iter().any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_lowercase)
        && (value.len() >= 12 || !is_wordy(value))
        && decodes_to_text(value, |_| {})
}

/// Decodes base64, and returns true if the result is printable ASCII only. Words that happen to be
/// valid base64 decode to other bytes.
fn decodes_to_text(body: &[u8], mut on_byte: impl FnMut(u8)) -> bool {
    let padding = body.iter().rev().take(2).take_while(|b| **b == b'=').count();
    let (mut bits, mut bit_count) = (0u32, 0);
    for byte in &body[..body.len() - padding] {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return false,
        };
        bits = (bits << 6) | u32::from(six);
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            let octet = (bits >> bit_count) as u8;
            if !(0x20..0x7f).contains(&octet) {
                return false;
            }
            on_byte(octet);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_distinguished_from_random_strings() {
        let wordy = [
            "getAccessTokenFromRequest",
            "disk-usage-report-2024",
            "k8s-pool-secret",
            "a/b/c1.yaml",
            "2024-01-31",
        ];
        let random = [
            "hunter2secret",
            "9f86d081884c7d65",
            "aB3dE5gH7jK9",
            "a1b2-c3d4-e5f6",
            "xKqZbWvRtYpLsNdM",
        ];
        for value in wordy {
            assert!(is_wordy(value.as_bytes()), "{value}");
        }
        for value in random {
            assert!(!is_wordy(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn encoded_user_and_password_are_recognised() {
        assert!(is_encoded_pair(b"dXNlcjpwYXNzd29yZA=="));
        for value in ["authentication", "Overnight", "dXNlcg==", "realm", ""] {
            assert!(!is_encoded_pair(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn entropy_of_known_strings() {
        assert_eq!(entropy(b""), 0.0);
        assert_eq!(entropy(b"aaaaaaaa"), 0.0);
        assert!((entropy(b"0123456789abcdef") - 4.0).abs() < 1e-5);
    }
}
