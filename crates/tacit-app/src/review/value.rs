//! The value of a review: how much depends on a person's decision about a memory.

use super::queue::ReviewReason;

/// The number of times shown at which a memory counts half as used as it can.
const HALF_USED: f64 = 3.0;
/// The age, in days, at which a memory counts half as new.
const HALF_NEW_DAYS: f64 = 30.0;
/// The part of each factor that every memory has, so that no factor alone decides.
const BASE: f64 = 0.5;

/// The use, certainty and age of a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stakes {
    /// The number of times it was shown: recalled, or injected by a hook.
    pub(super) shown: u64,
    /// The confidence, from 0 to 1.
    pub(super) confidence: f64,
    /// The days since it was learnt.
    pub(super) age_days: f64,
}

impl Stakes {
    /// Returns the value: the weight of the reason times use, certainty and newness. A memory that is
    /// shown often can come before one with a weightier reason.
    pub(super) fn value(self, reason: &ReviewReason) -> f64 {
        let weight = match reason {
            ReviewReason::Flagged => 5.0,
            ReviewReason::Conflict(_) => 4.0,
            ReviewReason::CodeChanged => 3.0,
            ReviewReason::Replaces(_) => 2.0,
            ReviewReason::Unused(_) => 1.5,
            ReviewReason::Unconfirmed => 1.0,
        };
        // The confidence says nothing about a memory that somebody doubts.
        let certain = if *reason == ReviewReason::Flagged { 1.0 } else { self.confidence };
        let shown = self.shown as f64;
        let used = shown / (shown + HALF_USED);
        let new = 0.5_f64.powf(self.age_days.max(0.0) / HALF_NEW_DAYS);
        let value = weight * (BASE + used) * (BASE + certain) * (BASE + new);
        (value * 1_000.0).round() / 1_000.0
    }
}

#[cfg(test)]
mod tests {
    use tacit_core::Usefulness;

    use super::*;

    const USUAL: Stakes = Stakes { shown: 0, confidence: 0.8, age_days: 0.0 };

    fn unconfirmed(stakes: Stakes) -> f64 {
        stakes.value(&ReviewReason::Unconfirmed)
    }

    #[test]
    fn use_certainty_and_newness_each_add_value() {
        let usual = unconfirmed(USUAL);
        assert!(unconfirmed(Stakes { shown: 1, ..USUAL }) > usual);
        assert!(unconfirmed(Stakes { confidence: 0.9, ..USUAL }) > usual);
        assert!(unconfirmed(Stakes { age_days: 10.0, ..USUAL }) < usual);
    }

    #[test]
    fn reasons_order_equal_memories_and_use_can_outweigh_them() {
        let reasons = [
            ReviewReason::Flagged,
            ReviewReason::Conflict(Vec::new()),
            ReviewReason::CodeChanged,
            ReviewReason::Replaces(Vec::new()),
            ReviewReason::Unused(Usefulness::default()),
            ReviewReason::Unconfirmed,
        ];
        let values: Vec<f64> = reasons.iter().map(|reason| USUAL.value(reason)).collect();
        assert!(values.is_sorted_by(|a, b| a > b), "{values:?}");
        let often = Stakes { shown: 20, ..USUAL };
        assert!(unconfirmed(often) > USUAL.value(&ReviewReason::Replaces(Vec::new())));
    }

    #[test]
    fn a_flag_counts_in_full_although_it_halves_the_confidence() {
        let doubted = Stakes { confidence: 0.1, ..USUAL };
        assert_eq!(doubted.value(&ReviewReason::Flagged), USUAL.value(&ReviewReason::Flagged));
    }

    #[test]
    fn any_numbers_give_a_finite_value() {
        for stakes in [
            Stakes { shown: u64::MAX, confidence: 1.0, age_days: -5.0 },
            Stakes { shown: 0, confidence: 0.0, age_days: f64::MAX },
        ] {
            let value = unconfirmed(stakes);
            assert!(value.is_finite() && value > 0.0, "{value}");
        }
    }
}
