//! What edits changed in a packed graph since it was written, ready to be read with it as one.
//!
//! Nodes are numbered as they would be if the graph was packed anew: a file with other nodes than
//! before moves those of all files after it.

use std::ops::Range;

use super::Packed;
use super::base::Base;
use crate::graph::{Edge, NodeId};
use crate::patch::{Patch, Relinked, Text};
use crate::project::FileId;

/// A patch, with what is looked up often.
#[derive(Debug)]
pub struct Overlay {
    patch: Patch,
    generation: u64,
    /// The sum of the graph it belongs to.
    base: u64,
    /// Files whose text changed, in order.
    changes: Vec<Change>,
    /// The edges of all files that were linked again, in order.
    edges: Vec<Edge>,
    /// The same by where they lead, as places among them.
    backward: Vec<u32>,
    /// How many edges of the graph are no longer there.
    gone: u32,
}

/// A file whose text changed.
#[derive(Debug)]
struct Change {
    /// Its place in the patch.
    at: usize,
    /// Its nodes, as they were numbered.
    before: Range<NodeId>,
    /// Its nodes, as they are numbered.
    now: Range<NodeId>,
}

impl Change {
    /// How far the nodes after it are moved.
    fn by(&self) -> i64 {
        i64::from(self.now.end) - i64::from(self.before.end)
    }
}

/// What a node is made of.
pub(super) enum Made<'o> {
    /// A node of the graph as it was written.
    Before(NodeId),
    /// A node of a file whose text changed: the file, its text, and the place there.
    Now(FileId, &'o Text, u32),
}

impl Overlay {
    /// Prepares a patch to a graph that has none. None if they do not fit.
    #[must_use]
    pub fn new(graph: &Packed<'_>, patch: Patch, generation: u64) -> Option<Overlay> {
        let base = &graph.base;
        let in_order = patch.files.is_sorted_by(|a, b| a.file < b.file);
        let known = patch.files.last().is_none_or(|last| last.file < base.files());
        if graph.overlay.is_some() || !in_order || !known {
            return None;
        }
        let mut overlay = Overlay {
            generation,
            base: base.sum(),
            changes: Vec::new(),
            edges: Vec::with_capacity(patch.links()),
            backward: Vec::new(),
            gone: 0,
            patch,
        };
        let mut by = 0;
        for (at, one) in overlay.patch.files.iter().enumerate() {
            let before = base.range(one.file);
            let rows = before.clone().map(|node| base.row(2, node).len() as u32);
            overlay.gone += rows.sum::<u32>();
            let Some(text) = &one.text else { continue };
            let start = u32::try_from(i64::from(before.start) + by).ok()?;
            let now = start..start.checked_add(text.nodes.len() as u32)?;
            by = i64::from(now.end) - i64::from(before.end);
            overlay.changes.push(Change { at, before, now });
        }
        for one in &overlay.patch.files {
            let here = overlay.range(base, one.file);
            for link in &one.links {
                let there = overlay.range(base, link.to_file);
                let (from, to) =
                    (here.start.checked_add(link.from)?, there.start.checked_add(link.to)?);
                let (kind, origin, line) = (link.kind, link.origin, link.line);
                let fits = here.contains(&from) && there.contains(&to);
                overlay.edges.push(fits.then_some(Edge { from, to, kind, origin, line })?);
            }
        }
        overlay.backward = (0..overlay.edges.len() as u32).collect();
        overlay.backward.sort_by_key(|at| (overlay.edges[*at as usize].to, *at));
        let fits = overlay.edges.is_sorted() && overlay.leads_on(base);
        fits.then_some(overlay)
    }

    /// Reads a patch that was kept. None if it is not whole, or belongs to another graph.
    #[must_use]
    pub fn read(graph: &Packed<'_>, bytes: &[u8]) -> Option<Overlay> {
        let (patch, generation) = Patch::from_bytes(bytes, graph.base.sum())?;
        Overlay::new(graph, patch, generation)
    }

    /// The patch as bytes, to be kept.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.patch.to_bytes(self.base, self.generation)
    }

    /// What was changed.
    #[must_use]
    pub fn patch(&self) -> &Patch {
        &self.patch
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// How many more nodes there are.
    pub(super) fn grown(&self) -> i64 {
        self.changes.last().map_or(0, Change::by)
    }

    /// How many edges there are, of so many before.
    pub(super) fn count(&self, before: u32) -> u32 {
        before.saturating_sub(self.gone) + self.edges.len() as u32
    }

    /// A file that was linked again.
    pub(super) fn relinked(&self, file: FileId) -> Option<&Relinked> {
        let at = self.patch.files.binary_search_by_key(&file, |one| one.file).ok()?;
        self.patch.files.get(at)
    }

    /// The nodes of a file.
    pub(super) fn range(&self, base: &Base<'_>, file: FileId) -> Range<NodeId> {
        let before = base.range(file);
        let after = self.changes.partition_point(|change| change.before.end <= before.start);
        match self.changes.get(after).filter(|change| change.before == before) {
            Some(change) => change.now.clone(),
            None => self.moved(before.start, after)..self.moved(before.end, after),
        }
    }

    fn text(&self, change: &Change) -> Option<&Text> {
        self.patch.files.get(change.at)?.text.as_ref()
    }

    /// Whether all edges of files that were not linked again lead to nodes that are still there.
    fn leads_on(&self, base: &Base<'_>) -> bool {
        let nodes = self.changes.iter().flat_map(|change| change.before.clone());
        let mut gone = nodes.filter(|node| self.now(*node).is_none());
        gone.all(|node| {
            base.row(4, node).all(|index| {
                let from = base.file_of(base.dependent(index).from);
                from.is_some_and(|file| self.relinked(file).is_some())
            })
        })
    }

    fn moved(&self, node: NodeId, after: usize) -> NodeId {
        let by = after.checked_sub(1).and_then(|at| self.changes.get(at)).map_or(0, Change::by);
        u32::try_from(i64::from(node) + by).unwrap_or(NodeId::MAX)
    }

    /// Where a node of the graph as it was written is now; none if it may be another.
    pub(super) fn now(&self, node: NodeId) -> Option<NodeId> {
        let after = self.changes.partition_point(|change| change.before.end <= node);
        let inside = self.changes.get(after).filter(|change| node >= change.before.start);
        match inside.and_then(|change| Some((change, self.text(change)?))) {
            Some((change, text)) => {
                Some(change.now.start + text.kept.now(node - change.before.start)?)
            }
            None => Some(self.moved(node, after)),
        }
    }

    /// What a node is made of.
    pub(super) fn made(&self, node: NodeId) -> Made<'_> {
        let after = self.changes.partition_point(|change| change.now.end <= node);
        let inside = self.changes.get(after).filter(|change| change.now.start <= node);
        let one = inside.and_then(|change| Some((change, self.patch.files.get(change.at)?)));
        if let Some((change, Relinked { file, text: Some(text), .. })) = one {
            return Made::Now(*file, text, node - change.now.start);
        }
        let by = after.checked_sub(1).and_then(|at| self.changes.get(at)).map_or(0, Change::by);
        Made::Before(u32::try_from(i64::from(node) - by).unwrap_or(NodeId::MAX))
    }

    /// The node of the graph as it was written to which others that were not linked again may lead.
    pub(super) fn before(&self, node: NodeId) -> Option<NodeId> {
        let after = self.changes.partition_point(|change| change.now.end <= node);
        let Some(change) = self.changes.get(after).filter(|change| change.now.start <= node) else {
            let Made::Before(node) = self.made(node) else { return None };
            return Some(node);
        };
        let place = self.text(change)?.kept.before(node - change.now.start)?;
        (place < change.before.len() as u32).then_some(change.before.start + place)
    }

    /// The edges from a node of a file that was linked again.
    pub(super) fn dependencies(&self, node: NodeId) -> &[Edge] {
        let start = self.edges.partition_point(|edge| edge.from < node);
        let end = start + self.edges[start..].partition_point(|edge| edge.from == node);
        &self.edges[start..end]
    }

    /// The edges to a node from files that were linked again, as places among the edges.
    pub(super) fn dependents(&self, node: NodeId) -> &[u32] {
        let to = |at: &u32| self.edges[*at as usize].to;
        let start = self.backward.partition_point(|at| to(at) < node);
        let end = start + self.backward[start..].partition_point(|at| to(at) == node);
        &self.backward[start..end]
    }

    /// An edge by its place.
    pub(super) fn edge(&self, at: u32) -> Option<Edge> {
        self.edges.get(at as usize).copied()
    }
}
