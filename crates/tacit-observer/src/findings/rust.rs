//! Compile errors of rustc, lints of clippy and failed tests of `cargo test`.

use super::output::{FindingsByLine, OutputLines, position};
use super::{Finding, FindingKind};

/// Lines of a message of the compiler that are read.
const MAX_BLOCK: usize = 60;

/// Beginnings of messages that only repeat that there were errors.
const SUMMARIES: [&str; 6] = [
    "could not compile",
    "aborting due to",
    "test failed",
    "process didn't exit",
    "build failed",
    "doctest failed",
];

/// Finds the errors of rustc and clippy.
pub(super) fn compiler(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    for at in 0..lines.len() {
        let line = lines.get(at);
        let Some(rest) = line.strip_prefix("error") else { continue };
        let (code, message) = match rest.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
            Some((code, message)) => (Some(code), message),
            None => match rest.strip_prefix(": ") {
                Some(message) => (None, message),
                None => continue,
            },
        };
        if SUMMARIES.iter().any(|start| message.starts_with(start)) {
            continue;
        }
        let block = || (at + 1..at + MAX_BLOCK).map(|at| lines.get(at));
        let place =
            block().take(4).find_map(|line| line.trim_start().strip_prefix("--> ")).map(place);
        let Some((file, number)) = place else {
            if message.starts_with("linking with ") || code.is_some() {
                let finding = Finding::new(FindingKind::Compile, "rustc", message);
                found.push((at, finding.rule(code.unwrap_or_default())));
            }
            continue;
        };
        let lint = block().take_while(|line| !line.is_empty()).find_map(lint_name);
        let finding = match (code, lint) {
            (Some(code), _) => Finding::new(FindingKind::Compile, "rustc", message).rule(code),
            (None, Some((tool, lint))) => {
                Finding::new(FindingKind::Lint, tool, message).rule(&lint)
            }
            (None, None) => Finding::new(FindingKind::Compile, "rustc", message),
        };
        found.push((at, finding.at(file, number)));
    }
}

fn place(text: &str) -> (&str, Option<u32>) {
    let mut parts = text.rsplitn(3, ':');
    let (_, line, file) = (parts.next(), parts.next(), parts.next());
    (file.unwrap_or(text), line.and_then(|line| line.parse().ok()))
}

/// Returns the lint that a note names, with the tool that knows it.
fn lint_name(line: &str) -> Option<(&'static str, String)> {
    let name = |text: &str| {
        text.chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
            .collect::<String>()
            .replace('-', "_")
    };
    if let Some((_, lint)) =
        line.split_once("index.html#").filter(|(url, _)| url.contains("clippy"))
    {
        return Some(("clippy", name(lint))).filter(|(_, name)| !name.is_empty());
    }
    if let Some((_, lint)) = line.split_once("clippy::")
        && line.contains("note:")
    {
        return Some(("clippy", name(lint))).filter(|(_, name)| !name.is_empty());
    }
    let lint = ["`-D ", "#[deny(", "#[forbid("]
        .iter()
        .find_map(|start| line.split_once(start))
        .map(|(_, lint)| name(lint))?;
    (!lint.is_empty() && lint != "warnings" && line.contains("note:")).then_some(("rustc", lint))
}

/// Finds panics and errors of tests, and takes what tests print.
pub(super) fn tests(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    let mut test: Option<(usize, &str, bool)> = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines.get(at);
        if let Some(name) = line.strip_prefix("---- ").and_then(|line| line.strip_suffix(" ----")) {
            let name = name.rsplit_once(' ').map_or(name, |(name, _)| name);
            test = Some((at, name, false));
        } else if line.starts_with("failures:") || line.starts_with("test result:") {
            test = None;
        } else if let Some((thread, rest)) = panic(line) {
            let (message, end) = panic_message(lines, at, rest);
            let is_name = thread.contains("::") || test.is_some_and(|(_, name, _)| name == thread);
            let name = match test {
                Some((_, name, _)) => name,
                None if is_name => thread,
                None => "",
            };
            // A panic while another is handled adds nothing.
            if !test.is_some_and(|(_, _, told)| told) {
                let finding = Finding::new(FindingKind::Test, "cargo test", &message).test(name);
                let place = position(rest.rsplit(", ").next().unwrap_or(rest));
                found.push((
                    at,
                    match place {
                        Some(place) => finding.at(place.file, Some(place.line)),
                        None => finding,
                    },
                ));
            }
            if let Some(test) = &mut test {
                test.2 = true;
            }
            lines.take(at..end);
            at = end;
            continue;
        } else if let (Some((_, name, false)), Some(error)) = (test, line.strip_prefix("Error: ")) {
            found.push((at, Finding::new(FindingKind::Test, "cargo test", error).test(name)));
            test = test.map(|(at, name, _)| (at, name, true));
        }
        if test.is_some() {
            lines.take(at..at + 1);
        }
        at += 1;
    }
}

/// Returns the thread and what follows `panicked at `.
fn panic(line: &str) -> Option<(&str, &str)> {
    let (thread, rest) = line.trim_start().strip_prefix("thread '")?.split_once('\'')?;
    rest.split_once("panicked at ").map(|(_, rest)| (thread, rest))
}

/// Returns the message of a panic and the line behind it.
fn panic_message(lines: &OutputLines<'_>, at: usize, rest: &str) -> (String, usize) {
    // Before Rust 1.73: `panicked at 'message', src/a.rs:1:2`.
    if let Some((message, _)) = rest.strip_prefix('\'').and_then(|rest| rest.rsplit_once("', ")) {
        return (message.to_owned(), at + 1);
    }
    let mut message = lines.get(at + 1).trim().to_owned();
    let mut end = (at + 2).min(lines.len());
    let mut values = Vec::new();
    while end < lines.len() && values.len() < 2 {
        let line = lines.get(end).trim_start();
        if !(line.starts_with("left: ") || line.starts_with("right: ")) {
            break;
        }
        values.push(line.to_owned());
        end += 1;
    }
    if !values.is_empty() {
        message = format!("{message} ({})", values.join(", "));
    }
    (message, end)
}
