//! Shortens a long text to its beginning, its end, and the stack traces in between. People say
//! first what it is about, and logs end with what went wrong.

use std::borrow::Cow;

use super::zones::{is_frame, message};

/// Texts up to this size are read completely, in bytes.
const MAX_TEXT: usize = 24_000;
/// Sizes of the parts of a longer text, in bytes.
const BEGINNING: usize = 10_000;
const TRACES: usize = 6_000;
const END: usize = 8_000;

/// Returns the part of a text that is read.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return Cow::Borrowed(text);
    }
    let begins = text.floor_char_boundary(BEGINNING);
    let begins = text[..begins].rfind('\n').map_or(begins, |end| end + 1);
    let ends = text.ceil_char_boundary(text.len() - END);
    let ends = text[ends..].find('\n').map_or(ends, |end| ends + end + 1);
    let (beginning, middle, end) = (&text[..begins], &text[begins..ends], &text[ends..]);
    let mut read = String::with_capacity(MAX_TEXT);
    read.push_str(beginning);
    read.push('\n');
    let fenced = has_open_fence(beginning);
    if fenced {
        read.push_str("```\n");
    }
    append_traces(middle, &mut read);
    if fenced != has_open_fence(middle) {
        read.push_str("```\n");
    }
    read.push_str(end);
    Cow::Owned(read)
}

/// Returns true if a text has an odd number of code fences.
fn has_open_fence(text: &str) -> bool {
    let is_fence = |line: &&str| line.starts_with("```") || line.starts_with("~~~");
    text.lines().map(str::trim_start).filter(is_fence).count() % 2 == 1
}

/// Appends the lines of stack traces and errors, as long as there is room.
fn append_traces(text: &str, read: &mut String) {
    let room = read.len() + TRACES;
    let mut traced = false;
    for line in text.lines() {
        let trimmed = line.trim();
        let indented = line.starts_with([' ', '\t']);
        let starts = trimmed.starts_with("Traceback (most recent call last)");
        let tells = starts || is_frame(trimmed) || message(trimmed).is_some();
        if (tells || traced) && read.len() + line.len() < room {
            read.push_str(line);
            read.push('\n');
        }
        traced = starts || (traced && indented);
    }
}
