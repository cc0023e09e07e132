//! Failed tests of pytest and unittest, and rules of ruff and mypy.

use std::collections::HashMap;

use super::output::{FindingsByLine, OutputLines, is_rule_code, position, rule_at_end};
use super::{Finding, FindingKind};

/// A failed test as its block tells it.
struct FailedTest<'a> {
    at: usize,
    name: String,
    message: Option<&'a str>,
    place: Option<(&'a str, u32)>,
    summarised: bool,
}

/// Finds the failed tests of pytest and unittest, and takes what they print.
pub(super) fn tests(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    pytest(lines, found);
    unittest(lines, found);
}

fn pytest(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    let mut blocks: Vec<FailedTest<'_>> = Vec::new();
    let mut summaries: Vec<(usize, &str)> = Vec::new();
    let mut in_failures = false;
    let mut in_captured = false;
    for at in 0..lines.len() {
        let line = lines.get(at);
        if line.starts_with("FAILED ") || line.starts_with("ERROR ") {
            let name = line.split_once(' ').map_or("", |(_, name)| name);
            let file = name.split("::").next().unwrap_or_default();
            let file = file.split(" - ").next().unwrap_or_default();
            if file.ends_with(".py") && !file.contains(' ') {
                summaries.push((at, name));
                lines.take(at..at + 1);
            }
            continue;
        }
        if line.starts_with("====") {
            let title = line.trim_matches('=').trim();
            in_failures = matches!(title, "FAILURES" | "ERRORS");
            in_captured = false;
            continue;
        }
        let title = line.trim_matches('_').trim();
        if line.starts_with("____") && !title.is_empty() && line.ends_with('_') {
            in_failures = true;
            in_captured = false;
            let name = ["ERROR collecting ", "ERROR at setup of ", "ERROR at teardown of "]
                .iter()
                .find_map(|start| title.strip_prefix(start))
                .unwrap_or(title);
            blocks.push(FailedTest {
                at,
                name: block_name(name),
                message: None,
                place: None,
                summarised: false,
            });
            continue;
        }
        if !in_failures && !line.starts_with("E   ") {
            continue;
        }
        in_captured |= line.starts_with("----") && line.contains("Captured ");
        if !in_captured {
            read_traceback(line, at, &mut blocks);
        }
        lines.take(at..at + 1);
    }
    if !summaries.is_empty() {
        // The beginning of a cut block has no name.
        blocks.retain(|block| !block.name.is_empty());
    }
    let mut named: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, block) in blocks.iter().enumerate().rev() {
        named.entry(block.name.clone()).or_default().push(index);
    }
    for (at, summary) in summaries {
        let (name, _) = summary.split_once(" - ").unwrap_or((summary, ""));
        let key = name.split_once("::").map_or(name, |(_, test)| test);
        let block = named.get_mut(&block_name(key)).and_then(Vec::pop);
        found.push((at, summarised(summary, block.map(|index| &mut blocks[index]))));
    }
    for block in blocks.iter().filter(|block| !block.summarised) {
        if let Some(message) = block.message {
            found.push((block.at, finding(&block.name, message, block.place, None)));
        }
    }
}

/// Reads the message and the place of the last block.
fn read_traceback<'a>(line: &'a str, at: usize, blocks: &mut Vec<FailedTest<'a>>) {
    if let Some(message) = line.strip_prefix("E  ") {
        let message = message.trim();
        if blocks.is_empty() {
            let name = String::new();
            blocks.push(FailedTest { at, name, message: None, place: None, summarised: false });
        }
        if let Some(block) = blocks.last_mut()
            && block.message.is_none()
            && !message.is_empty()
        {
            block.message = Some(message);
        }
    } else if let Some(place) = position(line)
        && place.extension() == "py"
        && let Some(block) = blocks.last_mut()
    {
        let is_library = place.file.contains("site-packages");
        if block.place.is_none() || !is_library {
            block.place = Some((place.file, place.line));
        }
    }
}

/// Returns the name of a test or file in one form: blocks have `Class.test` where the summary has
/// `Class::test`.
fn block_name(name: &str) -> String {
    name.replace('.', "::").replace("::py", ".py")
}

/// Returns the finding of a line of the summary, with what its block tells.
fn summarised(summary: &str, block: Option<&mut FailedTest<'_>>) -> Finding {
    let (name, reason) = summary.split_once(" - ").unwrap_or((summary, ""));
    let (file, test) = name.split_once("::").unwrap_or((name, ""));
    let (mut message, mut place) = (reason, None);
    if let Some(block) = block {
        block.summarised = true;
        message = block.message.unwrap_or(reason);
        place = block.place;
    }
    finding(test, message, place, Some(file))
}

fn finding(test: &str, message: &str, place: Option<(&str, u32)>, file: Option<&str>) -> Finding {
    let finding = Finding::new(FindingKind::Test, "pytest", message).test(test);
    match (place, file) {
        (Some((file, line)), _) => finding.at(file, Some(line)),
        (None, Some(file)) => finding.at(file, None),
        (None, None) => finding,
    }
}

/// Reads `FAIL: test_x (module.Class)` with the traceback behind it.
fn unittest(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    let mut at = 0;
    while at < lines.len() {
        let line = lines.get(at);
        let name = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "));
        let Some(name) = name.filter(|name| name.ends_with(')') && name.contains(" (")) else {
            at += 1;
            continue;
        };
        let start = at;
        let mut place = None;
        let mut message = None;
        at += 1;
        while at < lines.len() && at < start + 120 {
            let line = lines.get(at);
            if line.starts_with("====") || line.starts_with("Ran ") {
                break;
            }
            if let Some((file, rest)) = line
                .trim_start()
                .strip_prefix("File \"")
                .and_then(|line| line.split_once("\", line "))
            {
                let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
                place = digits.parse().ok().map(|line| (file, line));
            } else if place.is_some() && is_python_exception(line) {
                message = Some(line);
            }
            at += 1;
        }
        if let Some(message) = message {
            let test = name.split(" (").next().unwrap_or(name);
            let finding = Finding::new(FindingKind::Test, "unittest", message).test(test);
            found.push((
                start,
                match place {
                    Some((file, line)) => finding.at(file, Some(line)),
                    None => finding,
                },
            ));
            lines.take(start..at);
        }
    }
}

fn is_python_exception(line: &str) -> bool {
    let class = line.split(':').next().unwrap_or_default();
    let name = class.rsplit('.').next().unwrap_or(class);
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && class.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
}

/// Finds what ruff prints as blocks, and types that mypy and pyright report.
pub(super) fn linters(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    for at in 0..lines.len() {
        let line = lines.get(at);
        // ruff: `F401 [*] message`, then ` --> file.py:1:2`.
        if let Some((code, message)) = line.split_once(' ')
            && (is_rule_code(code) || code == "invalid-syntax:")
            && let Some(place) =
                lines.get(at + 1).trim_start().strip_prefix("--> ").and_then(position)
        {
            let message = message.strip_prefix("[*] ").unwrap_or(message);
            let finding = if is_rule_code(code) {
                Finding::new(FindingKind::Lint, "ruff", message).rule(code)
            } else {
                Finding::new(FindingKind::Compile, "ruff", message)
            };
            found.push((at, finding.at(place.file, Some(place.line))));
            continue;
        }
        // pyright: `  /path/file.py:1:2 - error: message (rule)`.
        if line.starts_with(' ')
            && let Some(place) = position(line.trim_start())
            && matches!(place.extension(), "py" | "pyi")
            && let Some(message) = place.rest.strip_prefix("error: ")
        {
            let (message, rule) = rule_at_end(message, '(', ')').unwrap_or((message, ""));
            let finding = Finding::new(FindingKind::Types, "pyright", message);
            found.push((at, finding.rule(rule).at(place.file, Some(place.line))));
        }
    }
}
