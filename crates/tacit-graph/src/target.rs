//! Finds the nodes for a target that a user names: a file, a directory, or `file::symbol`.

use crate::graph::{NodeId, NodeKind};
use crate::packed::PackedGraph;

/// The maximum number of suggestions in an error.
const MAX_SUGGESTIONS: usize = 8;

/// The reason why a target was not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The path is not in the graph.
    #[error("`{path}` is not in the code graph")]
    NoSuchFile {
        /// The path as the user wrote it.
        path: String,
        /// Paths with the same file name.
        suggestions: Vec<String>,
    },
    /// The file has no such symbol.
    #[error("`{path}` has no symbol `{symbol}`")]
    NoSuchSymbol {
        /// The path of the file.
        path: String,
        /// The symbol as the user wrote it.
        symbol: String,
        /// The first symbols of the file.
        suggestions: Vec<String>,
    },
    /// The name matches several symbols of the file.
    #[error("`{symbol}` is ambiguous in `{path}`")]
    Ambiguous {
        /// The path of the file.
        path: String,
        /// The symbol as the user wrote it.
        symbol: String,
        /// The first matching symbols.
        suggestions: Vec<String>,
    },
}

impl TargetError {
    /// Returns what the user may have meant.
    #[must_use]
    pub fn suggestions(&self) -> &[String] {
        match self {
            TargetError::NoSuchFile { suggestions, .. }
            | TargetError::NoSuchSymbol { suggestions, .. }
            | TargetError::Ambiguous { suggestions, .. } => suggestions,
        }
    }
}

/// Splits a target into a path and a symbol after `::`. A path may contain `::` itself: the longest
/// existing path wins.
#[must_use]
pub fn split_target(typed: &str, exists: impl Fn(&str) -> bool) -> (&str, Option<&str>) {
    let typed = typed.strip_suffix("::").filter(|_| !exists(typed)).unwrap_or(typed);
    let split = |(at, mark): (usize, &str)| (&typed[..at], Some(&typed[at + mark.len()..]));
    let splits = typed.rmatch_indices("::").map(split).filter(|(_, symbol)| *symbol != Some(""));
    let mut longest = std::iter::once((typed, None)).chain(splits.clone());
    longest.find(|(path, _)| exists(path)).or_else(|| splits.last()).unwrap_or((typed, None))
}

/// Returns the nodes of a target. A directory stands for all files below it, and a file node for
/// all its symbols.
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
            suggestions: same_name_paths(graph, path),
        });
    };
    let range = graph.range(file);
    let Some(symbol) = symbol else { return Ok(vec![range.start]) };
    let names = || (range.start + 1..range.end).map(|node| (node, graph.name(node)));
    let written = symbol.replace("::", ".");
    let exact: Vec<NodeId> =
        names().filter(|(_, name)| *name == written).map(|(node, _)| node).collect();
    // Overloads and several `impl` blocks of a type count as one symbol.
    if !exact.is_empty() {
        return Ok(exact);
    }
    let ending = format!(".{written}");
    let last: Vec<(NodeId, &str)> = names().filter(|(_, name)| name.ends_with(&ending)).collect();
    let (path, symbol) = (path.to_owned(), symbol.to_owned());
    match last[..] {
        [(node, _)] => Ok(vec![node]),
        [] => {
            let suggestions =
                names().map(|(_, name)| name.to_owned()).take(MAX_SUGGESTIONS).collect();
            Err(TargetError::NoSuchSymbol { path, symbol, suggestions })
        }
        _ => {
            let suggestions =
                last.iter().map(|(_, name)| (*name).to_owned()).take(MAX_SUGGESTIONS).collect();
            Err(TargetError::Ambiguous { path, symbol, suggestions })
        }
    }
}

/// Returns paths with the same file name.
fn same_name_paths(graph: &PackedGraph<'_>, path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let paths = (0..graph.files()).map(|file| graph.path(file));
    paths
        .filter(|path| path.rsplit('/').next() == Some(name))
        .take(MAX_SUGGESTIONS)
        .map(str::to_owned)
        .collect()
}

/// Returns true if a symbol is a member of a type, so that some of its calls may be on values of
/// unknown type.
pub(crate) fn is_member(graph: &PackedGraph<'_>, node: NodeId) -> bool {
    graph.node(node).is_some_and(|found| {
        matches!(found.kind, NodeKind::Function | NodeKind::Test) && found.name.contains('.')
    })
}

#[cfg(test)]
mod tests {
    use super::split_target;

    #[test]
    fn targets_are_split_after_the_longest_path() {
        let paths = ["src/pool.rs", "a::b.py", "odd::"];
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
            let split = split_target(typed, |path| paths.contains(&path));
            assert_eq!(split, (path, symbol), "{typed}");
        }
    }
}
