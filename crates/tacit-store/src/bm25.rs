//! The score of full-text search, the same in every store.
//!
//! Equal to `bm25()` of SQLite's FTS5, so that a store without it ranks alike.

use tacit_core::{Bm25, Tokens};

/// The weights of the columns of the text index: the title, the text, and the labels with the cues.
pub const TEXT_WEIGHTS: [f64; 3] = [2.0, 1.0, 1.0];

/// The most terms of a search.
const MOST_TERMS: usize = 64;

/// The parameters of FTS5.
const BM25: Bm25 = Bm25 { k1: 1.2, b: 0.75 };

/// The least inverse document frequency: a term that most memories have must not count against them.
const LEAST_FREQUENCY: f64 = 1e-6;

/// Returns the terms of a search: the first distinct tokens.
pub fn search_terms(tokens: &Tokens) -> Vec<&str> {
    let mut terms: Vec<&str> = Vec::new();
    for token in tokens.iter() {
        if terms.len() == MOST_TERMS {
            break;
        }
        if !terms.contains(&token) {
            terms.push(token);
        }
    }
    terms
}

/// Scores memories for the terms of one search.
#[derive(Debug, Clone, PartialEq)]
pub struct TextScore {
    frequencies: Vec<f64>,
    average_length: f64,
}

impl TextScore {
    /// Prepares a search. `memories` is the number of indexed memories, `tokens` the number of all
    /// their tokens in all columns, and `containing` the number of memories with each term.
    pub fn new(memories: u64, tokens: u64, containing: &[u64]) -> TextScore {
        let all = memories as f64;
        let frequency = |some: &u64| {
            let some = *some as f64;
            let frequency = ((all - some + 0.5) / (some + 0.5)).ln();
            if frequency > 0.0 { frequency } else { LEAST_FREQUENCY }
        };
        TextScore {
            frequencies: containing.iter().map(frequency).collect(),
            average_length: tokens as f64 / all,
        }
    }

    /// Scores a memory; larger is better. `counts` has the occurrences of each term in each column,
    /// and `length` is the number of the memory's tokens in all columns.
    pub fn score(&self, counts: &[[u32; 3]], length: u64) -> f64 {
        let mut score = 0.0;
        for (frequency, counts) in self.frequencies.iter().zip(counts) {
            let weighted =
                counts.iter().zip(TEXT_WEIGHTS).map(|(n, weight)| f64::from(*n) * weight);
            let count = weighted.sum();
            // Multiplied last, as FTS5 does, so that even the last digit is the same.
            score += frequency * BM25.score(1.0, count, length as f64, self.average_length);
        }
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_the_first_distinct_tokens() {
        let tokens: Tokens = ["b", "a", "b", "c"].into_iter().collect();
        assert_eq!(search_terms(&tokens), ["b", "a", "c"]);
        let many: Tokens = (0..100).map(|number| number.to_string()).collect();
        assert_eq!(search_terms(&many).len(), MOST_TERMS);
    }

    #[test]
    fn rare_terms_count_more_and_common_ones_never_less_than_nothing() {
        let score = TextScore::new(10, 100, &[1, 10]);
        let rare = score.score(&[[0, 1, 0], [0, 0, 0]], 10);
        let common = score.score(&[[0, 0, 0], [0, 1, 0]], 10);
        assert!(rare > common && common > 0.0);
        assert_eq!(score.score(&[[0; 3]; 2], 10), 0.0);
        assert!(score.score(&[[1, 0, 0], [0; 3]], 10) > rare, "a title weighs more");
    }
}
