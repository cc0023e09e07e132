//! Which node is what: each file is followed by what it defines.

use std::sync::OnceLock;

use crate::facts::{DefinitionKind, FileFacts};
use crate::graph::{FileNode, Node, NodeId, NodeKind};
use crate::link::is_test_path;
use crate::project::{FileId, Index, Skipped};

/// Which node is what.
pub(super) struct Places<'a> {
    index: &'a Index<'a>,
    /// The node of each file.
    files: Vec<NodeId>,
    /// For each file, the node of each of its definitions, once somebody asked; none where it is no
    /// node.
    symbols: Vec<OnceLock<Vec<Option<NodeId>>>>,
}

impl<'a> Places<'a> {
    /// `files` are the nodes of the files.
    pub(super) fn new(index: &'a Index<'a>, files: Vec<NodeId>) -> Places<'a> {
        let symbols = files.iter().map(|_| OnceLock::new()).collect();
        Places { index, files, symbols }
    }

    /// The node of a definition.
    pub(super) fn symbol(&self, file: FileId, definition: Option<u32>) -> Option<NodeId> {
        let symbols = self.symbols.get(file as usize)?.get_or_init(|| {
            let definitions = self.index.facts(file).map_or(&[][..], |facts| &facts.definitions);
            let mut next = self.files[file as usize] + 1;
            let mut place = |kind| {
                let is_node = node_kind(kind).is_some();
                let place = is_node.then_some(next);
                next += u32::from(is_node);
                place
            };
            definitions.iter().map(|definition| place(definition.kind)).collect()
        });
        *symbols.get(definition? as usize)?
    }

    /// The node of a definition, or of its file where it is none.
    pub(super) fn node(&self, file: FileId, definition: Option<u32>) -> NodeId {
        self.symbol(file, definition).unwrap_or(self.files[file as usize])
    }

    /// The file that a node is in.
    pub(super) fn file_of(&self, node: NodeId) -> FileId {
        self.files.partition_point(|start| *start <= node).saturating_sub(1) as FileId
    }
}

/// How many nodes a file has, with its own.
pub(super) fn count(facts: Option<&FileFacts>) -> u32 {
    let definitions = facts.map_or(&[][..], |facts| &facts.definitions);
    1 + definitions.iter().filter(|one| node_kind(one.kind).is_some()).count() as u32
}

/// What is known of a file beside its symbols.
pub(super) fn file_node(path: &str, node: NodeId, facts: Result<&FileFacts, Skipped>) -> FileNode {
    FileNode {
        node,
        skipped: facts.err(),
        error_line: facts.ok().and_then(|facts| facts.error_line),
        test: is_test_path(path),
        dynamic_calls: facts.map_or(0, |facts| facts.dynamic_calls),
    }
}

/// The nodes of a file: itself and what it defines.
pub(super) fn nodes<'f>(
    path: &str,
    facts: Option<&'f FileFacts>,
) -> impl Iterator<Item = Node> + use<'f> {
    let file = Node {
        kind: NodeKind::File,
        name: path.to_owned(),
        line: 0,
        end_line: facts.map_or(0, |facts| facts.lines),
        sum: 0,
    };
    let symbols = facts.into_iter().flat_map(|facts| {
        facts.definitions.iter().enumerate().filter_map(|(at, definition)| {
            Some(Node {
                kind: node_kind(definition.kind)?,
                name: facts.qualified(at as u32),
                line: definition.line,
                end_line: definition.end_line,
                sum: definition.sum,
            })
        })
    });
    std::iter::once(file).chain(symbols)
}

/// Whether a definition is a node.
pub(crate) fn is_node(kind: DefinitionKind) -> bool {
    node_kind(kind).is_some()
}

/// What node a definition is; none if it is none.
pub(super) fn node_kind(kind: DefinitionKind) -> Option<NodeKind> {
    match kind {
        DefinitionKind::Function => Some(NodeKind::Function),
        DefinitionKind::Class | DefinitionKind::Object => Some(NodeKind::Class),
        DefinitionKind::Interface => Some(NodeKind::Interface),
        DefinitionKind::Module => Some(NodeKind::Module),
        DefinitionKind::Test => Some(NodeKind::Test),
        DefinitionKind::Extension | DefinitionKind::Value | DefinitionKind::Anonymous => None,
    }
}
