//! Fusion of the word score and the semantic score on one scale.
//!
//! Scores of different kinds cannot be added, and ranks lose the distance between results. Each
//! kind is therefore expressed in standard deviations from its mean over the candidates, weighted
//! by the query's emphasis, and summed. A memory learnt next to a good match in the same session
//! gets a bonus, because it probably belongs to it.

use std::collections::HashMap;

/// The share of its better neighbour's score that a candidate gets.
const NEIGHBOUR: f64 = 0.2;
/// The share of its session's mean top-three score that a candidate gets.
const SESSION: f64 = 0.2;

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
    /// The contribution of neighbours and the session.
    pub context: f64,
}

/// Fuses the scores of all candidates.
pub fn fuse(signals: &[MatchSignals], meaning_share: f64) -> Vec<Fused> {
    let words: Vec<f64> = signals.iter().map(|signal| signal.words).collect();
    let some: Vec<f64> = signals.iter().filter_map(|signal| signal.meaning).collect();
    // A candidate without a vector gets the lowest cosine of all; it can still win by its words.
    let least = some.iter().copied().fold(f64::INFINITY, f64::min);
    let meaning: Vec<f64> = signals.iter().map(|signal| signal.meaning.unwrap_or(least)).collect();
    let share = if some.is_empty() {
        0.0
    } else if words.iter().all(|score| *score == 0.0) {
        1.0
    } else {
        meaning_share
    };
    let words = if share < 1.0 { standardise(&words) } else { vec![0.0; signals.len()] };
    let meaning = if share > 0.0 { standardise(&meaning) } else { vec![0.0; signals.len()] };
    let mut fused: Vec<Fused> = signals
        .iter()
        .enumerate()
        .map(|(at, signal)| {
            let (words, meaning) = ((1.0 - share) * words[at], share * meaning[at]);
            Fused { words, meaning, bonus: signal.bonus, score: words + meaning, context: 0.0 }
        })
        .collect();
    let lowest = fused.iter().map(|f| f.score).fold(f64::INFINITY, f64::min);
    for fused in &mut fused {
        fused.score += fused.bonus - lowest;
    }
    add_context(signals, &mut fused);
    fused
}

/// Adds the contributions of neighbours and sessions.
fn add_context(signals: &[MatchSignals], fused: &mut [Fused]) {
    let own: Vec<f64> = fused.iter().map(|f| f.score).collect();
    let mut by_key: HashMap<u64, usize> = HashMap::new();
    let mut sessions: HashMap<&str, Vec<f64>> = HashMap::new();
    for (at, signal) in signals.iter().enumerate() {
        if let Some(session) = &signal.session {
            by_key.insert(signal.key, at);
            sessions.entry(session).or_default().push(own[at]);
        }
    }
    let best_three: HashMap<&str, f64> = sessions
        .into_iter()
        .map(|(session, mut scores)| {
            scores.sort_by(|a, b| b.total_cmp(a));
            // A session with a single candidate contributes nothing.
            let session_share =
                if scores.len() > 1 { scores.iter().take(3).sum::<f64>() / 3.0 } else { 0.0 };
            (session, session_share)
        })
        .collect();
    for (at, signal) in signals.iter().enumerate() {
        let Some(session) = &signal.session else { continue };
        let neighbour = [signal.key.wrapping_sub(1), signal.key.wrapping_add(1)]
            .iter()
            .filter_map(|key| by_key.get(key))
            .filter(|other| signals[**other].session.as_ref() == Some(session))
            .map(|other| own[*other])
            .fold(0.0, f64::max);
        let session_share = best_three.get(session.as_str()).copied().unwrap_or(0.0);
        fused[at].context = NEIGHBOUR * neighbour + SESSION * session_share;
        fused[at].score += fused[at].context;
    }
}

/// Returns the distance of each value from the mean, in standard deviations.
fn standardise(values: &[f64]) -> Vec<f64> {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let deviation = variance.sqrt() + 1e-6;
    values.iter().map(|value| (value - mean) / deviation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn signal(words: f64, meaning: Option<f64>) -> MatchSignals {
        MatchSignals { words, meaning, bonus: 0.0, key: 0, session: None }
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
    fn neighbours_in_a_session_add_to_the_score() {
        let mut signals: Vec<MatchSignals> = (0..6)
            .map(|n| MatchSignals { key: n, session: Some("s".into()), ..signal(0.0, Some(0.5)) })
            .collect();
        signals[2].meaning = Some(0.9);
        signals[5].session = Some("other".into());
        let fused = fuse(&signals, 0.6);
        assert!(fused[1].score > fused[0].score);
        assert_eq!(fused[1].score, fused[3].score);
        assert!(fused[4].score > fused[5].score, "the session lends something to all its own");
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
