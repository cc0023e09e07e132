//! The contribution of the other candidates to a candidate's score.
//!
//! A memory is rarely alone: it was learnt in a session, it may answer what was asked just before
//! it, and it may be about the same files as the best matches. Each of these lends it a part of the
//! score of the others.

use std::collections::HashMap;

use crate::fuse::MatchSignals;

/// The part of the way to the best score of its session that a candidate moves.
const SESSION: f64 = 0.3;
/// The share of a question's score that the next candidate of the session gets, as its answer.
const ANSWER: f64 = 0.35;
/// The share of the mean score of the best candidates that one about the same files gets.
const SAME_FILES: f64 = 0.3;
/// The number of best candidates whose files count.
const BEST: usize = 3;

/// Returns what each candidate gets from the others, given the scores of each alone.
pub(crate) fn context(signals: &[MatchSignals], own: &[f64]) -> Vec<f64> {
    let mut by_key: HashMap<u64, usize> = HashMap::new();
    let mut best: HashMap<&str, f64> = HashMap::new();
    for (at, signal) in signals.iter().enumerate() {
        if let Some(session) = &signal.session {
            by_key.insert(signal.key, at);
            let best = best.entry(session).or_insert(own[at]);
            *best = best.max(own[at]);
        }
    }
    let leaders = leaders(signals, own);
    (signals.iter().zip(own).enumerate())
        .map(|(at, (signal, score))| {
            let files = SAME_FILES * from_files(signals, own, &leaders, at);
            let Some(session) = &signal.session else { return files };
            let toward_best = SESSION * (best[session.as_str()] - score);
            let answer = (signal.key.checked_sub(1))
                .and_then(|before| by_key.get(&before))
                .filter(|before| signals[**before].session == signal.session)
                .filter(|before| signals[**before].asks)
                .map_or(0.0, |before| ANSWER * own[*before]);
            files + toward_best + answer
        })
        .collect()
}

/// Returns the best candidates that are about files.
fn leaders(signals: &[MatchSignals], own: &[f64]) -> Vec<usize> {
    // The leaders are those of all candidates, so that files do not count if others match better.
    let mut order: Vec<usize> = (0..signals.len()).collect();
    order.sort_by(|a, b| {
        own[*b].total_cmp(&own[*a]).then_with(|| signals[*a].key.cmp(&signals[*b].key))
    });
    // One more, because no candidate lends to itself.
    order.truncate(BEST + 1);
    order
}

/// Returns the mean score of the best other candidates, each by the share of files in common.
fn from_files(signals: &[MatchSignals], own: &[f64], leaders: &[usize], at: usize) -> f64 {
    if signals[at].files.is_empty() {
        return 0.0;
    }
    let others = leaders.iter().filter(|leader| **leader != at).take(BEST);
    others
        .map(|leader| own[*leader] * common(&signals[at].files, &signals[*leader].files))
        .sum::<f64>()
        / BEST as f64
}

/// Returns the share of the smaller list that is in both. The lists have no duplicates.
fn common(one: &[String], other: &[String]) -> f64 {
    let both = one.iter().filter(|file| other.contains(file)).count();
    both as f64 / one.len().min(other.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(key: u64, session: Option<&str>) -> MatchSignals {
        MatchSignals {
            words: 0.0,
            meaning: None,
            bonus: 0.0,
            key,
            session: session.map(str::to_owned),
            companion: false,
            asks: false,
            files: Vec::new(),
        }
    }

    #[test]
    fn candidates_move_towards_the_best_of_their_session() {
        let signals =
            [signal(1, Some("a")), signal(5, Some("a")), signal(9, Some("b")), signal(11, None)];
        assert_eq!(context(&signals, &[3.0, 1.0, 2.0, 2.0]), [0.0, SESSION * 2.0, 0.0, 0.0]);
    }

    #[test]
    fn an_answer_gets_a_share_of_its_question() {
        let mut signals = [signal(1, Some("a")), signal(2, Some("a")), signal(3, Some("a"))];
        signals[0].asks = true;
        assert_eq!(context(&signals, &[2.0, 2.0, 2.0]), [0.0, ANSWER * 2.0, 0.0]);
        signals[1].session = Some("b".into());
        assert_eq!(context(&signals, &[2.0, 2.0, 2.0]), [0.0, 0.0, 0.0], "another session");
    }

    #[test]
    fn files_of_the_best_lend_to_others_about_them() {
        let mut signals = [signal(1, None), signal(2, None), signal(3, None)];
        signals[0].files = vec!["src/pool.rs".into()];
        signals[1].files = vec!["src/db.rs".into(), "src/pool.rs".into()];
        let lent = context(&signals, &[3.0, 0.0, 1.0]);
        assert_eq!(lent, [0.0, SAME_FILES * 3.0 / 3.0, 0.0]);
    }
}
