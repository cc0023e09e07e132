//! Failed tests of jest and vitest, and findings of tsc, eslint and biome.

use super::output::{FilePosition, FindingsByLine, OutputLines, is_log, position, rule_at_end};
use super::{Finding, FindingKind};

/// Lines of a failed test that are read.
const MAX_BLOCK: usize = 60;

/// Finds the failed tests of jest and vitest, and takes what they print.
pub(super) fn tests(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    let mut file: Option<&str> = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines.get(at);
        let bare = line.trim_start();
        if let Some(rest) = bare.strip_prefix("FAIL ") {
            let rest = rest.trim_start();
            let name = rest.split_whitespace().next().unwrap_or_default();
            if is_script(name) && rest.contains(" > ") || rest.contains(" [ ") {
                at = vitest_block(lines, at, rest, found);
                continue;
            }
            if is_script(name) {
                file = Some(name);
            }
        } else if let Some(name) = bare.strip_prefix("● ")
            && !name.starts_with("Console")
        {
            at = jest_block(lines, at, name, file, found);
            continue;
        }
        at += 1;
    }
}

fn is_script(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(
        extension,
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte"
    )
}

fn jest_block(
    lines: &mut OutputLines<'_>,
    start: usize,
    name: &str,
    file: Option<&str>,
    found: &mut FindingsByLine,
) -> usize {
    let end = end_of_block(lines, start + 1, |line| {
        line.trim_start().starts_with("● ") || is_jest_end(line)
    });
    let test = name.rsplit(" › ").next().unwrap_or(name);
    let test = if name == "Test suite failed to run" { "" } else { test };
    if let Some(message) = js_message(lines, start + 1, end) {
        let finding = Finding::new(FindingKind::Test, "jest", &message).test(test);
        let place = (start..end).find_map(|at| frame(lines.get(at)));
        found.push((start, with_place(finding, place, file)));
    }
    lines.take(start..end);
    end
}

fn is_jest_end(line: &str) -> bool {
    ["PASS ", "FAIL ", "Test Suites:", "Tests:", "Summary of all failing"]
        .iter()
        .any(|start| line.trim_start().starts_with(start))
}

fn vitest_block(
    lines: &mut OutputLines<'_>,
    start: usize,
    heading: &str,
    found: &mut FindingsByLine,
) -> usize {
    // Tests that fail alike are listed above one message.
    let mut headings = vec![heading];
    let mut body = start + 1;
    while let Some(rest) = lines.get(body).trim_start().strip_prefix("FAIL ")
        && headings.len() < MAX_BLOCK
    {
        headings.push(rest.trim_start());
        body += 1;
    }
    let end = end_of_block(lines, body, |line| {
        let line = line.trim_start();
        line.starts_with("⎯⎯") || line.starts_with("FAIL ") || line.starts_with("Test Files ")
    });
    if let Some(message) = js_message(lines, body, end) {
        let place = (body..end).find_map(|at| frame(lines.get(at)));
        for heading in headings {
            let file = heading.split_whitespace().next();
            let test = if heading.contains(" > ") { heading.rsplit(" > ").next() } else { None };
            let finding =
                Finding::new(FindingKind::Test, "vitest", &message).test(test.unwrap_or_default());
            found.push((start, with_place(finding, place, file)));
        }
    }
    lines.take(start..end);
    end
}

fn with_place(finding: Finding, place: Option<FilePosition<'_>>, file: Option<&str>) -> Finding {
    match (place, file) {
        (Some(place), _) => finding.at(place.file, Some(place.line)),
        (None, Some(file)) => finding.at(file, None),
        (None, None) => finding,
    }
}

fn end_of_block(lines: &OutputLines<'_>, start: usize, ends: impl Fn(&str) -> bool) -> usize {
    let most = lines.len().min(start + MAX_BLOCK);
    (start..most).find(|at| ends(lines.get(*at))).unwrap_or(most)
}

/// Returns the first telling line of a block, with the expected and the received value.
fn js_message(lines: &OutputLines<'_>, start: usize, end: usize) -> Option<String> {
    let first = (start..end).find(|at| {
        let line = lines.get(*at).trim();
        !line.is_empty()
            && !line.starts_with("at ")
            && line != "thrown:"
            && !line.starts_with('●')
            && !is_log(line)
    })?;
    let message = lines.get(first).trim().trim_end_matches(" // Object.is equality");
    let message = message.strip_prefix("thrown: ").unwrap_or(message).trim_start_matches('"');
    let mut message = message.to_owned();
    if message.starts_with("expect(") || message.ends_with(':') {
        let values: Vec<&str> = (first + 1..end)
            .map(|at| lines.get(at).trim())
            .filter(|line| {
                line.starts_with("Expected")
                    || line.starts_with("Received")
                    || line.starts_with("Error:")
            })
            .filter(|line| line.contains(": "))
            .take(2)
            .collect();
        if !values.is_empty() {
            message = format!("{}: {}", message.trim_end_matches(':'), values.join(", "));
        }
    }
    Some(message)
}

/// Reads the place in a frame: `at f (src/a.ts:1:2)` or `❯ src/a.ts:1:2`.
fn frame(line: &str) -> Option<FilePosition<'_>> {
    let line = line.trim();
    let place = if let Some(rest) = line.strip_prefix("❯ ") {
        rest.rsplit(' ').next().unwrap_or(rest)
    } else {
        let rest = line.strip_prefix("at ")?;
        rest.rsplit(['(', ' ']).next().unwrap_or(rest).trim_end_matches(')')
    };
    position(place).filter(|place| is_script(place.file) && !place.file.contains("node_modules"))
}

/// Finds what tsc, eslint and biome report.
pub(super) fn linters(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    let mut file: Option<&str> = None;
    for at in 0..lines.len() {
        let line = lines.get(at);
        let bare = line.trim_start();
        if bare.is_empty() {
            continue;
        }
        if let Some((place, message)) = tsc(bare) {
            let (code, message) = message.split_once(": ").unwrap_or(("", message));
            let finding = Finding::new(FindingKind::Types, "tsc", message).rule(code);
            found.push((
                at,
                match place {
                    Some(place) => finding.at(place.file, Some(place.line)),
                    None => finding,
                },
            ));
        } else if let Some(finding) = biome(lines, at, bare) {
            found.push((at, finding));
        } else if bare.len() == line.len() && !is_problem(bare) {
            // eslint prints the file, then its problems.
            file = Some(line).filter(|line| !line.contains(' ') && line.contains('.'));
        } else if let Some(file) = file
            && let Some((number, message, rule)) = eslint(bare)
        {
            let finding = Finding::new(FindingKind::Lint, "eslint", message);
            found.push((at, finding.rule(rule).at(file, Some(number))));
        }
    }
}

/// Returns true if a line begins with the place of a problem rather than with a file.
fn is_problem(line: &str) -> bool {
    line.starts_with(|c: char| c.is_ascii_digit()) && eslint(line).is_some()
}

/// Reads `file.ts(1,2): error TS2345: message` and `file.ts:1:2 - error TS2345: message`.
fn tsc(line: &str) -> Option<(Option<FilePosition<'_>>, &str)> {
    let at = line.find("error TS")?;
    let message = &line[at + "error ".len()..];
    if at == 0 {
        return Some((None, message));
    }
    position(line).filter(|place| place.rest.starts_with("error TS")).map(|p| (Some(p), message))
}

/// Reads `12:5  error  message  rule`, and `12:5  Error: message  rule` of `next lint`.
fn eslint(line: &str) -> Option<(u32, &str, &str)> {
    let (place, rest) = line.split_once(' ')?;
    let (number, column) = place.split_once(':')?;
    column.parse::<u32>().ok()?;
    let number = number.parse().ok()?;
    let rest = rest.trim_start();
    let message = rest.strip_prefix("error ").or_else(|| rest.strip_prefix("Error: "))?.trim();
    let (message, rule) = message.rsplit_once("  ").unwrap_or((message, ""));
    let (message, rule) = if rule.contains(' ') { (message, "") } else { (message, rule) };
    Some((number, message.trim(), rule))
}

/// Reads `file.ts:1:2 lint/style/useConst ━━━`, then the message behind a cross.
fn biome(lines: &OutputLines<'_>, at: usize, line: &str) -> Option<Finding> {
    if !line.ends_with("━━") {
        return None;
    }
    let (place, rest) = line.split_once(' ')?;
    let rule = rest.split_whitespace().next()?;
    let message = (at + 1..at + 6).find_map(|at| {
        let line = lines.get(at).trim_start();
        line.strip_prefix("× ").or_else(|| line.strip_prefix("✖ "))
    })?;
    if rule == "format" {
        return Some(
            Finding::new(FindingKind::Lint, "biome", message).rule("format").at(place, None),
        );
    }
    let kind =
        if rule.starts_with("lint/") || rule.starts_with("assist/") || rule == "organizeImports" {
            FindingKind::Lint
        } else if rule == "parse" {
            FindingKind::Compile
        } else {
            return None;
        };
    let finding = Finding::new(kind, "biome", message).rule(rule);
    Some(match position(place) {
        Some(place) => finding.at(place.file, Some(place.line)),
        None => finding.at(place, None),
    })
}

/// Reads what eslint prints in its other formats, `file.js:1:2: message [Error/rule]`.
pub(super) fn unix_eslint<'a>(place: &FilePosition<'a>) -> Option<(&'a str, &'a str)> {
    let (message, rule) = rule_at_end(place.rest, '[', ']')?;
    rule.strip_prefix("Error/").map(|rule| (message, rule))
}
