//! The graph as a flat byte array that is memory-mapped and not decoded. The bytes are untrusted:
//! offsets out of bounds read as missing.

mod layout;
mod write;

use std::ops::Range;

use self::layout::{
    BACKWARD, CHECKSUM, Counts, EXTENDED_PAIR, FILE, FORWARD, HEADER, HEADER_CHECKSUM, MAGIC, NODE,
    NON_UTF8_FILES, NON_UTF8_LANGUAGES, PARTS,
};
use crate::checksum::checksum;
use crate::graph::{ComputedImports, Edge, EdgeKind, EdgeOrigin, NodeId, NodeKind};
use crate::project::{FileId, NonUtf8Files, SkipReason};

pub use write::pack;

/// A view of a packed graph.
#[derive(Clone, Copy)]
pub struct PackedGraph<'a> {
    bytes: &'a [u8],
    generation: u64,
    counts: Counts,
    parts: [usize; PARTS + 1],
}

/// The properties of a file in a packed graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedFile {
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
    /// The number of unresolved names.
    pub unresolved: u32,
    /// Imports whose path is computed at run time.
    pub computed_imports: ComputedImports,
}

/// A node in a packed graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedNode<'a> {
    /// The kind of the node.
    pub kind: NodeKind,
    /// The path, or the qualified name of a symbol.
    pub name: &'a str,
    /// The first line, from 1; 0 for files and directories.
    pub line: u32,
    /// The last line. For a file, the number of lines.
    pub end_line: u32,
    /// The checksum of the text without layout and comments.
    pub checksum: u64,
}

impl<'a> PackedGraph<'a> {
    /// Interprets bytes as a graph. Returns `None` if the header or the length is wrong.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Option<PackedGraph<'a>> {
        if bytes.get(..8)? != MAGIC {
            return None;
        }
        let generation = u64::from_le_bytes(bytes.get(8..16)?.try_into().ok()?);
        let count = |at: usize| Some(u32_at(bytes, 16 + 4 * at)? as usize);
        let counts = Counts {
            files: count(0)?,
            nodes: count(1)?,
            edges: count(2)?,
            symbols: count(3)?,
            names: count(4)?,
            extended_pairs: count(5)?,
        };
        let parts = counts.parts()?;
        let whole = parts[PARTS] == bytes.len() && counts.symbols <= counts.nodes;
        whole.then_some(PackedGraph { bytes, generation, counts, parts })
    }

    /// Returns the generation of the project that the graph shows.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns true if all bytes match the checksums. No other function checks them: reading a
    /// damaged graph can give wrong answers, but nothing worse.
    #[must_use]
    pub fn has_valid_checksum(&self) -> bool {
        let part = |range: Range<usize>| self.bytes.get(range).unwrap_or_default();
        self.u64_at(HEADER_CHECKSUM) == checksum(part(0..HEADER_CHECKSUM))
            && self.u64_at(CHECKSUM) == checksum(part(HEADER..self.bytes.len()))
    }

    /// Returns the files that are not in the graph because their names are not UTF-8.
    #[must_use]
    pub fn non_utf8(&self) -> NonUtf8Files {
        let files = self.u32_at(NON_UTF8_FILES);
        NonUtf8Files { files, languages: self.u64_at(NON_UTF8_LANGUAGES) }
    }

    /// Returns the number of files.
    #[must_use]
    #[inline]
    pub fn files(&self) -> u32 {
        self.counts.files as u32
    }

    /// Returns the number of nodes.
    #[must_use]
    #[inline]
    pub fn nodes(&self) -> u32 {
        self.counts.nodes as u32
    }

    /// Returns the number of edges.
    #[must_use]
    #[inline]
    pub fn edges(&self) -> u32 {
        self.counts.edges as u32
    }

    #[inline]
    fn u32_at(&self, at: usize) -> u32 {
        u32_at(self.bytes, at).unwrap_or(0)
    }

    fn u64_at(&self, at: usize) -> u64 {
        u64::from(self.u32_at(at)) | (u64::from(self.u32_at(at + 4)) << 32)
    }

    /// Reads the properties of a file.
    #[must_use]
    #[inline]
    pub fn file(&self, file: FileId) -> Option<PackedFile> {
        if file as usize >= self.counts.files {
            return None;
        }
        let at = self.parts[0] + file as usize * FILE;
        let flags = self.u32_at(at + 4);
        let skipped = (flags & 0xff).checked_sub(1).and_then(|at| SkipReason::ALL.get(at as usize));
        Some(PackedFile {
            node: self.u32_at(at),
            skipped: skipped.copied(),
            error_line: Some(self.u32_at(at + 8)).filter(|line| *line > 0),
            test: flags & 0x100 != 0,
            dynamic_calls: self.u32_at(at + 12),
            unresolved: self.u32_at(at + 16),
            computed_imports: ComputedImports {
                count: self.u32_at(at + 20) as u16,
                folders: (self.u32_at(at + 20) >> 16) as u16,
            },
        })
    }

    /// Reads a node.
    #[must_use]
    #[inline]
    pub fn node(&self, node: NodeId) -> Option<PackedNode<'a>> {
        if node as usize >= self.counts.nodes {
            return None;
        }
        let at = self.parts[1] + node as usize * NODE;
        let start = self.parts[7] + self.u32_at(at) as usize;
        let name = self.bytes.get(start..start.checked_add(self.u32_at(at + 20) as usize)?)?;
        let kind = self.u32_at(at + 4);
        let checksum = self.bytes.get(at + 12..at + 20)?;
        Some(PackedNode {
            kind: *NodeKind::ALL.get((kind & 0xff) as usize)?,
            name: std::str::from_utf8(name).ok()?,
            line: kind >> 8,
            end_line: self.u32_at(at + 8),
            checksum: u64::from_le_bytes(checksum.try_into().ok()?),
        })
    }

    /// Reads the kind of a node.
    #[must_use]
    #[inline]
    pub fn kind(&self, node: NodeId) -> Option<NodeKind> {
        let at = self.parts[1] + node as usize * NODE + 4;
        let known = (node as usize) < self.counts.nodes;
        known.then(|| NodeKind::ALL.get((self.u32_at(at) & 0xff) as usize).copied())?
    }

    /// Returns the name of a node; empty if there is no such node.
    #[must_use]
    pub fn name(&self, node: NodeId) -> &'a str {
        self.node(node).map_or("", |node| node.name)
    }

    /// Returns the path of a file; empty if there is no such file.
    #[must_use]
    #[inline]
    pub fn path(&self, file: FileId) -> &'a str {
        self.file(file).map_or("", |file| self.name(file.node))
    }

    /// Returns the label of a node for people: a path, or `path::symbol`.
    #[must_use]
    pub fn label(&self, node: NodeId) -> String {
        match (self.file_of(node), self.node(node)) {
            (Some(file), Some(found)) if found.kind != NodeKind::File => {
                format!("{}::{}", self.path(file), found.name)
            }
            (_, Some(found)) => found.name.to_owned(),
            _ => String::new(),
        }
    }

    /// Returns the nodes of a file: the file itself and its symbols.
    #[must_use]
    #[inline]
    pub fn range(&self, file: FileId) -> Range<NodeId> {
        let symbols = self.counts.symbols as NodeId;
        let start = self.file(file).map_or(symbols, |file| file.node).min(symbols);
        let end = self.file(file.saturating_add(1)).map_or(symbols, |file| file.node).min(symbols);
        start..end.max(start)
    }

    /// Returns the file that contains a node, or `None` for a directory.
    #[must_use]
    #[inline]
    pub fn file_of(&self, node: NodeId) -> Option<FileId> {
        if node as usize >= self.counts.symbols {
            return None;
        }
        let file = self.u32_at(self.parts[1] + node as usize * NODE + 24);
        (file < self.files()).then_some(file)
    }

    /// Returns the symbol that contains a symbol.
    #[must_use]
    pub fn container(&self, node: NodeId) -> Option<NodeId> {
        let (outer, _) = self.name(node).rsplit_once('.')?;
        let file = self.file_of(node)?;
        let around = self.range(file).find(|other| *other != node && self.name(*other) == outer)?;
        (self.kind(around) != Some(NodeKind::File)).then_some(around)
    }

    /// Finds a file by its path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        let at = self.first_at_or_after(path);
        (at < self.files() && self.path(at) == path).then_some(at)
    }

    /// Returns the first file whose path is equal to or after `path`.
    #[must_use]
    pub fn first_at_or_after(&self, path: &str) -> FileId {
        let (mut low, mut high) = (0, self.files());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.path(middle) < path {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Returns the files below a directory.
    #[must_use]
    pub fn files_below(&self, directory: &str) -> Range<FileId> {
        let prefix = format!("{}/", directory.trim_end_matches('/'));
        let start = self.first_at_or_after(&prefix);
        // `0` is the character after `/`.
        let after = format!("{}0", &prefix[..prefix.len() - 1]);
        start..self.first_at_or_after(&after).max(start)
    }

    /// Describes the place that causes an edge: a line of the source file, or another file. The
    /// other file is named if it is the only one that extends the source file.
    #[must_use]
    pub fn edge_location(&self, edge: &Edge) -> String {
        if edge.line > 0 {
            return format!("line {}", edge.line);
        }
        let of = self.file_of(edge.from);
        let pairs =
            (0..self.counts.extended_pairs).map(|index| self.parts[6] + index * EXTENDED_PAIR);
        let mut extending = pairs.filter(|at| Some(self.u32_at(at + 4)) == of);
        match (extending.next(), extending.next()) {
            (Some(at), None) => format!("in {}", self.path(self.u32_at(at))),
            _ => "in another file".to_owned(),
        }
    }

    /// Lists the edges to the dependencies of a node, in order.
    #[inline]
    pub fn dependencies(&self, node: NodeId) -> impl Iterator<Item = Edge> + use<'a> {
        let this = *self;
        this.row(2, node).map(move |index| this.edge(node, index))
    }

    /// Lists the edges from the dependents of a node, in order.
    #[inline]
    pub fn dependents(&self, node: NodeId) -> impl Iterator<Item = Edge> + use<'a> {
        let this = *self;
        this.row(4, node).map(move |index| {
            let at = this.parts[5] + index as usize * BACKWARD;
            let edge = this.u32_at(at + 4).min(this.edges().saturating_sub(1));
            this.edge(this.u32_at(at), edge)
        })
    }

    /// Returns the range of edge numbers of a node in one direction.
    #[inline]
    fn row(&self, part: usize, node: NodeId) -> Range<u32> {
        if node as usize >= self.counts.nodes {
            return 0..0;
        }
        let at = self.parts[part] + node as usize * 4;
        let end = self.u32_at(at + 4).min(self.edges());
        self.u32_at(at).min(end)..end
    }

    /// Reads an edge by its number.
    #[inline]
    fn edge(&self, from: NodeId, index: u32) -> Edge {
        let at = self.parts[3] + index as usize * FORWARD;
        let kinds = self.u32_at(at + 8);
        Edge {
            from,
            to: self.u32_at(at),
            kind: EdgeKind::ALL.get((kinds & 0xff) as usize).copied().unwrap_or(EdgeKind::Exports),
            origin: EdgeOrigin::ALL
                .get((kinds >> 8) as usize)
                .copied()
                .unwrap_or(EdgeOrigin::Scope),
            line: self.u32_at(at + 4),
        }
    }
}

#[inline]
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}
