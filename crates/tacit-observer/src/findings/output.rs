//! Lines of an output, without what task runners and terminals add.

use std::borrow::Cow;

use crate::fingerprint::without_escapes;

/// Longer outputs are read at the beginning and the end only, in bytes.
const MAX_HEAD: usize = 64 * 1024;
const MAX_TAIL: usize = 64 * 1024;
const MAX_LINE: usize = 1000;
const MAX_MESSAGE: usize = 300;

/// Names in brackets that are levels of a checker and not tasks.
const LEVELS: [&str; 10] =
    ["debug", "err", "error", "fail", "fatal", "hint", "info", "note", "warn", "warning"];

/// The lines that no family has taken yet, and those found so far with their line.
pub(super) struct OutputLines<'a> {
    lines: Vec<&'a str>,
}

pub(super) type FindingsByLine = Vec<(usize, super::Finding)>;

/// Returns the text that is read of an output: without escapes, shortened in the middle.
pub(super) fn readable(output: &str) -> String {
    let mut text = output.to_owned();
    tacit_core::shorten_text(&mut text, MAX_HEAD, MAX_TAIL);
    match without_escapes(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(text) => text,
    }
}

impl<'a> OutputLines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let lines = text
            .lines()
            .map(|line| {
                // Text before a carriage return was overwritten on the terminal: a progress bar.
                let line = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
                without_task(&line[..line.floor_char_boundary(MAX_LINE)]).trim_end()
            })
            .collect();
        Self { lines }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns a line; lines that are taken or behind the end are empty.
    pub(super) fn get(&self, at: usize) -> &'a str {
        self.lines.get(at).copied().unwrap_or_default()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &'a str)> + '_ {
        self.lines.iter().copied().enumerate()
    }

    pub(super) fn take(&mut self, range: std::ops::Range<usize>) {
        let end = range.end.min(self.lines.len());
        if let Some(lines) = self.lines.get_mut(range.start..end) {
            lines.fill("");
        }
    }
}

/// Removes what a task runner prints before each line: `[lint:go] `, `web:test: `, `app#test: `,
/// `api  | `, `packages/web test: `.
pub(crate) fn without_task(line: &str) -> &str {
    let is_name = |name: &str| {
        name.len() <= 60
            && name.bytes().any(|byte| byte.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-:./@#".contains(&b))
    };
    if let Some((name, rest)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
        let is_level = LEVELS.iter().any(|level| name.eq_ignore_ascii_case(level));
        return if is_name(name) && !is_level { rest } else { line };
    }
    if let Some((name, rest)) = line.split_once('|')
        && (rest.starts_with(' ') || rest.is_empty())
        && name.ends_with(' ')
        && line.starts_with(|c: char| c.is_ascii_alphabetic())
        && is_name(name.trim_end())
        && !name.contains("..")
    {
        return rest.strip_prefix(' ').unwrap_or(rest);
    }
    let Some((head, rest)) = line.split_once(": ") else { return line };
    let task = |task: &str| {
        task.starts_with(|c: char| c.is_ascii_lowercase())
            && is_name(task)
            && !task.contains(['.', '/'])
    };
    let is_task = match head.split_once(['#', ':', ' ']) {
        Some((package, name)) if head.contains(' ') => {
            package.contains('/') && is_name(package) && task(name) && !package.contains(':')
        }
        Some((package, name)) => {
            is_name(package) && !package.contains('.') && task(name) && !is_label(package)
        }
        None => false,
    };
    if is_task { rest } else { line }
}

/// Returns true for words that begin a message and are no package.
fn is_label(word: &str) -> bool {
    LEVELS.contains(&word.to_ascii_lowercase().as_str())
        || word.ends_with("Error")
        || word.ends_with("Exception")
}

/// Returns true for a line of a log: a time or a level at its beginning.
pub(super) fn is_log(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '[' || c == '{');
    let levels = ["INFO", "DEBUG", "TRACE", "WARN", "WARNING", "level=", "\"level\"", "time="];
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_date = matches!(digits, 4) && matches!(line.as_bytes().get(4), Some(b'-' | b'/'));
    let is_time = digits == 2
        && line.as_bytes().get(2) == Some(&b':')
        && line.as_bytes().get(5) == Some(&b':');
    is_date
        || is_time
        || levels.iter().any(|level| {
            line.strip_prefix(level).is_some_and(|rest| {
                level.ends_with(['=', '"']) || rest.starts_with([' ', ':', ']', '\t'])
            })
        })
}

/// Returns true for a line of a log that reports no error.
pub(crate) fn is_quiet_log(line: &str) -> bool {
    let head = &line[..line.floor_char_boundary(48)];
    let levels = [" INFO ", " DEBUG ", " WARN ", "level=info", "level=debug", "level=warn"];
    is_log(line) && levels.iter().any(|level| head.contains(level))
}

/// Returns a text on one line, with single spaces, of at most 300 bytes.
pub(super) fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(MAX_MESSAGE + 8));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > MAX_MESSAGE {
            line.truncate(line.floor_char_boundary(MAX_MESSAGE));
            line.push('…');
            break;
        }
    }
    line
}

/// Returns the number of leading spaces, a tab counted as four.
pub(super) fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// A file, a line in it and the text behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FilePosition<'a> {
    pub(super) file: &'a str,
    pub(super) line: u32,
    pub(super) column: bool,
    pub(super) rest: &'a str,
}

impl FilePosition<'_> {
    pub(super) fn extension(&self) -> &str {
        self.file.rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

/// Reads `file:1:2: text`, `file:1: text`, `file:1:2 - text` or `file(1,2): text` at the beginning
/// of a line.
pub(super) fn position(line: &str) -> Option<FilePosition<'_>> {
    let start = usize::from(line.as_bytes().get(1) == Some(&b':')) * 2;
    let end = start + line.get(start..)?.find([':', '(', ' ', '\t'])?;
    let file = &line[..end];
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_file = (!extension.is_empty()
        && extension.len() <= 10
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !extension.bytes().all(|byte| byte.is_ascii_digit()))
        || file.rsplit('/').next().is_some_and(|name| name == "Dockerfile" || name == "Makefile");
    if !is_file || file.contains("://") {
        return None;
    }
    let behind = &line[end..];
    let (line, behind) = number(behind.strip_prefix([':', '('])?)?;
    let (column, behind) = match behind.strip_prefix([':', ',']).and_then(number) {
        Some((_, behind)) => (true, behind),
        None => (false, behind),
    };
    // A range: `1:2-5`.
    let behind = behind.strip_prefix('-').and_then(number).map_or(behind, |(_, behind)| behind);
    let behind = behind.strip_prefix(')').unwrap_or(behind);
    let rest = [": ", " - ", " "].iter().find_map(|between| behind.strip_prefix(between));
    let rest = rest.or_else(|| behind.trim_end_matches(':').is_empty().then_some(""))?;
    Some(FilePosition { file, line, column, rest: rest.trim() })
}

fn number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok().map(|number| (number, &text[digits..]))
}

/// Splits a text from the rule in brackets at its end: `text [rule]`.
pub(super) fn rule_at_end(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let (before, rule) = text.trim_end().strip_suffix(close)?.rsplit_once(open)?;
    let is_rule = !rule.is_empty()
        && rule.len() <= 80
        && rule.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_/.:@,=".contains(&b))
        && rule.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@' || c == '-');
    is_rule.then(|| (before.trim_end(), rule))
}

/// Returns true for a code of letters and digits, such as `E501`, `PLR0913` or `SA4006`.
pub(super) fn is_rule_code(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    (1..=5).contains(&letters)
        && (2..=5).contains(&(word.len() - letters))
        && word.bytes().skip(letters).all(|byte| byte.is_ascii_digit())
}
