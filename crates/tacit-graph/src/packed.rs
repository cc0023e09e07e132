//! The graph that answers are read from: bytes that are mapped and not read, and a small overlay of
//! what edits changed since they were written. Both together are one graph, with the numbers and in
//! the order that it would have if it was packed anew.

mod base;
mod edges;
mod overlay;
mod rows;
mod splice;

use std::ops::Range;

use self::base::Base;
use self::edges::{Dependencies, Dependents};
use self::overlay::Made;
use crate::graph::{Computed, Consulted, Edge, NodeId, NodeKind};
use crate::project::{FileId, Skipped, Unnameable};

pub use overlay::Overlay;
pub use rows::pack;

/// A graph that was packed.
#[derive(Clone, Copy)]
pub struct Packed<'a> {
    base: Base<'a>,
    overlay: Option<&'a Overlay>,
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
    /// Imports of which only the program knows what they mean.
    pub computed: Computed,
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
        Some(Packed { base: Base::new(bytes)?, overlay: None })
    }

    /// The graph with what edits changed in it, which must have been prepared for it.
    #[must_use]
    pub fn with(self, overlay: Option<&'a Overlay>) -> Packed<'a> {
        Packed { overlay, ..self }
    }

    /// Which state of the project it shows.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.overlay.map_or(self.base.generation, Overlay::generation)
    }

    /// Whether all bytes are as they were written, without what edits changed. Nothing else looks:
    /// what reads a damaged graph gets a wrong answer, and never more than that.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.base.is_sound()
    }

    /// Files that are not in it, because they cannot be named.
    #[must_use]
    pub fn unnameable(&self) -> Unnameable {
        self.base.unnameable()
    }

    /// The graph in one piece, as it would be packed anew. None if its bytes are damaged.
    #[must_use]
    pub fn folded(&self) -> Option<Vec<u8>> {
        self.base.is_sound().then(|| splice::fold(self))?
    }

    /// How many files there are.
    #[must_use]
    pub fn files(&self) -> u32 {
        self.base.files()
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.grown(self.base.nodes())
    }

    /// Where directories begin.
    fn symbols(&self) -> NodeId {
        self.grown(self.base.counts.symbols as u32)
    }

    fn grown(&self, count: u32) -> u32 {
        let by = self.overlay.map_or(0, Overlay::grown);
        u32::try_from(i64::from(count) + by).unwrap_or(0)
    }

    /// How many edges there are.
    #[must_use]
    pub fn edges(&self) -> u32 {
        let before = self.base.edges();
        self.overlay.map_or(before, |overlay| overlay.count(before))
    }

    /// A file.
    #[must_use]
    #[inline]
    pub fn file(&self, file: FileId) -> Option<PackedFile> {
        let before = self.base.file(file)?;
        let Some(overlay) = self.overlay else { return Some(before) };
        let moved = PackedFile { node: overlay.range(&self.base, file).start, ..before };
        let Some(again) = overlay.relinked(file) else { return Some(moved) };
        let linked = PackedFile { unresolved: again.unresolved.len() as u32, ..moved };
        Some(again.text.as_ref().map_or(linked, |text| PackedFile {
            error_line: text.error_line,
            dynamic_calls: text.dynamic_calls,
            computed: text.computed,
            ..linked
        }))
    }

    #[inline]
    fn made(&self, node: NodeId) -> Made<'a> {
        self.overlay.map_or(Made::Before(node), |overlay| overlay.made(node))
    }

    /// A node.
    #[must_use]
    #[inline]
    pub fn node(&self, node: NodeId) -> Option<PackedNode<'a>> {
        match self.made(node) {
            Made::Before(node) => self.base.node(node),
            Made::Now(_, text, place) => {
                let node = text.nodes.get(place as usize)?;
                Some(PackedNode {
                    kind: node.kind,
                    name: &node.name,
                    line: node.line,
                    end_line: node.end_line,
                    sum: node.sum,
                })
            }
        }
    }

    /// What a node is.
    #[must_use]
    #[inline]
    pub fn kind(&self, node: NodeId) -> Option<NodeKind> {
        match self.made(node) {
            Made::Before(node) => self.base.kind(node),
            Made::Now(_, text, place) => Some(text.nodes.get(place as usize)?.kind),
        }
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
        // Files keep their paths, whatever else changes.
        let node = self.base.file(file).and_then(|file| self.base.node(file.node));
        node.map_or("", |node| node.name)
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
        match self.overlay {
            None => self.base.range(file),
            Some(overlay) => overlay.range(&self.base, file),
        }
    }

    /// The file a node is in; none for a directory.
    #[must_use]
    #[inline]
    pub fn file_of(&self, node: NodeId) -> Option<FileId> {
        match self.made(node) {
            Made::Before(node) => self.base.file_of(node),
            Made::Now(file, ..) => Some(file),
        }
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
    #[must_use]
    pub fn consulted(&self, file: FileId) -> Vec<Consulted> {
        match self.overlay.and_then(|overlay| overlay.relinked(file)) {
            None => self.base.consulted(file).collect(),
            Some(again) => {
                let consulted = again.consulted.iter();
                consulted.map(|(of, speaks)| Consulted { file, of: *of, speaks: *speaks }).collect()
            }
        }
    }

    /// Where it is said that an edge is there: on a line of the file it comes from, or in another
    /// file, which is named if only one adds to that file.
    #[must_use]
    pub fn said(&self, edge: &Edge) -> String {
        if edge.line > 0 {
            return format!("line {}", edge.line);
        }
        let of = self.file_of(edge.from);
        let speaks = |file: &FileId| {
            self.consulted(*file).iter().any(|one| one.speaks && Some(one.of) == of)
        };
        let mut speakers = (0..self.files()).filter(speaks);
        match (speakers.next(), speakers.next()) {
            (Some(file), None) => format!("in {}", self.path(file)),
            _ => "in another file".to_owned(),
        }
    }

    /// The names that a file of a language with open namespaces may look up, as short sums.
    #[must_use]
    pub fn mentions(&self, file: FileId) -> Vec<u32> {
        match self.overlay.and_then(|overlay| overlay.relinked(file)) {
            None => self.base.mentions(file).collect(),
            Some(again) => again.mentions.clone(),
        }
    }

    /// What a node depends on.
    #[inline]
    pub fn dependencies(&self, node: NodeId) -> impl Iterator<Item = Edge> + use<'a> {
        let Some(overlay) = self.overlay else {
            return Dependencies::kept(self.base, None, node, node);
        };
        let file = self.file_of(node);
        match overlay.made(node) {
            Made::Before(before) if file.is_none_or(|file| overlay.relinked(file).is_none()) => {
                Dependencies::kept(self.base, self.overlay, before, node)
            }
            _ => Dependencies::added(self.base, overlay, node),
        }
    }

    /// What depends on a node.
    #[inline]
    pub fn dependents(&self, node: NodeId) -> impl Iterator<Item = Edge> + use<'a> {
        Dependents::new(self.base, self.overlay, node)
    }
}
