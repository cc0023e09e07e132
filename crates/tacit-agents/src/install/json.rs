//! A JSON text that is changed in places: what is added or taken out touches no other byte.
//!
//! A new value goes behind the last one of its object or list, in the manner of that one, or into
//! an empty pair of brackets. An empty pair that was there before keeps a blank line before its
//! closing bracket: that tells it from a pair that was added together with what is in it, which goes
//! when its content goes.

use std::fmt;
use std::ops::Range;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::InstallError;

/// A value where it stands in its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonNode<'a> {
    text: &'a str,
    /// The part of `text` that is the value.
    json: &'a str,
}

/// A value of an object or of a list.
#[derive(Debug)]
pub(super) struct Child<'a> {
    /// The name of the value; empty in a list.
    pub(super) key: String,
    pub(super) value: JsonNode<'a>,
    /// The range of the value in the text, from its name on if it has one.
    span: Range<usize>,
}

impl<'a> JsonNode<'a> {
    /// Reads a text that must be an object; it may have a byte order mark.
    pub(super) fn object(text: &'a str) -> Result<JsonNode<'a>, InstallError> {
        let json = text.strip_prefix('\u{feff}').unwrap_or(text);
        serde_json::from_str::<Value>(json).map_err(InstallError::Json)?;
        let root = JsonNode { text, json: json.trim() };
        root.expect('{', &[])?;
        Ok(root)
    }

    fn expect(&self, bracket: char, path: &[&str]) -> Result<(), InstallError> {
        if self.json.starts_with(bracket) {
            return Ok(());
        }
        let key = if path.is_empty() { "the file".to_owned() } else { path.join(".") };
        let expected = if bracket == '{' { "an object" } else { "a list" };
        Err(InstallError::Shape { key, expected })
    }

    /// Returns the value as data.
    pub(super) fn value(&self) -> Value {
        serde_json::from_str(self.json).unwrap_or_default()
    }

    /// Returns the values of an object; none of anything else.
    pub(super) fn members(&self) -> Vec<Child<'a>> {
        if self.json.starts_with('{') { self.children() } else { Vec::new() }
    }

    /// Returns the values of a list; none of anything else.
    pub(super) fn items(&self) -> Vec<Child<'a>> {
        if self.json.starts_with('[') { self.children() } else { Vec::new() }
    }

    /// Returns the value of that name; the last, if there are several, as readers of JSON see it.
    pub(super) fn get(&self, key: &str) -> Option<JsonNode<'a>> {
        self.members().into_iter().rfind(|member| member.key == key).map(|member| member.value)
    }

    /// Returns the blank file that was there before one was created with this root; see
    /// [`created`].
    pub(super) fn blank_behind(&self) -> Option<String> {
        let before = self.text[self.span().end..].strip_prefix("\n\n");
        before.filter(|before| before.trim().is_empty()).map(str::to_owned)
    }

    fn children(&self) -> Vec<Child<'a>> {
        let children = serde_json::from_str::<Children<'a>>(self.json);
        let child = |(key, value): (Option<&'a RawValue>, &'a RawValue)| {
            let value = JsonNode { text: self.text, json: value.get() };
            let (key, start) = match key.map(|key| JsonNode { text: self.text, json: key.get() }) {
                Some(key) => (serde_json::from_str(key.json).unwrap_or_default(), key.span().start),
                None => (String::new(), value.span().start),
            };
            Child { key, value, span: start..value.span().end }
        };
        children.map(|children| children.0.into_iter().map(child).collect()).unwrap_or_default()
    }

    /// Returns its place in the text.
    fn span(&self) -> Range<usize> {
        // Reading borrows parts of the text, so that an address tells the place.
        let start = self.json.as_ptr().addr() - self.text.as_ptr().addr();
        start..start + self.json.len()
    }

    /// Returns the text with one more value at the end of this object (with its name) or list.
    fn with(&self, key: Option<&str>, value: &Value, style: &Style) -> String {
        let children = self.children();
        let (at, added) = match children.last() {
            None => {
                let outer = line_indent(self.text, self.span().start);
                let base = format!("{outer}{}", style.unit);
                // A text on one line is no reason to write ours on one.
                let style = Style { compact: false, ..style.clone() };
                let (nl, item) = (style.newline, style.item(key, value, &base));
                (self.span().start + 1, format!("{nl}{base}{item}{nl}{nl}{outer}"))
            }
            Some(last) => {
                let lead = trailing_space(&self.text[..last.span.start]);
                let added = if let Some((_, base)) = lead.rsplit_once('\n') {
                    format!(",{}{base}{}", style.newline, style.item(key, value, base))
                } else {
                    let gap = match (children.len(), style.compact) {
                        (2.., _) => lead,
                        (_, true) => "",
                        (_, false) => " ",
                    };
                    let one_line = Style { compact: true, ..style.clone() };
                    format!(",{gap}{}", one_line.item(key, value, ""))
                };
                (last.span.end, added)
            }
        };
        format!("{}{added}{}", &self.text[..at], &self.text[at..])
    }

    /// Returns the text without one of the values of this object or list. `None` if it is the only
    /// one and the brackets were added with it: they have to go instead.
    pub(super) fn without(&self, index: usize) -> Option<String> {
        let children = self.children();
        let item = &children[index].span;
        let range = match (index, children.len()) {
            (_, 1) => self.emptied(item)?,
            (0, _) => item.start..children[1].span.start,
            _ => children[index - 1].span.end..item.end,
        };
        Some(format!("{}{}", &self.text[..range.start], &self.text[range.end..]))
    }

    /// Returns what to take from a pair of brackets that was empty before.
    fn emptied(&self, item: &Range<usize>) -> Option<Range<usize>> {
        let inside = self.span().start + 1;
        let nl = newline(self.text);
        let mark = format!("{nl}{nl}{}", line_indent(self.text, self.span().start));
        let whole = self.text[inside..item.start].starts_with(nl)
            && self.text[item.end..].starts_with(&mark);
        whole.then(|| inside..item.end + mark.len())
    }
}

/// The values of an object, with their names, or of a list.
struct Children<'a>(Vec<(Option<&'a RawValue>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Children<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Children<'a>, D::Error> {
        struct Container;
        impl<'de> Visitor<'de> for Container {
            type Value = Children<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object or a list")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Children<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((key, value)) = map.next_entry()? {
                    members.push((Some(key), value));
                }
                Ok(Children(members))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Children<'de>, A::Error> {
                let mut items = Vec::new();
                while let Some(value) = seq.next_element()? {
                    items.push((None, value));
                }
                Ok(Children(items))
            }
        }
        deserializer.deserialize_any(Container)
    }
}

/// The layout of a file.
#[derive(Debug, Clone)]
pub(super) struct Style {
    newline: &'static str,
    unit: String,
    compact: bool,
}

impl Style {
    /// Reads the style of a file.
    pub(super) fn of(root: &JsonNode<'_>) -> Style {
        let text = root.text;
        let children = root.children();
        let lead = children.first().map(|first| &text[root.span().start + 1..first.span.start]);
        let unit = lead.and_then(|lead| lead.rsplit_once('\n')).map(|(_, indent)| indent);
        Style {
            newline: newline(text),
            unit: unit.filter(|unit| !unit.is_empty()).unwrap_or("  ").to_owned(),
            compact: lead.is_some() && !root.json.contains('\n'),
        }
    }

    /// Returns a value, with its name if it has one, all lines but the first behind `base`.
    fn item(&self, key: Option<&str>, value: &Value, base: &str) -> String {
        let key = key.map(|key| Value::from(key).to_string());
        if self.compact {
            return key.map_or_else(|| value.to_string(), |key| format!("{key}:{value}"));
        }
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.unit.as_bytes());
        // Writing a value to memory does not fail.
        let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
        let text = String::from_utf8(bytes).unwrap_or_default();
        let text = text.replace('\n', &format!("{}{base}", self.newline));
        key.map_or_else(|| text.clone(), |key| format!("{key}: {text}"))
    }
}

/// Returns a file from nothing, or from a blank one.
pub(super) fn created(value: &Value, blank: Option<&str>) -> String {
    // The line in between tells a file that was blank from one that was not there before.
    let behind = blank.map(|blank| format!("\n{blank}")).unwrap_or_default();
    format!("{value:#}\n{behind}")
}

/// Adds a value at the end of the object (with its name) or of the list that `path` leads to. What is
/// missing of the path is added with it.
pub(super) fn add(
    text: &str,
    style: &Style,
    path: &[&str],
    key: Option<&str>,
    mut value: Value,
) -> Result<String, InstallError> {
    let mut node = JsonNode::object(text)?;
    for (depth, step) in path.iter().enumerate() {
        node.expect('{', &path[..depth])?;
        let Some(inner) = node.get(step) else {
            value = key.map_or_else(|| json!([value]), |key| json!({ key: value }));
            for outer in path[depth + 1..].iter().rev() {
                value = json!({ *outer: value });
            }
            return Ok(node.with(Some(step), &value, style));
        };
        node = inner;
    }
    node.expect(if key.is_some() { '{' } else { '[' }, path)?;
    Ok(node.with(key, &value, style))
}

/// Takes out the value that a way from the root leads to, each container with the place in it, and
/// the brackets that were added around it; `None` if that is all there is.
pub(super) fn take_out(way: &[(JsonNode<'_>, usize)]) -> Option<String> {
    way.iter().rev().find_map(|(container, at)| container.without(*at))
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the blanks at the beginning of the line that `at` is on.
fn line_indent(text: &str, at: usize) -> &str {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn trailing_space(text: &str) -> &str {
    &text[text.trim_end_matches([' ', '\t', '\n', '\r']).len()..]
}
