//! Failed tests of `go test`.

use std::collections::{HashMap, HashSet};

use super::output::{FilePosition, FindingsByLine, OutputLines, indent, is_log, position};
use super::{Finding, FindingKind};

/// Lines of a failed test that are read, so that tests with long logs stay cheap.
const MAX_LINES_OF_TEST: usize = 400;

/// Words in the message of a failed assertion, which a log line of the test seldom has.
const TELLING: [&str; 22] = [
    "expect",
    "want",
    "got ",
    "got:",
    "unexpected",
    "should",
    "error",
    "fail",
    "mismatch",
    " not ",
    "no ",
    "cannot",
    "could not",
    "missing",
    "timed out",
    "timeout",
    "nil",
    "differ",
    "invalid",
    "panic",
    "must ",
    "wrong",
];

/// Finds the failed tests of `go test`, each with the line that tells best why it failed, and takes
/// what tests print.
pub(super) fn tests(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    if !lines.iter().any(|(_, line)| line.trim_start().starts_with("--- FAIL: ")) {
        return;
    }
    let mut printed: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut current: Option<&str> = None;
    let mut failed: Vec<(usize, &str)> = Vec::new();
    for (at, line) in lines.iter() {
        let bare = line.trim_start();
        if let Some(name) =
            ["=== RUN ", "=== NAME ", "=== CONT "].iter().find_map(|start| bare.strip_prefix(start))
        {
            current = Some(name.trim());
        } else if let Some(rest) = bare.strip_prefix("--- ") {
            let (result, name) = rest.split_once(": ").unwrap_or_default();
            let name = name.split_whitespace().next().unwrap_or_default();
            current = (result == "FAIL" || result == "SKIP" || result == "PASS").then_some(name);
            if result == "FAIL" {
                failed.push((at, name));
            }
        } else if line.starts_with("FAIL") || line.starts_with("ok  ") || line.starts_with("# ") {
            current = None;
        } else if let Some(name) = current
            && !bare.is_empty()
        {
            let of_test = printed.entry(name).or_default();
            if of_test.len() < MAX_LINES_OF_TEST {
                of_test.push(at);
            }
        }
    }
    let groups: HashSet<&str> = failed
        .iter()
        .flat_map(|(_, name)| name.match_indices('/').map(|(end, _)| &name[..end]))
        .collect();
    for (at, name) in &failed {
        let told = printed.get(name).and_then(|of_test| best_line(lines, of_test));
        let is_group = groups.contains(name);
        if told.is_none() && is_group {
            continue;
        }
        let finding = Finding::new(
            FindingKind::Test,
            "go test",
            told.as_ref().map_or("", |(_, message)| message),
        )
        .test(name);
        let place = told.and_then(|(place, _)| place);
        found.push((
            *at,
            match place {
                Some(place) => finding.at(place.file, Some(place.line)),
                None => finding,
            },
        ));
    }
    let taken: Vec<usize> = printed.into_values().flatten().collect();
    for at in taken {
        lines.take(at..at + 1);
    }
}

/// Returns the place and the message of the line that tells best why a test failed.
fn best_line<'a>(
    lines: &OutputLines<'a>,
    of_test: &[usize],
) -> Option<(Option<FilePosition<'a>>, String)> {
    let mut best: Option<(u8, Option<FilePosition<'a>>, String)> = None;
    for (index, at) in of_test.iter().enumerate() {
        let line = lines.get(*at);
        let (place, message) = if line.starts_with("panic: ") {
            (panic_place(lines, &of_test[index..]), line.to_owned())
        } else {
            let Some(place) = position(line.trim_start())
                .filter(|place| place.extension() == "go" && !place.column && indent(line) >= 4)
            else {
                continue;
            };
            if is_log(place.rest) || has_level(place.rest) {
                continue;
            }
            (Some(place), message(lines, &of_test[index..], place))
        };
        if message.is_empty() {
            continue;
        }
        let lower = message.to_lowercase();
        let is_telling = TELLING.iter().any(|word| lower.contains(word));
        let is_in_test = place.is_some_and(|place| place.file.ends_with("_test.go"));
        let rank = u8::from(is_telling) * 2 + u8::from(is_in_test) + u8::from(place.is_none()) * 4;
        // Among plain lines the last counts: the test ends with it.
        let is_better =
            best.as_ref().is_none_or(|(best, ..)| rank > *best || (rank == *best && !is_telling));
        if is_better {
            best = Some((rank, place, message));
        }
    }
    best.map(|(_, place, message)| (place, message))
}

fn has_level(text: &str) -> bool {
    [" INFO ", " DEBUG ", " WARN ", "level="].iter().any(|level| text.contains(level))
}

/// Returns the first frame of a panic in a test file.
fn panic_place<'a>(lines: &OutputLines<'a>, rest: &[usize]) -> Option<FilePosition<'a>> {
    rest.iter()
        .take(60)
        .filter_map(|at| position(lines.get(*at).trim_start()))
        .find(|place| place.file.ends_with("_test.go"))
}

/// Returns the message at a place, with the parts that testify prints on lines of their own.
fn message(lines: &OutputLines<'_>, rest: &[usize], place: FilePosition<'_>) -> String {
    let depth = indent(lines.get(rest[0]));
    let block: Vec<&str> = rest[1..]
        .iter()
        .take(30)
        .map(|at| lines.get(*at))
        .take_while(|line| indent(line) > depth && !line.trim_start().starts_with("--- "))
        .map(str::trim)
        .collect();
    if let Some(error) = block.iter().position(|line| line.starts_with("Error:")) {
        let mut text = block[error]["Error:".len()..].trim().to_owned();
        for line in block[error + 1..].iter().take_while(|line| !line.starts_with("Test:")) {
            let is_value = line.starts_with("expected") || line.starts_with("actual");
            if text.is_empty() || (is_value && line.contains(':')) {
                if !text.is_empty() {
                    text.push_str(if text.ends_with(':') { " " } else { ", " });
                }
                text.push_str(&line.replacen("actual  :", "actual:", 1));
            }
        }
        if let Some(said) = block.iter().find_map(|line| line.strip_prefix("Messages:")) {
            text = format!("{}: {text}", said.trim());
        }
        return text;
    }
    if place.rest.is_empty() {
        return block.iter().find(|line| !line.is_empty()).copied().unwrap_or_default().to_owned();
    }
    place.rest.to_owned()
}
