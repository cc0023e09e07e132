//! The words that clients put around the output of a command, such as its exit code.

use tacit_core::ClientName;

/// The output of a command and how it ended, taken from the text that the model sees.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShellReport {
    /// The output alone.
    pub(crate) output: String,
    /// The exit code; `None` if a signal ended the command.
    pub(crate) exit_code: Option<i32>,
}

impl ShellReport {
    /// Reads the report of a client; `None` if the text has another form, as for a command that runs
    /// in the background.
    pub(crate) fn read(client: ClientName, text: &str) -> Option<ShellReport> {
        match client {
            ClientName::Gemini | ClientName::Qwen => labelled(text),
            ClientName::Copilot => shell_id(text),
            ClientName::Codex => header(text),
            _ => None,
        }
    }

    /// Returns true if the command did not succeed.
    pub(crate) fn is_failure(&self) -> bool {
        self.exit_code != Some(0)
    }
}

/// Reads `Output: …`, followed by lines such as `Exit Code: 3`. Qwen Code puts the command and its
/// directory before the output; Gemini CLI leaves out lines without a value, also the code zero.
fn labelled(text: &str) -> Option<ShellReport> {
    let inner = text.trim_end();
    let inner = inner
        .strip_prefix("<untrusted_context>\n")
        .and_then(|inner| inner.strip_suffix("\n</untrusted_context>"))
        .unwrap_or(inner);
    let body = match inner.strip_prefix("Command: ") {
        Some(rest) => {
            let (_, rest) = rest.split_once("\nDirectory: ")?;
            rest.split_once("\nOutput: ")?.1
        }
        None => inner.strip_prefix("Output: ")?,
    };
    // The labels are read from the end, each once, because the output may contain any of them.
    let mut left = body;
    pop(&mut left, "Process Group PGID: ");
    pop(&mut left, "Background PIDs: ");
    let signal = pop(&mut left, "Signal: ").filter(|name| *name != NONE);
    let code = pop(&mut left, "Exit Code: ");
    // Any other line that begins like this may be one of the output.
    left = left.strip_suffix("\nError: (none)").unwrap_or(left);
    let exit_code = match (code, signal) {
        (Some(code), _) => code.parse().ok(),
        (None, Some(_)) => None,
        (None, None) => Some(0),
    };
    let output = if left == "(empty)" { String::new() } else { left.to_owned() };
    Some(ShellReport { output, exit_code })
}

/// The value of a label that says nothing.
const NONE: &str = "(none)";

/// Removes the last line of a text if it has a label, and returns its value.
fn pop<'t>(text: &mut &'t str, label: &str) -> Option<&'t str> {
    let (before, last) = text.rsplit_once('\n')?;
    let value = last.strip_prefix(label)?;
    *text = before;
    Some(value)
}

/// Reads an output that ends with `<shellId: 1 completed with exit code 3>`.
fn shell_id(text: &str) -> Option<ShellReport> {
    let (output, last) = text.trim_end().rsplit_once("<shellId: ")?;
    let (_, code) = last.strip_suffix('>')?.split_once(" completed with exit code ")?;
    let output = output.strip_suffix('\n').unwrap_or(output).to_owned();
    Some(ShellReport { output, exit_code: Some(code.parse().ok()?) })
}

/// Reads `Exit code: 0`, the time it took, and the output.
fn header(text: &str) -> Option<ShellReport> {
    let (code, rest) = text.strip_prefix("Exit code: ")?.split_once("\nWall time: ")?;
    let (_, output) = rest.split_once("\nOutput:\n")?;
    Some(ShellReport { output: output.to_owned(), exit_code: Some(code.parse().ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_from_their_end() {
        use ClientName as N;
        let gemini = |inner: &str| format!("<untrusted_context>\n{inner}\n</untrusted_context>");
        let cases = [
            (
                N::Gemini,
                gemini("Output: out\nerr\nProcess Group PGID: 3767"),
                Some(("out\nerr", Some(0))),
            ),
            (
                N::Gemini,
                gemini("Output: broken\nExit Code: 3\nProcess Group PGID: 3828"),
                Some(("broken", Some(3))),
            ),
            (N::Gemini, gemini("Output: (empty)\nExit Code: 1"), Some(("", Some(1)))),
            (N::Gemini, gemini("Output: x\nSignal: 9\nProcess Group PGID: 1"), Some(("x", None))),
            (
                N::Gemini,
                gemini("Output: Error: no\nExit Code: 9\nError: really\nExit Code: 2"),
                Some(("Error: no\nExit Code: 9\nError: really", Some(2))),
            ),
            (N::Gemini, "Output: plain".to_owned(), Some(("plain", Some(0)))),
            (N::Gemini, "Command moved to background (PID: 5).".to_owned(), None),
            (
                N::Qwen,
                "Command: a\nb\nDirectory: (root)\nOutput: broken\nError: (none)\nExit Code: 3\n\
                 Signal: (none)\nProcess Group PGID: (none)"
                    .to_owned(),
                Some(("broken", Some(3))),
            ),
            (
                N::Qwen,
                "Command: a\nDirectory: (root)\nOutput: x\nError: (none)\nExit Code: (none)\n\
                 Signal: 15\nProcess Group PGID: 7"
                    .to_owned(),
                Some(("x", None)),
            ),
            (
                N::Copilot,
                "broken\n<shellId: 1 completed with exit code 3>".to_owned(),
                Some(("broken", Some(3))),
            ),
            (
                N::Copilot,
                "\n<shellId: 0 completed with exit code 0>".to_owned(),
                Some(("", Some(0))),
            ),
            (N::Copilot, "<shellId: 0 is running>".to_owned(), None),
            (N::Copilot, "text <shellId: 0 completed with exit code 1> more".to_owned(), None),
            (
                N::Codex,
                "Exit code: 1\nWall time: 0 seconds\nOutput:\nno such file\n".to_owned(),
                Some(("no such file\n", Some(1))),
            ),
            (N::Codex, "Exit code: 1".to_owned(), None),
            (N::Claude, "Output: x\nExit Code: 3".to_owned(), None),
        ];
        for (client, text, expected) in cases {
            let found = ShellReport::read(client, &text);
            let found = found.as_ref().map(|report| (&*report.output, report.exit_code));
            assert_eq!(found, expected, "{client}: {text}");
        }
    }
}
