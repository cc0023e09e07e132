//! Counts the errors of a session.

use serde::{Deserialize, Serialize};
use tacit_core::FingerprintDigest;

use crate::fingerprint::error_fingerprint;
use crate::timeline::Timeline;
use crate::validation::CheckOutcome;

/// An error that a command reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorRetry {
    /// The tool that ran the command.
    pub tool: String,
    /// The fingerprint, equal for equal errors.
    pub fingerprint: FingerprintDigest,
    /// The first line of the error with placeholders.
    pub message: String,
    /// The number of occurrences.
    pub count: u32,
    /// A description of the fix, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_how: Option<String>,
}

/// Returns the errors of a timeline in order of their first occurrence.
pub fn error_retries(timeline: &Timeline) -> Vec<ErrorRetry> {
    let mut found: Vec<ErrorRetry> = Vec::new();
    for (_, run) in timeline.runs().filter(|(_, run)| run.check.outcome == CheckOutcome::Failed) {
        let Some(print) = error_fingerprint(&run.tool, &run.output) else { continue };
        match found.iter_mut().find(|known| known.fingerprint == *print.digest()) {
            Some(known) => known.count += 1,
            None => found.push(ErrorRetry {
                tool: run.tool.clone(),
                fingerprint: print.digest().clone(),
                message: crate::text::one_line(
                    print.text().lines().next().unwrap_or_default(),
                    300,
                ),
                count: 1,
                resolved_how: None,
            }),
        }
    }
    found
}
