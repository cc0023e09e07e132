//! Similarity of texts, with a signature that finds near-duplicates without comparing all pairs.
//!
//! The signature is a banded MinHash: texts whose token sets overlap by 80% share at least one of
//! the eight bands with a probability above 99%. A shared band only selects a pair for comparison;
//! [`jaccard`] decides.

use super::tokens::Tokens;

/// The number of bands of a signature.
pub const BANDS: usize = 8;
/// The number of minima per band.
const ROWS: usize = 3;

/// The bands of a text. Two texts that share a band at the same position are worth comparing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature([u64; BANDS]);

impl Signature {
    /// Computes the signature of tokens; `None` if there are none.
    pub fn of(tokens: &Tokens) -> Option<Signature> {
        let mut minima = [u64::MAX; BANDS * ROWS];
        let mut any = false;
        for token in tokens.iter() {
            any = true;
            let base = fnv(token.as_bytes());
            for (row, minimum) in minima.iter_mut().enumerate() {
                *minimum = (*minimum).min(mix(base ^ mix(row as u64 + 1)));
            }
        }
        let mut bands = [0; BANDS];
        for (index, band) in bands.iter_mut().enumerate() {
            let rows = &minima[index * ROWS..(index + 1) * ROWS];
            *band = rows.iter().fold(mix(index as u64), |hash, row| mix(hash ^ row));
        }
        any.then_some(Signature(bands))
    }

    /// Returns the bands. Each band's hash includes its position.
    pub fn bands(&self) -> &[u64; BANDS] {
        &self.0
    }
}

/// Returns the share of distinct tokens that two texts have in common, from 0 to 1.
pub fn jaccard(one: &Tokens, other: &Tokens) -> f64 {
    let (one, other) = (one.distinct(), other.distinct());
    let common = one.iter().filter(|token| other.binary_search(token).is_ok()).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Scatters its input over all 64 bits. A bijection.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::tokenize;

    #[test]
    fn jaccard_counts_distinct_tokens() {
        let one = tokenize("alpha beta gamma gamma");
        let other = tokenize("beta gamma delta");
        assert_eq!(jaccard(&one, &other), 0.5);
        assert_eq!(jaccard(&one, &one), 1.0);
        assert_eq!(jaccard(&tokenize(""), &tokenize("")), 0.0);
    }

    #[test]
    fn near_duplicates_share_a_band_and_unrelated_texts_do_not() {
        let shares = |a: &str, b: &str| {
            let a = Signature::of(&tokenize(a)).unwrap();
            let b = Signature::of(&tokenize(b)).unwrap();
            a.bands().iter().zip(b.bands()).any(|(x, y)| x == y)
        };
        let text = "always open the sqlite database in write ahead mode before \
                    spawning the worker that drains the spool directory";
        assert!(shares(text, &text.replace("drains", "empties")));
        assert!(!shares(text, "prefer kebab case for names of new files under docs"));
        assert_eq!(Signature::of(&tokenize("")), None);
    }

    #[test]
    fn signatures_never_change() {
        let signature = Signature::of(&tokenize("stored signatures must stay comparable")).unwrap();
        assert_eq!(signature.bands()[0], 13_333_600_394_777_067_405);
    }
}
