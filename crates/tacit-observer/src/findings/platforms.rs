//! Failed tests of dotnet, Swift and Zig.

use super::output::{FindingsByLine, OutputLines, position};
use super::{Finding, FindingKind};

const MAX_BLOCK: usize = 40;

/// Finds the failed tests of dotnet, Swift and Zig.
pub(super) fn tests(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    let mut at = 0;
    while at < lines.len() {
        let line = lines.get(at);
        let finding = dotnet(lines, at).or_else(|| swift(line)).or_else(|| zig(lines, at));
        if let Some(finding) = finding {
            found.push((at, finding));
            lines.take(at..at + 1);
        }
        at += 1;
    }
}

/// Reads `  Failed Name [1 s]`, then `Error Message:` and `Stack Trace:`.
fn dotnet(lines: &OutputLines<'_>, at: usize) -> Option<Finding> {
    let rest = lines.get(at).trim_start().strip_prefix("Failed ")?;
    let (name, _) = rest.strip_suffix(']')?.rsplit_once(" [")?;
    let line = |at: usize| lines.get(at).trim();
    let message = (at + 1..at + 3).find(|at| line(*at) == "Error Message:")? + 1;
    let mut text = line(message).to_owned();
    let mut place = None;
    for at in message + 1..message + MAX_BLOCK {
        let line = line(at);
        if line.starts_with("Expected:") || line.starts_with("Actual:") {
            text = format!("{text} {line}");
        } else if let Some((_, rest)) = line.split_once(" in ").filter(|_| line.starts_with("at "))
        {
            place = place.or_else(|| {
                let (file, number) = rest.rsplit_once(":line ")?;
                Some((file.to_owned(), number.parse().ok()?))
            });
        } else if line.starts_with("Failed ") || line.starts_with("Passed ") {
            break;
        }
    }
    let finding = Finding::new(FindingKind::Test, "dotnet test", &text).test(name);
    Some(match place {
        Some((file, number)) => finding.at(&file, Some(number)),
        None => finding,
    })
}

/// Reads `File.swift:12: error: -[Module.Tests testX] : message` and
/// `✘ Test x() recorded an issue at File.swift:12:5: message`.
fn swift(line: &str) -> Option<Finding> {
    if let Some((test, rest)) = line.split_once(" recorded an issue at ") {
        let test = test.split_once("Test ")?.1;
        let place = position(rest)?;
        let finding = Finding::new(FindingKind::Test, "swift test", place.rest).test(test);
        return Some(finding.at(place.file, Some(place.line)));
    }
    let place = position(line).filter(|place| place.extension() == "swift")?;
    let (test, message) = place.rest.strip_prefix("error: ")?.split_once(" : ")?;
    let test = test.trim_start_matches("-[").trim_end_matches(']');
    let test = test.rsplit([' ', '.']).next().unwrap_or(test);
    let finding = Finding::new(FindingKind::Test, "swift test", message).test(test);
    Some(finding.at(place.file, Some(place.line)))
}

/// Reads `error: 'module.test.name' failed: message`.
fn zig(lines: &OutputLines<'_>, at: usize) -> Option<Finding> {
    let rest = lines.get(at).strip_prefix("error: '")?;
    let (name, message) = rest.split_once("' failed: ")?;
    name.contains("test.").then(|| Finding::new(FindingKind::Test, "zig test", message).test(name))
}
