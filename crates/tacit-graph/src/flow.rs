//! Paths between two symbols along calls and imports: the shortest one and the strongest one.

use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::graph::{Edge, EdgeKind, NodeId, NodeKind};
use crate::packed::PackedGraph;

/// The maximum number of nodes to visit.
const MAX_NODES: usize = 2_000_000;

/// Paths from one symbol to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// The path with the fewest edges.
    pub shortest: Vec<Edge>,
    /// The path with the greatest strength.
    pub strongest: Vec<Edge>,
    /// The product of weight and confidence over the strongest path, from 0 to 1.
    pub strength: f32,
}

/// Finds the paths along which `from` uses `to`. Returns `None` if there is no path.
#[must_use]
pub fn flow(graph: &PackedGraph<'_>, from: &[NodeId], to: &[NodeId]) -> Option<Flow> {
    let ends: HashSet<NodeId> = to.iter().flat_map(|node| nodes_of(graph, *node)).collect();
    let shortest = search(graph, from, &ends, |_| 1.0)?;
    let strongest = search(graph, from, &ends, |edge| -edge_strength(edge).ln())?;
    let strength = strongest.iter().map(edge_strength).product();
    Some(Flow { shortest, strongest, strength })
}

fn edge_strength(edge: &Edge) -> f32 {
    edge.kind.weight() * f32::from(edge.origin.confidence()) / 100.0
}

/// Returns a file with all its symbols, or a single symbol.
fn nodes_of(graph: &PackedGraph<'_>, node: NodeId) -> std::ops::Range<NodeId> {
    match (graph.kind(node), graph.file_of(node)) {
        (Some(NodeKind::File), Some(file)) => graph.range(file),
        _ => node..node.saturating_add(1),
    }
}

/// A node in the queue, ordered so that the cheapest one comes first.
struct QueueEntry(f32, NodeId);

impl PartialEq for QueueEntry {
    fn eq(&self, other: &QueueEntry) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for QueueEntry {}

impl PartialOrd for QueueEntry {
    fn partial_cmp(&self, other: &QueueEntry) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for QueueEntry {
    fn cmp(&self, other: &QueueEntry) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}

/// Finds the cheapest path. From a file, the path may continue at any of its symbols. From a
/// symbol, it may continue at the symbol or at its file.
fn search(
    graph: &PackedGraph<'_>,
    from: &[NodeId],
    ends: &HashSet<NodeId>,
    cost: impl Fn(&Edge) -> f32,
) -> Option<Vec<Edge>> {
    let mut best: HashMap<NodeId, (f32, Option<Edge>)> = HashMap::new();
    let mut queue = BinaryHeap::new();
    for node in from {
        best.insert(*node, (0.0, None));
        queue.push(QueueEntry(0.0, *node));
    }
    let mut done = HashSet::new();
    while let Some(QueueEntry(cost_so_far, node)) = queue.pop() {
        if !done.insert(node) || done.len() > MAX_NODES {
            continue;
        }
        let arrived = best.get(&node).is_some_and(|(_, by)| by.is_some());
        if arrived && ends.contains(&node) {
            return Some(trace(graph, &best, node));
        }
        let file_node = graph.file_of(node).map(|file| graph.range(file).start);
        let outer = file_node.filter(|file| *file != node);
        for source in nodes_of(graph, node).chain(outer) {
            for edge in graph.dependencies(source) {
                // A file exports its own symbols, but that edge does not leave the file.
                let inside =
                    edge.kind == EdgeKind::Exports && graph.file_of(edge.to) == graph.file_of(node);
                let total = cost_so_far + cost(&edge);
                let known = best.get(&edge.to).map_or(f32::INFINITY, |(known, _)| *known);
                if !inside && total < known {
                    best.insert(edge.to, (total, Some(edge)));
                    queue.push(QueueEntry(total, edge.to));
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
