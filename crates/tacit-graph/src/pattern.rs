//! Finding the patterns of a language's `queries.scm` in a syntax tree, in one walk.
//!
//! The query engine of tree-sitter takes 10 to 500 milliseconds to get ready, depending on the grammar,
//! which every command after an edit would pay; and it keeps a list of unfinished matches at every
//! node. Our patterns say little: a node of a kind, with children of certain kinds in certain fields.
//! They are looked for only where a node of the kind of their root is met. What says more
//! (repetitions, regular expressions) is refused.

mod matcher;
mod parse;
#[cfg(test)]
mod tests;

use tree_sitter::Language;

pub(crate) use matcher::{Matcher, PatternMatch};

/// A capture, by its place among the names of a [`PatternSet`].
pub(crate) type CaptureId = u16;

/// The patterns of a language, ready to be looked for.
pub(crate) struct PatternSet {
    patterns: Vec<Pattern>,
    /// For each kind of node, the patterns that may begin there.
    roots: Vec<Vec<u16>>,
    names: Vec<String>,
}

/// A pattern.
#[derive(Debug, PartialEq)]
struct Pattern {
    roots: Vec<NodePattern>,
    conditions: Vec<Condition>,
    /// Whether the same captures can be found in several ways.
    repeats: bool,
}

/// A node that is looked for.
#[derive(Debug, Clone, PartialEq)]
struct NodePattern {
    kind: KindTest,
    field: Option<u16>,
    /// Fields that it must not have.
    without: Vec<u16>,
    captures: Vec<CaptureId>,
    children: Vec<ChildPattern>,
    /// Whether the last of the children has to be the last one that is named.
    closed: bool,
    /// Whether anything in it is captured.
    captures_within: bool,
}

/// A child that is looked for, after the one before it.
#[derive(Debug, Clone, PartialEq)]
struct ChildPattern {
    options: Vec<NodePattern>,
    /// Whether no other named node may come before it.
    next: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KindTest {
    Is(u16),
    /// `(_)`
    Named,
    /// `_`
    Any,
}

/// What the text of a captured node has to be.
#[derive(Debug, Clone, PartialEq)]
struct Condition {
    capture: CaptureId,
    among: Vec<String>,
    negated: bool,
}

impl PatternSet {
    /// The patterns of a query; none if it is not one of this language, or one that is not plain.
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

    /// The names of the captures.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}
