//! Takes a message apart: lines without their markup, labels and sentences.

use tacit_core::lines_outside_fences;

use super::words::{LABELS, Label};

/// Maximum length of a label, in bytes.
const MAX_LABEL: usize = 60;

/// A line without its markup.
pub(super) struct Line {
    pub(super) label: Option<Label>,
    /// True if the line itself has the label; otherwise it stands in the heading above.
    pub(super) is_labelled: bool,
    pub(super) text: String,
}

/// Returns the lines of a message with their labels. Headings label the lines below them; tables,
/// quotes and code are skipped.
pub(super) fn labelled_lines(message: &str) -> Vec<Line> {
    let mut heading = None;
    let mut lines = Vec::new();
    for line in lines_outside_fences(message) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['|', '>', '$']) {
            continue;
        }
        let plain = without_emphasis(without_bullet(line));
        let plain = plain.trim().trim_start_matches('#').trim();
        if line.starts_with('#') || (line.len() < 80 && plain.ends_with([':', '：'])) {
            let title = plain.trim_end_matches([':', '：']);
            heading = label(title.split([':', '—', '–']).next().unwrap_or(title));
            continue;
        }
        let (head, rest) = match plain.find([':', '：', '—', '–']) {
            Some(at) if at <= MAX_LABEL => {
                let width = plain[at..].chars().next().map_or(1, char::len_utf8);
                (&plain[..at], plain[at + width..].trim())
            }
            _ => ("", plain),
        };
        let own = label(head).filter(|_| !rest.is_empty());
        let is_entry = own.is_some() || is_path(head);
        let text = if is_entry { rest } else { plain }.to_owned();
        lines.push(Line { label: own.or(heading), is_labelled: own.is_some(), text });
    }
    lines
}

/// Returns true if a text is the path of a file, as it begins the entries in a list of changes.
fn is_path(text: &str) -> bool {
    let path = text.trim().trim_matches('`');
    !path.contains(char::is_whitespace)
        && path.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty() && (1..=5).contains(&ending.len()) && !ending.contains('/')
        })
}

/// Removes the marks of emphasis outside code.
fn without_emphasis(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for (index, part) in line.split('`').enumerate() {
        if index > 0 {
            plain.push('`');
        }
        if index % 2 == 0 {
            plain.push_str(&part.replace("**", "").replace("__", "").replace('*', ""));
        } else {
            plain.push_str(part);
        }
    }
    plain
}

/// Reads a label: `Bug 1`, `Root cause (confirmed)`.
fn label(head: &str) -> Option<Label> {
    let head = head.split('(').next().unwrap_or_default().trim().to_lowercase();
    let head = head.trim_end_matches(|c: char| c.is_ascii_digit() || c == '#' || c == ' ');
    let head = head.split_once(" of the ").map_or(head, |(name, _)| name);
    LABELS.iter().find(|(_, names)| names.contains(&head)).map(|(label, _)| *label)
}

fn without_bullet(line: &str) -> &str {
    let bullet = ["- ", "* ", "+ ", "• "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let (number, rest) = line.split_once(['.', ')'])?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        rest.strip_prefix(' ').filter(|_| is_number)
    };
    bullet.or_else(numbered).unwrap_or(line).trim_start()
}

/// Splits a line into sentences: a full stop, a space, and a capital, a digit or a quote.
pub(super) fn sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    for (at, c) in line.char_indices() {
        in_code ^= c == '`';
        let next = at + c.len_utf8();
        let ends = match c {
            '.' | '!' | '?' if !in_code => {
                let mut rest = line[next..].chars();
                rest.next().is_some_and(char::is_whitespace)
                    && rest.next().is_some_and(|c| c.is_uppercase() || "`\"(“".contains(c))
            }
            '。' | '！' | '？' => true,
            _ => false,
        };
        if ends {
            found.push(line[start..next].trim());
            start = next;
        }
    }
    found.push(line[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}
