//! Fusion of the word score and the semantic score on one scale.
//!
//! Scores of different kinds cannot be added, and ranks lose the distance between results. Each
//! kind is therefore expressed in standard deviations from its mean over the candidates, weighted
//! by the query's emphasis, and summed. What the other candidates add is in [`crate::context`].

use crate::context::context;

/// The number of best candidates of each kind that scores are compared with. A request for more
/// results has more candidates, and must not reorder the first ones.
const COMPARED: usize = 40;
/// The most candidates of a usual request: those of both kinds, and some from the time it names.
const USUAL: usize = 2 * COMPARED + 20;

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
    /// The sum; zero for the weakest candidate that scores are compared with. Only order and
    /// differences are meaningful.
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
    let compared = compared(signals);
    let words = if share < 1.0 { standardise(&words, &compared) } else { vec![0.0; signals.len()] };
    let mut meaning =
        if share > 0.0 { standardise(&meaning, &compared) } else { vec![0.0; signals.len()] };
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
    let lowest = compared.iter().map(|at| fused[*at].score).reduce(f64::min).unwrap_or_default();
    for (fused, signal) in fused.iter_mut().zip(signals) {
        let least = if signal.companion { 0.0 } else { f64::NEG_INFINITY };
        fused.score = (fused.score - lowest).max(least) + fused.bonus;
    }
    let own: Vec<f64> = fused.iter().map(|f| f.score).collect();
    for (fused, context) in fused.iter_mut().zip(context(signals, &own)) {
        fused.context = context;
        fused.score += context;
    }
    fused
}

/// Returns the candidates that scores are compared with: all that were found if they are as many as
/// usual, otherwise the best by words and by meaning.
fn compared(signals: &[MatchSignals]) -> Vec<usize> {
    let found: Vec<usize> = (0..signals.len()).filter(|at| !signals[*at].companion).collect();
    if found.len() <= USUAL {
        return found;
    }
    let best = |score: fn(&MatchSignals) -> Option<f64>| {
        let found = signals.iter().enumerate().filter(|(_, signal)| !signal.companion);
        let mut best: Vec<(usize, f64)> =
            found.filter_map(|(at, signal)| Some((at, score(signal)?))).collect();
        best.sort_unstable_by(|(a, one), (b, other)| {
            other.total_cmp(one).then_with(|| signals[*a].key.cmp(&signals[*b].key))
        });
        best.into_iter().take(COMPARED).map(|(at, _)| at)
    };
    let by_words = best(|signal| Some(signal.words).filter(|score| *score > 0.0));
    let mut compared: Vec<usize> = by_words.chain(best(|signal| signal.meaning)).collect();
    compared.sort_unstable();
    compared.dedup();
    compared
}

/// Returns the distance of each value from the mean of the compared candidates, in standard
/// deviations.
fn standardise(values: &[f64], compared: &[usize]) -> Vec<f64> {
    let found = || compared.iter().map(|at| values[*at]);
    let count = compared.len().max(1) as f64;
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

    #[test]
    fn further_candidates_leave_the_order_of_the_first_ones() {
        // Each channel finds its own forty; the others are worse in both.
        let few: Vec<MatchSignals> = (0..80_u32)
            .map(|n| {
                let by_words = if n < 40 { 2.0 + f64::from(n * 7 % 40) / 10.0 } else { 0.0 };
                let by_meaning = if n < 40 { 0.3 } else { 0.5 + f64::from(n * 11 % 40) / 100.0 };
                MatchSignals { key: n.into(), ..signal(by_words, Some(by_meaning)) }
            })
            .collect();
        let more = (80..400).map(|n| signal(f64::from(n % 2), Some(0.2 - f64::from(n) / 4000.0)));
        let many: Vec<MatchSignals> = few.iter().cloned().chain(more).collect();
        let score = |signals: &[MatchSignals]| -> Vec<f64> {
            fuse(signals, 0.6).iter().take(80).map(|fused| fused.score).collect()
        };
        assert_eq!(score(&many), score(&few));
    }

    proptest! {
        #[test]
        fn scores_are_finite_and_not_negative_for_few_candidates(
            values in prop::collection::vec((0.0..100.0_f64, prop::option::of(-1.0..1.0_f64)), 0..60),
            share in 0.0..=1.0_f64,
        ) {
            let signals: Vec<_> = values.iter().map(|(w, m)| signal(*w, *m)).collect();
            for fused in fuse(&signals, share) {
                prop_assert!(fused.score.is_finite());
                prop_assert!(fused.score >= -1e-9 || signals.len() > COMPARED);
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
