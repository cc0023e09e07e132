//! Signals: patterns in the events of a session, before any conclusion. One file per kind.

mod co_access;
mod error_retry;
mod file_access;
mod sequence;
mod twin_values;

pub use co_access::{CO_ACCESS_STEPS, CoAccess, co_accesses};
pub use error_retry::{ErrorRetry, error_retries};
pub use file_access::{FileAccess, file_accesses};
pub use sequence::{SequenceAction, SequenceStep, sequence};
pub use twin_values::{TwinValue, twin_values};

use crate::timeline::Timeline;

/// All signals of a session tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionSignals {
    /// Reads and changes per file.
    pub file_accesses: Vec<FileAccess>,
    /// Pairs of files used within a few steps.
    pub co_accesses: Vec<CoAccess>,
    /// Errors with their counts.
    pub error_retries: Vec<ErrorRetry>,
    /// Values that were replaced in several files.
    pub twins: Vec<TwinValue>,
    /// Edits and checks in order.
    pub sequence: Vec<SequenceStep>,
}

impl SessionSignals {
    /// Computes all signals of a timeline.
    pub fn from_timeline(timeline: &Timeline) -> SessionSignals {
        SessionSignals {
            file_accesses: file_accesses(timeline),
            co_accesses: co_accesses(timeline),
            error_retries: error_retries(timeline),
            twins: twin_values(timeline),
            sequence: sequence(timeline),
        }
    }
}
