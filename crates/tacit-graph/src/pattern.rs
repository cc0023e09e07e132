//! Matches the patterns of a language's `queries.scm` in one walk over a syntax tree.
//!
//! The query engine of tree-sitter takes 10 to 500 milliseconds to start, depending on the grammar,
//! and every command after an edit would pay for it. It also keeps a list of unfinished matches at
//! every node. Our patterns are simple: a node of a kind, with children of certain kinds in certain
//! fields. They are only tried at nodes of the kind of their root. Queries with repetitions or
//! regular expressions are refused.

mod matcher;
mod parse;
#[cfg(test)]
mod tests;

use tree_sitter::Language;

pub(crate) use matcher::{Matcher, PatternMatch};

/// The index of a capture name in a [`PatternSet`].
pub(crate) type CaptureId = u16;

/// The compiled patterns of a language.
pub(crate) struct PatternSet {
    patterns: Vec<Pattern>,
    /// For each node kind, the patterns that may start there.
    roots: Vec<Vec<u16>>,
    names: Vec<String>,
}

/// A pattern of a query, with alternatives for its root.
#[derive(Debug, PartialEq)]
struct Pattern {
    roots: Vec<NodePattern>,
    conditions: Vec<Condition>,
    /// Whether the same captures can be found in several ways.
    may_repeat: bool,
}

/// A pattern for one node.
#[derive(Debug, Clone, PartialEq)]
struct NodePattern {
    kind: KindTest,
    field: Option<u16>,
    /// Fields that the node must not have.
    without: Vec<u16>,
    captures: Vec<CaptureId>,
    children: Vec<ChildPattern>,
    /// Whether the last child pattern must match the last named child.
    ends_list: bool,
    /// Whether the node or anything inside it is captured.
    captures_within: bool,
}

/// A pattern for a child, after the previous one.
#[derive(Debug, Clone, PartialEq)]
struct ChildPattern {
    options: Vec<NodePattern>,
    /// Whether no other named node may come in between.
    adjacent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KindTest {
    Is(u16),
    /// `(_)`: any named node.
    Named,
    /// `_`: any node.
    Any,
}

/// A condition on the text of a captured node.
#[derive(Debug, Clone, PartialEq)]
struct Condition {
    capture: CaptureId,
    values: Vec<String>,
    negated: bool,
}

impl PatternSet {
    /// Compiles a query. Returns `None` if it does not fit the language or uses unsupported syntax.
    pub(crate) fn new(language: &Language, query: &str) -> Option<PatternSet> {
        let mut names = Vec::new();
        let patterns = parse::parse_query(language, query, &mut names)?;
        let mut roots = vec![Vec::new(); language.node_kind_count()];
        for (number, pattern) in patterns.iter().enumerate() {
            for root in &pattern.roots {
                let all = 0..roots.len() as u16;
                let kinds = match root.kind {
                    KindTest::Is(kind) => kind..kind + 1,
                    KindTest::Named | KindTest::Any => all,
                };
                for kind in kinds {
                    let there = roots.get_mut(kind as usize)?;
                    if there.last() != Some(&(number as u16)) {
                        there.push(number as u16);
                    }
                }
            }
        }
        Some(PatternSet { patterns, roots, names })
    }

    /// Returns the names of the captures.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}
