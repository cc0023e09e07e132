//! What behaviour shows, before anybody concludes anything from it. One file per kind of signal.

mod backtrack;
mod co_access;
mod error_retry;
mod file_access;
mod sequence;

pub use backtrack::{BACKTRACK_STEPS, Backtrack, LikelyCause, backtracks};
pub use co_access::{CO_ACCESS_STEPS, CoAccess, co_accesses};
pub use error_retry::{ErrorRetry, error_retries};
pub use file_access::{CONFUSING_READS, FileAccess, file_accesses};
pub use sequence::{SequenceAction, SequenceStep, sequence};

use crate::timeline::Timeline;

/// Everything that behaviour in a tree shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionSignals {
    /// Which files were used.
    pub file_accesses: Vec<FileAccess>,
    /// Which files were used shortly one after the other.
    pub co_accesses: Vec<CoAccess>,
    /// Which errors came up, and how often.
    pub error_retries: Vec<ErrorRetry>,
    /// Which edits were corrected at once.
    pub backtracks: Vec<Backtrack>,
    /// What was changed and run, in order.
    pub sequence: Vec<SequenceStep>,
}

impl SessionSignals {
    /// All signals of a timeline.
    pub fn of(timeline: &Timeline) -> SessionSignals {
        SessionSignals {
            file_accesses: file_accesses(timeline),
            co_accesses: co_accesses(timeline),
            error_retries: error_retries(timeline),
            backtracks: backtracks(timeline),
            sequence: sequence(timeline),
        }
    }
}
