//! Separates what a person wrote from what they pasted, line by line.

/// Consecutive lines of a prompt with the same origin.
#[derive(Debug, PartialEq, Eq)]
pub enum PromptPart<'a> {
    /// Text that a person wrote.
    Written(&'a str),
    /// A pasted log, stack trace, diff, code block or quotation.
    Pasted(&'a str),
}

/// The number of lines in a row that make a paste; fewer count as written, unless they are long.
const MIN_LINES: usize = 2;
const LONG_LINE: usize = 300;

/// The beginnings of lines that programs print.
const MACHINE_STARTS: [&str; 44] = [
    "at ",
    "File \"",
    "Traceback",
    "goroutine ",
    "Caused by:",
    "Exit code ",
    "npm ERR!",
    "npm error",
    "npm WARN",
    "npm warn",
    "error:",
    "error[",
    "Error:",
    "ERROR",
    "WARN",
    "INFO",
    "DEBUG",
    "FATAL",
    "fatal:",
    "warning:",
    "note:",
    "help:",
    "= note",
    "= help",
    "--> ",
    "::: ",
    "| ",
    "Compiling ",
    "Finished ",
    "Running ",
    "> Task ",
    "FAIL ",
    "FAILED ",
    "PASS ",
    "--- FAIL",
    "test result:",
    "make: ***",
    "make[",
    "[ERROR]",
    "[INFO]",
    "[WARN",
    "$ ",
    "panic:",
    "... ",
];

/// Texts that only programs print, anywhere in a line.
const MACHINE_WORDS: [&str; 8] = [
    "panicked at",
    "Exception in thread",
    "error TS",
    ": error:",
    ": fatal error:",
    "at Object.<anonymous>",
    "node_modules/",
    "command not found",
];

/// Words that people begin a request with.
const OPENERS: [&str; 40] = [
    "also", "and", "any", "are", "but", "can", "could", "do", "does", "explain", "fix", "help",
    "here", "how", "i", "i'm", "is", "it", "let's", "make", "now", "please", "should", "so",
    "thanks", "the", "then", "there", "this", "we", "what", "what's", "when", "where", "which",
    "who", "why", "without", "you", "instead",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Written,
    Pasted,
    Blank,
}

/// Splits a prompt into parts, in order.
pub fn prompt_parts(prompt: &str) -> Vec<PromptPart<'_>> {
    let lines: Vec<&str> = prompt.split_inclusive('\n').collect();
    let mut kinds = kinds(&lines);
    keep_short_runs(&lines, &mut kinds);
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut current = Kind::Blank;
    for (line, kind) in lines.iter().zip(kinds) {
        if kind != Kind::Blank && current != Kind::Blank && kind != current {
            parts.push(part(current, &prompt[start..at]));
            start = at;
        }
        if kind != Kind::Blank {
            current = kind;
        }
        at += line.len();
    }
    if current != Kind::Blank {
        parts.push(part(current, &prompt[start..]));
    }
    parts
}

fn part(kind: Kind, text: &str) -> PromptPart<'_> {
    if kind == Kind::Pasted { PromptPart::Pasted(text) } else { PromptPart::Written(text) }
}

fn kinds(lines: &[&str]) -> Vec<Kind> {
    let mut kinds = Vec::with_capacity(lines.len());
    let mut in_diff = false;
    while let Some(line) = lines.get(kinds.len()) {
        if let Some(length) = fence(&lines[kinds.len()..]) {
            kinds.resize(kinds.len() + length, Kind::Pasted);
            continue;
        }
        let before = kinds.last().copied().unwrap_or(Kind::Blank);
        in_diff = is_diff_start(line) || (in_diff && is_diff_line(line));
        kinds.push(if line.trim().is_empty() {
            Kind::Blank
        } else if in_diff || is_machine(line) || is_quotation(line) {
            Kind::Pasted
        } else if before == Kind::Pasted && !is_opening(line) {
            // A line directly after printed output belongs to it.
            Kind::Pasted
        } else {
            Kind::Written
        });
    }
    kinds
}

/// Returns the length of the code block that starts here, in lines; `None` if it is never closed.
fn fence(lines: &[&str]) -> Option<usize> {
    let mark = ["```", "~~~"].into_iter().find(|mark| lines[0].trim_start().starts_with(mark))?;
    let closes = |line: &&str| line.trim() == mark;
    lines[1..].iter().position(closes).map(|length| length + 2)
}

/// Treats short runs of printed lines as written: they are part of the question.
fn keep_short_runs(lines: &[&str], kinds: &mut [Kind]) {
    let mut at = 0;
    while at < kinds.len() {
        let length = kinds[at..].iter().take_while(|kind| **kind != Kind::Written).count();
        let run = at..at + length;
        let pasted: Vec<usize> = run.clone().filter(|&line| kinds[line] == Kind::Pasted).collect();
        let is_short =
            pasted.len() < MIN_LINES && pasted.iter().all(|&line| lines[line].len() < LONG_LINE);
        if is_short {
            pasted.into_iter().for_each(|line| kinds[line] = Kind::Written);
        }
        at = run.end + 1;
    }
}

fn is_diff_start(line: &str) -> bool {
    ["diff --git ", "@@ -", "--- a/", "+++ b/", "*** Begin Patch", "Index: "]
        .iter()
        .any(|start| line.starts_with(start))
}

fn is_diff_line(line: &str) -> bool {
    line.starts_with(['+', '-', ' ', '@', '\\'])
        || ["index ", "new file", "deleted file", "similarity ", "rename ", "***"]
            .iter()
            .any(|start| line.starts_with(start))
}

/// Returns true for a quoted line, as in e-mail.
fn is_quotation(line: &str) -> bool {
    line.starts_with("> ") || line.trim_end() == ">"
}

fn is_machine(line: &str) -> bool {
    let bare = line.trim();
    MACHINE_STARTS.iter().any(|start| bare.starts_with(start))
        || (MACHINE_WORDS.iter().any(|words| bare.contains(words)) && !bare.ends_with('?'))
        || starts_with_time(bare)
        || is_numbered(bare)
        || is_exception(bare)
        || is_dense(bare)
        || !bare.chars().any(char::is_alphabetic)
        || (bare.starts_with('"') && bare.contains("\": "))
}

/// Matches `2026-02-17T21:00:00`, `[21:00:00]`, `Feb 17 21:00:00`.
fn starts_with_time(line: &str) -> bool {
    let head: String = line.trim_start_matches(['[', '(']).chars().take(16).collect();
    let digits = head.bytes().filter(u8::is_ascii_digit).count();
    let is_first = head.starts_with(|c: char| c.is_ascii_digit());
    (is_first && digits >= 6 && head.matches([':', '-']).count() >= 2)
        || (digits >= 5 && head.matches(':').count() == 2)
}

/// Matches numbered code and locations in files: `12 | let x`, `src/a.rs:3:5: unused`.
fn is_numbered(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if digits.len() < line.len() && digits.trim_start().starts_with('|') {
        return true;
    }
    let place = line.split(' ').next().unwrap_or_default();
    let mut parts = place.trim_end_matches(':').split(':');
    parts.next().is_some_and(|file| file.contains('.') || file.contains('/'))
        && parts.next().is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// Matches `TypeError: x`, `java.io.IOException`.
fn is_exception(line: &str) -> bool {
    let head = line.split([':', ' ']).next().unwrap_or_default();
    let is_class = head.ends_with("Error") || head.ends_with("Exception");
    is_class && (line.len() == head.len() || line[head.len()..].starts_with(':'))
}

/// Matches long lines with fewer spaces than people write.
fn is_dense(line: &str) -> bool {
    line.len() > LONG_LINE && line.split_whitespace().count() * 25 < line.len()
}

fn is_opening(line: &str) -> bool {
    if line.starts_with([' ', '\t']) {
        return false;
    }
    let first = line.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
    line.trim_end().ends_with('?') || OPENERS.contains(&first.to_lowercase().as_str())
}
