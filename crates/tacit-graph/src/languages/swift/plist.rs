//! Property lists in the form that Xcode writes its projects in: `{ key = value; }`, `( value, )` and
//! text, with comments between. Of a text that is none, nothing is known.

use std::collections::BTreeMap;

/// How deep values may lie in each other; those of Xcode lie five deep.
const DEEPEST: usize = 32;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlistValue {
    Text(String),
    List(Vec<PlistValue>),
    Table(PlistTable),
}

/// Values by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PlistTable(BTreeMap<String, PlistValue>);

impl PlistTable {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &PlistValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(PlistValue::as_text)
    }

    pub(crate) fn table(&self, name: &str) -> Option<&PlistTable> {
        self.0.get(name).and_then(PlistValue::as_table)
    }

    /// The texts of a list; none where there is no such list.
    pub(crate) fn texts(&self, name: &str) -> impl Iterator<Item = &str> {
        let list = match self.0.get(name) {
            Some(PlistValue::List(list)) => list.as_slice(),
            _ => &[],
        };
        list.iter().filter_map(PlistValue::as_text)
    }
}

impl PlistValue {
    fn as_text(&self) -> Option<&str> {
        if let PlistValue::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn as_table(&self) -> Option<&PlistTable> {
        if let PlistValue::Table(table) = self { Some(table) } else { None }
    }
}

/// Reads a list; none if it is not whole.
pub(crate) fn read(text: &str) -> Option<PlistTable> {
    let mut reader = Reader { rest: text };
    match reader.value(DEEPEST)? {
        PlistValue::Table(table) => {
            reader.pass_over();
            reader.rest.is_empty().then_some(table)
        }
        _ => None,
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    /// Passes over white space and comments.
    fn pass_over(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let after = match self.rest.get(..2) {
                Some("/*") => self.rest[2..].split_once("*/").map(|(_, after)| after),
                Some("//") => self.rest.split_once('\n').map(|(_, after)| after),
                _ => return,
            };
            self.rest = after.unwrap_or_default();
        }
    }

    fn take(&mut self, mark: char) -> bool {
        self.pass_over();
        let after = self.rest.strip_prefix(mark);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn value(&mut self, deeper: usize) -> Option<PlistValue> {
        let deeper = deeper.checked_sub(1)?;
        if self.take('{') {
            let mut table = BTreeMap::new();
            while !self.take('}') {
                let name = self.text()?;
                if !self.take('=') {
                    return None;
                }
                let value = self.value(deeper)?;
                if !self.take(';') {
                    return None;
                }
                table.insert(name, value);
            }
            return Some(PlistValue::Table(PlistTable(table)));
        }
        if self.take('(') {
            let mut list = Vec::new();
            while !self.take(')') {
                list.push(self.value(deeper)?);
                if !self.take(',') {
                    return self.take(')').then_some(PlistValue::List(list));
                }
            }
            return Some(PlistValue::List(list));
        }
        self.text().map(PlistValue::Text)
    }

    fn text(&mut self) -> Option<String> {
        if self.take('"') {
            return self.quoted();
        }
        let ends = |c: char| c.is_whitespace() || "{}()=;,\"".contains(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The rest of a text after its first quote.
    fn quoted(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut characters = self.rest.char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Some(text);
                }
                '\\' => match characters.next()?.1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    other => text.push(other),
                },
                c => text.push(c),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_comments_passed_over() {
        let read = read(
            "// !$*UTF8*$!\n{\n\ta = Cart/Cart.swift; /* one */\n\t\"b c\" = \"say \\\"x\\\" /* y */\";\n\
             \tlist = (A1 /* in Sources */, \"two\", );\n\tshort = (x);\n\tempty = ();\n\
             \tt = {isa = PBXGroup; u = { }; };\n}\n",
        );
        let table = read.unwrap();
        assert_eq!(table.text("a"), Some("Cart/Cart.swift"));
        assert_eq!(table.text("b c"), Some("say \"x\" /* y */"));
        assert_eq!(table.texts("list").collect::<Vec<_>>(), ["A1", "two"]);
        assert_eq!(table.texts("short").collect::<Vec<_>>(), ["x"]);
        assert_eq!(table.texts("empty").count() + table.texts("a").count(), 0);
        assert_eq!(table.table("t").and_then(|t| t.text("isa")), Some("PBXGroup"));
    }

    #[test]
    fn of_what_is_not_whole_nothing_is_known() {
        let deep = "{a = ".to_owned() + &"(".repeat(100_000);
        for text in [
            "",
            "text",
            "(a)",
            "{",
            "{a = b}",
            "{a b;}",
            "{a = (b c);}",
            "{a = \"b;}",
            "{a = b; /* }",
            "{a = b;} more",
            "{\n<<<<<<< HEAD\na = b;\n=======\na = c;\n>>>>>>> x\n}",
            "<?xml version=\"1.0\"?><plist></plist>",
            &deep,
        ] {
            assert_eq!(read(text), None, "{}", &text[..text.len().min(60)]);
        }
    }
}
