//! Reading `queries.scm`: patterns become values.

use tree_sitter::Language;

use super::{CaptureId, ChildPattern, Condition, KindTest, NodePattern, Pattern};

/// How deep a pattern may be nested.
const DEEPEST: usize = 16;

/// The patterns of a query; names of captures are added to those that are known. None if one of them
/// is not plain.
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

/// The place of a name, which is added if it is new.
pub(super) fn number(names: &mut Vec<String>, name: &str) -> CaptureId {
    let known = names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    known as CaptureId
}

/// A text without the white space and comments it begins with.
fn blank(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix(';') {
        rest = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    rest
}

/// Reads patterns. None, wherever it comes back, means that one is not plain.
struct Reader<'a, 'q> {
    language: &'a Language,
    names: &'a mut Vec<String>,
    rest: &'q str,
    conditions: Vec<Condition>,
}

impl<'q> Reader<'_, 'q> {
    fn pattern(&mut self) -> Option<Pattern> {
        let roots = self.options(0)?;
        let repeats = roots.iter().any(repeats) || overlap(&roots);
        Some(Pattern { roots, conditions: std::mem::take(&mut self.conditions), repeats })
    }

    fn skip(&mut self) {
        self.rest = blank(self.rest);
    }

    /// Whether the text goes on with this, which is then passed.
    fn takes(&mut self, token: &str) -> bool {
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

    /// One node, or one of several, with its captures.
    fn options(&mut self, depth: usize) -> Option<Vec<NodePattern>> {
        if depth > DEEPEST {
            return None;
        }
        let mut steps = if self.takes("[") {
            let mut steps = Vec::new();
            while !self.takes("]") {
                steps.extend(self.options(depth + 1)?);
            }
            // Of matches that differ in how much they capture the engine drops some.
            let silent = steps.iter().filter(|step: &&NodePattern| !step.captures_within).count();
            (silent == 0 || silent == steps.len()).then_some(steps)?
        } else if self.takes("(") {
            self.skip();
            if self.rest.starts_with(['(', '[', '"']) {
                self.group(depth)?
            } else {
                vec![self.node(depth)?]
            }
        } else if self.rest.starts_with('"') {
            let kind = self.quoted()?;
            vec![step(self.kind(kind, false)?)]
        } else if self.takes("_") {
            vec![step(KindTest::Any)]
        } else {
            return None;
        };
        while self.takes("@") {
            let name = self.name()?;
            let capture = number(self.names, name);
            for step in &mut steps {
                step.captures.push(capture);
                step.captures_within = true;
            }
        }
        (!self.rest.starts_with(['*', '+', '?'])).then_some(steps)
    }

    /// A node in brackets of its own, with conditions.
    fn group(&mut self, depth: usize) -> Option<Vec<NodePattern>> {
        let steps = self.options(depth + 1)?;
        while !self.takes(")") {
            self.condition()?;
        }
        Some(steps)
    }

    /// What follows after the bracket of a node.
    fn node(&mut self, depth: usize) -> Option<NodePattern> {
        let name = self.name()?;
        let mut node = step(if name == "_" { KindTest::Named } else { self.kind(name, true)? });
        let mut next = false;
        while !self.takes(")") {
            self.skip();
            if self.takes("!") {
                let name = self.name()?;
                node.without.push(self.field(name)?);
            } else if self.takes(".") {
                next = true;
            } else if self.rest.starts_with('(') && blank(&self.rest[1..]).starts_with('#') {
                self.condition()?;
            } else {
                let field = self.field_before()?;
                let mut options = self.options(depth + 1)?;
                if field.is_some() {
                    options.iter_mut().for_each(|option| option.field = field);
                }
                node.captures_within |= options.iter().any(|option| option.captures_within);
                node.children.push(ChildPattern { options, next });
                next = false;
            }
        }
        node.closed = next && !node.children.is_empty();
        Some(node)
    }

    /// The field that is named before a child; none inside if there is no name.
    #[expect(clippy::option_option, reason = "no field is not the same as an unknown one")]
    fn field_before(&mut self) -> Option<Option<u16>> {
        if !self.rest.starts_with(|c: char| c.is_alphabetic()) {
            return Some(None);
        }
        let name = self.name()?;
        if !self.takes(":") {
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

    /// `(#eq? @a "b")` and `(#any-of? @a "b" "c")`, or that it is not so.
    fn condition(&mut self) -> Option<()> {
        if !(self.takes("(") && self.takes("#")) {
            return None;
        }
        let name = self.name()?;
        let (name, negated) = match name.strip_prefix("not-") {
            Some(name) => (name, true),
            None => (name, false),
        };
        if !(matches!(name, "eq" | "any-of") && self.takes("?") && self.takes("@")) {
            return None;
        }
        let capture = self.name()?;
        let capture = number(self.names, capture);
        let mut among = Vec::new();
        while !self.takes(")") {
            self.skip();
            among.push(self.quoted()?.to_owned());
        }
        self.conditions.push(Condition { capture, among, negated });
        Some(())
    }
}

fn step(kind: KindTest) -> NodePattern {
    NodePattern {
        kind,
        field: None,
        without: Vec::new(),
        captures: Vec::new(),
        children: Vec::new(),
        closed: false,
        captures_within: false,
    }
}

/// Whether a child of which nothing is captured can be another, with the same captures.
fn repeats(step: &NodePattern) -> bool {
    let silent = |slot: &ChildPattern| slot.options.iter().any(|option| !option.captures_within);
    let pinned = step.children.windows(2).any(|pair| silent(&pair[0]) && pair[1].next)
        || (step.closed && step.children.last().is_some_and(silent));
    let inside = step.children.iter().flat_map(|slot| &slot.options).any(repeats);
    pinned || inside || step.children.iter().any(|slot| overlap(&slot.options))
}

/// Whether two options may fit the same node, which are two ways to the same captures.
fn overlap(options: &[NodePattern]) -> bool {
    let plain = |step: &NodePattern| matches!(step.kind, KindTest::Is(_));
    let pairs =
        options.iter().enumerate().flat_map(|(at, a)| options[..at].iter().map(move |b| (a, b)));
    pairs.into_iter().any(|(a, b)| a.kind == b.kind || !plain(a) || !plain(b))
}
