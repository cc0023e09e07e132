//! The graph as bytes that are mapped and not read: a row of edges for each node, in both
//! directions, beside the names; and for each file, which others its links depend on.
//!
//! All numbers are little-endian. The bytes may come from a damaged file, so nothing in them is
//! believed: what lies outside is not there.

mod rows;
mod splice;

use std::ops::Range;

use crate::graph::{Consulted, Edge, EdgeKind, NodeId, NodeKind, Origin};
use crate::project::{FileId, Skipped};

const MAGIC: &[u8; 8] = b"TACITGR2";
const HEADER: usize = 64;
const FILE: usize = 20;
const NODE: usize = 28;
const FORWARD: usize = 12;
const BACKWARD: usize = 8;
const CONSULTED: usize = 4;
/// Where the sum of all that follows the header stands.
const SUM: usize = 48;
/// The bit that says that a file speaks for another.
const SPEAKS: u32 = 1 << 31;

pub use rows::pack;
pub use splice::splice;

/// Why files are skipped, in the order of their numbers in packed graphs.
const SKIPPED: [Skipped; 7] = [
    Skipped::Generated,
    Skipped::Minified,
    Skipped::Vendored,
    Skipped::Huge,
    Skipped::Binary,
    Skipped::Unreadable,
    Skipped::Unsupported,
];

/// A graph that was packed.
#[derive(Clone, Copy)]
pub struct Packed<'a> {
    bytes: &'a [u8],
    generation: u64,
    counts: Counts,
    parts: [usize; PARTS + 1],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counts {
    files: usize,
    nodes: usize,
    edges: usize,
    /// Where directories begin.
    symbols: usize,
    names: usize,
    consulted: usize,
}

/// How many parts there are: files, nodes, rows and edges in one direction and the other, rows of
/// files that were consulted and these, names.
const PARTS: usize = 9;

impl Counts {
    /// Where each part begins, and where the last ends.
    fn parts(self) -> Option<[usize; PARTS + 1]> {
        let sizes = [
            self.files.checked_mul(FILE)?,
            self.nodes.checked_mul(NODE)?,
            self.nodes.checked_add(1)?.checked_mul(4)?,
            self.edges.checked_mul(FORWARD)?,
            self.nodes.checked_add(1)?.checked_mul(4)?,
            self.edges.checked_mul(BACKWARD)?,
            self.files.checked_add(1)?.checked_mul(4)?,
            self.consulted.checked_mul(CONSULTED)?,
            self.names,
        ];
        let mut at = [HEADER; PARTS + 1];
        for (index, size) in sizes.into_iter().enumerate() {
            at[index + 1] = at[index].checked_add(size)?;
        }
        Some(at)
    }
}

/// What is known of a file in a packed graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedFile {
    /// Its node.
    pub node: NodeId,
    /// Why it was not parsed.
    pub skipped: Option<Skipped>,
    /// The first line that could not be parsed.
    pub error_line: Option<u32>,
    /// Whether it is there to test others.
    pub test: bool,
    /// Calls of which nothing can be said.
    pub dynamic_calls: u32,
    /// Names in it that could not be resolved.
    pub unresolved: u32,
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
    pub sum: u64,
}

impl<'a> Packed<'a> {
    /// Takes bytes for a graph; none if they are not one, or not whole.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Option<Packed<'a>> {
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
            consulted: count(5)?,
        };
        let parts = counts.parts()?;
        let whole = parts[PARTS] == bytes.len() && counts.symbols <= counts.nodes;
        whole.then_some(Packed { bytes, generation, counts, parts })
    }

    /// Which state of the project it shows.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether all bytes are as they were written. Answers do without: looking at every byte takes
    /// longer than an answer does.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let written = self.bytes.get(SUM..SUM + 8);
        let found = rows::sum(self.bytes.get(HEADER..).unwrap_or_default());
        written == Some(found.to_le_bytes().as_slice())
    }

    /// How many files there are.
    #[must_use]
    pub fn files(&self) -> u32 {
        self.counts.files as u32
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.counts.nodes as u32
    }

    /// How many edges there are.
    #[must_use]
    pub fn edges(&self) -> u32 {
        self.counts.edges as u32
    }

    /// Where a part begins.
    fn part(&self, index: usize) -> usize {
        self.parts[index]
    }

    fn number(&self, at: usize) -> u32 {
        number(self.bytes, at).unwrap_or(0)
    }

    /// A file.
    #[must_use]
    pub fn file(&self, file: FileId) -> Option<PackedFile> {
        if file as usize >= self.counts.files {
            return None;
        }
        let at = self.part(0) + file as usize * FILE;
        let flags = self.number(at + 4);
        let skipped = (flags & 0xff).checked_sub(1).and_then(|at| SKIPPED.get(at as usize));
        Some(PackedFile {
            node: self.number(at),
            skipped: skipped.copied(),
            error_line: Some(self.number(at + 8)).filter(|line| *line > 0),
            test: flags & 0x100 != 0,
            dynamic_calls: self.number(at + 12),
            unresolved: self.number(at + 16),
        })
    }

    /// A node.
    #[must_use]
    pub fn node(&self, node: NodeId) -> Option<PackedNode<'a>> {
        if node as usize >= self.counts.nodes {
            return None;
        }
        let at = self.part(1) + node as usize * NODE;
        let start = self.part(8) + self.number(at) as usize;
        let name = self.bytes.get(start..start.checked_add(self.number(at + 20) as usize)?)?;
        let kind = self.number(at + 4);
        let sum = self.bytes.get(at + 12..at + 20)?;
        Some(PackedNode {
            kind: *NodeKind::ALL.get((kind & 0xff) as usize)?,
            name: std::str::from_utf8(name).ok()?,
            line: kind >> 8,
            end_line: self.number(at + 8),
            sum: u64::from_le_bytes(sum.try_into().ok()?),
        })
    }

    /// What a node is.
    #[must_use]
    pub fn kind(&self, node: NodeId) -> Option<NodeKind> {
        let at = self.part(1) + node as usize * NODE + 4;
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
    pub fn range(&self, file: FileId) -> Range<NodeId> {
        let symbols = self.counts.symbols as NodeId;
        let start = self.file(file).map_or(symbols, |file| file.node).min(symbols);
        let end = self.file(file + 1).map_or(symbols, |file| file.node).min(symbols);
        start..end.max(start)
    }

    /// The file a node is in; none for a directory.
    #[must_use]
    pub fn file_of(&self, node: NodeId) -> Option<FileId> {
        if node as usize >= self.counts.symbols {
            return None;
        }
        Some(self.number(self.part(1) + node as usize * NODE + 24))
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
        let at = self.first_from(path);
        (at < self.files() && self.path(at) == path).then_some(at)
    }

    /// The first file whose path is not before this.
    #[must_use]
    pub fn first_from(&self, path: &str) -> FileId {
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
    pub fn below(&self, directory: &str) -> Range<FileId> {
        let prefix = format!("{}/", directory.trim_end_matches('/'));
        let start = self.first_from(&prefix);
        // `0` comes right after `/`.
        let after = format!("{}0", &prefix[..prefix.len() - 1]);
        start..self.first_from(&after).max(start)
    }

    /// Which other files the links of a file depend on.
    pub fn consulted(&self, file: FileId) -> impl Iterator<Item = Consulted> + use<'a> {
        let this = *self;
        let at = self.part(6) + file as usize * 4;
        let known = (file as usize) < self.counts.files;
        let end = if known { self.number(at + 4).min(self.counts.consulted as u32) } else { 0 };
        let start = if known { self.number(at).min(end) } else { 0 };
        (start..end).map(move |index| {
            let found = this.number(this.part(7) + index as usize * CONSULTED);
            Consulted { file, of: found & !SPEAKS, speaks: found & SPEAKS != 0 }
        })
    }

    fn row(&self, part: usize, node: NodeId) -> Range<u32> {
        if node as usize >= self.counts.nodes {
            return 0..0;
        }
        let at = self.part(part) + node as usize * 4;
        let end = self.number(at + 4).min(self.edges());
        self.number(at).min(end)..end
    }

    /// An edge by its number.
    #[must_use]
    pub fn edge(&self, from: NodeId, index: u32) -> Edge {
        let at = self.part(3) + index as usize * FORWARD;
        let kinds = self.number(at + 8);
        Edge {
            from,
            to: self.number(at),
            kind: EdgeKind::ALL.get((kinds & 0xff) as usize).copied().unwrap_or(EdgeKind::Exports),
            origin: Origin::ALL.get((kinds >> 8) as usize).copied().unwrap_or(Origin::Scope),
            line: self.number(at + 4),
        }
    }

    /// What a node depends on.
    pub fn dependencies(&self, node: NodeId) -> impl Iterator<Item = Edge> {
        let this = *self;
        self.row(2, node).map(move |index| this.edge(node, index))
    }

    /// What depends on a node.
    pub fn dependents(&self, node: NodeId) -> impl Iterator<Item = Edge> {
        let this = *self;
        self.row(4, node).map(move |index| {
            let at = this.part(5) + index as usize * BACKWARD;
            let edge = this.number(at + 4).min(this.edges().saturating_sub(1));
            this.edge(this.number(at), edge)
        })
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}
