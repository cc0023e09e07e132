//! What somebody asks about: a file, a directory, or `file::symbol`.

use crate::graph::{NodeId, NodeKind};
use crate::packed::Packed;

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
        near: Vec<String>,
    },
    /// The file has no such symbol.
    #[error("`{path}` has no symbol `{symbol}`")]
    NoSuchSymbol {
        /// The file.
        path: String,
        /// As it was asked for.
        symbol: String,
        /// What it has.
        near: Vec<String>,
    },
    /// The file has several.
    #[error("`{symbol}` is several symbols of `{path}`")]
    Ambiguous {
        /// The file.
        path: String,
        /// As it was asked for.
        symbol: String,
        /// Which.
        near: Vec<String>,
    },
}

impl TargetError {
    /// What could have been meant.
    #[must_use]
    pub fn near(&self) -> &[String] {
        match self {
            TargetError::NoSuchFile { near, .. }
            | TargetError::NoSuchSymbol { near, .. }
            | TargetError::Ambiguous { near, .. } => near,
        }
    }
}

/// The nodes that are meant; files stand for everything in them.
pub fn find_target(
    graph: &Packed<'_>,
    path: &str,
    symbol: Option<&str>,
) -> Result<Vec<NodeId>, TargetError> {
    let Some(file) = graph.find(path) else {
        let below: Vec<NodeId> = graph.below(path).map(|file| graph.range(file).start).collect();
        if symbol.is_none() && !below.is_empty() {
            return Ok(below);
        }
        return Err(TargetError::NoSuchFile { path: path.to_owned(), near: alike(graph, path) });
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
            let near = names().map(|(_, name)| name.to_owned()).take(SHOWN).collect();
            Err(TargetError::NoSuchSymbol { path, symbol, near })
        }
        _ => {
            let near = last.iter().map(|(_, name)| (*name).to_owned()).take(SHOWN).collect();
            Err(TargetError::Ambiguous { path, symbol, near })
        }
    }
}

/// Paths of files with the same name.
fn alike(graph: &Packed<'_>, path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let paths = (0..graph.files()).map(|file| graph.path(file));
    paths
        .filter(|path| path.rsplit('/').next() == Some(name))
        .take(SHOWN)
        .map(str::to_owned)
        .collect()
}

/// How a symbol is used that belongs to a type: calls on values cannot be told from others'.
pub(crate) fn is_member(graph: &Packed<'_>, node: NodeId) -> bool {
    graph.node(node).is_some_and(|found| {
        matches!(found.kind, NodeKind::Function | NodeKind::Test) && found.name.contains('.')
    })
}
