//! What somebody asks about: a file, a directory, or `file::symbol`.

use crate::graph::{NodeId, NodeKind};
use crate::packed::PackedGraph;

/// How many names are shown where several could be meant.
const SHOWN: usize = 8;

/// Why nothing is meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The path is not in the graph.
    #[error("`{path}` is not in the code graph")]
    NoSuchFile {
        /// As it was asked for.
        path: String,
        /// Paths that end alike.
        suggestions: Vec<String>,
    },
    /// The file has no such symbol.
    #[error("`{path}` has no symbol `{symbol}`")]
    NoSuchSymbol {
        /// The file.
        path: String,
        /// As it was asked for.
        symbol: String,
        /// What it has.
        suggestions: Vec<String>,
    },
    /// The file has several.
    #[error("`{symbol}` is several symbols of `{path}`")]
    Ambiguous {
        /// The file.
        path: String,
        /// As it was asked for.
        symbol: String,
        /// Which.
        suggestions: Vec<String>,
    },
}

impl TargetError {
    /// What could have been meant.
    #[must_use]
    pub fn suggestions(&self) -> &[String] {
        match self {
            TargetError::NoSuchFile { suggestions, .. }
            | TargetError::NoSuchSymbol { suggestions, .. }
            | TargetError::Ambiguous { suggestions, .. } => suggestions,
        }
    }
}

/// A target as it is typed, taken apart: a path, and after `::` a symbol of it. A path may have `::`
/// in it as well, and then it is the longest one that is there.
#[must_use]
pub fn split_target(typed: &str, is_there: impl Fn(&str) -> bool) -> (&str, Option<&str>) {
    let typed = typed.strip_suffix("::").filter(|_| !is_there(typed)).unwrap_or(typed);
    let split = |(at, mark): (usize, &str)| (&typed[..at], Some(&typed[at + mark.len()..]));
    let ways = typed.rmatch_indices("::").map(split).filter(|(_, symbol)| *symbol != Some(""));
    let mut longest = std::iter::once((typed, None)).chain(ways.clone());
    longest.find(|(path, _)| is_there(path)).or_else(|| ways.last()).unwrap_or((typed, None))
}

/// The nodes that are meant; files stand for everything in them.
pub fn find_target(
    graph: &PackedGraph<'_>,
    path: &str,
    symbol: Option<&str>,
) -> Result<Vec<NodeId>, TargetError> {
    let Some(file) = graph.find(path) else {
        let below: Vec<NodeId> =
            graph.files_below(path).map(|file| graph.range(file).start).collect();
        if symbol.is_none() && !below.is_empty() {
            return Ok(below);
        }
        return Err(TargetError::NoSuchFile {
            path: path.to_owned(),
            suggestions: alike(graph, path),
        });
    };
    let range = graph.range(file);
    let Some(symbol) = symbol else { return Ok(vec![range.start]) };
    let names = || (range.start + 1..range.end).map(|node| (node, graph.name(node)));
    let written = symbol.replace("::", ".");
    let exact: Vec<NodeId> =
        names().filter(|(_, name)| *name == written).map(|(node, _)| node).collect();
    // The same name twice is one symbol to whoever asks: overloads, and blocks of one type.
    if !exact.is_empty() {
        return Ok(exact);
    }
    let ending = format!(".{written}");
    let last: Vec<(NodeId, &str)> = names().filter(|(_, name)| name.ends_with(&ending)).collect();
    let (path, symbol) = (path.to_owned(), symbol.to_owned());
    match last[..] {
        [(node, _)] => Ok(vec![node]),
        [] => {
            let suggestions = names().map(|(_, name)| name.to_owned()).take(SHOWN).collect();
            Err(TargetError::NoSuchSymbol { path, symbol, suggestions })
        }
        _ => {
            let suggestions = last.iter().map(|(_, name)| (*name).to_owned()).take(SHOWN).collect();
            Err(TargetError::Ambiguous { path, symbol, suggestions })
        }
    }
}

/// Paths of files with the same name.
fn alike(graph: &PackedGraph<'_>, path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let paths = (0..graph.files()).map(|file| graph.path(file));
    paths
        .filter(|path| path.rsplit('/').next() == Some(name))
        .take(SHOWN)
        .map(str::to_owned)
        .collect()
}

/// How a symbol is used that belongs to a type: calls on values cannot be told from others'.
pub(crate) fn is_member(graph: &PackedGraph<'_>, node: NodeId) -> bool {
    graph.node(node).is_some_and(|found| {
        matches!(found.kind, NodeKind::Function | NodeKind::Test) && found.name.contains('.')
    })
}

#[cfg(test)]
mod tests {
    use super::split_target;

    #[test]
    fn targets_are_taken_apart_where_the_path_ends() {
        let there = ["src/pool.rs", "a::b.py", "odd::"];
        for (typed, path, symbol) in [
            ("src/pool.rs", "src/pool.rs", None),
            ("src/pool.rs::", "src/pool.rs", None),
            ("src/pool.rs::Pool", "src/pool.rs", Some("Pool")),
            ("src/pool.rs::Pool::close", "src/pool.rs", Some("Pool::close")),
            ("gone.rs::Pool::close", "gone.rs", Some("Pool::close")),
            ("gone.rs::", "gone.rs", None),
            ("a::b.py", "a::b.py", None),
            ("a::b.py::f", "a::b.py", Some("f")),
            ("odd::", "odd::", None),
        ] {
            let split = split_target(typed, |path| there.contains(&path));
            assert_eq!(split, (path, symbol), "{typed}");
        }
    }
}
