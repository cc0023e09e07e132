//! Fusion of the word score and the semantic score on one scale.
//!
//! Scores of different kinds cannot be added, and ranks lose the distance between results. Each
//! kind is therefore expressed in standard deviations from its mean over the candidates, weighted
//! by the query's emphasis, and summed. What the other candidates add is in [`crate::context`].

use crate::context::context;

/// The match signals of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchSignals {
    /// The score of its words; zero if none match.
    pub words: f64,
    /// The cosine of its embedding; `None` if it has no vector.
    pub meaning: Option<f64>,
    /// A bonus in standard deviations, such as for a file in the request.
    pub bonus: f64,
    /// The position in the order of creation.
    pub key: u64,
    /// The session in which it was learnt.
    pub session: Option<String>,
    /// True if it was not found itself but stands beside a match; the mean and the deviation are of
    /// the others.
    pub companion: bool,
    /// True if its text asks something.
    pub asks: bool,
    /// The files that it is about, without duplicates.
    pub files: Vec<String>,
}

/// The fused score of a candidate and its parts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fused {
    /// The sum, never negative. Only order and differences are meaningful.
    pub score: f64,
    /// The contribution of words.
    pub words: f64,
    /// The contribution of meaning.
    pub meaning: f64,
    /// The contribution of the bonus.
    pub bonus: f64,
    /// The contribution of the session, of a question before it and of files in common.
    pub context: f64,
}

/// Fuses the scores of all candidates.
pub fn fuse(signals: &[MatchSignals], meaning_share: f64) -> Vec<Fused> {
    let words: Vec<f64> = signals.iter().map(|signal| signal.words).collect();
    let some: Vec<f64> = signals.iter().filter_map(|signal| signal.meaning).collect();
    // A candidate without a vector is taken to mean as much as its words match.
    let least = some.iter().copied().fold(f64::INFINITY, f64::min);
    let meaning: Vec<f64> = signals.iter().map(|signal| signal.meaning.unwrap_or(least)).collect();
    let share = if some.is_empty() {
        0.0
    } else if words.iter().all(|score| *score == 0.0) {
        1.0
    } else {
        meaning_share
    };
    let words = if share < 1.0 { standardise(&words, signals) } else { vec![0.0; signals.len()] };
    let mut meaning =
        if share > 0.0 { standardise(&meaning, signals) } else { vec![0.0; signals.len()] };
    for (at, _) in signals.iter().enumerate().filter(|(_, signal)| signal.meaning.is_none()) {
        meaning[at] = words[at];
    }
    let mut fused: Vec<Fused> = signals
        .iter()
        .enumerate()
        .map(|(at, signal)| {
            let (words, meaning) = ((1.0 - share) * words[at], share * meaning[at]);
            Fused { words, meaning, bonus: signal.bonus, score: words + meaning, context: 0.0 }
        })
        .collect();
    let lowest = (fused.iter().zip(signals).filter(|(_, signal)| !signal.companion))
        .map(|(fused, _)| fused.score)
        .fold(f64::INFINITY, f64::min);
    for fused in &mut fused {
        fused.score = (fused.score - lowest).max(0.0) + fused.bonus;
    }
    let own: Vec<f64> = fused.iter().map(|f| f.score).collect();
    for (fused, context) in fused.iter_mut().zip(context(signals, &own)) {
        fused.context = context;
        fused.score += context;
    }
    fused
}

/// Returns the distance of each value from the mean of the found candidates, in standard
/// deviations.
fn standardise(values: &[f64], signals: &[MatchSignals]) -> Vec<f64> {
    let found =
        || values.iter().zip(signals).filter(|(_, s)| !s.companion).map(|(value, _)| *value);
    let count = found().count().max(1) as f64;
    let mean = found().sum::<f64>() / count;
    let variance = found().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let deviation = variance.sqrt() + 1e-6;
    values.iter().map(|value| (value - mean) / deviation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn signal(words: f64, meaning: Option<f64>) -> MatchSignals {
        MatchSignals {
            words,
            meaning,
            bonus: 0.0,
            key: 0,
            session: None,
            companion: false,
            asks: false,
            files: Vec::new(),
        }
    }

    fn order(fused: &[Fused]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..fused.len()).collect();
        order.sort_by(|a, b| fused[*b].score.total_cmp(&fused[*a].score));
        order
    }

    #[test]
    fn one_strong_score_beats_two_mediocre_ones() {
        let mut signals: Vec<MatchSignals> = (0..10)
            .map(|n| signal(f64::from(n % 4), Some(0.5 + f64::from(n % 3) * 0.05)))
            .collect();
        signals[3] = signal(20.0, Some(0.5));
        signals[7] = signal(4.0, Some(0.6));
        assert_eq!(order(&fuse(&signals, 0.5))[0], 3);
    }

    #[test]
    fn a_single_kind_of_score_decides_alone() {
        let words_only = [signal(1.0, None), signal(3.0, None), signal(2.0, None)];
        assert_eq!(order(&fuse(&words_only, 0.6)), [1, 2, 0]);
        let meaning_only = [signal(0.0, Some(0.1)), signal(0.0, Some(0.3)), signal(0.0, Some(0.2))];
        assert_eq!(order(&fuse(&meaning_only, 0.6)), [1, 2, 0]);
        assert!(fuse(&[], 0.6).is_empty());
    }

    proptest! {
        #[test]
        fn scores_are_finite_and_never_negative(
            values in prop::collection::vec((0.0..100.0_f64, prop::option::of(-1.0..1.0_f64)), 0..40),
            share in 0.0..=1.0_f64,
        ) {
            let signals: Vec<_> = values.iter().map(|(w, m)| signal(*w, *m)).collect();
            for fused in fuse(&signals, share) {
                prop_assert!(fused.score.is_finite() && fused.score >= -1e-9);
            }
        }

        #[test]
        fn higher_signals_never_lower_the_score(words in 0.0..10.0_f64, meaning in 0.0..1.0_f64, share in 0.1..0.9_f64) {
            let signals = [
                signal(5.0, Some(0.5)),
                signal(words, Some(meaning)),
                signal(words + 1.0, Some(meaning + 0.1)),
            ];
            let fused = fuse(&signals, share);
            prop_assert!(fused[2].score >= fused[1].score);
        }
    }
}
