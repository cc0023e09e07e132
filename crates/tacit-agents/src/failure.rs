//! Telling failures from what the model was told.

use tacit_core::{FailureCause, ToolFailure, ToolKind};

/// How Claude Code wraps what a tool refuses without having run.
const ERROR_START: &str = "<tool_use_error>";
const ERROR_END: &str = "</tool_use_error>";

/// A failure that the client reported as one.
pub(crate) fn reported(kind: &ToolKind, error: String, is_interrupt: bool) -> ToolFailure {
    let exit_code = exit_code(kind, &error);
    let cause = if is_interrupt {
        FailureCause::Interrupted
    } else {
        refusal(&error).map_or(FailureCause::Ran, |(cause, _)| cause)
    };
    ToolFailure { error, exit_code, is_interrupt, cause }
}

/// The failure that a result in a batch is, if it is one: edits that do not fit, schema errors,
/// unknown tools and denied calls are told nowhere else.
pub(crate) fn in_result(kind: &ToolKind, result: &str) -> Option<ToolFailure> {
    if let Some((cause, error)) = refusal(result) {
        let is_interrupt = cause == FailureCause::Interrupted;
        return Some(ToolFailure { error: error.to_owned(), exit_code: None, is_interrupt, cause });
    }
    exit_code(kind, result).filter(|code| *code != 0).map(|code| ToolFailure {
        error: result.to_owned(),
        exit_code: Some(code),
        is_interrupt: false,
        cause: FailureCause::Ran,
    })
}

/// Why the client did not let a tool run, and the message without its wrapping.
fn refusal(text: &str) -> Option<(FailureCause, &str)> {
    if let Some(inner) = text.strip_prefix(ERROR_START) {
        let inner = inner.strip_suffix(ERROR_END).unwrap_or(inner);
        let cause = if inner.starts_with("InputValidationError") {
            FailureCause::BadInput
        } else if inner.starts_with("Error: No such tool available") {
            FailureCause::UnknownTool
        } else {
            FailureCause::Rejected
        };
        return Some((cause, inner));
    }
    if text.starts_with("[Request interrupted by user") {
        return Some((FailureCause::Interrupted, text));
    }
    let first = text.lines().next().unwrap_or_default();
    let denied = (first.starts_with("Permission to use ") && first.contains(" denied"))
        || first.starts_with("The user doesn't want to proceed with this tool use")
        || (first.starts_with("Claude requested permissions to ")
            && first.contains("haven't granted it"))
        || (first.contains(" needs approval.")
            && first.ends_with("Allowing runs the command as written."));
    denied.then_some((FailureCause::Denied, text))
}

/// The code with which a command failed: the error begins `Exit code N`.
fn exit_code(kind: &ToolKind, error: &str) -> Option<i32> {
    if !matches!(kind, ToolKind::Shell { .. }) {
        return None;
    }
    error.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_are_failures() {
        use FailureCause as C;
        let shell = ToolKind::Shell { command: "x".into(), background: false };
        let read = ToolKind::Read { file: "x".into() };
        let cases = [
            (&read, "<tool_use_error>String not found</tool_use_error>", Some((C::Rejected, None))),
            (&read, "<tool_use_error>InputValidationError: x", Some((C::BadInput, None))),
            (
                &read,
                "<tool_use_error>Error: No such tool available: X",
                Some((C::UnknownTool, None)),
            ),
            (&shell, "Permission to use Bash has been denied.", Some((C::Denied, None))),
            (
                &shell,
                "The user doesn't want to proceed with this tool use. The",
                Some((C::Denied, None)),
            ),
            (&shell, "[Request interrupted by user for tool use]", Some((C::Interrupted, None))),
            (&shell, "Exit code 3\nboom", Some((C::Ran, Some(3)))),
            (&shell, "Exit code 127", Some((C::Ran, Some(127)))),
            (&shell, "Exit code 0\nfine", None),
            (&shell, "Exit code unknown", None),
            (&read, "Exit code 3\nboom", None),
            (&read, "1\t<tool_use_error>in a file", None),
            (&shell, "", None),
        ];
        for (kind, text, expected) in cases {
            let failure = in_result(kind, text);
            assert_eq!(failure.map(|f| (f.cause, f.exit_code)), expected, "{text}");
        }
    }
}
