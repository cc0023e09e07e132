//! The observer's verdict on commands, for the hooks.

use tacit_core::{ToolKind, ToolOutcome};
use tacit_observer::validation::{CheckOutcome, evaluate_command};

/// Returns true if a command failed by its output and its success as a whole. Task definitions are
/// not read: the output of a task shows if it failed.
pub(super) fn failed(command: &str, output: &str, succeeded: bool) -> bool {
    evaluate_command(command, output, Some(succeeded)).outcome == CheckOutcome::Failed
}

/// Returns true if the output of a finished command shows that a check failed, whatever its exit
/// code.
pub(super) fn finished_with_failure(kind: &ToolKind, outcome: &ToolOutcome) -> bool {
    let ToolKind::Shell { command, background: false } = kind else { return false };
    let output = outcome.text.as_deref().unwrap_or_default();
    // Without output there is nothing to learn from.
    !outcome.interrupted
        && !output.trim().is_empty()
        && failed(command, output, outcome.exit_code.is_none_or(|code| code == 0))
}
