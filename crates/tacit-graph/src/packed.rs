//! The graph that answers are read from: bytes that are mapped and not read. They may come from a
//! damaged file, so nothing in them is believed: what lies outside is not there.

mod layout;
mod write;

use std::ops::Range;

use self::layout::{
    BACKWARD, CHECKSUM, Counts, FILE, FORWARD, HEADER, HEADER_CHECKSUM, MAGIC, NODE,
    NON_UTF8_FILES, NON_UTF8_LANGUAGES, PARTS, SPEAKS,
};
use crate::checksum::checksum;
use crate::graph::{ComputedImports, Edge, EdgeKind, EdgeOrigin, NodeId, NodeKind};
use crate::project::{FileId, NonUtf8Files, SkipReason};

pub use write::pack;

/// A graph that was packed.
#[derive(Clone, Copy)]
pub struct PackedGraph<'a> {
    bytes: &'a [u8],
    generation: u64,
    counts: Counts,
    parts: [usize; PARTS + 1],
}

/// What is known of a file in a packed graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedFile {
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
    /// Names in it that could not be resolved.
    pub unresolved: u32,
    /// Imports of which only the program knows what they mean.
    pub computed_imports: ComputedImports,
}

/// What is known of a node in a packed graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedNode<'a> {
    /// What it is.
    pub kind: NodeKind,
    /// A path, or the qualified name of a symbol.
    pub name: &'a str,
    /// The first line; 0 for files and directories.
    pub line: u32,
    /// The last line; how many there are for files.
    pub end_line: u32,
    /// A sum of its text that ignores layout.
    pub checksum: u64,
}

impl<'a> PackedGraph<'a> {
    /// Takes bytes for a graph; none if they are not one, or not whole.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Option<PackedGraph<'a>> {
        if bytes.get(..8)? != MAGIC {
            return None;
        }
        let generation = u64::from_le_bytes(bytes.get(8..16)?.try_into().ok()?);
        let count = |at: usize| Some(number(bytes, 16 + 4 * at)? as usize);
        let counts = Counts {
            files: count(0)?,
            nodes: count(1)?,
            edges: count(2)?,
            symbols: count(3)?,
            names: count(4)?,
            speaks: count(5)?,
        };
        let parts = counts.parts()?;
        let whole = parts[PARTS] == bytes.len() && counts.symbols <= counts.nodes;
        whole.then_some(PackedGraph { bytes, generation, counts, parts })
    }

    /// Which state of the project it shows.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns true if all bytes are as they were written. No other function checks: reading a
    /// damaged graph gives a wrong answer, and never more than that.
    #[must_use]
    pub fn has_valid_checksum(&self) -> bool {
        let part = |range: Range<usize>| self.bytes.get(range).unwrap_or_default();
        self.long(HEADER_CHECKSUM) == checksum(part(0..HEADER_CHECKSUM))
            && self.long(CHECKSUM) == checksum(part(HEADER..self.bytes.len()))
    }

    /// Files that are not in it, because they cannot be named.
    #[must_use]
    pub fn non_utf8(&self) -> NonUtf8Files {
        let files = self.number(NON_UTF8_FILES);
        NonUtf8Files { files, languages: self.long(NON_UTF8_LANGUAGES) }
    }

    /// How many files there are.
    #[must_use]
    #[inline]
    pub fn files(&self) -> u32 {
        self.counts.files as u32
    }

    /// How many nodes there are.
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
    fn number(&self, at: usize) -> u32 {
        number(self.bytes, at).unwrap_or(0)
    }

    fn long(&self, at: usize) -> u64 {
        u64::from(self.number(at)) | (u64::from(self.number(at + 4)) << 32)
    }

    /// A file.
    #[must_use]
    #[inline]
    pub fn file(&self, file: FileId) -> Option<PackedFile> {
        if file as usize >= self.counts.files {
            return None;
        }
        let at = self.parts[0] + file as usize * FILE;
        let flags = self.number(at + 4);
        let skipped = (flags & 0xff).checked_sub(1).and_then(|at| SkipReason::ALL.get(at as usize));
        Some(PackedFile {
            node: self.number(at),
            skipped: skipped.copied(),
            error_line: Some(self.number(at + 8)).filter(|line| *line > 0),
            test: flags & 0x100 != 0,
            dynamic_calls: self.number(at + 12),
            unresolved: self.number(at + 16),
            computed_imports: ComputedImports {
                count: self.number(at + 20) as u16,
                folders: (self.number(at + 20) >> 16) as u16,
            },
        })
    }

    /// A node.
    #[must_use]
    #[inline]
    pub fn node(&self, node: NodeId) -> Option<PackedNode<'a>> {
        if node as usize >= self.counts.nodes {
            return None;
        }
        let at = self.parts[1] + node as usize * NODE;
        let start = self.parts[7] + self.number(at) as usize;
        let name = self.bytes.get(start..start.checked_add(self.number(at + 20) as usize)?)?;
        let kind = self.number(at + 4);
        let checksum = self.bytes.get(at + 12..at + 20)?;
        Some(PackedNode {
            kind: *NodeKind::ALL.get((kind & 0xff) as usize)?,
            name: std::str::from_utf8(name).ok()?,
            line: kind >> 8,
            end_line: self.number(at + 8),
            checksum: u64::from_le_bytes(checksum.try_into().ok()?),
        })
    }

    /// What a node is.
    #[must_use]
    #[inline]
    pub fn kind(&self, node: NodeId) -> Option<NodeKind> {
        let at = self.parts[1] + node as usize * NODE + 4;
        let known = (node as usize) < self.counts.nodes;
        known.then(|| NodeKind::ALL.get((self.number(at) & 0xff) as usize).copied())?
    }

    /// The name of a node; empty if there is none.
    #[must_use]
    pub fn name(&self, node: NodeId) -> &'a str {
        self.node(node).map_or("", |node| node.name)
    }

    /// The path of a file.
    #[must_use]
    #[inline]
    pub fn path(&self, file: FileId) -> &'a str {
        self.file(file).map_or("", |file| self.name(file.node))
    }

    /// A node as people write it: a path, or `path::symbol`.
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

    /// The nodes of a file: itself and what it defines.
    #[must_use]
    #[inline]
    pub fn range(&self, file: FileId) -> Range<NodeId> {
        let symbols = self.counts.symbols as NodeId;
        let start = self.file(file).map_or(symbols, |file| file.node).min(symbols);
        let end = self.file(file.saturating_add(1)).map_or(symbols, |file| file.node).min(symbols);
        start..end.max(start)
    }

    /// The file a node is in; none for a directory.
    #[must_use]
    #[inline]
    pub fn file_of(&self, node: NodeId) -> Option<FileId> {
        if node as usize >= self.counts.symbols {
            return None;
        }
        let file = self.number(self.parts[1] + node as usize * NODE + 24);
        (file < self.files()).then_some(file)
    }

    /// The symbol that a symbol is a member of.
    #[must_use]
    pub fn container(&self, node: NodeId) -> Option<NodeId> {
        let (outer, _) = self.name(node).rsplit_once('.')?;
        let file = self.file_of(node)?;
        let around = self.range(file).find(|other| *other != node && self.name(*other) == outer)?;
        (self.kind(around) != Some(NodeKind::File)).then_some(around)
    }

    /// The file with a path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        let at = self.first_at_or_after(path);
        (at < self.files() && self.path(at) == path).then_some(at)
    }

    /// The first file whose path is not before this.
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

    /// The files below a directory.
    #[must_use]
    pub fn files_below(&self, directory: &str) -> Range<FileId> {
        let prefix = format!("{}/", directory.trim_end_matches('/'));
        let start = self.first_at_or_after(&prefix);
        // `0` comes right after `/`.
        let after = format!("{}0", &prefix[..prefix.len() - 1]);
        start..self.first_at_or_after(&after).max(start)
    }

    /// Where it is said that an edge is there: on a line of the file it comes from, or in another
    /// file, which is named if only one adds to that file.
    #[must_use]
    pub fn edge_location(&self, edge: &Edge) -> String {
        if edge.line > 0 {
            return format!("line {}", edge.line);
        }
        let of = self.file_of(edge.from);
        let pairs = (0..self.counts.speaks).map(|index| self.parts[6] + index * SPEAKS);
        let mut speakers = pairs.filter(|at| Some(self.number(at + 4)) == of);
        match (speakers.next(), speakers.next()) {
            (Some(at), None) => format!("in {}", self.path(self.number(at))),
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
            let edge = this.number(at + 4).min(this.edges().saturating_sub(1));
            this.edge(this.number(at), edge)
        })
    }

    /// The numbers of the edges of a node in one direction.
    #[inline]
    fn row(&self, part: usize, node: NodeId) -> Range<u32> {
        if node as usize >= self.counts.nodes {
            return 0..0;
        }
        let at = self.parts[part] + node as usize * 4;
        let end = self.number(at + 4).min(self.edges());
        self.number(at).min(end)..end
    }

    /// An edge by its number.
    #[inline]
    fn edge(&self, from: NodeId, index: u32) -> Edge {
        let at = self.parts[3] + index as usize * FORWARD;
        let kinds = self.number(at + 8);
        Edge {
            from,
            to: self.number(at),
            kind: EdgeKind::ALL.get((kinds & 0xff) as usize).copied().unwrap_or(EdgeKind::Exports),
            origin: EdgeOrigin::ALL
                .get((kinds >> 8) as usize)
                .copied()
                .unwrap_or(EdgeOrigin::Scope),
            line: self.number(at + 4),
        }
    }
}

#[inline]
fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}
