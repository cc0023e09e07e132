//! Walks over a tree once and tries, at each node, the patterns that may start there.

use tree_sitter::{Node, TreeCursor};

use super::{CaptureId, ChildPattern, KindTest, NodePattern, Pattern, PatternSet};

/// The number of children to look at per byte of a file, which bounds the time for hostile files.
const LOOKS_PER_BYTE: usize = 64;

/// The captures of one match, in tree order.
pub(crate) type PatternMatch<'t> = [(CaptureId, Node<'t>)];

/// The properties of a child node that patterns ask for.
#[derive(Clone, Copy)]
struct Child<'t> {
    node: Node<'t>,
    kind: u16,
    field: u16,
    named: bool,
}

/// Matches patterns in one tree.
pub(crate) struct Matcher<'f, 't> {
    pattern_set: &'f PatternSet,
    text: &'t [u8],
    /// A cursor for reading children.
    cursor: TreeCursor<'t>,
    /// Child lists to reuse.
    spare: Vec<Vec<Child<'t>>>,
    captured: Vec<(CaptureId, Node<'t>)>,
    /// The matches of one pattern at one node, to remove duplicates.
    seen: Vec<Vec<(CaptureId, usize)>>,
    /// The number of children that may still be looked at.
    looks: usize,
}

/// A continuation that runs after a partial match.
type OnMatch<'a, 'f, 't> = &'a mut dyn FnMut(&mut Matcher<'f, 't>);

impl<'f, 't> Matcher<'f, 't> {
    pub(crate) fn new(
        pattern_set: &'f PatternSet,
        root: Node<'t>,
        text: &'t [u8],
    ) -> Matcher<'f, 't> {
        Matcher {
            pattern_set,
            text,
            cursor: root.walk(),
            spare: Vec::new(),
            captured: Vec::new(),
            seen: Vec::new(),
            looks: text.len().saturating_mul(LOOKS_PER_BYTE),
        }
    }

    /// Reports every match below a node, ordered by the position of its root, then by the order of
    /// the patterns.
    pub(crate) fn match_all(
        &mut self,
        root: Node<'t>,
        on_match: &mut dyn FnMut(&PatternMatch<'t>),
    ) {
        let mut walk = root.walk();
        loop {
            let node = walk.node();
            let kind = node.kind_id();
            if let Some(patterns) =
                self.pattern_set.roots.get(kind as usize).filter(|p| !p.is_empty())
            {
                self.match_at(node, kind, patterns, on_match);
            }
            // Most nodes are leaves, and asking is cheaper than trying to descend.
            if node.child_count() > 0 && walk.goto_first_child() {
                continue;
            }
            while !walk.goto_next_sibling() {
                if !walk.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Tries patterns at a node that has the kind of their root.
    fn match_at(
        &mut self,
        node: Node<'t>,
        kind: u16,
        patterns: &[u16],
        on_match: &mut dyn FnMut(&PatternMatch<'t>),
    ) {
        let pattern_set = self.pattern_set;
        let mut children = None;
        let this = Child { node, kind, field: 0, named: node.is_named() };
        for pattern in patterns.iter().map(|&number| &pattern_set.patterns[number as usize]) {
            self.seen.clear();
            for root in &pattern.roots {
                if !fits(root, &this) {
                    continue;
                }
                self.captured.clear();
                self.captured.extend(root.captures.iter().map(|&capture| (capture, node)));
                if root.children.is_empty() {
                    self.report(pattern, on_match);
                    continue;
                }
                let list = children.get_or_insert_with(|| self.children(node));
                self.match_children(&root.children, root.ends_list, list, 0, &mut |matcher| {
                    matcher.report(pattern, on_match);
                });
            }
        }
        self.spare.extend(children);
    }

    /// Matches child patterns in a list of children from an index on, then continues with `then`.
    fn match_children(
        &mut self,
        patterns: &[ChildPattern],
        ends_list: bool,
        list: &[Child<'t>],
        from: usize,
        then: OnMatch<'_, 'f, 't>,
    ) {
        let Some((pattern, rest)) = patterns.split_first() else {
            if !ends_list || !list[from..].iter().any(|child| child.named) {
                then(self);
            }
            return;
        };
        // Without captures, the first match is as good as any other, unless the next child must
        // follow it directly.
        let any_will_do = rest.first().map_or(!ends_list, |next| !next.adjacent);
        for (at, child) in list.iter().enumerate().skip(from) {
            let Some(looks) = self.looks.checked_sub(1) else { return };
            self.looks = looks;
            for option in pattern.options.iter().filter(|option| fits(option, child)) {
                let captured_before = self.captured.len();
                self.captured.extend(option.captures.iter().map(|&name| (name, child.node)));
                let once = any_will_do && !option.captures_within;
                let mut found = false;
                let mut follow = |matcher: &mut Matcher<'f, 't>| {
                    if !(once && found) {
                        found = true;
                        matcher.match_children(rest, ends_list, list, at + 1, then);
                    }
                };
                if option.children.is_empty() {
                    follow(self);
                } else {
                    let inner = self.children(child.node);
                    self.match_children(&option.children, option.ends_list, &inner, 0, &mut follow);
                    self.spare.push(inner);
                }
                self.captured.truncate(captured_before);
                if once && found {
                    return;
                }
            }
            if pattern.adjacent && child.named {
                return;
            }
        }
    }

    /// Reports a complete match if its conditions hold and it is not a duplicate.
    fn report(&mut self, pattern: &Pattern, on_match: &mut dyn FnMut(&PatternMatch<'t>)) {
        let text = self.text;
        let holds = pattern.conditions.iter().all(|condition| {
            let mut nodes = self.captured.iter().filter(|(name, _)| *name == condition.capture);
            nodes.all(|(_, node)| {
                let text = text.get(node.byte_range()).unwrap_or_default();
                condition.values.iter().any(|one| one.as_bytes() == text) != condition.negated
            })
        });
        if !holds {
            return;
        }
        if pattern.may_repeat {
            let captures = self.captured.iter().map(|(name, node)| (*name, node.id())).collect();
            if self.seen.contains(&captures) {
                return;
            }
            self.seen.push(captures);
        }
        on_match(&self.captured);
    }

    /// Reads the children of a node.
    fn children(&mut self, node: Node<'t>) -> Vec<Child<'t>> {
        let mut list = self.spare.pop().unwrap_or_default();
        list.clear();
        self.cursor.reset(node);
        let mut more = self.cursor.goto_first_child();
        while more {
            let node = self.cursor.node();
            list.push(Child {
                node,
                kind: node.kind_id(),
                field: self.cursor.field_id().map_or(0, std::num::NonZeroU16::get),
                named: node.is_named(),
            });
            more = self.cursor.goto_next_sibling();
        }
        list
    }
}

/// Returns true if a node matches a pattern, apart from its children.
fn fits(pattern: &NodePattern, child: &Child<'_>) -> bool {
    let kind = match pattern.kind {
        KindTest::Is(kind) => kind == child.kind,
        KindTest::Named => child.named && !child.node.is_error(),
        KindTest::Any => !child.node.is_error(),
    };
    kind && pattern.field.is_none_or(|field| field == child.field)
        && !pattern.without.iter().any(|&field| child.node.child_by_field_id(field).is_some())
}
