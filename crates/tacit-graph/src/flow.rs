//! How one thing leads to another: the shortest way through calls and imports, and the strongest.

use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::graph::{Edge, EdgeKind, NodeId, NodeKind};
use crate::packed::PackedGraph;

/// How many nodes are looked at before giving up.
const MOST: usize = 2_000_000;

/// Ways from one place to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// The way with the fewest edges.
    pub shortest: Vec<Edge>,
    /// The way on which most arrives.
    pub strongest: Vec<Edge>,
    /// How much arrives on it.
    pub strength: f32,
}

/// The ways along which `from` uses `to`; none if there is no way.
#[must_use]
pub fn flow(graph: &PackedGraph<'_>, from: &[NodeId], to: &[NodeId]) -> Option<Flow> {
    let ends: HashSet<NodeId> = to.iter().flat_map(|node| whole(graph, *node)).collect();
    let shortest = search(graph, from, &ends, |_| 1.0)?;
    let strongest = search(graph, from, &ends, |edge| -arrives(edge).ln())?;
    let strength = strongest.iter().map(arrives).product();
    Some(Flow { shortest, strongest, strength })
}

fn arrives(edge: &Edge) -> f32 {
    edge.kind.weight() * f32::from(edge.origin.confidence()) / 100.0
}

/// A node with everything in it.
fn whole(graph: &PackedGraph<'_>, node: NodeId) -> std::ops::Range<NodeId> {
    match (graph.kind(node), graph.file_of(node)) {
        (Some(NodeKind::File), Some(file)) => graph.range(file),
        _ => node..node.saturating_add(1),
    }
}

/// A place on the way, the cheapest first.
struct Next(f32, NodeId);

impl PartialEq for Next {
    fn eq(&self, other: &Next) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Next) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Next) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}

/// The cheapest way. Who arrives at a file may go on from anything in it; who arrives at a symbol,
/// from the symbol and from what its file imports.
fn search(
    graph: &PackedGraph<'_>,
    from: &[NodeId],
    ends: &HashSet<NodeId>,
    cost: impl Fn(&Edge) -> f32,
) -> Option<Vec<Edge>> {
    let mut best: HashMap<NodeId, (f32, Option<Edge>)> = HashMap::new();
    let mut waiting = BinaryHeap::new();
    for node in from {
        best.insert(*node, (0.0, None));
        waiting.push(Next(0.0, *node));
    }
    let mut done = HashSet::new();
    while let Some(Next(so_far, node)) = waiting.pop() {
        if !done.insert(node) || done.len() > MOST {
            continue;
        }
        let arrived = best.get(&node).is_some_and(|(_, by)| by.is_some());
        if arrived && ends.contains(&node) {
            return Some(trace(graph, &best, node));
        }
        let file_node = graph.file_of(node).map(|file| graph.range(file).start);
        let outer = file_node.filter(|file| *file != node);
        for place in whole(graph, node).chain(outer) {
            for edge in graph.dependencies(place) {
                // That a file offers its own symbols is no way out of it.
                let inside =
                    edge.kind == EdgeKind::Exports && graph.file_of(edge.to) == graph.file_of(node);
                let total = so_far + cost(&edge);
                let known = best.get(&edge.to).map_or(f32::INFINITY, |(known, _)| *known);
                if !inside && total < known {
                    best.insert(edge.to, (total, Some(edge)));
                    waiting.push(Next(total, edge.to));
                }
            }
        }
    }
    None
}

fn trace(
    graph: &PackedGraph<'_>,
    best: &HashMap<NodeId, (f32, Option<Edge>)>,
    end: NodeId,
) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    let mut at = end;
    while let Some((_, Some(edge))) = best.get(&at)
        && edges.len() < 10_000
    {
        edges.push(*edge);
        // The edge may start at the file around the node, or at a symbol inside it.
        let file = graph.file_of(edge.from).map_or(edge.from, |file| graph.range(file).start);
        at = if best.contains_key(&edge.from) && edge.from != at { edge.from } else { file };
    }
    edges.reverse();
    edges
}
