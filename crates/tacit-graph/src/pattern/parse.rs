//! Parses `queries.scm` into patterns.

use tree_sitter::Language;

use super::{CaptureId, ChildPattern, Condition, KindTest, NodePattern, Pattern};

/// The maximum depth of nested patterns.
const MAX_DEPTH: usize = 16;

/// Parses a query and adds its capture names to `names`. Returns `None` if the syntax is not
/// supported.
pub(super) fn parse_query(
    language: &Language,
    query: &str,
    names: &mut Vec<String>,
) -> Option<Vec<Pattern>> {
    let mut reader = Reader { language, names, rest: query, conditions: Vec::new() };
    let mut patterns = Vec::new();
    reader.skip();
    while !reader.rest.is_empty() {
        patterns.push(reader.pattern()?);
        reader.skip();
    }
    Some(patterns)
}

/// Returns the index of a capture name, which is added if it is new.
pub(super) fn capture_id(names: &mut Vec<String>, name: &str) -> CaptureId {
    let known = names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    known as CaptureId
}

/// Skips white space and comments at the start of a text.
fn skip_blank(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix(';') {
        rest = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    rest
}

/// A parser for patterns. `None` always means unsupported syntax.
struct Reader<'a, 'q> {
    language: &'a Language,
    names: &'a mut Vec<String>,
    rest: &'q str,
    conditions: Vec<Condition>,
}

impl<'q> Reader<'_, 'q> {
    fn pattern(&mut self) -> Option<Pattern> {
        let roots = self.options(0)?;
        let may_repeat = roots.iter().any(may_repeat) || overlap(&roots);
        Some(Pattern { roots, conditions: std::mem::take(&mut self.conditions), may_repeat })
    }

    fn skip(&mut self) {
        self.rest = skip_blank(self.rest);
    }

    /// Consumes a token if it comes next.
    fn accept(&mut self, token: &str) -> bool {
        self.skip();
        let after = self.rest.strip_prefix(token);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn name(&mut self) -> Option<&'q str> {
        self.skip();
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let end = self.rest.find(|c: char| !inside(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then_some(name)
    }

    fn quoted(&mut self) -> Option<&'q str> {
        let (text, rest) = self.rest.strip_prefix('"')?.split_once('"')?;
        self.rest = rest;
        (!text.contains('\\')).then_some(text)
    }

    /// Parses one node or a list of alternatives, with their captures.
    fn options(&mut self, depth: usize) -> Option<Vec<NodePattern>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut nodes = if self.accept("[") {
            let mut nodes = Vec::new();
            while !self.accept("]") {
                nodes.extend(self.options(depth + 1)?);
            }
            // If some alternatives capture and others do not, tree-sitter drops some of the
            // matches.
            let without_captures =
                nodes.iter().filter(|node: &&NodePattern| !node.captures_within).count();
            (without_captures == 0 || without_captures == nodes.len()).then_some(nodes)?
        } else if self.accept("(") {
            self.skip();
            if self.rest.starts_with(['(', '[', '"']) {
                self.group(depth)?
            } else {
                vec![self.node(depth)?]
            }
        } else if self.rest.starts_with('"') {
            let kind = self.quoted()?;
            vec![node_pattern(self.kind(kind, false)?)]
        } else if self.accept("_") {
            vec![node_pattern(KindTest::Any)]
        } else {
            return None;
        };
        while self.accept("@") {
            let name = self.name()?;
            let capture = capture_id(self.names, name);
            for node in &mut nodes {
                node.captures.push(capture);
                node.captures_within = true;
            }
        }
        (!self.rest.starts_with(['*', '+', '?'])).then_some(nodes)
    }

    /// Parses a node in extra parentheses, with conditions.
    fn group(&mut self, depth: usize) -> Option<Vec<NodePattern>> {
        let nodes = self.options(depth + 1)?;
        while !self.accept(")") {
            self.condition()?;
        }
        Some(nodes)
    }

    /// Parses the rest of a node after its opening parenthesis.
    fn node(&mut self, depth: usize) -> Option<NodePattern> {
        let name = self.name()?;
        let mut node =
            node_pattern(if name == "_" { KindTest::Named } else { self.kind(name, true)? });
        let mut adjacent = false;
        while !self.accept(")") {
            self.skip();
            if self.accept("!") {
                let name = self.name()?;
                node.without.push(self.field(name)?);
            } else if self.accept(".") {
                adjacent = true;
            } else if self.rest.starts_with('(') && skip_blank(&self.rest[1..]).starts_with('#') {
                self.condition()?;
            } else {
                let field = self.field_before()?;
                let mut options = self.options(depth + 1)?;
                if field.is_some() {
                    options.iter_mut().for_each(|option| option.field = field);
                }
                node.captures_within |= options.iter().any(|option| option.captures_within);
                node.children.push(ChildPattern { options, adjacent });
                adjacent = false;
            }
        }
        node.ends_list = adjacent && !node.children.is_empty();
        Some(node)
    }

    /// Parses the field name before a child. The inner `None` means that there is none.
    #[expect(clippy::option_option, reason = "a missing field differs from an unknown one")]
    fn field_before(&mut self) -> Option<Option<u16>> {
        if !self.rest.starts_with(|c: char| c.is_alphabetic()) {
            return Some(None);
        }
        let name = self.name()?;
        if !self.accept(":") {
            return None;
        }
        self.field(name).map(Some)
    }

    fn field(&self, name: &str) -> Option<u16> {
        self.language.field_id_for_name(name).map(std::num::NonZeroU16::get)
    }

    fn kind(&self, name: &str, named: bool) -> Option<KindTest> {
        let id = self.language.id_for_node_kind(name, named);
        let known = id != 0 && self.language.node_kind_is_visible(id);
        let plain = known && !self.language.node_kind_is_supertype(id) && name != "ERROR";
        plain.then_some(KindTest::Is(id))
    }

    /// Parses `(#eq? @a "b")` and `(#any-of? @a "b" "c")`, or their negations.
    fn condition(&mut self) -> Option<()> {
        if !(self.accept("(") && self.accept("#")) {
            return None;
        }
        let name = self.name()?;
        let (name, negated) = match name.strip_prefix("not-") {
            Some(name) => (name, true),
            None => (name, false),
        };
        if !(matches!(name, "eq" | "any-of") && self.accept("?") && self.accept("@")) {
            return None;
        }
        let capture = self.name()?;
        let capture = capture_id(self.names, capture);
        let mut values = Vec::new();
        while !self.accept(")") {
            self.skip();
            values.push(self.quoted()?.to_owned());
        }
        self.conditions.push(Condition { capture, values, negated });
        Some(())
    }
}

fn node_pattern(kind: KindTest) -> NodePattern {
    NodePattern {
        kind,
        field: None,
        without: Vec::new(),
        captures: Vec::new(),
        children: Vec::new(),
        ends_list: false,
        captures_within: false,
    }
}

/// Returns true if another child without captures could match with the same captures.
fn may_repeat(node: &NodePattern) -> bool {
    let without_captures =
        |child: &ChildPattern| child.options.iter().any(|option| !option.captures_within);
    let pinned =
        node.children.windows(2).any(|pair| without_captures(&pair[0]) && pair[1].adjacent)
            || (node.ends_list && node.children.last().is_some_and(without_captures));
    let inside = node.children.iter().flat_map(|child| &child.options).any(may_repeat);
    pinned || inside || node.children.iter().any(|child| overlap(&child.options))
}

/// Returns true if two alternatives may match the same node, which yields the same captures twice.
fn overlap(options: &[NodePattern]) -> bool {
    let plain = |node: &NodePattern| matches!(node.kind, KindTest::Is(_));
    let pairs =
        options.iter().enumerate().flat_map(|(at, a)| options[..at].iter().map(move |b| (a, b)));
    pairs.into_iter().any(|(a, b)| a.kind == b.kind || !plain(a) || !plain(b))
}
