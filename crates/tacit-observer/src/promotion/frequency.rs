//! The second stage: once may be chance.

use super::Basis;

/// Files must be used in so many sessions.
const FILE_ACCESS_SESSIONS: u32 = 3;
/// Two files must be used together in so many sessions.
const CO_ACCESS_SESSIONS: u32 = 2;
/// An error must come up, or be seen to be gone, so often.
const ERROR_RETRIES: u32 = 2;
/// Edits of a file must be corrected so often.
const BACKTRACKS: u32 = 2;
/// An approach that was given up is worth knowing the first time.
const DEAD_ENDS: u32 = 1;
/// Steps must be taken in the same order in so many sessions.
const SEQUENCES: u32 = 3;

impl Basis {
    /// How often it must be seen.
    pub fn min_occurrences(self) -> u32 {
        match self {
            Basis::FileAccess | Basis::TimeAnomaly => FILE_ACCESS_SESSIONS,
            Basis::CoAccess => CO_ACCESS_SESSIONS,
            Basis::ErrorRetry => ERROR_RETRIES,
            Basis::Backtrack => BACKTRACKS,
            Basis::Sequence => SEQUENCES,
            Basis::DeadEnd => DEAD_ENDS,
            // Somebody said it, or it was seen to fail and to work.
            Basis::Note | Basis::Correction | Basis::Observation => 1,
        }
    }
}

/// Whether something was seen often enough.
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
