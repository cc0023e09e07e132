//! Second promotion stage: drops what was seen too rarely.

use super::Basis;

/// Sessions in which a file must be used.
const FILE_ACCESS_SESSIONS: u32 = 3;
/// Sessions in which two files must be used together.
const CO_ACCESS_SESSIONS: u32 = 2;
/// Occurrences of an error, its disappearance included.
const ERROR_RETRIES: u32 = 2;
/// Corrections of edits in a file.
const BACKTRACKS: u32 = 2;
/// A dead end counts the first time.
const DEAD_ENDS: u32 = 1;
/// Sessions with the same steps in the same order.
const SEQUENCE_SESSIONS: u32 = 3;

impl Basis {
    /// Returns the number of occurrences that a candidate needs.
    pub fn min_occurrences(self) -> u32 {
        match self {
            Basis::FileAccess | Basis::TimeAnomaly => FILE_ACCESS_SESSIONS,
            Basis::CoAccess => CO_ACCESS_SESSIONS,
            Basis::ErrorRetry => ERROR_RETRIES,
            Basis::Backtrack => BACKTRACKS,
            Basis::Sequence => SEQUENCE_SESSIONS,
            Basis::DeadEnd => DEAD_ENDS,
            // Explicit statements and observed failures count at once.
            Basis::Note
            | Basis::Correction
            | Basis::Observation
            | Basis::Variant
            | Basis::HouseRule
            | Basis::Account
            | Basis::Lesson => 1,
        }
    }
}

/// Returns true if something was seen often enough.
pub fn is_frequent(basis: Basis, occurrences: u32) -> bool {
    occurrences >= basis.min_occurrences()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_inclusive() {
        for (basis, least) in [
            (Basis::FileAccess, 3),
            (Basis::CoAccess, 2),
            (Basis::ErrorRetry, 2),
            (Basis::Backtrack, 2),
            (Basis::Sequence, 3),
            (Basis::TimeAnomaly, 3),
            (Basis::DeadEnd, 1),
            (Basis::Note, 1),
        ] {
            let frequent = [least - 1, least, least + 1].map(|count| is_frequent(basis, count));
            assert_eq!(frequent, [false, true, true], "{basis:?}");
        }
    }
}
