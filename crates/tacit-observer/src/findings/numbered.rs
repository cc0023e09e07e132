//! Failed tests that runners list with numbers: rspec, minitest, phpunit, mocha and ExUnit.

use super::output::{FindingsByLine, OutputLines, indent, is_log, position};
use super::{Finding, FindingKind};

const MAX_BLOCK: usize = 60;

/// Finds the failed tests of runners that number them, and takes their lines.
pub(super) fn tests(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    let mut at = 0;
    while at < lines.len() {
        let Some(heading) = heading(lines.get(at)) else {
            at += 1;
            continue;
        };
        let most = lines.len().min(at + MAX_BLOCK);
        let end = (at + 1..most)
            .find(|next| self::heading(lines.get(*next)).is_some() || is_end(lines.get(*next)))
            .unwrap_or(most);
        let finding = rspec(lines, at, end, heading)
            .or_else(|| minitest(lines, at, end, heading))
            .or_else(|| exunit(lines, at, end, heading))
            .or_else(|| phpunit(lines, at, end, heading))
            .or_else(|| mocha(lines, at, end, heading));
        match finding {
            Some(finding) => {
                found.push((at, finding));
                lines.take(at..end);
                at = end;
            }
            None => at += 1,
        }
    }
}

/// Returns the text behind `1) `.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=4).contains(&digits).then_some(())?;
    line[digits..].strip_prefix(") ").map(str::trim)
}

fn is_end(line: &str) -> bool {
    ["Finished in", "Failed examples:", "FAILURES!", "ERRORS!", "Tests: ", "--"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Returns a block's lines without indentation, the empty ones left out.
fn block<'a>(lines: &OutputLines<'a>, start: usize, end: usize) -> Vec<&'a str> {
    (start..end).map(|at| lines.get(at).trim()).filter(|line| !line.is_empty()).collect()
}

fn placed(finding: Finding, block: &[&str], extensions: &[&str]) -> Finding {
    let place = block.iter().find_map(|line| {
        let line = line.trim_start_matches("# ").trim_start_matches("at ");
        let line = line.split(":in ").next().unwrap_or(line);
        position(line.trim_start_matches("./").trim_end_matches(']'))
            .filter(|place| extensions.contains(&place.extension()))
    });
    match place {
        Some(place) => finding.at(place.file, Some(place.line)),
        None => finding,
    }
}

fn rspec(lines: &OutputLines<'_>, at: usize, end: usize, name: &str) -> Option<Finding> {
    let block = block(lines, at + 1, end);
    let failure = block.iter().position(|line| line.starts_with("Failure/Error:"))?;
    let code = block[failure]["Failure/Error:".len()..].trim();
    let expected = block[failure + 1..].iter().position(|line| line.starts_with("expected"));
    let message = match expected {
        Some(expected) => {
            let lines = &block[failure + 1 + expected..];
            let got = lines.get(1).filter(|line| line.starts_with("got"));
            format!("{}{}", lines[0], got.map_or(String::new(), |got| format!(", {got}")))
        }
        None => block[failure + 1..]
            .iter()
            .find(|line| !line.starts_with('#') && !line.ends_with("Error:"))
            .map_or(code, |line| *line)
            .to_owned(),
    };
    Some(placed(Finding::new(FindingKind::Test, "rspec", &message).test(name), &block, &["rb"]))
}

fn minitest(lines: &OutputLines<'_>, at: usize, end: usize, heading: &str) -> Option<Finding> {
    let kind = heading.trim_end_matches(':');
    if !matches!(kind, "Failure" | "Error") || !heading.ends_with(':') {
        return None;
    }
    let block = block(lines, at + 1, end);
    let name = block.first()?;
    let test = name.split([' ', ':']).next().unwrap_or(name);
    let message = match block.get(1..3) {
        Some([expected, actual])
            if expected.starts_with("Expected") && actual.starts_with("Actual") =>
        {
            format!("{expected}, {actual}")
        }
        _ => (*block.get(1)?).to_owned(),
    };
    let finding = Finding::new(FindingKind::Test, "minitest", &message).test(test);
    let place = name
        .split_once('[')
        .and_then(|(_, place)| position(place.trim_end_matches(['[', ']', ':'])));
    Some(match place {
        Some(place) => finding.at(place.file, Some(place.line)),
        None => finding,
    })
}

fn exunit(lines: &OutputLines<'_>, at: usize, end: usize, heading: &str) -> Option<Finding> {
    let name = heading.strip_prefix("test ").or_else(|| heading.strip_prefix("property "))?;
    let block = block(lines, at + 1, end);
    let place = position(block.first()?).filter(|place| place.extension() == "exs")?;
    let told = block.get(1)?;
    let code = block.iter().find_map(|line| line.strip_prefix("code:"));
    let message = match code {
        Some(code) => format!("{told}: {}", code.trim()),
        None => (*told).to_owned(),
    };
    let name = name.split(" (").next().unwrap_or(name);
    let finding = Finding::new(FindingKind::Test, "mix test", &message).test(name);
    Some(finding.at(place.file, Some(place.line)))
}

fn phpunit(lines: &OutputLines<'_>, at: usize, end: usize, heading: &str) -> Option<Finding> {
    let name = heading.split(" with data set").next().unwrap_or(heading);
    let (class, method) = name.split_once("::")?;
    if indent(lines.get(at)) > 0 || class.contains(' ') || method.contains([' ', ':']) {
        return None;
    }
    let block = block(lines, at + 1, end);
    let message = block.first().filter(|line| !is_log(line))?;
    Some(placed(
        Finding::new(FindingKind::Test, "phpunit", message).test(heading),
        &block,
        &["php"],
    ))
}

/// Reads the suites and the name on lines of their own, then the message, as mocha prints it.
fn mocha(lines: &OutputLines<'_>, at: usize, end: usize, heading: &str) -> Option<Finding> {
    let block = block(lines, at + 1, end);
    let (name, rest) = if let Some(name) = heading.strip_suffix(':') {
        (name, &block[..])
    } else {
        let last = block.iter().take(6).position(|line| line.ends_with(':'))?;
        (block[last].trim_end_matches(':'), &block[last + 1..])
    };
    let message = rest.first()?;
    let class = message.split([':', ' ']).next().unwrap_or_default();
    let is_error = class.ends_with("Error") && class.starts_with(|c: char| c.is_ascii_uppercase());
    is_error.then(|| {
        let frames: Vec<&str> = rest
            .iter()
            .filter_map(|line| line.strip_prefix("at "))
            .map(|line| line.rsplit(['(', ' ']).next().unwrap_or(line).trim_end_matches(')'))
            .collect();
        let finding = Finding::new(FindingKind::Test, "mocha", message).test(name);
        placed(finding, &frames, &["js", "ts", "mjs", "cjs", "tsx", "jsx"])
    })
}
