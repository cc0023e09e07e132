//! Reads the part of YAML in which CI files are written: maps, lists, plain and quoted values, block
//! texts, and lists and maps on one line. What is not understood is read as text or left out.

/// The most lines and the deepest nesting that are read.
const MAX_LINES: usize = 5_000;
const MAX_DEPTH: usize = 40;
const MAX_BRACKETS: usize = 6;

/// A value of a YAML file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Yaml {
    Text(String),
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    /// Returns the value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Yaml> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the entries of a map; empty for other values.
    pub(super) fn entries(&self) -> &[(String, Yaml)] {
        if let Yaml::Map(entries) = self { entries } else { &[] }
    }

    /// Returns the items of a list; empty for other values.
    pub(super) fn items(&self) -> &[Yaml] {
        if let Yaml::List(items) = self { items } else { &[] }
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Yaml::Text(text) = self { Some(text) } else { None }
    }

    /// Returns a text, or the texts of a list, nested lists included.
    pub(super) fn texts(&self) -> Vec<&str> {
        match self {
            Yaml::Text(text) => vec![text],
            Yaml::List(items) => items.iter().flat_map(Yaml::texts).collect(),
            Yaml::Map(_) => Vec::new(),
        }
    }
}

/// A line with its indentation.
#[derive(Clone, Copy)]
struct Line<'a> {
    indent: usize,
    text: &'a str,
}

/// Reads a file.
pub(super) fn parse(text: &str) -> Yaml {
    let lines = text.lines().take(MAX_LINES);
    let lines: Vec<Line<'_>> = lines
        .filter(|line| !line.starts_with("---") && !line.starts_with('%'))
        .map(|line| {
            let text = line.trim_start_matches(' ');
            Line { indent: line.len() - text.len(), text: text.trim_end() }
        })
        .collect();
    let mut reader = Reader { lines: &lines, at: 0 };
    reader.block(0, 0)
}

struct Reader<'l, 'a> {
    lines: &'l [Line<'a>],
    at: usize,
}

impl<'a> Reader<'_, 'a> {
    /// Returns the next line that is neither empty nor a comment.
    fn peek(&mut self) -> Option<Line<'a>> {
        while let Some(line) = self.lines.get(self.at) {
            if !line.text.is_empty() && !line.text.starts_with('#') {
                return Some(*line);
            }
            self.at += 1;
        }
        None
    }

    /// Reads a map or list whose lines are indented at least so far.
    fn block(&mut self, least: usize, depth: usize) -> Yaml {
        let empty = Yaml::Text(String::new());
        let Some(first) = self.peek().filter(|line| line.indent >= least) else { return empty };
        if depth > MAX_DEPTH {
            self.skip(first.indent);
            return empty;
        }
        if is_item(first.text) {
            return self.list(first.indent, depth);
        }
        if split_key(first.text).is_some() {
            return self.map(first.indent, None, depth);
        }
        // A plain text on its own lines.
        let mut text = String::new();
        while let Some(line) = self.peek().filter(|line| line.indent >= least) {
            text.push_str(line.text);
            text.push(' ');
            self.at += 1;
        }
        value_of(text.trim(), 0)
    }

    /// Skips a line and everything below it.
    fn skip(&mut self, indent: usize) {
        self.at += 1;
        while self.peek().is_some_and(|line| line.indent > indent) {
            self.at += 1;
        }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Yaml {
        let mut items = Vec::new();
        while let Some(line) = self.peek().filter(|line| line.indent == indent) {
            if !is_item(line.text) {
                break;
            }
            let rest = line.text[1..].trim_start();
            let inner = indent + line.text.len() - rest.len();
            if rest.is_empty() {
                self.at += 1;
                items.push(self.block(indent + 1, depth + 1));
            } else if is_item(rest) && depth < MAX_DEPTH {
                // A list in a list on one line is rare; its items are read as texts.
                self.at += 1;
                items.push(value_of(rest[1..].trim(), 0));
            } else if split_key(rest).is_some() && !rest.starts_with(['{', '[']) {
                items.push(self.map(inner, Some(Line { indent: inner, text: rest }), depth + 1));
            } else {
                self.at += 1;
                items.push(self.scalar(rest, indent));
            }
        }
        if self.at < self.lines.len() && items.is_empty() {
            self.at += 1;
        }
        Yaml::List(items)
    }

    /// Reads a map; `first` is its first line if that begins an item of a list.
    fn map(&mut self, indent: usize, first: Option<Line<'a>>, depth: usize) -> Yaml {
        let mut entries: Vec<(String, Yaml)> = Vec::new();
        let mut first = first;
        while let Some(line) = first.take().or_else(|| self.peek()) {
            if line.indent != indent || (is_item(line.text) && !entries.is_empty()) {
                break;
            }
            let Some((key, rest)) = split_key(line.text) else {
                // A line that is no entry ends nothing below it.
                self.skip(line.indent);
                continue;
            };
            self.at += 1;
            let value = match rest {
                "" => {
                    // A list may stand as far left as its key.
                    let next = self.peek();
                    let same = next.is_some_and(|l| l.indent == indent && is_item(l.text));
                    let least = if same { indent } else { indent + 1 };
                    self.block(least, depth + 1)
                }
                rest => self.scalar(rest, indent),
            };
            entries.push((key.to_owned(), value));
        }
        // Lines that are indented in between belong to nothing that is understood.
        while self.peek().is_some_and(|line| line.indent > indent) {
            self.at += 1;
        }
        Yaml::Map(entries)
    }

    /// Reads a value that begins on the line of its key, which has this indentation.
    fn scalar(&mut self, rest: &str, indent: usize) -> Yaml {
        let rest = rest.trim();
        if let Some(style) = rest.strip_prefix(['|', '>']) {
            let is_header = style.split('#').next().unwrap_or_default().trim();
            if is_header.len() <= 2 && is_header.chars().all(|c| "+-0123456789".contains(c)) {
                return Yaml::Text(self.block_text(indent, rest.starts_with('>')));
            }
        }
        let mut text = without_comment(rest).to_owned();
        // A plain or quoted value may continue on lines that are indented further.
        while let Some(line) = self.peek().filter(|line| line.indent > indent) {
            text.push(' ');
            text.push_str(line.text);
            self.at += 1;
        }
        value_of(text.trim(), 0)
    }

    fn block_text(&mut self, indent: usize, folded: bool) -> String {
        let mut text = String::new();
        let mut inner = None;
        while let Some(line) = self.lines.get(self.at) {
            if !line.text.is_empty() && line.indent <= indent {
                break;
            }
            self.at += 1;
            if line.text.is_empty() {
                text.push('\n');
                continue;
            }
            let inner = *inner.get_or_insert(line.indent);
            text.push_str(&" ".repeat(line.indent.saturating_sub(inner)));
            text.push_str(line.text);
            text.push(if folded { ' ' } else { '\n' });
        }
        text.trim_end().to_owned()
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// Splits `key: value`. Returns `None` for lines that are no entry of a map.
fn split_key(text: &str) -> Option<(&str, &str)> {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            let (key, rest) = inner.split_once(quote)?;
            let rest = rest.trim_start().strip_prefix(':')?;
            return Some((key, rest.trim()));
        }
    }
    if text.starts_with(['{', '[', '|', '>', '#', '`']) {
        return None;
    }
    let (key, rest) = match text.split_once(": ") {
        Some((key, rest)) => (key, rest.trim()),
        None => (text.strip_suffix(':')?, ""),
    };
    let rest = if rest.starts_with('#') { "" } else { rest };
    (!key.is_empty() && key.len() <= 120).then(|| (key.trim(), rest))
}

/// Removes a comment after a value that is not quoted.
fn without_comment(text: &str) -> &str {
    if text.starts_with(['"', '\'']) {
        return text;
    }
    text.split_once(" #").map_or(text, |(text, _)| text.trim_end())
}

/// Reads a value on one line, at this depth of brackets.
fn value_of(text: &str, depth: usize) -> Yaml {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            let end = inner.rfind(quote).unwrap_or(inner.len());
            let inner = &inner[..end];
            return Yaml::Text(match quote {
                '"' => inner.replace("\\\"", "\"").replace("\\\\", "\\"),
                _ => inner.replace("''", "'"),
            });
        }
    }
    if depth > MAX_BRACKETS {
        return Yaml::Text(String::new());
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        let items = split_flow(inner).into_iter().map(|item| value_of(item.trim(), depth + 1));
        return Yaml::List(items.filter(|item| item.text() != Some("")).collect());
    }
    if let Some(inner) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'))
        && !text.starts_with("{{")
    {
        let entries = split_flow(inner).into_iter().filter_map(|entry| {
            let (key, value) = entry.split_once(':')?;
            Some((
                key.trim().trim_matches(['"', '\'']).to_owned(),
                value_of(value.trim(), depth + 1),
            ))
        });
        return Yaml::Map(entries.collect());
    }
    Yaml::Text(text.to_owned())
}

/// Splits at commas outside quotes and brackets.
fn split_flow(text: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(c),
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    // Deep nesting is not read.
    parts.truncate(200);
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn show(yaml: &Yaml) -> String {
        match yaml {
            Yaml::Text(text) => format!("{text:?}"),
            Yaml::List(items) => {
                format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", "))
            }
            Yaml::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| format!("{key}: {}", show(value)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }

    #[test]
    fn the_yaml_of_ci_files_is_read() {
        for (text, expected) in [
            ("a: 1\nb: two # c\n", r#"{a: "1", b: "two"}"#),
            ("a:\n  b:\n    - x\n    - y: 1\n      z: 2\n", r#"{a: {b: ["x", {y: "1", z: "2"}]}}"#),
            ("a:\n- x\n- y\nb: 1\n", r#"{a: ["x", "y"], b: "1"}"#),
            (
                "run: |\n  make\n    all\n\n  test\nx: 1\n",
                r#"{run: "make\n  all\n\ntest", x: "1"}"#,
            ),
            ("run: >-\n  make\n  all\n", r#"{run: "make all"}"#),
            ("on: [push, 'pull_request']\n", r#"{on: ["push", "pull_request"]}"#),
            ("m: {os: [a, b], c: \"d\"}\n", r#"{m: {os: ["a", "b"], c: "d"}}"#),
            (
                "- name: x\n  run: \"a: \\\"b\\\"\"\n-\n  y: 1\n",
                r#"[{name: "x", run: "a: \"b\""}, {y: "1"}]"#,
            ),
            ("\"on\":\n  push:\n", r#"{on: {push: ""}}"#),
            ("a: make\n  test\n", r#"{a: "make test"}"#),
            ("%YAML 1.2\n---\n# c\na: 1", r#"{a: "1"}"#),
            ("", r#""""#),
        ] {
            assert_eq!(show(&parse(text)), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[ \\-a-c:|>#\\[\\]{}\"',\n]{0,200}") {
            parse(&text);
        }
    }

    #[test]
    fn deep_nesting_is_bounded() {
        let deep: String = (0..4_000).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
        parse(&deep);
        parse(&"- ".repeat(10_000));
        parse(&format!("a: {}", "[".repeat(100_000) + &"]".repeat(100_000)));
    }
}
