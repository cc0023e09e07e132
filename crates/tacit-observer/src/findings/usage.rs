//! Errors of tools themselves: a wrong option, a missing program, module or task.

use super::output::{FindingsByLine, OutputLines, is_log};
use super::{Finding, FindingKind};

const MAX_LINE: usize = 300;

/// Lines at the beginning and at the end that are read: a tool that cannot start prints little.
const MAX_LINES: usize = 100;

/// Phrases of such errors, in lower case.
const PHRASES: [&str; 52] = [
    "unknown flag",
    "unknown shorthand flag",
    "unknown option",
    "unknown argument",
    "unknown command",
    "unknown subcommand",
    "unknown linter",
    "unknown field",
    "unknown task",
    "unrecognized option",
    "unrecognized argument",
    "unrecognized subcommand",
    "unrecognised option",
    "illegal option",
    "invalid option",
    "invalid choice:",
    "no such option",
    "no such command",
    "no such subcommand",
    "unexpected argument",
    "flag provided but not defined",
    "is not a valid option",
    "bad substitution",
    "no matches found",
    "command not found",
    "executable file not found",
    "no module named",
    "cannot find module",
    "cannot find package",
    "can't find package",
    "could not find package",
    "no required module provides package",
    "is not in std",
    "build constraints exclude all go files",
    "no go files in",
    "go.mod file not found",
    "does not contain main module",
    "updates to go.mod needed",
    "missing go.sum entry",
    "missing script",
    "no task ",
    "task not found",
    "no such task",
    "no rule to make target",
    "does not contain recipe",
    "couldn't find a script named",
    "command \"",
    "not found in root project",
    "package(s) not found",
    "did not match any packages",
    "no tests found",
    "can't load config",
];

/// Finds lines that say that the tool was called wrongly or is not there. Such lines count only
/// where no checker reported anything, since tests of programs print them too.
pub(super) fn mistakes(lines: &OutputLines<'_>, found: &mut FindingsByLine) {
    let is_tested = lines.iter().any(|(_, line)| {
        line.starts_with("ok  \t") || line.starts_with("--- PASS: ") || line.starts_with("=== RUN ")
    });
    if is_tested {
        return;
    }
    for (at, line) in lines.iter() {
        if at >= MAX_LINES && at + MAX_LINES < lines.len() {
            continue;
        }
        let bare =
            line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '│' | '|' | '×' | '✖'));
        // Changed lines and comments of code that is shown.
        if bare.starts_with(['+', '#', '<']) || bare.starts_with("//") {
            continue;
        }
        if bare.is_empty() || bare.len() > MAX_LINE || is_log(bare) {
            continue;
        }
        let lower = bare.to_lowercase();
        let is_mistake = PHRASES.iter().any(|phrase| lower.contains(phrase))
            || (lower.ends_with(": not found") && !bare.contains("://"));
        if !is_mistake
            || lower.contains("warning")
            || (lower.contains("command \"") && !lower.contains("not found"))
        {
            continue;
        }
        let message = without_labels(bare);
        let next = lines.get(at + 1);
        let told = if message.ends_with(':') && next.starts_with(['\t', ' ']) {
            format!("{message} {}", next.trim())
        } else {
            message.to_owned()
        };
        if !found.iter().any(|(_, known)| told.ends_with(&known.message)) {
            found.push((at, Finding::new(FindingKind::Usage, program(bare), &told)));
        }
    }
}

/// Removes what a shell or a tool prints before its message: `(eval):1: `, `bash: line 3: `,
/// `npm error `.
fn without_labels(line: &str) -> &str {
    const LABELS: [&str; 12] = [
        "npm ERR! ",
        "npm error ",
        "mise ERROR ",
        "error: ",
        "Error: ",
        "error ",
        "ERROR: ",
        "bash: ",
        "zsh: ",
        "sh: ",
        "/bin/sh: ",
        "(eval)",
    ];
    let mut rest = line;
    while let Some(behind) = LABELS.iter().find_map(|label| rest.strip_prefix(label)) {
        let behind = behind.trim_start_matches(':').trim_start_matches("line ");
        let text = behind.trim_start_matches(|c: char| c.is_ascii_digit());
        rest = text.strip_prefix(": ").filter(|_| text.len() < behind.len()).unwrap_or(behind);
    }
    rest
}

/// Returns the tool that a line names at its beginning.
fn program(line: &str) -> &'static str {
    const KNOWN: [(&str, &str); 12] = [
        ("npm ", "npm"),
        ("ERR_PNPM", "pnpm"),
        ("go: ", "go"),
        ("package ", "go"),
        ("bash: ", "bash"),
        ("zsh: ", "zsh"),
        ("(eval)", "zsh"),
        ("sh: ", "sh"),
        ("/bin/sh: ", "sh"),
        ("make: ", "make"),
        ("pytest: ", "pytest"),
        ("mise ", "mise"),
    ];
    KNOWN.iter().find(|(start, _)| line.starts_with(start)).map_or("", |(_, tool)| tool)
}
