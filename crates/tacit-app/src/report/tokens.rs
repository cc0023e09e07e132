//! Tokens shown against tokens saved. Only measured savings count: those of the same errors with and
//! without a memory, and those of whole sessions in a holdout.

use serde::Serialize;

use super::errors::{ErrorReport, Estimate};
use super::holdout::{HoldoutMeasure, HoldoutReport};
use super::sessions::MeasuredSession;
use super::statistics::Interval;

/// Tokens shown against tokens saved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TokenReport {
    /// The tokens that hooks showed in the period.
    pub shown: u64,
    /// The tokens of the measured sessions, what hooks showed included.
    pub sessions: u64,
    /// The share of these that hooks showed; `None` without sessions.
    pub shown_share: Option<f64>,
    /// The reads of files that were read before and not changed since.
    pub rereads: u64,
    /// The tokens saved while the same errors were fixed with a memory.
    pub saved_on_errors: Estimate,
    /// The tokens saved for each session, by the holdout.
    pub saved_per_session: Option<SavedTokens>,
}

/// The tokens that memories saved for each session: positive if sessions with memory took less, what
/// hooks showed included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SavedTokens {
    /// The mean.
    pub mean: f64,
    /// The interval; `None` if there are too few sessions.
    pub interval: Option<Interval>,
}

impl TokenReport {
    /// Computes the report.
    #[must_use]
    pub fn new(
        shown: u64,
        sessions: &[&MeasuredSession],
        errors: &ErrorReport,
        holdout: Option<&HoldoutReport>,
    ) -> TokenReport {
        let total: u64 = sessions.iter().map(|session| session.tokens()).sum();
        let of_hooks: u64 = sessions.iter().map(|session| session.chosen.shown_tokens).sum();
        let compared = holdout.and_then(|holdout| holdout.of(HoldoutMeasure::Tokens));
        let saved = compared.and_then(|compared| {
            let mirrored = |one: Interval| Interval { low: -one.high, high: -one.low };
            Some(SavedTokens {
                mean: -compared.difference?,
                interval: compared.interval.map(mirrored),
            })
        });
        TokenReport {
            shown,
            sessions: total,
            shown_share: (total > 0).then(|| of_hooks as f64 / total as f64),
            rereads: sessions.iter().map(|session| session.outcome.rereads).sum(),
            saved_on_errors: errors.saved_tokens,
            saved_per_session: saved,
        }
    }
}
