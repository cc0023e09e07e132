//! Builds and tests of gradle, maven, sbt and the Kotlin compiler.

use std::collections::HashSet;

use super::output::{FindingsByLine, OutputLines, indent, position};
use super::{Finding, FindingKind};

const MAX_BLOCK: usize = 40;

/// Reasons that only say that something before them failed.
const SUMMARIES: [&str; 7] = [
    "There were failing tests",
    "There was a failure while executing work items",
    "Compilation failed; see the compiler",
    "Compilation error",
    "Process 'command",
    "Execution failed for task",
    "A failure occurred while executing",
];

/// Finds the failed tests of gradle and surefire, and takes their lines.
pub(super) fn tests(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    for at in 0..lines.len() {
        let line = lines.get(at);
        let (tool, name) = if let Some(name) = gradle_test(line) {
            ("gradle", name)
        } else if let Some(name) = surefire_test(line) {
            ("maven", name)
        } else {
            continue;
        };
        let Some(message) =
            (at + 1..at + 4).map(|at| lines.get(at).trim()).find(|line| !line.is_empty())
        else {
            continue;
        };
        let class = name.rsplit_once('.').map_or(name, |(class, _)| class);
        let class = class.rsplit('.').next().unwrap_or(class);
        let mut finding = Finding::new(FindingKind::Test, tool, message).test(name);
        let place = (at + 2..at + MAX_BLOCK)
            .map(|at| lines.get(at).trim())
            .take_while(|line| !line.is_empty())
            .find_map(|line| frame(line, class));
        if let Some((file, line)) = place {
            finding = finding.at(file, Some(line));
        }
        found.push((at, finding));
    }
    summaries(lines, found);
}

/// Reads `MyTest > adds() FAILED`.
fn gradle_test(line: &str) -> Option<&str> {
    let name = line.strip_suffix(" FAILED")?;
    (name.contains(" > ") && !name.starts_with("> ") && indent(line) == 0).then_some(name)
}

/// Reads `[ERROR] com.x.MyTest.adds -- Time elapsed: 0.01 s <<< FAILURE!`.
fn surefire_test(line: &str) -> Option<&str> {
    let line = line.strip_suffix(" <<< FAILURE!").or_else(|| line.strip_suffix(" <<< ERROR!"))?;
    let line = line.strip_prefix("[ERROR] ").unwrap_or(line);
    let name = line.split_whitespace().next()?.trim_end_matches([':', '-']);
    (!line.contains("Tests run:") && name.contains(['.', '('])).then_some(name)
}

/// Reads the place in `at com.x.MyTest.adds(MyTest.java:12)` or `at MyTest.java:12`.
fn frame<'a>(line: &'a str, class: &str) -> Option<(&'a str, u32)> {
    let rest = line.strip_prefix("at ")?;
    let place = rest.rsplit_once('(').map_or(rest, |(_, place)| place.trim_end_matches(')'));
    let place = position(place)?;
    let stem = place.file.split('.').next().unwrap_or_default();
    (stem.ends_with("Test") || stem.ends_with("Tests") || stem == class)
        .then_some((place.file, place.line))
}

/// Reads the tests that surefire lists below `Failures:` and that no block told:
/// `[ERROR]   MyTest.adds:12 expected: <3> but was: <4>`.
fn summaries(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    let told: HashSet<String> = found
        .iter()
        .filter(|(_, known)| known.tool == "maven")
        .filter_map(|(_, known)| known.test.as_deref()?.rsplit('.').next())
        .map(str::to_owned)
        .collect();
    let mut in_list = false;
    for at in 0..lines.len() {
        let Some(rest) = lines.get(at).strip_prefix("[ERROR] ") else { continue };
        let rest = rest.trim();
        if rest.ends_with(':') || rest.starts_with("Tests run:") {
            in_list = matches!(rest, "Failures:" | "Errors:");
            continue;
        }
        let Some((place, message)) = rest.split_once(' ').filter(|_| in_list) else { continue };
        let Some((name, number)) = place.rsplit_once(':') else { continue };
        let name = name.split("->").next().unwrap_or(name);
        let (Ok(number), Some((class, method))) = (number.parse(), name.rsplit_once('.')) else {
            continue;
        };
        if !told.contains(method) {
            let finding =
                Finding::new(FindingKind::Test, "maven", message.trim_start_matches("» "));
            found.push((at, finding.test(name).at(&format!("{class}.java"), Some(number))));
        }
        lines.take(at..at + 1);
    }
}

/// Finds compile errors of maven, sbt and Kotlin, and the reasons of failed gradle builds.
pub(super) fn builds(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    let mut reasons = Vec::new();
    for at in 0..lines.len() {
        let line = lines.get(at);
        if let Some(rest) = line.strip_prefix("[ERROR] ").or_else(|| line.strip_prefix("[error] "))
        {
            if let Some(finding) = maven_compiler(lines, at, rest) {
                found.push((at, finding));
            }
        } else if let Some(rest) = line.strip_prefix("e: ") {
            if let Some(finding) = kotlin(rest) {
                found.push((at, finding));
            }
        } else if line.starts_with("* What went wrong:") {
            let reason = (at + 1..at + 8)
                .map(|at| lines.get(at))
                .take_while(|line| !line.is_empty() && !line.starts_with('*'))
                .map(|line| line.trim_start().trim_start_matches("> "))
                .find(|line| !SUMMARIES.iter().any(|start| line.starts_with(start)));
            if let Some(reason) = reason {
                reasons.push((at, Finding::new(FindingKind::Usage, "gradle", reason)));
            }
        }
    }
    if found.is_empty() {
        found.extend(reasons);
    }
}

/// Reads `/path/File.java:[1,2] message` of maven and `/path/File.scala:1:2: message` of sbt.
fn maven_compiler(lines: &OutputLines<'_>, at: usize, rest: &str) -> Option<Finding> {
    if let Some((file, place)) = rest.split_once(":[") {
        let (place, message) = place.split_once("] ")?;
        let number = place.split(',').next()?.parse().ok()?;
        let symbol = (at + 1..at + 3).find_map(|at| {
            let line = lines.get(at).trim_start_matches("[ERROR]").trim_start();
            line.strip_prefix("symbol:")
        });
        let message = with_symbol(message, symbol);
        return Some(Finding::new(FindingKind::Compile, "javac", &message).at(file, Some(number)));
    }
    let place = position(rest).filter(|place| place.extension() == "scala")?;
    Some(Finding::new(FindingKind::Compile, "scalac", place.rest).at(place.file, Some(place.line)))
}

/// Appends the symbol that javac prints below `cannot find symbol`.
pub(super) fn with_symbol(message: &str, symbol: Option<&str>) -> String {
    match symbol.map(str::trim) {
        Some(symbol) if message.ends_with("cannot find symbol") => format!("{message}: {symbol}"),
        _ => message.to_owned(),
    }
}

/// Reads `file:///path/File.kt:1:2 message` and `/path/File.kt: (1, 2): message`.
fn kotlin(rest: &str) -> Option<Finding> {
    let rest = rest.strip_prefix("file://").unwrap_or(rest);
    let (file, number, message) = if let Some((file, place)) = rest.split_once(": (") {
        let (place, message) = place.split_once("): ")?;
        (file, place.split(',').next()?.trim().parse().ok(), message)
    } else {
        let place = position(rest)?;
        (place.file, Some(place.line), place.rest)
    };
    Some(Finding::new(FindingKind::Compile, "kotlinc", message).at(file, number))
}
