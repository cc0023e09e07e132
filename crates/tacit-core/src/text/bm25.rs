//! The BM25 scoring function, shared by all indexes.

/// Parameters of BM25; each index chooses its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// Saturation: a low value makes repetitions of a word count less.
    pub k1: f64,
    /// Length normalisation, from 0 (none) to 1 (full).
    pub b: f64,
}

impl Bm25 {
    /// Scores a word of this weight that occurs `count` times in a text of this length. `average`
    /// is the mean length of all texts.
    #[must_use]
    pub fn score(self, weight: f64, count: f64, length: f64, average: f64) -> f64 {
        let held_back = self.k1 * (1.0 - self.b + self.b * length / average);
        weight * count * (self.k1 + 1.0) / (count + held_back)
    }
}

/// Returns the inverse document frequency of a word that occurs in `some` of `all` texts.
#[must_use]
pub fn inverse_document_frequency(all: u64, some: u64) -> f64 {
    let (all, some) = (all.max(some) as f64, some as f64);
    ((all - some + 0.5) / (some + 0.5) + 1.0).ln()
}
