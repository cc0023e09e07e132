//! The edges of a node, of a graph as it was written and of what edits changed in it.

use std::ops::Range;

use super::base::Base;
use super::overlay::Overlay;
use crate::graph::{Edge, NodeId};

/// What a node depends on, in order.
pub(super) struct Dependencies<'a> {
    base: Base<'a>,
    overlay: Option<&'a Overlay>,
    /// The node, as it was numbered and as it is.
    before: NodeId,
    from: NodeId,
    /// Edges of the graph as it was written; none for files that were linked again.
    kept: Range<u32>,
    added: std::slice::Iter<'a, Edge>,
}

impl<'a> Dependencies<'a> {
    #[inline]
    pub(super) fn kept(
        base: Base<'a>,
        overlay: Option<&'a Overlay>,
        before: NodeId,
        from: NodeId,
    ) -> Dependencies<'a> {
        Dependencies { base, overlay, before, from, kept: base.row(2, before), added: [].iter() }
    }

    #[inline]
    pub(super) fn added(base: Base<'a>, overlay: &'a Overlay, from: NodeId) -> Dependencies<'a> {
        let added = overlay.dependencies(from).iter();
        Dependencies { base, overlay: None, before: from, from, kept: 0..0, added }
    }
}

impl Iterator for Dependencies<'_> {
    type Item = Edge;

    #[inline]
    fn next(&mut self) -> Option<Edge> {
        for index in self.kept.by_ref() {
            let edge = self.base.edge(self.before, index);
            let Some(overlay) = self.overlay else { return Some(edge) };
            if let Some(to) = overlay.now(edge.to) {
                return Some(Edge { from: self.from, to, ..edge });
            }
        }
        self.added.next().copied()
    }
}

/// What depends on a node, in order.
pub(super) struct Dependents<'a> {
    base: Base<'a>,
    to: NodeId,
    kept: Range<u32>,
    /// What edits changed, and the places of edges that they added.
    overlay: Option<(&'a Overlay, &'a [u32])>,
    /// An edge that was taken from those that were kept, and not yet given.
    next: Option<Edge>,
}

impl<'a> Dependents<'a> {
    #[inline]
    pub(super) fn new(
        base: Base<'a>,
        overlay: Option<&'a Overlay>,
        node: NodeId,
    ) -> Dependents<'a> {
        let before = overlay.map_or(Some(node), |overlay| overlay.before(node));
        let kept = before.map_or(0..0, |before| base.row(4, before));
        let overlay = overlay.map(|overlay| (overlay, overlay.dependents(node)));
        Dependents { base, to: node, kept, overlay, next: None }
    }

    /// The next edge of a file that was not linked again.
    fn next_kept(&mut self, overlay: &Overlay) -> Option<Edge> {
        let base = self.base;
        self.kept.find_map(|index| {
            let edge = base.dependent(index);
            let file = base.file_of(edge.from)?;
            let from = overlay.relinked(file).is_none().then(|| overlay.now(edge.from))??;
            Some(Edge { from, to: self.to, ..edge })
        })
    }
}

impl Iterator for Dependents<'_> {
    type Item = Edge;

    #[inline]
    fn next(&mut self) -> Option<Edge> {
        let Some((overlay, added)) = self.overlay else {
            return self.kept.next().map(|index| self.base.dependent(index));
        };
        if self.next.is_none() {
            self.next = self.next_kept(overlay);
        }
        let first = added.first().and_then(|at| overlay.edge(*at));
        match (self.next, first) {
            (Some(kept), Some(new)) if kept.from < new.from => self.next.take(),
            (_, Some(new)) => {
                self.overlay = Some((overlay, &added[1..]));
                Some(new)
            }
            _ => self.next.take(),
        }
    }
}
