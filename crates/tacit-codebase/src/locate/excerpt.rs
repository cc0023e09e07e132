//! What is read of a long text: its beginning, its end, and the traces between them. People say first
//! what it is about, and logs end with what went wrong.

use std::borrow::Cow;

use super::zones::{is_frame, message};

/// A text of up to so many bytes is read as a whole.
const LONGEST: usize = 24_000;
/// So much of a longer one is read from its beginning, of traces, and to its end.
const BEGINNING: usize = 10_000;
const TRACES: usize = 6_000;
const END: usize = 8_000;

/// The part of a text that is read.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST {
        return Cow::Borrowed(text);
    }
    let begins = text.floor_char_boundary(BEGINNING);
    let begins = text[..begins].rfind('\n').map_or(begins, |end| end + 1);
    let ends = text.ceil_char_boundary(text.len() - END);
    let ends = text[ends..].find('\n').map_or(ends, |end| ends + end + 1);
    let (beginning, middle, end) = (&text[..begins], &text[begins..ends], &text[ends..]);
    let mut read = String::with_capacity(LONGEST);
    read.push_str(beginning);
    read.push('\n');
    let fenced = fences(beginning);
    if fenced {
        read.push_str("```\n");
    }
    traces(middle, &mut read);
    if fenced != fences(middle) {
        read.push_str("```\n");
    }
    read.push_str(end);
    Cow::Owned(read)
}

/// Whether a text has a fence of code that it does not close, or closes one that it did not open.
fn fences(text: &str) -> bool {
    let is_fence = |line: &&str| line.starts_with("```") || line.starts_with("~~~");
    text.lines().map(str::trim_start).filter(is_fence).count() % 2 == 1
}

/// Adds the lines of traces and what was raised, as far as there is room.
fn traces(text: &str, read: &mut String) {
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
