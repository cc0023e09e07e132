//! One walk over a tree, with a look at the patterns that may begin at each node.

use tree_sitter::{Node, TreeCursor};

use super::{CaptureId, ChildPattern, KindTest, NodePattern, Pattern, PatternSet};

/// Number of children that are looked at for each byte of a file: a bound for files that are made
/// to be slow.
const LOOKS_A_BYTE: usize = 64;

/// What was captured of one match, outer before inner, first before last.
pub(crate) type PatternMatch<'t> = [(CaptureId, Node<'t>)];

/// A child of a node, as far as patterns ask.
#[derive(Clone, Copy)]
struct Child<'t> {
    node: Node<'t>,
    kind: u16,
    field: u16,
    named: bool,
}

/// Looks for patterns in one tree.
pub(crate) struct Matcher<'f, 't> {
    finder: &'f PatternSet,
    text: &'t [u8],
    /// Walks over the children of nodes.
    cursor: TreeCursor<'t>,
    /// Lists of children that are not in use.
    spare: Vec<Vec<Child<'t>>>,
    captured: Vec<(CaptureId, Node<'t>)>,
    /// The matches of one pattern at one node, where they can repeat.
    seen: Vec<Vec<(CaptureId, usize)>>,
    /// How many children may still be looked at.
    looks: usize,
}

/// What is done with a whole match.
type OnMatch<'a, 'f, 't> = &'a mut dyn FnMut(&mut Matcher<'f, 't>);

impl<'f, 't> Matcher<'f, 't> {
    pub(crate) fn new(finder: &'f PatternSet, root: Node<'t>, text: &'t [u8]) -> Matcher<'f, 't> {
        Matcher {
            finder,
            text,
            cursor: root.walk(),
            spare: Vec::new(),
            captured: Vec::new(),
            seen: Vec::new(),
            looks: text.len().saturating_mul(LOOKS_A_BYTE),
        }
    }

    /// Tells every match below a node: by the place of their roots, then in the order in which
    /// patterns are written.
    pub(crate) fn all(&mut self, root: Node<'t>, on_match: &mut dyn FnMut(&PatternMatch<'t>)) {
        let mut walk = root.walk();
        loop {
            let node = walk.node();
            let kind = node.kind_id();
            if let Some(patterns) = self.finder.roots.get(kind as usize).filter(|p| !p.is_empty()) {
                self.at(node, kind, patterns, on_match);
            }
            // Most nodes are leaves, and to ask is cheaper than to try.
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

    /// Tries patterns at a node of the kind of their root.
    fn at(
        &mut self,
        node: Node<'t>,
        kind: u16,
        patterns: &[u16],
        on_match: &mut dyn FnMut(&PatternMatch<'t>),
    ) {
        let finder = self.finder;
        let mut children = None;
        let this = Child { node, kind, field: 0, named: node.is_named() };
        for pattern in patterns.iter().map(|&number| &finder.patterns[number as usize]) {
            self.seen.clear();
            for root in &pattern.roots {
                if !fits(root, &this) {
                    continue;
                }
                self.captured.clear();
                self.captured.extend(root.captures.iter().map(|&capture| (capture, node)));
                if root.children.is_empty() {
                    self.finish(pattern, on_match);
                    continue;
                }
                let list = children.get_or_insert_with(|| self.children(node));
                self.slots(&root.children, root.closed, list, 0, &mut |matcher| {
                    matcher.finish(pattern, on_match);
                });
            }
        }
        self.spare.extend(children);
    }

    /// Looks for children in a list, from a place on, and goes on with what follows.
    fn slots(
        &mut self,
        slots: &[ChildPattern],
        closed: bool,
        list: &[Child<'t>],
        from: usize,
        then: OnMatch<'_, 'f, 't>,
    ) {
        let Some((slot, rest)) = slots.split_first() else {
            if !closed || !list[from..].iter().any(|child| child.named) {
                then(self);
            }
            return;
        };
        // Where nothing is captured, the first that fits is as good as any, unless the next one
        // has to be right behind it.
        let any_will_do = rest.first().map_or(!closed, |next| !next.next);
        for (at, child) in list.iter().enumerate().skip(from) {
            let Some(looks) = self.looks.checked_sub(1) else { return };
            self.looks = looks;
            for option in slot.options.iter().filter(|option| fits(option, child)) {
                let kept = self.captured.len();
                self.captured.extend(option.captures.iter().map(|&name| (name, child.node)));
                let once = any_will_do && !option.captures_within;
                let mut found = false;
                let mut follow = |matcher: &mut Matcher<'f, 't>| {
                    if !(once && found) {
                        found = true;
                        matcher.slots(rest, closed, list, at + 1, then);
                    }
                };
                if option.children.is_empty() {
                    follow(self);
                } else {
                    let inner = self.children(child.node);
                    self.slots(&option.children, option.closed, &inner, 0, &mut follow);
                    self.spare.push(inner);
                }
                self.captured.truncate(kept);
                if once && found {
                    return;
                }
            }
            if slot.next && child.named {
                return;
            }
        }
    }

    /// A match that is whole: told, if its conditions hold and it was not told before.
    fn finish(&mut self, pattern: &Pattern, on_match: &mut dyn FnMut(&PatternMatch<'t>)) {
        let text = self.text;
        let holds = pattern.conditions.iter().all(|condition| {
            let mut nodes = self.captured.iter().filter(|(name, _)| *name == condition.capture);
            nodes.all(|(_, node)| {
                let text = text.get(node.byte_range()).unwrap_or_default();
                condition.among.iter().any(|one| one.as_bytes() == text) != condition.negated
            })
        });
        if !holds {
            return;
        }
        if pattern.repeats {
            let these = self.captured.iter().map(|(name, node)| (*name, node.id())).collect();
            if self.seen.contains(&these) {
                return;
            }
            self.seen.push(these);
        }
        on_match(&self.captured);
    }

    /// The children of a node.
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

/// Whether a node is what a step looks for, but for its children.
fn fits(step: &NodePattern, child: &Child<'_>) -> bool {
    let kind = match step.kind {
        KindTest::Is(kind) => kind == child.kind,
        KindTest::Named => child.named && !child.node.is_error(),
        KindTest::Any => !child.node.is_error(),
    };
    kind && step.field.is_none_or(|field| field == child.field)
        && !step.without.iter().any(|&field| child.node.child_by_field_id(field).is_some())
}
