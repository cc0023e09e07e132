//! Where the values of a JSON text stand, so that it can be changed in places and left alone
//! everywhere else.

use std::ops::Range;

use serde_json::Value;

use super::InstallError;

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Scalar,
}

/// A value of an object, with its name.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) start: usize,
    pub(super) value: Node,
}

impl Node {
    /// The value of that name; the last, if there are several, as readers of JSON see it.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.members().iter().rev().find(|member| member.key == key).map(|member| &member.value)
    }

    pub(super) fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    pub(super) fn items(&self) -> &[Node] {
        match &self.kind {
            Kind::Array(items) => items,
            _ => &[],
        }
    }

    /// The places of what it contains, names included.
    pub(super) fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => {
                members.iter().map(|member| member.start..member.value.span.end).collect()
            }
            Kind::Array(items) => items.iter().map(|item| item.span.clone()).collect(),
            Kind::Scalar => Vec::new(),
        }
    }

    /// The value as data.
    pub(super) fn value(&self, text: &str) -> Value {
        serde_json::from_str(&text[self.span.clone()]).unwrap_or_default()
    }
}

/// Reads a JSON text that may have a byte order mark.
pub(super) fn parse(text: &str) -> Result<Node, InstallError> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    // This also bounds the depth, so that the reader below may call itself.
    serde_json::from_str::<Value>(&text[start..]).map_err(InstallError::Json)?;
    let mut reader = Reader { text, at: start };
    reader.skip_space();
    Ok(reader.value())
}

/// Reads text that is known to be JSON.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Node {
        let start = self.at;
        let kind = match self.peek() {
            b'{' => Kind::Object(self.list(b'}', |reader| {
                let start = reader.at;
                let end = reader.string();
                let key = serde_json::from_str(&reader.text[start..end]).unwrap_or_default();
                reader.skip_space();
                reader.at += 1;
                reader.skip_space();
                Member { key, start, value: reader.value() }
            })),
            b'[' => Kind::Array(self.list(b']', Reader::value)),
            b'"' => {
                self.string();
                Kind::Scalar
            }
            _ => {
                while !matches!(self.peek(), b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r' | 0)
                {
                    self.at += 1;
                }
                Kind::Scalar
            }
        };
        Node { span: start..self.at, kind }
    }

    fn list<T>(&mut self, close: u8, read: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_space();
        while !matches!(self.peek(), 0) && self.peek() != close {
            items.push(read(self));
            self.skip_space();
            if self.peek() == b',' {
                self.at += 1;
                self.skip_space();
            }
        }
        self.at += 1;
        items
    }

    /// Steps over a string, and tells where it ends.
    fn string(&mut self) -> usize {
        self.at += 1;
        while !matches!(self.peek(), b'"' | 0) {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        self.at
    }
}
