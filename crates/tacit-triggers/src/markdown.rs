//! The headings of a markdown file, and the sections under them.
//!
//! Headings inside lists and quotations are content. Offsets are bytes of the file, so that a
//! section is exactly what the file has there.

use std::borrow::Cow;
use std::ops::Range;

use tacit_core::{BlockKind, markdown_blocks};

use crate::lines::front_matter;

/// A heading and where its section is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// The text, without the dot of a structural heading.
    pub title: String,
    /// Whether it only groups what is below it: a dot leads its text.
    pub structural: bool,
    /// The line it is on, from 1.
    pub line: usize,
    /// Where its text is in the file, the dot included.
    pub text: Range<usize>,
    /// Where the heading starts in the file.
    pub start: usize,
    /// What is below it, up to the next heading of its level or above.
    pub body: Range<usize>,
    /// The heading around it.
    pub parent: Option<usize>,
}

impl Heading {
    /// Whether it stands for knowledge of its own. The title of the file does not.
    pub fn is_semantic(&self) -> bool {
        !self.structural && self.level > 1 && !self.title.is_empty()
    }
}

/// The headings of a file, in order.
pub fn outline(bytes: &[u8]) -> Vec<Heading> {
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let begin = front_matter(bytes).max(mark);
    let (mut line, mut counted) = (1, 0);
    let mut headings = Vec::new();
    for block in markdown_blocks(&with_places(&bytes[begin..])) {
        let BlockKind::Heading(level) = block.kind else { continue };
        let (from, to) = (begin + block.range.start, begin + block.range.end);
        let text = begin + block.content.start..begin + block.content.end;
        let text = text.start..text.start + bytes[text].trim_ascii_end().len();
        // Up to three spaces may lead a heading.
        let indent = bytes[begin..from].iter().rev().take_while(|byte| **byte == b' ').count();
        let start = from - indent;
        line += bytes[counted..start].iter().filter(|byte| **byte == b'\n').count();
        counted = start;
        let after = || bytes[to..].iter().position(|byte| *byte == b'\n').map(|at| to + at + 1);
        let ended = bytes[..to].ends_with(b"\n");
        let body = if ended { to } else { after().unwrap_or(bytes.len()) };
        let words = String::from_utf8_lossy(&bytes[text.clone()]);
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let (structural, title) = match words.strip_prefix('.') {
            Some(rest) if !rest.starts_with('.') => (true, rest.trim().to_owned()),
            _ => (false, words),
        };
        let body = body..body;
        headings.push(Heading { level, title, structural, line, text, start, body, parent: None });
    }
    close(&mut headings, bytes.len());
    headings
}

/// A text in which everything is where it is in the file; bytes that are no text become marks.
fn with_places(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text.into()
}

/// Sets the end of each section and the heading around it.
fn close(headings: &mut [Heading], end: usize) {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..headings.len() {
        let (level, start) = (headings[at].level, headings[at].start);
        while let Some(last) = open.pop_if(|last| headings[*last].level >= level) {
            headings[last].body.end = start.max(headings[last].body.start);
        }
        headings[at].parent = open.last().copied();
        open.push(at);
    }
    for last in open {
        headings[last].body.end = end;
    }
}
