//! The headings of a markdown file, and the sections under them.
//!
//! Read line by line, and not as a tree of everything markdown can be: headings at any level,
//! with `#` or underlined, outside fences, comments and indented code. Headings inside lists and
//! quotations are content. Offsets are bytes of the file, so that a section is exactly what the
//! file has there.

use std::ops::Range;

use crate::lines::{Fence, FileLine, front_matter, lines};

/// A heading and where its section is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownHeading {
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

impl MarkdownHeading {
    /// Whether it stands for knowledge of its own. The title of the file does not.
    pub fn is_semantic(&self) -> bool {
        !self.structural && self.level > 1 && !self.title.is_empty()
    }
}

/// The headings of a file, in order.
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

/// Sets the end of each section and the heading around it.
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

/// What was read so far.
#[derive(Default)]
struct Reader<'a> {
    bytes: &'a [u8],
    headings: Vec<MarkdownHeading>,
    fence: Option<Fence>,
    in_comment: bool,
    /// Where the paragraph that may become a heading starts, and on which line.
    paragraph: Option<(usize, usize)>,
    /// How far what belongs to the list item is indented.
    list: Option<usize>,
    /// Whether a line of text goes on with a paragraph inside a list or a quotation.
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
            // Indented code, or more of the paragraph before it.
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

    /// A line that is in no list, quotation or fence.
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

    /// Whether a list may start here: within a paragraph only with text, and if numbered, from 1.
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

/// The level and the place of the text of a heading that hashes lead.
fn hashes(line: &[u8]) -> Option<(u8, Range<usize>)> {
    let level = line.iter().take_while(|byte| **byte == b'#').count();
    let rest = &line[level..];
    if !(1..=6).contains(&level) || !matches!(rest.first(), None | Some(b' ' | b'\t')) {
        return None;
    }
    // Hashes at the end are no part of the text, if white space is before them.
    let mut text = rest.trim_ascii();
    let hashes = text.iter().rev().take_while(|byte| **byte == b'#').count();
    let before = &text[..text.len() - hashes];
    if hashes > 0 && before.last().is_none_or(|byte| matches!(byte, b' ' | b'\t')) {
        text = before.trim_ascii_end();
    }
    let start = line.len() - rest.trim_ascii_start().len();
    Some((u8::try_from(level).ok()?, start..start + text.len()))
}

/// The level of a heading that is underlined so.
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

/// How far the content of a list item is from its marker.
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
            // More than four columns is one, followed by indented code.
            Some(marker + if space > 4 { 1 } else { space })
        }
        Some(_) => None,
    }
}

/// Whether the content of a list item or a quotation is a paragraph, which the next line may go on
/// with.
fn is_text(content: &[u8]) -> bool {
    !content.is_empty()
        && hashes(content).is_none()
        && !is_rule(content)
        && Fence::opened_by(content).is_none()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
