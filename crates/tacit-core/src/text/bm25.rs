//! BM25, the one way in which words are scored.

/// How words are weighed; what is searched decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// How fast repeating a word stops helping.
    pub k1: f64,
    /// How much a long text is held back, from 0 to 1.
    pub b: f64,
}

impl Bm25 {
    /// The score of a word of this weight that a text of this length has `count` times; `average` is the
    /// length of all texts.
    #[must_use]
    pub fn score(self, weight: f64, count: f64, length: f64, average: f64) -> f64 {
        let held_back = self.k1 * (1.0 - self.b + self.b * length / average);
        weight * count * (self.k1 + 1.0) / (count + held_back)
    }
}

/// How much a word tells that occurs in `some` of `all` texts.
#[must_use]
pub fn rarity(all: u64, some: u64) -> f64 {
    let (all, some) = (all.max(some) as f64, some as f64);
    ((all - some + 0.5) / (some + 0.5) + 1.0).ln()
}
