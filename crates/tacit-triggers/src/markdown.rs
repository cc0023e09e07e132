//! Finds the headings of a Markdown file and their sections.
//!
//! Files are read line by line, not as a full Markdown tree: headings of any level, with `#` or
//! underlined, outside fences, comments and indented code. Headings inside lists and quotations are
//! content. Offsets are in bytes, so that a section is returned exactly as written.

use std::ops::Range;

use crate::lines::{Fence, FileLine, front_matter, lines};

/// A heading and the location of its section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownHeading {
    /// The level, from 1 to 6.
    pub level: u8,
    /// The text, without the dot of a structural heading.
    pub title: String,
    /// True if the heading only groups others, marked by a leading dot.
    pub structural: bool,
    /// The line it is on, from 1.
    pub line: usize,
    /// The byte range of its text, including the dot.
    pub text: Range<usize>,
    /// The byte offset of the heading.
    pub start: usize,
    /// The byte range of the section below it, up to the next heading of its level or above.
    pub body: Range<usize>,
    /// The number of the parent heading.
    pub parent: Option<usize>,
}

impl MarkdownHeading {
    /// Returns true if the heading has content of its own. The title of the file does not count.
    pub fn is_semantic(&self) -> bool {
        !self.structural && self.level > 1 && !self.title.is_empty()
    }
}

/// Returns the headings of a file, in order.
pub fn outline(bytes: &[u8]) -> Vec<MarkdownHeading> {
    let mut reader = Reader { bytes, ..Reader::default() };
    let begin = front_matter(bytes);
    for line in lines(bytes).filter(|line| line.start >= begin) {
        reader.line(&line);
    }
    let mut headings = reader.headings;
    close(&mut headings, bytes.len());
    headings
}

/// Sets the end and the parent of each section.
fn close(headings: &mut [MarkdownHeading], end: usize) {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..headings.len() {
        let (level, start) = (headings[at].level, headings[at].start);
        while let Some(last) = open.pop_if(|last| headings[*last].level >= level) {
            headings[last].body.end = start;
        }
        headings[at].parent = open.last().copied();
        open.push(at);
    }
    for last in open {
        headings[last].body.end = end;
    }
}

/// The state of the reader.
#[derive(Default)]
struct Reader<'a> {
    bytes: &'a [u8],
    headings: Vec<MarkdownHeading>,
    fence: Option<Fence>,
    in_comment: bool,
    /// The offset and line of a paragraph that an underline would make a heading.
    paragraph: Option<(usize, usize)>,
    /// The indentation of the content of the current list item.
    list: Option<usize>,
    /// True if a line of text continues a paragraph in a list or quotation.
    lazy: bool,
}

impl Reader<'_> {
    fn line(&mut self, line: &FileLine<'_>) {
        let trimmed = line.bytes.trim_ascii();
        if let Some(fence) = self.fence {
            if fence.is_closed_by(trimmed) {
                self.fence = None;
            }
            return;
        }
        if self.in_comment {
            self.in_comment = !contains(trimmed, b"-->");
            return;
        }
        if trimmed.is_empty() {
            self.paragraph = None;
            self.lazy = false;
            return;
        }
        let inside = self.list.is_some_and(|inside| line.indent() >= inside);
        if !inside && !self.lazy {
            self.list = None;
        }
        let indent = line.indent() - self.list.filter(|_| inside).unwrap_or(0);
        if indent > 3 {
            // Indented code, or a continued paragraph.
            return;
        }
        if let Some(fence) = Fence::opened_by(trimmed) {
            self.end_paragraph();
            self.fence = Some(fence);
            self.list = self.list.filter(|_| inside);
        } else if let Some(item) = list_item(trimmed).filter(|item| self.may_start(trimmed, *item))
        {
            self.end_paragraph();
            self.list = Some(line.indent() + item);
            let content = trimmed.get(item..).unwrap_or_default();
            self.fence = Fence::opened_by(content);
            self.lazy = self.fence.is_none() && is_text(content);
        } else if let Some(content) = trimmed.strip_prefix(b">") {
            self.end_paragraph();
            self.lazy = is_text(content.trim_ascii());
            self.list = self.list.filter(|_| inside);
        } else if inside {
            self.lazy = is_text(trimmed);
        } else {
            self.top(line, trimmed);
        }
    }

    /// Reads a line outside lists, quotations and fences.
    fn top(&mut self, line: &FileLine<'_>, trimmed: &[u8]) {
        if trimmed.starts_with(b"<!--") {
            self.end_paragraph();
            self.list = None;
            self.in_comment = !contains(trimmed, b"-->");
        } else if let Some((level, text)) = hashes(trimmed) {
            self.end_paragraph();
            self.list = None;
            let start = line.start + line.bytes.len() - line.bytes.trim_ascii_start().len();
            let text = start + text.start..start + text.end;
            self.push(level, text, line.start, line.number, line.end);
        } else if let (Some(level), Some((start, number))) = (underline(trimmed), self.paragraph) {
            let text = self.bytes.get(start..line.start).unwrap_or_default();
            let before = text.len() - text.trim_ascii_start().len();
            let range = start + before..start + before + text.trim_ascii().len();
            self.end_paragraph();
            self.push(level, range, start, number, line.end);
        } else if is_rule(trimmed) {
            self.end_paragraph();
            self.list = None;
        } else if self.paragraph.is_none() && !self.lazy {
            self.paragraph = Some((line.start, line.number));
        }
    }

    fn end_paragraph(&mut self) {
        self.paragraph = None;
        self.lazy = false;
    }

    /// Returns true if a list can start here: inside a paragraph only with text and, if numbered,
    /// from 1.
    fn may_start(&self, line: &[u8], item: usize) -> bool {
        let in_paragraph = self.paragraph.is_some() || (self.lazy && self.list.is_none());
        let numbered = line[0].is_ascii_digit() && !matches!(line, [b'1', b'.' | b')', ..]);
        !in_paragraph || (item < line.len() && !numbered)
    }

    fn push(&mut self, level: u8, text: Range<usize>, start: usize, line: usize, body: usize) {
        let raw = String::from_utf8_lossy(self.bytes.get(text.clone()).unwrap_or_default());
        let words = raw.split_whitespace().collect::<Vec<_>>().join(" ");
        let (structural, title) = match words.strip_prefix('.') {
            Some(rest) if !rest.starts_with('.') => (true, rest.trim().to_owned()),
            _ => (false, words),
        };
        self.headings.push(MarkdownHeading {
            level,
            title,
            structural,
            line,
            text,
            start,
            body: body..body,
            parent: None,
        });
    }
}

/// Returns the level and text range of a heading with hashes.
fn hashes(line: &[u8]) -> Option<(u8, Range<usize>)> {
    let level = line.iter().take_while(|byte| **byte == b'#').count();
    let rest = &line[level..];
    if !(1..=6).contains(&level) || !matches!(rest.first(), None | Some(b' ' | b'\t')) {
        return None;
    }
    // Trailing hashes after white space are not part of the text.
    let mut text = rest.trim_ascii();
    let hashes = text.iter().rev().take_while(|byte| **byte == b'#').count();
    let before = &text[..text.len() - hashes];
    if hashes > 0 && before.last().is_none_or(|byte| matches!(byte, b' ' | b'\t')) {
        text = before.trim_ascii_end();
    }
    let start = line.len() - rest.trim_ascii_start().len();
    Some((u8::try_from(level).ok()?, start..start + text.len()))
}

/// Returns the level that an underline gives a heading.
fn underline(line: &[u8]) -> Option<u8> {
    let all = |mark| line.iter().all(|byte| *byte == mark);
    if all(b'=') {
        Some(1)
    } else if all(b'-') {
        Some(2)
    } else {
        None
    }
}

fn is_rule(line: &[u8]) -> bool {
    let marks = || line.iter().filter(|byte| !byte.is_ascii_whitespace());
    let first = marks().next();
    first.is_some_and(|mark| {
        matches!(mark, b'-' | b'*' | b'_')
            && marks().count() >= 3
            && marks().all(|byte| byte == mark)
    })
}

/// Returns the offset of a list item's content from its marker.
fn list_item(line: &[u8]) -> Option<usize> {
    if is_rule(line) {
        return None;
    }
    let marker = match line.first()? {
        b'-' | b'*' | b'+' => 1,
        byte if byte.is_ascii_digit() => {
            let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let ends = digits <= 9 && matches!(line.get(digits), Some(b'.' | b')'));
            ends.then_some(digits + 1)?
        }
        _ => return None,
    };
    match line.get(marker) {
        None => Some(marker + 1),
        Some(b' ' | b'\t') => {
            let space = line[marker..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            // More than four spaces are one, followed by indented code.
            Some(marker + if space > 4 { 1 } else { space })
        }
        Some(_) => None,
    }
}

/// Returns true if the content of a list item or quotation is a paragraph that can continue.
fn is_text(content: &[u8]) -> bool {
    !content.is_empty()
        && hashes(content).is_none()
        && !is_rule(content)
        && Fence::opened_by(content).is_none()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
