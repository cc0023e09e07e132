//! Scores of a ranked list against the relevant documents.
//!
//! - recall at k: the share of the relevant documents that are among the first k
//!
//! A duplicate document counts at its first rank.

use std::collections::BTreeSet;

/// The scores of one query, or the mean of several.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct RetrievalScores {
    pub(crate) recall_1: f64,
    pub(crate) recall_5: f64,
    pub(crate) recall_10: f64,
    pub(crate) ndcg_10: f64,
    pub(crate) mrr: f64,
}

impl RetrievalScores {
    /// Scores one ranked list. There must be at least one relevant document.
    pub(crate) fn of(ranked: &[String], gold: &BTreeSet<String>) -> RetrievalScores {
        let mut seen = BTreeSet::new();
        let relevant: Vec<bool> = ranked
            .iter()
            .filter(|document| seen.insert(document.as_str()))
            .map(|document| gold.contains(document))
            .collect();
        let recall = |k: usize| {
            relevant.iter().take(k).filter(|relevant| **relevant).count() as f64 / gold.len() as f64
        };
        let gained: f64 = relevant
            .iter()
            .take(10)
            .zip(0..)
            .filter(|(relevant, _)| **relevant)
            .map(|(_, at)| gain(at))
            .sum();
        let best: f64 = (0..gold.len().min(10)).map(gain).sum();
        RetrievalScores {
            recall_1: recall(1),
            recall_5: recall(5),
            recall_10: recall(10),
            ndcg_10: gained / best,
            mrr: relevant
                .iter()
                .position(|relevant| *relevant)
                .map_or(0.0, |at| 1.0 / (at + 1) as f64),
        }
    }

    /// Returns the mean; `None` without scores.
    pub(crate) fn mean(scores: &[RetrievalScores]) -> Option<RetrievalScores> {
        if scores.is_empty() {
            return None;
        }
        let mean = |field: fn(&RetrievalScores) -> f64| {
            scores.iter().map(field).sum::<f64>() / scores.len() as f64
        };
        Some(RetrievalScores {
            recall_1: mean(|scores| scores.recall_1),
            recall_5: mean(|scores| scores.recall_5),
            recall_10: mean(|scores| scores.recall_10),
            ndcg_10: mean(|scores| scores.ndcg_10),
            mrr: mean(|scores| scores.mrr),
        })
    }
}

/// Returns the gain of a relevant document at a rank, counted from 0.
fn gain(at: usize) -> f64 {
    1.0 / (at as f64 + 2.0).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(ranked: &str, gold: &str) -> RetrievalScores {
        let ranked: Vec<String> = ranked.split_whitespace().map(str::to_owned).collect();
        RetrievalScores::of(&ranked, &gold.split_whitespace().map(str::to_owned).collect())
    }

    #[track_caller]
    fn check(ranked: &str, gold: &str, expected: [f64; 5]) {
        let found = scores(ranked, gold);
        let found = [found.recall_1, found.recall_5, found.recall_10, found.ndcg_10, found.mrr];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{ranked} for {gold}: {found} {expected}");
        }
    }

    #[test]
    fn one_relevant_document_is_scored_by_rank() {
        check("a b c", "a", [1.0, 1.0, 1.0, 1.0, 1.0]);
        check("x a c", "a", [0.0, 1.0, 1.0, 0.630_929_75, 0.5]);
        check("1 2 3 4 5 a", "a", [0.0, 0.0, 1.0, 0.356_207_19, 1.0 / 6.0]);
        check("1 2 3 4 5 6 7 8 9 10 a", "a", [0.0, 0.0, 0.0, 0.0, 1.0 / 11.0]);
        check("x y", "a", [0.0; 5]);
        check("", "a", [0.0; 5]);
    }

    #[test]
    fn several_relevant_documents_share_the_score() {
        // (1 + 1/log2(4)) / (1 + 1/log2(3))
        check("a x b", "a b", [0.5, 1.0, 1.0, 0.919_720_79, 1.0]);
        check("a x y", "a b c", [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.469_278_73, 1.0]);
    }

    #[test]
    fn recall_is_limited_by_the_list_length() {
        let ten = "1 2 3 4 5 6 7 8 9 10";
        check(ten, "1 2 3 4 5 6 7 8 9 10 11 12", [1.0 / 12.0, 5.0 / 12.0, 10.0 / 12.0, 1.0, 1.0]);
    }

    #[test]
    fn a_repeated_document_counts_once() {
        check("x x a a", "a b", [0.0, 0.5, 0.5, 0.386_852_81, 0.5]);
    }

    #[test]
    fn means_are_per_field() {
        let mean = RetrievalScores::mean(&[scores("a", "a"), scores("x", "a")]).unwrap();
        assert_eq!((mean.recall_1, mean.mrr), (0.5, 0.5));
        assert_eq!(RetrievalScores::mean(&[]), None);
    }
}
