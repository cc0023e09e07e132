//! Finding the patterns of a language's `queries.scm` in a syntax tree, in one walk.
//!
//! The query engine of tree-sitter keeps a list of unfinished matches at every node, which costs
//! several times what parsing does. Nearly all patterns say little: a node of a kind, with children
//! of certain kinds in certain fields. Those are looked for only where a node of the kind of their
//! root is met. What says more (repetitions, regular expressions) is left to the engine.

mod read;
mod seek;
#[cfg(test)]
mod tests;

use tree_sitter::{Language, Query};

pub(crate) use seek::{Match, Seeker};

/// A capture, by its place among the names of a [`Finder`].
pub(crate) type CaptureId = u16;

/// The patterns of a language, ready to be looked for.
pub(crate) struct Finder {
    plain: Vec<Pattern>,
    /// For each kind of node, the patterns that may begin there.
    roots: Vec<Vec<u16>>,
    /// What is left to the engine, with what its captures are called here.
    rest: Option<(Query, Vec<CaptureId>)>,
    names: Vec<String>,
}

/// A pattern, and where it stands among all of them.
#[derive(Debug, PartialEq)]
struct Pattern {
    roots: Vec<Step>,
    conditions: Vec<Condition>,
    /// Whether the same captures can be found in several ways.
    repeats: bool,
}

/// A node that is looked for.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    kind: Kind,
    field: Option<u16>,
    /// Fields that it must not have.
    without: Vec<u16>,
    captures: Vec<CaptureId>,
    children: Vec<Slot>,
    /// Whether the last of the children has to be the last one that is named.
    closed: bool,
    /// Whether anything in it is captured.
    captures_within: bool,
}

/// A child that is looked for, after the one before it.
#[derive(Debug, Clone, PartialEq)]
struct Slot {
    options: Vec<Step>,
    /// Whether no other named node may come before it.
    next: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
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

impl Finder {
    /// The patterns of a query; none if it is not one of this language.
    pub(crate) fn new(language: &Language, query: &str) -> Option<Finder> {
        let (mut plain, mut rest, mut names) = (Vec::new(), String::new(), Vec::new());
        match read::read(language, query, &mut names) {
            Some(written) => {
                for one in written {
                    match one {
                        Ok(pattern) => plain.push(pattern),
                        Err(text) => rest = rest + text + "\n",
                    }
                }
            }
            None => query.clone_into(&mut rest),
        }
        // The engine takes tens of milliseconds to get ready, so it is only asked where it has to.
        let rest = if rest.is_empty() { None } else { Some(Query::new(language, &rest).ok()?) };
        let rest = rest.map(|rest| {
            let own = rest.capture_names().iter();
            let places = own.map(|name| read::number(&mut names, name)).collect();
            (rest, places)
        });
        let mut roots = vec![Vec::new(); language.node_kind_count()];
        for (number, pattern) in plain.iter().enumerate() {
            for root in &pattern.roots {
                let all = 0..roots.len() as u16;
                let kinds = match root.kind {
                    Kind::Is(kind) => kind..kind + 1,
                    Kind::Named | Kind::Any => all,
                };
                for kind in kinds {
                    let there = roots.get_mut(kind as usize)?;
                    if there.last() != Some(&(number as u16)) {
                        there.push(number as u16);
                    }
                }
            }
        }
        Some(Finder { plain, roots, rest, names })
    }

    /// The names of the captures.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}
