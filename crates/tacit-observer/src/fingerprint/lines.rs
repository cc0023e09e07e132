//! Finds the error lines of an output.
//!
//! The rules know how common tools begin their lines; other lines are ranked by the words in them.

use std::borrow::Cow;

use super::tables::{EXACT, NOISE, PHRASES, SUMMARIES, WORDS};
use crate::findings::{is_quiet_log, without_task};

/// The significance of a line; the highest rank in an output decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LineRank {
    /// The name of a failed test.
    Test,
    /// A line that matches no rule.
    Plain,
    /// A line that only repeats that something failed.
    Summary,
    /// A line that reports a failure but perhaps not the reason.
    General,
    /// A line that names the error.
    Exact,
}

/// A line with its rank.
pub(super) struct RankedLine<'a> {
    pub(super) rank: LineRank,
    pub(super) text: Cow<'a, str>,
    /// True if the last of several such lines is the cause of the others.
    pub(super) cause_is_last: bool,
    pub(super) is_assertion: bool,
}

const MAX_LINE: usize = 600;

pub(super) fn ranked_lines(text: &str) -> Vec<RankedLine<'_>> {
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    let mut in_python = false;
    while let Some(line) = lines.next() {
        // Text before a carriage return was overwritten on the terminal: a progress bar.
        let line = line.trim_end().rsplit('\r').next().unwrap_or_default();
        let line = without_task(&line[..line.floor_char_boundary(MAX_LINE)]);
        let bare = line.trim_start_matches(|c: char| c.is_whitespace() || c == '│' || c == '×');
        let bare = without_step(bare);
        in_python |= bare.starts_with("Traceback (most recent call last)");
        if let Some(name) = test_name(bare) {
            found.push(line_with_rank(LineRank::Test, name.to_owned(), false));
            // pytest prints the reason after the name.
            if let Some((_, reason)) = bare.split_once(" - ").filter(|_| is_pytest(bare)) {
                found.push(line_with_rank(LineRank::Exact, reason.to_owned(), false));
            }
            continue;
        }
        if bare.contains("panicked at") || bare.starts_with("* What went wrong:") {
            let next = lines.next().map(str::trim).unwrap_or_default();
            // Before Rust 1.73 the message of a panic is on its line.
            let told = bare.split_once("panicked at '").map_or(next, |(_, told)| told);
            let text = told.strip_prefix("> ").unwrap_or(told).to_owned();
            let is_assertion = !bare.starts_with('*');
            found.push(RankedLine { is_assertion, ..line_with_rank(LineRank::Exact, text, false) });
            continue;
        }
        let is_exception = is_exception(bare);
        if (is_noise(bare) || is_quiet_log(bare)) && !is_exception {
            continue;
        }
        let rank = rank(bare, is_exception);
        let is_last =
            (is_exception && in_python && line == bare) || bare.starts_with("Caused by: ");
        found.push(RankedLine {
            rank,
            is_assertion: is_assertion(bare),
            cause_is_last: is_last && rank == LineRank::Exact,
            text: Cow::Borrowed(bare),
        });
    }
    found
}

fn line_with_rank(rank: LineRank, text: String, cause_is_last: bool) -> RankedLine<'static> {
    RankedLine { rank, is_assertion: is_assertion(&text), text: Cow::Owned(text), cause_is_last }
}

/// Removes the step and the time from a line of a Docker build: `#12 3.456 npm ERR! …`.
fn without_step(line: &str) -> &str {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let Some((step, rest)) = line.strip_prefix('#').and_then(|line| line.split_once(' ')) else {
        return line;
    };
    if step.is_empty() || !is_number(step) {
        return line;
    }
    rest.split_once(' ').map_or(rest, |(time, behind)| if is_number(time) { behind } else { rest })
}

fn is_noise(line: &str) -> bool {
    let only_signs = !line.chars().any(char::is_alphabetic);
    let is_frame = line.starts_with('|')
        || line.split_once(" | ").is_some_and(|(number, _)| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ')
        });
    let is_bar = line.contains("%|") || line.contains("[=") || line.contains("━━");
    only_signs || is_frame || is_bar || NOISE.iter().any(|start| line.starts_with(start))
}

fn rank(line: &str, is_exception: bool) -> LineRank {
    let begins = |starts: &[&str]| starts.iter().any(|start| line.starts_with(start));
    if begins(&SUMMARIES) && !line.contains("No rule to make target") {
        return LineRank::Summary;
    }
    let is_exact = is_exception
        || begins(&EXACT)
        || PHRASES.iter().any(|phrase| line.contains(phrase))
        || is_located(line);
    if is_exact {
        return LineRank::Exact;
    }
    let lower = line.to_lowercase();
    let is_likely = WORDS.iter().any(|word| lower.contains(word));
    if is_likely { LineRank::General } else { LineRank::Plain }
}

/// Returns true if a line begins with an exception class: `java.io.IOException: x`, `TypeError: x`.
fn is_exception(line: &str) -> bool {
    let line = line.strip_prefix("E   ").unwrap_or(line).trim_start();
    let head = line.split([':', ' ']).next().unwrap_or_default();
    let class = head.rsplit(['.', '\\']).next().unwrap_or(head);
    let has_ending = ["Error", "Exception", "Interrupt", "Exit", "DoesNotExist", "Timeout"]
        .iter()
        .any(|ending| class.ends_with(ending));
    has_ending
        && !matches!(class, "Exit" | "Interrupt" | "Timeout")
        && class.starts_with(|first: char| first.is_ascii_uppercase())
        && class.chars().all(|c| c.is_alphanumeric() || c == '_')
        && (line.len() == head.len() || line[head.len()..].starts_with([':', ' ']))
}

/// Returns true if a line begins with a file position, as compilers print it.
fn is_located(line: &str) -> bool {
    let Some((place, rest)) = line.split_once(": ") else {
        // eslint: `12:5  error  …`
        let mut words = line.split_whitespace();
        let place = words.next().unwrap_or_default();
        return is_position(place) && words.next() == Some("error");
    };
    let mut parts = place.split(':');
    let file = parts.next().unwrap_or_default();
    let position: Vec<&str> = parts.collect();
    if is_position(file) && position.len() == 1 {
        return rest.starts_with("error") || line.contains("  error  ");
    }
    !position.is_empty()
        && file.contains('.')
        && !file.contains(' ')
        && position.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        && !rest.starts_with("warning")
        && !rest.starts_with("note")
}

fn is_position(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
}

fn is_pytest(line: &str) -> bool {
    (line.starts_with("FAILED ") || line.starts_with("ERROR ")) && line.contains("::")
}

/// Returns the name of the test that a line reports as failed.
fn test_name(line: &str) -> Option<&str> {
    if is_pytest(line) {
        let name = line.split_once("::")?.1;
        return Some(name.split(" - ").next().unwrap_or(name));
    }
    if let Some(rest) = line.strip_prefix("--- FAIL: ") {
        return rest.split_whitespace().next();
    }
    if let Some(rest) = line.strip_prefix("---- ") {
        return rest.strip_suffix(" stdout ----");
    }
    if let Some(rest) = line.strip_prefix("test ") {
        return rest.strip_suffix(" ... FAILED");
    }
    if line.starts_with("____") {
        let name = line.trim_matches(|c| c == '_' || c == ' ');
        return (!name.is_empty()).then_some(name);
    }
    ["● ", "FAIL  "].iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim)
}

pub(super) fn is_assertion(line: &str) -> bool {
    let line = line.strip_prefix("E   ").unwrap_or(line).trim_start();
    ["AssertionError", "assert", "expect(", "panicked", "AssertionFailed", "org.opentest4j"]
        .iter()
        .any(|start| line.starts_with(start))
        || line.contains("_test.go:")
}
