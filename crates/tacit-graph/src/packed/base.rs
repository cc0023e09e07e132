//! A graph as bytes that are mapped and not read: a row of edges for each node, in both directions,
//! beside the names; and for each file, which others its links depend on.
//!
//! All numbers are little-endian. The bytes may come from a damaged file, so nothing in them is
//! believed: what lies outside is not there.

use std::ops::Range;

use super::{PackedFile, PackedNode};

use crate::graph::{Computed, Consulted, Edge, EdgeKind, NodeId, NodeKind, Origin};
use crate::project::{FileId, Skipped, Unnameable};
use crate::sum::sum;

pub(super) const MAGIC: &[u8; 8] = b"TACITGR3";
pub(super) const HEADER: usize = 72;
pub(super) const FILE: usize = 24;
pub(super) const NODE: usize = 28;
pub(super) const FORWARD: usize = 12;
pub(super) const BACKWARD: usize = 8;
pub(super) const CONSULTED: usize = 4;
pub(super) const MENTION: usize = 4;
/// Where the number of files that cannot be named stands, and where their languages do.
pub(super) const UNNAMEABLE: usize = 44;
pub(super) const THEIR_LANGUAGES: usize = 56;
/// Where the sum of all that follows the header stands.
pub(super) const SUM: usize = 48;
/// Where the sum of the header before it stands.
pub(super) const HEADER_SUM: usize = 64;
/// The bit that says that a file speaks for another.
pub(super) const SPEAKS: u32 = 1 << 31;

/// Why files are skipped, in the order of their numbers in packed graphs.
pub(super) const SKIPPED: [Skipped; 7] = [
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
pub(super) struct Base<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) generation: u64,
    pub(super) counts: Counts,
    pub(super) parts: [usize; PARTS + 1],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) files: usize,
    pub(super) nodes: usize,
    pub(super) edges: usize,
    /// Where directories begin.
    pub(super) symbols: usize,
    pub(super) names: usize,
    pub(super) consulted: usize,
    pub(super) mentions: usize,
}

/// How many parts there are: files, nodes, rows and edges in one direction and the other, rows of
/// files that were consulted and these, rows of mentions and these, names.
pub(super) const PARTS: usize = 11;

impl Counts {
    /// Where each part begins, and where the last ends.
    pub(super) fn parts(self) -> Option<[usize; PARTS + 1]> {
        let sizes = [
            self.files.checked_mul(FILE)?,
            self.nodes.checked_mul(NODE)?,
            self.nodes.checked_add(1)?.checked_mul(4)?,
            self.edges.checked_mul(FORWARD)?,
            self.nodes.checked_add(1)?.checked_mul(4)?,
            self.edges.checked_mul(BACKWARD)?,
            self.files.checked_add(1)?.checked_mul(4)?,
            self.consulted.checked_mul(CONSULTED)?,
            self.files.checked_add(1)?.checked_mul(4)?,
            self.mentions.checked_mul(MENTION)?,
            self.names,
        ];
        let mut at = [HEADER; PARTS + 1];
        for (index, size) in sizes.into_iter().enumerate() {
            at[index + 1] = at[index].checked_add(size)?;
        }
        Some(at)
    }
}

impl<'a> Base<'a> {
    /// Takes bytes for a graph; none if they are not one, or not whole.
    pub(super) fn new(bytes: &'a [u8]) -> Option<Base<'a>> {
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
            mentions: count(6)?,
        };
        let parts = counts.parts()?;
        let whole = parts[PARTS] == bytes.len() && counts.symbols <= counts.nodes;
        whole.then_some(Base { bytes, generation, counts, parts })
    }

    /// The sum of all that follows the header, as it was written.
    pub(super) fn sum(&self) -> u64 {
        self.long(SUM)
    }

    /// Whether all bytes are as they were written.
    pub(super) fn is_sound(&self) -> bool {
        let part = |range: Range<usize>| self.bytes.get(range).unwrap_or_default();
        self.long(HEADER_SUM) == sum(part(0..HEADER_SUM))
            && self.sum() == sum(part(HEADER..self.bytes.len()))
    }

    /// Files that cannot be named.
    pub(super) fn unnameable(&self) -> Unnameable {
        let files = self.number(UNNAMEABLE);
        Unnameable { files, languages: self.long(THEIR_LANGUAGES) }
    }

    /// How many files there are.
    #[inline]
    pub(super) fn files(&self) -> u32 {
        self.counts.files as u32
    }

    /// How many nodes there are.
    #[inline]
    pub(super) fn nodes(&self) -> u32 {
        self.counts.nodes as u32
    }

    /// How many edges there are.
    #[inline]
    pub(super) fn edges(&self) -> u32 {
        self.counts.edges as u32
    }

    /// Where a part begins.
    #[inline]
    pub(super) fn part(&self, index: usize) -> usize {
        self.parts[index]
    }

    #[inline]
    pub(super) fn number(&self, at: usize) -> u32 {
        number(self.bytes, at).unwrap_or(0)
    }

    fn long(&self, at: usize) -> u64 {
        u64::from(self.number(at)) | (u64::from(self.number(at + 4)) << 32)
    }

    /// A file.
    #[inline]
    pub(super) fn file(&self, file: FileId) -> Option<PackedFile> {
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
            computed: Computed {
                imports: self.number(at + 20) as u16,
                folders: (self.number(at + 20) >> 16) as u16,
            },
        })
    }

    /// A node.
    #[inline]
    pub(super) fn node(&self, node: NodeId) -> Option<PackedNode<'a>> {
        if node as usize >= self.counts.nodes {
            return None;
        }
        let at = self.part(1) + node as usize * NODE;
        let start = self.part(10) + self.number(at) as usize;
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
    #[inline]
    pub(super) fn kind(&self, node: NodeId) -> Option<NodeKind> {
        let at = self.part(1) + node as usize * NODE + 4;
        let known = (node as usize) < self.counts.nodes;
        known.then(|| NodeKind::ALL.get((self.number(at) & 0xff) as usize).copied())?
    }

    /// The nodes of a file: itself and what it defines.
    #[inline]
    pub(super) fn range(&self, file: FileId) -> Range<NodeId> {
        let symbols = self.counts.symbols as NodeId;
        let start = self.file(file).map_or(symbols, |file| file.node).min(symbols);
        let end = self.file(file.saturating_add(1)).map_or(symbols, |file| file.node).min(symbols);
        start..end.max(start)
    }

    /// The file a node is in; none for a directory.
    #[inline]
    pub(super) fn file_of(&self, node: NodeId) -> Option<FileId> {
        if node as usize >= self.counts.symbols {
            return None;
        }
        let file = self.number(self.part(1) + node as usize * NODE + 24);
        (file < self.files()).then_some(file)
    }

    /// Which other files the links of a file depend on.
    pub(super) fn consulted(&self, file: FileId) -> impl Iterator<Item = Consulted> + use<'a> {
        self.of_file(6, self.counts.consulted, file).map(move |found| Consulted {
            file,
            of: found & !SPEAKS,
            speaks: found & SPEAKS != 0,
        })
    }

    /// The names that a file may look up.
    pub(super) fn mentions(&self, file: FileId) -> impl Iterator<Item = u32> + use<'a> {
        self.of_file(8, self.counts.mentions, file)
    }

    /// The numbers of a file in a part that follows its rows.
    fn of_file(
        &self,
        rows: usize,
        count: usize,
        file: FileId,
    ) -> impl Iterator<Item = u32> + use<'a> {
        let this = *self;
        let at = self.part(rows) + file as usize * 4;
        let known = (file as usize) < self.counts.files;
        let end = if known { self.number(at + 4).min(count as u32) } else { 0 };
        let start = if known { self.number(at).min(end) } else { 0 };
        (start..end).map(move |index| this.number(this.part(rows + 1) + index as usize * 4))
    }

    #[inline]
    pub(super) fn row(&self, part: usize, node: NodeId) -> Range<u32> {
        if node as usize >= self.counts.nodes {
            return 0..0;
        }
        let at = self.part(part) + node as usize * 4;
        let end = self.number(at + 4).min(self.edges());
        self.number(at).min(end)..end
    }

    /// An edge by its number.
    #[inline]
    pub(super) fn edge(&self, from: NodeId, index: u32) -> Edge {
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

    /// An edge by its number among those that are ordered by where they lead.
    #[inline]
    pub(super) fn dependent(&self, index: u32) -> Edge {
        let at = self.part(5) + index as usize * BACKWARD;
        let edge = self.number(at + 4).min(self.edges().saturating_sub(1));
        self.edge(self.number(at), edge)
    }
}

#[inline]
fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}
