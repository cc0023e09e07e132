//! The fourth stage: frequent, recent and new enough together.

use tacit_core::Timestamp;

use super::{Basis, MemoryCandidate};

const FREQUENCY_WEIGHT: f64 = 0.4;
const RECENCY_WEIGHT: f64 = 0.3;
const NOVELTY_WEIGHT: f64 = 0.3;
/// A score must be above this.
pub const THRESHOLD: f64 = 0.6;
/// The same for an approach that was given up, which is worth knowing sooner.
pub const DEAD_END_THRESHOLD: f64 = 0.3;
/// After so many days half of the recency is left.
const HALF_LIFE_DAYS: f64 = 30.0;

/// What a score must be above.
pub fn threshold(basis: Basis) -> f64 {
    if basis == Basis::DeadEnd { DEAD_END_THRESHOLD } else { THRESHOLD }
}

/// The score of a candidate of which `novelty` is new. What was seen twice as often as it must be is
/// as frequent as can be.
pub fn score(candidate: &MemoryCandidate, novelty: f64, now: Timestamp) -> f64 {
    let enough = f64::from(candidate.basis.min_occurrences());
    let frequency = (f64::from(candidate.occurrences) / (2.0 * enough)).min(1.0);
    let age = now.days_since(candidate.at).max(0.0);
    let recency = 0.5_f64.powf(age / HALF_LIFE_DAYS);
    FREQUENCY_WEIGHT * frequency + RECENCY_WEIGHT * recency + NOVELTY_WEIGHT * novelty
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_weigh_frequency_recency_and_novelty() {
        let now = Timestamp::from_millis(1_794_738_600_000).unwrap();
        let seen = |basis, occurrences, days: f64| MemoryCandidate {
            basis,
            key: String::new(),
            about: String::new(),
            occurrences,
            at: now.plus_days(-days),
            step_index: None,
            draft: tacit_core::Draft::default(),
            replaces: false,
        };
        for (basis, occurrences, days, novelty, expected) in [
            (Basis::ErrorRetry, 2, 0.0, 1.0, 0.8),
            (Basis::ErrorRetry, 4, 0.0, 1.0, 1.0),
            (Basis::ErrorRetry, 40, 0.0, 1.0, 1.0),
            (Basis::ErrorRetry, 2, 30.0, 1.0, 0.65),
            (Basis::ErrorRetry, 2, 30.0, 0.5, 0.5),
            (Basis::DeadEnd, 1, 0.0, 1.0, 0.8),
            (Basis::DeadEnd, 1, 3000.0, 0.4, 0.32),
        ] {
            let found = score(&seen(basis, occurrences, days), novelty, now);
            assert!((found - expected).abs() < 1e-9, "{basis:?} {occurrences} {days}: {found}");
        }
        assert_eq!((threshold(Basis::Note), threshold(Basis::DeadEnd)), (0.6, 0.3));
    }
}
