//! Assigns node IDs: each file is followed by its symbols.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::facts::{DefinitionKind, FileFacts};
use crate::graph::{ComputedImports, FileNode, GraphNode, NodeId, NodeKind};
use crate::link::is_test_path;
use crate::project::{FileId, ProjectIndex, SkipReason, ancestors, join, parent};

/// The node IDs of all files and definitions.
pub(super) struct NodeIds<'a> {
    index: &'a ProjectIndex<'a>,
    /// The node of each file.
    files: Vec<NodeId>,
    /// For each file, the nodes of its definitions, computed on first use. `None` for a definition
    /// that is not a node.
    symbols: Vec<OnceLock<Vec<Option<NodeId>>>>,
}

impl<'a> NodeIds<'a> {
    /// Creates the table. `files` are the nodes of the files.
    pub(super) fn new(index: &'a ProjectIndex<'a>, files: Vec<NodeId>) -> NodeIds<'a> {
        let symbols = files.iter().map(|_| OnceLock::new()).collect();
        NodeIds { index, files, symbols }
    }

    /// Returns the node of a definition.
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

    /// Returns the node of a definition, or of its file if the definition is not a node.
    pub(super) fn node(&self, file: FileId, definition: Option<u32>) -> NodeId {
        self.symbol(file, definition).unwrap_or(self.files[file as usize])
    }

    /// Returns the file that contains a node.
    pub(super) fn file_of(&self, node: NodeId) -> FileId {
        self.files.partition_point(|start| *start <= node).saturating_sub(1) as FileId
    }
}

/// Counts the nodes of a file, including its own.
pub(super) fn node_count(facts: Option<&FileFacts>) -> u32 {
    let definitions = facts.map_or(&[][..], |facts| &facts.definitions);
    1 + definitions.iter().filter(|one| node_kind(one.kind).is_some()).count() as u32
}

/// Returns the properties of a file.
pub(super) fn file_node(
    path: &str,
    node: NodeId,
    facts: Result<&FileFacts, SkipReason>,
    manifests: &BTreeMap<String, String>,
) -> FileNode {
    FileNode {
        node,
        skipped: facts.err(),
        error_line: facts.ok().and_then(|facts| facts.error_line),
        test: is_test_path(path),
        dynamic_calls: facts.map_or(0, |facts| facts.dynamic_calls),
        computed_imports: facts
            .map_or(ComputedImports::default(), |facts| computed_imports(path, facts, manifests)),
    }
}

/// Finds the folder that computed imports may reach: below the literal prefix of the path, or in
/// the package of the file if there is no prefix.
pub(super) fn computed_imports(
    path: &str,
    facts: &FileFacts,
    manifests: &BTreeMap<String, String>,
) -> ComputedImports {
    let here = parent(path);
    let package = || {
        let has_manifest = |folder: &&str| {
            let inside = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            let below = manifests.range(inside.clone()..).map(|(path, _)| path);
            { below }
                .take_while(|path| path.starts_with(&inside))
                .any(|path| parent(path) == *folder)
        };
        ancestors(here).find(has_manifest).unwrap_or_default().to_owned()
    };
    let reached = facts.computed_imports.iter().map(|beginning| {
        let folder = beginning.rsplit_once('/').map(|(folder, _)| folder);
        let relative = folder.filter(|folder| folder.starts_with('.'));
        relative.map_or_else(package, |relative| join(here, relative).unwrap_or_default())
    });
    // All targets are below the deepest folder that contains each of them.
    let folders = reached.map(|folder| shared_folders(here, &folder)).min().unwrap_or(0);
    ComputedImports {
        count: u16::try_from(facts.computed_imports.len()).unwrap_or(u16::MAX),
        folders,
    }
}

/// Counts the leading folders that two paths share.
fn shared_folders(one: &str, other: &str) -> u16 {
    let parts = |path| str::split(path, '/').filter(|part| !part.is_empty());
    parts(one).zip(parts(other)).take_while(|(a, b)| a == b).count() as u16
}

/// Returns the nodes of a file: the file itself and its symbols.
pub(super) fn nodes<'f>(
    path: &str,
    facts: Option<&'f FileFacts>,
) -> impl Iterator<Item = GraphNode> + use<'f> {
    let file = GraphNode {
        kind: NodeKind::File,
        name: path.to_owned(),
        line: 0,
        end_line: facts.map_or(0, |facts| facts.lines),
        checksum: 0,
    };
    let symbols = facts.into_iter().flat_map(|facts| {
        facts.definitions.iter().enumerate().filter_map(|(at, definition)| {
            Some(GraphNode {
                kind: node_kind(definition.kind)?,
                name: facts.qualified(at as u32),
                line: definition.line,
                end_line: definition.end_line,
                checksum: definition.checksum,
            })
        })
    });
    std::iter::once(file).chain(symbols)
}

/// Returns true if definitions of this kind become nodes.
pub(crate) fn is_node(kind: DefinitionKind) -> bool {
    node_kind(kind).is_some()
}

/// Returns the kind of node for a definition, or `None` if it is not a node.
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
