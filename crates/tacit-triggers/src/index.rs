//! Parses the index: lines of `/when trigger | extra, triggers`, grouped under file names.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use crate::lines::{Fence, FileLine, front_matter, lines};
use crate::operator::Operator;

/// An entry of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TriggerEntry {
    /// `/when` or `/how`.
    pub operator: Operator,
    /// The primary trigger.
    pub trigger: String,
    /// Additional triggers.
    pub extra_triggers: Vec<String>,
    /// The line it is on, from 1.
    pub line_number: usize,
    /// The file name of its section.
    pub section: String,
}

impl fmt::Display for TriggerEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())?;
        if self.extra_triggers.is_empty() {
            return Ok(());
        }
        write!(f, " | {}", self.extra_triggers.join(", "))
    }
}

impl TriggerEntry {
    /// Returns the operator and the primary trigger, such as `/when writing tests`.
    pub fn name(&self) -> String {
        format!("/{} {}", self.operator, self.trigger)
    }

    /// Returns the primary trigger and the additional ones.
    pub fn triggers(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.trigger.as_str()).chain(self.extra_triggers.iter().map(String::as_str))
    }
}

/// A heading of the index that names a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The path of the file.
    pub path: String,
    /// The line it is on, from 1.
    pub line_number: usize,
}

/// An invalid line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MalformedLine {
    /// The number of the line, from 1.
    pub line_number: usize,
    /// The problem with it.
    pub error: LineError,
}

/// A problem with a line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "each is what its message says")]
pub enum LineError {
    #[error("the line is not UTF-8")]
    NotUtf8,
    #[error("an entry must start at the beginning of its line")]
    NotAtStart,
    #[error("`/{0}` is not an operator: an entry starts with `/when` or `/how`")]
    UnknownOperator(String),
    #[error("operator prefix required: an entry starts with `/when` or `/how`, not with a key")]
    NoOperator,
    #[error("the line is neither an entry (`/when`, `/how`) nor a remark (`>`)")]
    PlainLine,
    #[error("the entry has no trigger")]
    NoTrigger,
    #[error("extra triggers are separated by single commas, with none empty")]
    EmptyExtra,
    #[error("an entry has one `|` at most")]
    SecondBar,
    #[error("the entry is not under a heading that names a file")]
    NoSection,
}

/// A parsed index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TriggerIndex {
    /// The entries, in order.
    pub entries: Vec<TriggerEntry>,
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// The invalid lines, in order.
    pub malformed: Vec<MalformedLine>,
}

/// Parses an index. Front matter, prose and code are skipped; an invalid line is reported and does
/// not affect the others.
pub fn parse_index(bytes: &[u8]) -> TriggerIndex {
    let mut index = TriggerIndex::default();
    let hidden = hidden_lines(bytes);
    let begin = front_matter(bytes);
    for line in lines(bytes).filter(|line| line.start >= begin && !line.is_blank()) {
        if hidden.binary_search(&line.number).is_ok() {
            continue;
        }
        match line.text() {
            Some(text) => read(&mut index, line.number, text),
            None => {
                let error = LineError::NotUtf8;
                index.malformed.push(MalformedLine { line_number: line.number, error });
            }
        }
    }
    index
}

fn read(index: &mut TriggerIndex, line_number: usize, text: &str) {
    if let Some(path) = section_path(text) {
        index.sections.push(Section { path, line_number });
        return;
    }
    let section = index.sections.last().map(|section| section.path.clone());
    match parse_entry(text) {
        Ok(None) if section.is_some() && is_plain_line(text) => {
            index.malformed.push(MalformedLine { line_number, error: LineError::PlainLine });
        }
        Ok(None) => {}
        // The head of an index contains usage examples.
        Ok(Some(_)) | Err(_) if section.is_none() && is_usage(text) => {}
        // Any text before the first section belongs to the head.
        Err(LineError::NoOperator) if section.is_none() => {}
        Err(error) => index.malformed.push(MalformedLine { line_number, error }),
        Ok(Some((operator, trigger, extra_triggers))) => match section {
            Some(section) => index.entries.push(TriggerEntry {
                operator,
                trigger,
                extra_triggers,
                line_number,
                section,
            }),
            None => {
                index.malformed.push(MalformedLine { line_number, error: LineError::NoSection });
            }
        },
    }
}

/// The operator, the trigger and the extra triggers.
type Parts = (Operator, String, Vec<String>);

/// Parses one line; `None` if it is prose.
pub fn parse_entry(line: &str) -> Result<Option<Parts>, LineError> {
    let line = line.trim_end();
    let Some(rest) = line.strip_prefix('/') else {
        let marked = line.trim_start_matches(|c: char| c.is_whitespace() || "-*+>`".contains(c));
        let is_entry = ["/when", "/how"].iter().any(|word| {
            marked.strip_prefix(word).is_some_and(|after| after.starts_with(char::is_whitespace))
        });
        return match () {
            () if is_entry => Err(LineError::NotAtStart),
            () if is_old_entry(line) => Err(LineError::NoOperator),
            () => Ok(None),
        };
    };
    let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let Some(operator) = Operator::from_word(word) else {
        // A path in prose is not an entry.
        let is_word = !word.is_empty() && word.chars().all(char::is_alphabetic);
        return if is_word { Err(LineError::UnknownOperator(word.to_owned())) } else { Ok(None) };
    };
    let (trigger, extras) = match rest.split_once('|') {
        Some((trigger, extras)) => (trigger.trim(), Some(extras)),
        None => (rest.trim(), None),
    };
    if trigger.is_empty() {
        return Err(LineError::NoTrigger);
    }
    let extras: Vec<String> = match extras {
        Some(extras) if extras.contains('|') => return Err(LineError::SecondBar),
        Some(extras) => extras.split(',').map(|extra| spaced(extra.trim())).collect(),
        None => Vec::new(),
    };
    if extras.iter().any(String::is_empty) {
        return Err(LineError::EmptyExtra);
    }
    Ok(Some((operator, spaced(trigger), extras)))
}

/// Replaces white space by single spaces.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns true for an entry of the old format, `Key — description`.
pub(crate) fn is_old_entry(line: &str) -> bool {
    !line.starts_with(['#', '|', '>', ' ', '\t', '<'])
        && line.split_once(" — ").is_some_and(|(key, rest)| {
            let key = key.trim();
            !key.is_empty() && key.split_whitespace().count() <= 8 && !rest.trim().is_empty()
        })
}

/// Returns true for a short line of plain words, which looks like an entry without its operator.
/// Sentences, headings, tables, quotations and markup are remarks.
fn is_plain_line(line: &str) -> bool {
    let words = line.trim_start_matches(['-', '*', '+', ' ', '\t']);
    let indented = line.starts_with([' ', '\t']);
    let remark = words.is_empty()
        || words.starts_with(['#', '|', '>', '<', '[', '(', '!', '_', '`', '=', '/'])
        || words.ends_with(['.', ':', '!', '?', ')', '_', '*']);
    let count = words.split_whitespace().count();
    !indented && !remark && (1..=MAX_PLAIN_WORDS).contains(&count)
}

/// The most words of a plain line that looks like an entry.
const MAX_PLAIN_WORDS: usize = 16;

/// Returns true for a usage example in the head.
fn is_usage(line: &str) -> bool {
    let trigger = line.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
    trigger.starts_with(['.', '<']) || trigger.contains('#')
}

/// Returns the file that a second-level heading names.
pub(crate) fn section_path(line: &str) -> Option<String> {
    let title = line.strip_prefix("## ")?.trim().trim_end_matches('#').trim_end();
    let title = title.trim_matches('`').trim();
    let title = title.strip_prefix("./").unwrap_or(title);
    (!title.is_empty()).then(|| title.to_owned())
}

/// Returns the lines in fences and comments. A block that is never closed hides nothing, so that a
/// typo does not lose the rest of the index.
fn hidden_lines(bytes: &[u8]) -> Vec<usize> {
    let mut hidden = Vec::new();
    // The open fence, or `None` for a comment, and the line that opened it.
    let mut open: Option<(Option<Fence>, usize)> = None;
    let closes = |line: &FileLine<'_>| line.bytes.windows(3).any(|part| part == b"-->");
    for line in lines(bytes) {
        let trimmed = line.bytes.trim_ascii();
        match open {
            Some((fence, since)) => {
                if fence.map_or_else(|| closes(&line), |fence| fence.is_closed_by(trimmed)) {
                    hidden.extend(since..=line.number);
                    open = None;
                }
            }
            None if trimmed.starts_with(b"<!--") => {
                if closes(&line) {
                    hidden.push(line.number);
                } else {
                    open = Some((None, line.number));
                }
            }
            None => open = Fence::opened_by(trimmed).map(|fence| (Some(fence), line.number)),
        }
    }
    hidden
}
