//! Joining the two scores: words and meaning, each put on one scale first.
//!
//! Scores of different kinds do not add up, and ranks throw away how much better the first is
//! than the second. So each kind is measured in its own spread over the candidates (how many
//! standard deviations above their mean), weighed by what the question leans on, and summed. What
//! was learnt just before or after a good answer, in the same session, is likely to belong to it.

use std::collections::HashMap;

/// How much of its better neighbour's score a candidate borrows.
const NEIGHBOUR: f64 = 0.2;
/// How much of its session's three best scores a candidate borrows.
const SESSION: f64 = 0.2;

/// What is known of a candidate's match.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchSignals {
    /// The score of its words; zero if none match.
    pub words: f64,
    /// The cosine of its meaning; none if it has no vector.
    pub meaning: Option<f64>,
    /// A bonus in standard deviations for what it is about, such as a file at hand.
    pub bonus: f64,
    /// Its place in the order in which things were learnt.
    pub key: u64,
    /// The session it was learnt in.
    pub session: Option<String>,
}

/// A candidate's joined score and what it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fused {
    /// The sum, never negative; only its order and its differences mean anything.
    pub score: f64,
    /// What words gave.
    pub words: f64,
    /// What meaning gave.
    pub meaning: f64,
    /// What the bonus gave.
    pub bonus: f64,
    /// What was borrowed from neighbours and the session.
    pub context: f64,
}

/// Joins the scores of all candidates.
pub fn fuse(signals: &[MatchSignals], meaning_share: f64) -> Vec<Fused> {
    let words: Vec<f64> = signals.iter().map(|signal| signal.words).collect();
    let some: Vec<f64> = signals.iter().filter_map(|signal| signal.meaning).collect();
    // What has no vector gets the least that any candidate has: it may still win by its words.
    let least = some.iter().copied().fold(f64::INFINITY, f64::min);
    let meaning: Vec<f64> = signals.iter().map(|signal| signal.meaning.unwrap_or(least)).collect();
    let share = if some.is_empty() {
        0.0
    } else if words.iter().all(|score| *score == 0.0) {
        1.0
    } else {
        meaning_share
    };
    let words = if share < 1.0 { spread(&words) } else { vec![0.0; signals.len()] };
    let meaning = if share > 0.0 { spread(&meaning) } else { vec![0.0; signals.len()] };
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
    borrow(signals, &mut fused);
    fused
}

/// Adds what candidates lend each other.
fn borrow(signals: &[MatchSignals], fused: &mut [Fused]) {
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
            // A session of one has nobody to lend it anything.
            let lent =
                if scores.len() > 1 { scores.iter().take(3).sum::<f64>() / 3.0 } else { 0.0 };
            (session, lent)
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
        let lent = best_three.get(session.as_str()).copied().unwrap_or(0.0);
        fused[at].context = NEIGHBOUR * neighbour + SESSION * lent;
        fused[at].score += fused[at].context;
    }
}

/// Each value as its distance from the mean, in standard deviations.
fn spread(values: &[f64]) -> Vec<f64> {
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
    fn a_clear_winner_of_one_kind_beats_the_middling_of_both() {
        let mut signals: Vec<MatchSignals> = (0..10)
            .map(|n| signal(f64::from(n % 4), Some(0.5 + f64::from(n % 3) * 0.05)))
            .collect();
        signals[3] = signal(20.0, Some(0.5));
        signals[7] = signal(4.0, Some(0.6));
        assert_eq!(order(&fuse(&signals, 0.5))[0], 3);
    }

    #[test]
    fn one_kind_alone_decides_where_the_other_is_silent() {
        let words_only = [signal(1.0, None), signal(3.0, None), signal(2.0, None)];
        assert_eq!(order(&fuse(&words_only, 0.6)), [1, 2, 0]);
        let meaning_only = [signal(0.0, Some(0.1)), signal(0.0, Some(0.3)), signal(0.0, Some(0.2))];
        assert_eq!(order(&fuse(&meaning_only, 0.6)), [1, 2, 0]);
        assert!(fuse(&[], 0.6).is_empty());
    }

    #[test]
    fn neighbours_in_a_session_lend_weight() {
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
        fn more_of_both_is_never_less(words in 0.0..10.0_f64, meaning in 0.0..1.0_f64, share in 0.1..0.9_f64) {
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
