//! Adding a value to a JSON text and taking it out again, without touching any other byte.
//!
//! What is added goes behind the last value of its object or list, in the manner of that one, or
//! into an empty pair of brackets. An empty pair that was there before keeps a blank line before its
//! closing bracket: that tells it from a pair that was added together with what is in it, which goes
//! when its content goes.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::spans::Node;

/// How a file is written.
#[derive(Debug, Clone)]
pub(super) struct Style {
    newline: &'static str,
    unit: String,
    compact: bool,
}

impl Style {
    /// The style of a file that is written from nothing.
    pub(super) fn plain() -> Style {
        Style { newline: "\n", unit: "  ".to_owned(), compact: false }
    }

    /// The style a file has.
    pub(super) fn of(text: &str, root: &Node) -> Style {
        let children = root.children();
        let lead = children.first().map(|first| &text[root.span.start + 1..first.start]);
        let unit = lead.and_then(|lead| lead.rsplit_once('\n')).map(|(_, indent)| indent);
        Style {
            newline: newline(text),
            unit: unit.filter(|unit| !unit.is_empty()).unwrap_or("  ").to_owned(),
            compact: lead.is_some() && !text[root.span.clone()].contains('\n'),
        }
    }

    /// A value on as many lines as it needs, all but the first behind `base`.
    pub(super) fn write(&self, value: &Value, base: &str) -> String {
        if self.compact {
            return value.to_string();
        }
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.unit.as_bytes());
        // Writing a value to memory does not fail.
        let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
        let text = String::from_utf8(bytes).unwrap_or_default();
        text.replace('\n', &format!("{}{base}", self.newline))
    }

    fn item(&self, key: Option<&str>, value: &Value, base: &str) -> String {
        let value = self.write(value, base);
        let gap = if self.compact { "" } else { " " };
        key.map_or_else(|| value.clone(), |key| format!("{}:{gap}{value}", Value::from(key)))
    }
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Adds a value at the end of an object (with its name) or of a list.
pub(super) fn append(
    text: &mut String,
    container: &Node,
    key: Option<&str>,
    value: &Value,
    style: &Style,
) {
    let children = container.children();
    let Some(last) = children.last() else {
        let outer = line_indent(text, container.span.start).to_owned();
        let base = format!("{outer}{}", style.unit);
        // A text on one line is no reason to write ours on one.
        let style = Style { compact: false, ..style.clone() };
        let nl = style.newline;
        let item = style.item(key, value, &base);
        text.insert_str(container.span.start + 1, &format!("{nl}{base}{item}{nl}{nl}{outer}"));
        return;
    };
    let lead = trailing_space(&text[..last.start]);
    let (separator, item) = match lead.rsplit_once('\n') {
        Some((_, base)) => (format!("{}{base}", style.newline), style.item(key, value, base)),
        None => {
            let one_line = Style { compact: true, ..style.clone() };
            let gap = if children.len() > 1 {
                lead
            } else if style.compact {
                ""
            } else {
                " "
            };
            (gap.to_owned(), one_line.item(key, value, ""))
        }
    };
    text.insert_str(last.end, &format!(",{separator}{item}"));
}

/// What became of a pair of brackets when one of its values was taken out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Removed {
    /// The value is gone.
    Done,
    /// It is the only one, and the brackets were added with it: they have to go instead.
    Sole,
}

/// Takes the value at `index` out of an object or a list.
pub(super) fn remove(text: &mut String, container: &Node, index: usize) -> Removed {
    let children = container.children();
    let item = &children[index];
    let range = match (index, children.len()) {
        (_, 1) => match emptied(text, container, item) {
            Some(range) => range,
            None => return Removed::Sole,
        },
        (0, _) => item.start..children[1].start,
        _ => children[index - 1].end..item.end,
    };
    text.replace_range(range, "");
    Removed::Done
}

/// What to take from a pair of brackets that was empty before.
fn emptied(text: &str, container: &Node, item: &Range<usize>) -> Option<Range<usize>> {
    let inside = container.span.start + 1;
    let nl = newline(text);
    let outer = line_indent(text, container.span.start);
    let mark = format!("{nl}{nl}{outer}");
    let whole = text[inside..item.start].starts_with(nl) && text[item.end..].starts_with(&mark);
    whole.then(|| inside..item.end + mark.len())
}

/// The blanks at the beginning of the line that `at` is on.
fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[..at];
    let line = &line[line.rfind('\n').map_or(0, |newline| newline + 1)..];
    let end = line.find(|c: char| c != ' ' && c != '\t').unwrap_or(line.len());
    &line[..end]
}

fn trailing_space(text: &str) -> &str {
    let end = text.trim_end_matches([' ', '\t', '\n', '\r']).len();
    &text[end..]
}
