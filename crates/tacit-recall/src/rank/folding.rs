//! Near-duplicates among results.

use tacit_core::Tokens;

/// The share of common words from which on two results are folded into one.
const FOLD: f64 = 0.8;

/// The distinct words of a text as sorted hashes, for fast comparison of many pairs.
pub(super) struct WordSet(Vec<u64>);

impl WordSet {
    pub(super) fn of(tokens: &Tokens) -> WordSet {
        let mut words: Vec<u64> = tokens
            .iter()
            .map(|token| {
                token.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                })
            })
            .collect();
        words.sort_unstable();
        words.dedup();
        WordSet(words)
    }

    /// Returns true if two texts have so many words in common that one is enough.
    pub(super) fn is_nearly(&self, other: &WordSet) -> bool {
        self.overlap(other) >= FOLD
    }

    /// Returns the share of words that two texts have in common; 0 if it cannot reach `FOLD`.
    fn overlap(&self, other: &WordSet) -> f64 {
        let (small, large) =
            if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        // The common words are at most those of the smaller set.
        if (small.0.len() as f64) < FOLD * large.0.len() as f64 || large.0.is_empty() {
            return 0.0;
        }
        let mut rest = large.0.as_slice();
        let mut common = 0;
        for word in &small.0 {
            let at = rest.partition_point(|other| other < word);
            rest = &rest[at..];
            common += usize::from(rest.first() == Some(word));
        }
        common as f64 / (small.0.len() + large.0.len() - common) as f64
    }
}
