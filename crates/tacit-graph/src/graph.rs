//! The graph in memory: nodes, edges, and unresolved names.

use crate::project::{FileId, NonUtf8Files, SkipReason};
use crate::words::word_enum;

/// The index of a node. Each file is followed by its symbols, so that a file with its symbols is a
/// range.
pub type NodeId = u32;

word_enum! {
    /// The kind of a node.
    NodeKind {
        /// A source file.
        File = "file",
        /// A directory.
        Directory = "directory",
        /// A module or namespace inside a file.
        Module = "module",
        /// A function or method.
        Function = "function",
        /// A class, struct, enum or record.
        Class = "class",
        /// An interface, trait or protocol.
        Interface = "interface",
        /// A test case or a group of them.
        Test = "test",
    }
}

word_enum! {
    /// The relation of an edge, from its source to its target.
    EdgeKind {
        /// The source imports the target.
        Imports = "imports",
        /// The source calls the target.
        Calls = "calls",
        /// The source implements the target.
        Implements = "implements",
        /// The source extends the target.
        Extends = "extends",
        /// The source exports the target.
        Exports = "exports",
    }
}

impl EdgeKind {
    /// Returns the share of a change to the target that affects the source, from 0 to 1.
    #[must_use]
    pub fn weight(self) -> f32 {
        match self {
            EdgeKind::Imports => 0.9,
            EdgeKind::Calls => 0.8,
            EdgeKind::Implements | EdgeKind::Extends => 0.7,
            EdgeKind::Exports => 0.6,
        }
    }
}

word_enum! {
    /// The evidence for an edge.
    EdgeOrigin {
        /// A path relative to the file.
        Relative = "relative",
        /// A manifest: paths, workspaces, packages or source roots.
        Manifest = "manifest",
        /// The module tree of a crate.
        ModuleTree = "module_tree",
        /// A package whose files see each other without imports.
        Package = "package",
        /// An imported name.
        Import = "import",
        /// A name of the same file.
        Scope = "scope",
        /// An index made by a compiler.
        Scip = "scip",
    }
}

impl EdgeOrigin {
    /// Returns the confidence in percent. Statements that the language's rules resolve are certain.
    /// Names may be hidden by others that these rules do not cover.
    #[must_use]
    pub fn confidence(self) -> u8 {
        match self {
            EdgeOrigin::Relative
            | EdgeOrigin::Manifest
            | EdgeOrigin::ModuleTree
            | EdgeOrigin::Scip => 100,
            EdgeOrigin::Import | EdgeOrigin::Scope => 95,
            EdgeOrigin::Package => 90,
        }
    }
}

/// A file, directory or symbol.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphNode {
    /// The kind of the node.
    pub kind: NodeKind,
    /// The path, or the qualified name of a symbol.
    pub name: String,
    /// The first line, from 1; 0 for files and directories.
    pub line: u32,
    /// The last line. For a file, the number of lines.
    pub end_line: u32,
    /// The checksum of the text without layout and comments; 0 for files and directories.
    pub checksum: u64,
}

/// A dependency between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The dependent node.
    pub from: NodeId,
    /// The node it depends on.
    pub to: NodeId,
    /// The kind of dependency.
    pub kind: EdgeKind,
    /// The evidence for the edge.
    pub origin: EdgeOrigin,
    /// The line in the file of `from` that causes the edge; 0 if the line is in another file.
    pub line: u32,
}

/// The properties of a file that are not part of its nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct FileNode {
    /// The node of the file.
    pub node: NodeId,
    /// The reason why the file was not parsed.
    pub skipped: Option<SkipReason>,
    /// The first line with a syntax error.
    pub error_line: Option<u32>,
    /// Whether the file contains tests, judging by its path.
    pub test: bool,
    /// The number of calls that cannot be linked.
    pub dynamic_calls: u32,
    /// Imports whose path is computed at run time.
    pub computed_imports: ComputedImports,
}

/// Imports of a file whose path is computed at run time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ComputedImports {
    /// The number of such imports.
    pub count: u16,
    /// The number of leading folders of the file's path that all possible targets share.
    pub folders: u16,
}

impl ComputedImports {
    /// Returns the folder that contains every possible target, for a file at this path.
    #[must_use]
    pub fn reachable_folder(self, path: &str) -> &str {
        match self.folders.checked_sub(1) {
            None => "",
            Some(last) => {
                path.match_indices('/').nth(last.into()).map_or("", |(at, _)| &path[..at])
            }
        }
    }
}

/// A name that should be in the project but is not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unresolved {
    /// The file that uses the name.
    pub file: FileId,
    /// The line of the use, from 1.
    pub line: u32,
    /// The name as written in the code.
    pub name: String,
}

/// The contribution of a compiler's index to the graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompilerIndexStats {
    /// The number of files for which the index is current.
    pub documents: u32,
    /// The number of edges that only the index knew.
    pub edges: u32,
    /// Files that have changed since the index was made. The index is ignored for them.
    pub stale: Vec<String>,
}

/// The graph of a project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Graph {
    /// The files, each followed by its symbols; then the directories.
    pub nodes: Vec<GraphNode>,
    /// The files, ordered by path.
    pub files: Vec<FileNode>,
    /// The edges, sorted and without duplicates.
    pub edges: Vec<Edge>,
    /// The unresolved names, sorted.
    pub unresolved: Vec<Unresolved>,
    /// Pairs of a file and one that it extends, sorted. The first adds to a type in the second, and
    /// so causes edges from nodes of the second.
    pub extended_files: Vec<(FileId, FileId)>,
    /// Names from outside the project, with the number of files that use each.
    pub external: std::collections::BTreeMap<String, u32>,
    /// The contribution of a compiler's index, if there is one.
    pub compiler_index: Option<CompilerIndexStats>,
    /// Files that are not in the graph because their names are not UTF-8.
    pub non_utf8: NonUtf8Files,
}

impl Graph {
    /// Returns the nodes of a file: the file itself and its symbols.
    #[must_use]
    pub fn range(&self, file: FileId) -> std::ops::Range<NodeId> {
        let start = self.files.get(file as usize).map_or(0, |file| file.node);
        let end =
            self.files.get(file as usize + 1).map_or_else(|| self.symbols_end(), |file| file.node);
        start..end
    }

    /// Returns the first directory node, after the last symbol.
    #[must_use]
    pub fn symbols_end(&self) -> NodeId {
        self.nodes.partition_point(|node| node.kind != NodeKind::Directory) as NodeId
    }

    /// Returns the file that contains a node, or `None` for a directory.
    #[must_use]
    pub fn file_of(&self, node: NodeId) -> Option<FileId> {
        if self.nodes.get(node as usize)?.kind == NodeKind::Directory {
            return None;
        }
        let after = self.files.partition_point(|file| file.node <= node);
        after.checked_sub(1).map(|file| file as FileId)
    }
}
