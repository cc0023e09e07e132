//! Traverses dependents or dependencies breadth first, file by file.
//!
//! A whole file is traversed through all its symbols. From a single symbol, the traversal continues
//! at its users, at the users of the type that contains it, and at files that import its whole
//! file.

use crate::graph::{Edge, EdgeKind, NodeId, NodeKind};
use crate::packed::PackedGraph;
use crate::project::FileId;

/// The direction of a traversal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the nodes that depend on the start.
    Dependents,
    /// To the nodes that the start depends on.
    Dependencies,
}

impl Direction {
    /// Returns the near and the far end of an edge.
    pub(crate) fn ends(self, edge: &Edge) -> (NodeId, NodeId) {
        match self {
            Direction::Dependents => (edge.to, edge.from),
            Direction::Dependencies => (edge.from, edge.to),
        }
    }
}

/// A file that the traversal reached.
#[derive(Debug, Clone, PartialEq)]
pub struct ReachedFile {
    /// The index of the file.
    pub file: FileId,
    /// The number of edges from the start.
    pub depth: u32,
    /// The share of a change that arrives, along the strongest of the shortest routes.
    pub strength: f32,
    /// The edge through which the file was reached.
    pub edge: Edge,
    /// The first few symbols of the file that are known to be affected.
    pub symbols: Vec<NodeId>,
}

/// The result of a traversal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traversal {
    /// The files, by depth, then by strength.
    pub files: Vec<ReachedFile>,
    /// The number of files first reached at each depth, from 1.
    pub files_at: Vec<u32>,
    /// The number of symbols first reached at each depth, from 1.
    pub symbols_at: Vec<u32>,
}

/// The maximum number of symbols to keep per file.
const MAX_SYMBOLS: usize = 8;
/// The share of a change that arrives at a file that imports the whole file of a symbol, because it
/// may not use the symbol.
const WHOLE_FILE_SHARE: f32 = 0.5;

/// A place in the traversal: a whole file or a single symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stop {
    File(FileId),
    Symbol(NodeId, FileId),
}

impl Stop {
    fn file(self) -> FileId {
        match self {
            Stop::File(file) | Stop::Symbol(_, file) => file,
        }
    }
}

/// Traverses the graph from some nodes. A file node stands for all symbols of the file.
#[must_use]
pub fn traverse(
    graph: &PackedGraph<'_>,
    start: &[NodeId],
    direction: Direction,
    depth: u32,
) -> Traversal {
    let mut walk = Walk {
        graph,
        direction,
        seen: vec![0; graph.nodes() as usize],
        stops: Vec::new(),
        file_slots: vec![0; graph.files() as usize],
        found: Vec::new(),
        symbols_at: Vec::new(),
    };
    for node in start {
        if let Some(stop) = walk.stop(*node) {
            walk.arrive(*node, stop, 0, 1.0);
            // The file that contains a start symbol is not a result.
            walk.file_slots[stop.file() as usize] = START;
        }
    }
    let mut first = 0;
    for level in 1..=depth {
        let frontier = first..walk.stops.len();
        if frontier.is_empty() {
            break;
        }
        first = frontier.end;
        walk.symbols_at.push(0);
        for at in frontier {
            walk.expand(at, level);
        }
    }
    walk.into_traversal()
}

/// Marks a file in which the traversal started.
const START: u32 = u32::MAX;

/// A visited place with its depth and strength.
struct Visited {
    stop: Stop,
    depth: u32,
    strength: f32,
}

struct Walk<'g> {
    graph: &'g PackedGraph<'g>,
    direction: Direction,
    /// For each node, the index of its stop plus one; 0 if it was not visited.
    seen: Vec<u32>,
    stops: Vec<Visited>,
    /// For each file, its index in `found` plus one; 0 if it was not reached.
    file_slots: Vec<u32>,
    found: Vec<ReachedFile>,
    symbols_at: Vec<u32>,
}

impl Walk<'_> {
    fn stop(&self, node: NodeId) -> Option<Stop> {
        match self.graph.kind(node)? {
            NodeKind::File => self.graph.file_of(node).map(Stop::File),
            NodeKind::Directory => None,
            _ => Some(Stop::Symbol(node, self.graph.file_of(node)?)),
        }
        .filter(|stop| (stop.file() as usize) < self.file_slots.len())
    }

    /// Records a visit. Returns true for the first one.
    fn arrive(&mut self, node: NodeId, stop: Stop, depth: u32, strength: f32) -> bool {
        let slot = &mut self.seen[node as usize];
        match slot.checked_sub(1) {
            None => {
                self.stops.push(Visited { stop, depth, strength });
                *slot = self.stops.len() as u32;
                true
            }
            Some(at) => {
                let known = &mut self.stops[at as usize];
                if known.depth == depth {
                    known.strength = known.strength.max(strength);
                }
                false
            }
        }
    }

    fn expand(&mut self, at: usize, level: u32) {
        let graph = self.graph;
        let Visited { stop, strength, .. } = self.stops[at];
        match (stop, self.direction) {
            (Stop::File(file), Direction::Dependents) => {
                for node in graph.range(file) {
                    for edge in graph.dependents(node) {
                        self.step(edge, Some(file), strength, level);
                    }
                }
            }
            (Stop::File(file), Direction::Dependencies) => {
                for node in graph.range(file) {
                    for edge in graph.dependencies(node) {
                        self.step(edge, Some(file), strength, level);
                    }
                }
            }
            (Stop::Symbol(node, file), Direction::Dependents) => {
                for edge in graph.dependents(node) {
                    // A file does not depend on the symbols that it exports.
                    if edge.kind != EdgeKind::Exports {
                        self.step(edge, None, strength, level);
                    }
                }
                // Code with a value of a type may call any of its members.
                let container = graph.container(node);
                for edge in container.into_iter().flat_map(|outer| graph.dependents(outer)) {
                    if edge.kind != EdgeKind::Exports {
                        self.step(edge, None, strength * WHOLE_FILE_SHARE, level);
                    }
                }
                for edge in graph.dependents(graph.range(file).start) {
                    let imports_by_name = graph
                        .file_of(edge.from)
                        .is_some_and(|other| self.imports_symbols_of(other, file));
                    if !imports_by_name {
                        self.step(edge, Some(file), strength * WHOLE_FILE_SHARE, level);
                    }
                }
            }
            (Stop::Symbol(node, _), Direction::Dependencies) => {
                for edge in graph.dependencies(node) {
                    self.step(edge, None, strength, level);
                }
            }
        }
    }

    /// Returns true if a file imports symbols of another by name.
    fn imports_symbols_of(&self, file: FileId, of: FileId) -> bool {
        let inside = self.graph.range(of);
        let from = self.graph.range(file).start;
        self.graph.dependencies(from).any(|edge| {
            edge.kind == EdgeKind::Imports && edge.to > inside.start && edge.to < inside.end
        })
    }

    /// Follows an edge, unless it stays inside the file `leave`.
    fn step(&mut self, edge: Edge, leave: Option<FileId>, strength: f32, level: u32) {
        let (_, to) = self.direction.ends(&edge);
        let Some(stop) = self.stop(to) else { return };
        let file = stop.file();
        if leave == Some(file) {
            return;
        }
        let arriving_strength =
            strength * edge.kind.weight() * f32::from(edge.origin.confidence()) / 100.0;
        let is_symbol = matches!(stop, Stop::Symbol(..));
        if self.arrive(to, stop, level, arriving_strength)
            && is_symbol
            && let Some(count) = self.symbols_at.last_mut()
        {
            *count += 1;
        }
        let slot = &mut self.file_slots[file as usize];
        if *slot == START {
            return;
        }
        if *slot == 0 {
            let symbols = Vec::new();
            self.found.push(ReachedFile {
                file,
                depth: level,
                strength: arriving_strength,
                edge,
                symbols,
            });
            *slot = self.found.len() as u32;
        }
        let reached = &mut self.found[*slot as usize - 1];
        if reached.depth == level && reached.strength < arriving_strength {
            (reached.strength, reached.edge) = (arriving_strength, edge);
        }
        if is_symbol && reached.symbols.len() < MAX_SYMBOLS && !reached.symbols.contains(&to) {
            reached.symbols.push(to);
        }
    }

    fn into_traversal(self) -> Traversal {
        let mut files = self.found;
        let mut files_at = vec![0; self.symbols_at.len()];
        for reached in &files {
            files_at[reached.depth as usize - 1] += 1;
        }
        files.sort_by(|a, b| {
            a.depth.cmp(&b.depth).then(b.strength.total_cmp(&a.strength)).then(a.file.cmp(&b.file))
        });
        let mut symbols_at = self.symbols_at;
        while files_at.last() == Some(&0) && symbols_at.last() == Some(&0) {
            files_at.pop();
            symbols_at.pop();
        }
        Traversal { files, files_at, symbols_at }
    }
}

/// Returns the edges from the start to a reached file, in order.
#[must_use]
pub fn route_to(
    traversal: &Traversal,
    graph: &PackedGraph<'_>,
    direction: Direction,
    to: FileId,
) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut at = to;
    while let Some(reached) = traversal.files.iter().find(|reached| reached.file == at) {
        if edges.len() as u32 > reached.depth + 64 {
            break;
        }
        edges.push(reached.edge);
        let (before, _) = direction.ends(&reached.edge);
        match graph.file_of(before) {
            Some(before) if before != at => at = before,
            _ => break,
        }
    }
    edges.reverse();
    edges
}
