//! Which errors came up, and how often.

use serde::{Deserialize, Serialize};
use tacit_core::FingerprintDigest;

use crate::fingerprint::error_fingerprint;
use crate::timeline::Timeline;
use crate::validation::CheckOutcome;

/// An error that a command met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorRetry {
    /// The tool that met it.
    pub tool: String,
    /// The same for the same error.
    pub fingerprint: FingerprintDigest,
    /// What it says.
    pub message: String,
    /// How often it came up.
    pub count: u32,
    /// What put an end to it, in words, if something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_how: Option<String>,
}

/// The errors of a timeline, in the order in which they first came up.
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
