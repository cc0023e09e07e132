//! The graph as a value: nodes, edges, and what could not be linked.

use crate::project::{FileId, NonUtf8Files, SkipReason};
use crate::words::word_enum;

/// A node, by its place: each file is followed by what it defines, so that a file with all its
/// symbols is a range.
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
        /// A test.
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
    /// How much of a change to the other end arrives at this one.
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
        /// A manifest: paths, workspaces, packages, source roots.
        Manifest = "manifest",
        /// The tree of modules of a crate.
        ModuleTree = "module_tree",
        /// A package whose files know each other without imports.
        Package = "package",
        /// A name that an import brought.
        Import = "import",
        /// A name of the same file.
        Scope = "scope",
        /// An index that a compiler made.
        Scip = "scip",
    }
}

impl EdgeOrigin {
    /// How sure one can be, in hundredths. Statements that are resolved by the rules of the
    /// language are certain; names can be hidden by others that the rules here do not see.
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

/// A node.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphNode {
    /// What it is.
    pub kind: NodeKind,
    /// A path, or the qualified name of a symbol.
    pub name: String,
    /// The first line; 0 for files and directories.
    pub line: u32,
    /// The last line; how many there are for files.
    pub end_line: u32,
    /// A sum of its text that ignores layout; 0 for files and directories.
    pub checksum: u64,
}

/// An edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The one that depends.
    pub from: NodeId,
    /// The one it depends on.
    pub to: NodeId,
    /// How.
    pub kind: EdgeKind,
    /// How that is known.
    pub origin: EdgeOrigin,
    /// The line that says so, in the file of `from`; 0 if another file says so.
    pub line: u32,
}

/// What is known of a file beside its symbols.
#[derive(Debug, Clone, PartialEq)]
pub struct FileNode {
    /// Its node.
    pub node: NodeId,
    /// Why it was not parsed.
    pub skipped: Option<SkipReason>,
    /// The first line that could not be parsed.
    pub error_line: Option<u32>,
    /// Whether it is there to test others.
    pub test: bool,
    /// Calls of which nothing can be said.
    pub dynamic_calls: u32,
    /// Imports of which only the program knows what they mean.
    pub computed_imports: ComputedImports,
}

/// Imports of a file that are put together when the program runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ComputedImports {
    /// How many there are.
    pub count: u16,
    /// How many folders of the path of the file are those of all that they may reach.
    pub folders: u16,
}

impl ComputedImports {
    /// The folder that all is in that imports of a file at this path may reach.
    #[must_use]
    pub fn reach(self, path: &str) -> &str {
        match self.folders.checked_sub(1) {
            None => "",
            Some(last) => {
                path.match_indices('/').nth(last.into()).map_or("", |(at, _)| &path[..at])
            }
        }
    }
}

/// A name that should be in the project and is not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unresolved {
    /// Where it is named.
    pub file: FileId,
    /// The line.
    pub line: u32,
    /// The name, in the words of the language.
    pub name: String,
}

/// What came of an index that a compiler made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompilerIndexStats {
    /// How many files it knew as they are.
    pub documents: u32,
    /// How many edges it added.
    pub edges: u32,
    /// Files that it knew otherwise than they are; nothing was taken from it for them.
    pub stale: Vec<String>,
}

/// A whole graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Graph {
    /// Files, each followed by its symbols; then directories.
    pub nodes: Vec<GraphNode>,
    /// The files, ordered by path.
    pub files: Vec<FileNode>,
    /// The edges, in order, each once.
    pub edges: Vec<Edge>,
    /// What could not be linked, in order.
    pub unresolved: Vec<Unresolved>,
    /// Files and those they speak for, in order: they add to a type there, and so make edges from nodes
    /// that are not their own.
    pub extended_files: Vec<(FileId, FileId)>,
    /// Names from outside, with how many files use them.
    pub external: std::collections::BTreeMap<String, u32>,
    /// What came of an index that a compiler made; none if there was none.
    pub compiler_index: Option<CompilerIndexStats>,
    /// Files that are not in it, because they cannot be named.
    pub non_utf8: NonUtf8Files,
}

impl Graph {
    /// The nodes of a file: itself and what it defines.
    #[must_use]
    pub fn range(&self, file: FileId) -> std::ops::Range<NodeId> {
        let start = self.files.get(file as usize).map_or(0, |file| file.node);
        let end =
            self.files.get(file as usize + 1).map_or_else(|| self.symbols_end(), |file| file.node);
        start..end
    }

    /// The place after the last symbol, where directories begin.
    #[must_use]
    pub fn symbols_end(&self) -> NodeId {
        self.nodes.partition_point(|node| node.kind != NodeKind::Directory) as NodeId
    }

    /// The file that a node is in; none for a directory.
    #[must_use]
    pub fn file_of(&self, node: NodeId) -> Option<FileId> {
        if self.nodes.get(node as usize)?.kind == NodeKind::Directory {
            return None;
        }
        let after = self.files.partition_point(|file| file.node <= node);
        after.checked_sub(1).map(|file| file as FileId)
    }
}
