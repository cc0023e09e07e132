//! How far a change reaches, or what something stands on: breadth first, file by file.
//!
//! A whole file is as many rows as it has symbols, one after the other. What is reached through a
//! symbol alone goes on from that symbol, from whoever uses the type it is a member of, and from
//! whoever imports its file as a whole.

use crate::graph::{Edge, EdgeKind, NodeId, NodeKind};
use crate::packed::PackedGraph;
use crate::project::FileId;

/// Which way to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To what depends on it.
    Dependents,
    /// To what it depends on.
    Dependencies,
}

impl Direction {
    /// The end of an edge that one comes from, and the end that one goes to.
    pub(crate) fn ends(self, edge: &Edge) -> (NodeId, NodeId) {
        match self {
            Direction::Dependents => (edge.to, edge.from),
            Direction::Dependencies => (edge.from, edge.to),
        }
    }
}

/// A file that was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct ReachedFile {
    /// The file.
    pub file: FileId,
    /// How many edges away it is.
    pub depth: u32,
    /// How much of a change arrives, along the strongest of the shortest ways.
    pub strength: f32,
    /// The edge it was reached by.
    pub by: Edge,
    /// Symbols in it that are known to be affected, the first few.
    pub symbols: Vec<NodeId>,
}

/// Everything that was reached.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traversal {
    /// The files, nearest first, then strongest.
    pub files: Vec<ReachedFile>,
    /// How many files were first reached at each depth, from 1.
    pub files_at: Vec<u32>,
    /// How many symbols were.
    pub symbols_at: Vec<u32>,
}

/// How many symbols of a file are remembered.
const SYMBOLS: usize = 8;
/// What arrives at somebody who imports all of a file and may not use the symbol.
const WHOLE_IMPORT: f32 = 0.5;

/// A place in the walk: a file with all that is in it, or one symbol.
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

/// Walks from some nodes; a file's node stands for everything in it.
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
        places: vec![0; graph.files() as usize],
        found: Vec::new(),
        symbols_at: Vec::new(),
    };
    for node in start {
        if let Some(stop) = walk.stop(*node) {
            walk.arrive(*node, stop, 0, 1.0);
            // The file of a symbol is where it is, not what it reaches.
            walk.places[stop.file() as usize] = START;
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

/// The mark of a file that the walk started from.
const START: u32 = u32::MAX;

/// A stop on the way, with how deep and how strong it is.
struct Visited {
    stop: Stop,
    depth: u32,
    strength: f32,
}

struct Walk<'g> {
    graph: &'g PackedGraph<'g>,
    direction: Direction,
    /// For each node, one more than the place of its stop; 0 where we have not been.
    seen: Vec<u32>,
    stops: Vec<Visited>,
    /// For each file, one more than its place in what was found.
    places: Vec<u32>,
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
        .filter(|stop| (stop.file() as usize) < self.places.len())
    }

    /// Notes that a stop was reached; whether for the first time.
    fn arrive(&mut self, node: NodeId, stop: Stop, depth: u32, strength: f32) -> bool {
        let place = &mut self.seen[node as usize];
        match place.checked_sub(1) {
            None => {
                self.stops.push(Visited { stop, depth, strength });
                *place = self.stops.len() as u32;
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
                    // That a file offers a symbol does not make it depend on it.
                    if edge.kind != EdgeKind::Exports {
                        self.step(edge, None, strength, level);
                    }
                }
                // Who has a value of a type may call any of its members.
                let container = graph.container(node);
                for edge in container.into_iter().flat_map(|outer| graph.dependents(outer)) {
                    if edge.kind != EdgeKind::Exports {
                        self.step(edge, None, strength * WHOLE_IMPORT, level);
                    }
                }
                for edge in graph.dependents(graph.range(file).start) {
                    let by_name = graph
                        .file_of(edge.from)
                        .is_some_and(|other| self.names_symbols(other, file));
                    if !by_name {
                        self.step(edge, Some(file), strength * WHOLE_IMPORT, level);
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

    /// Whether a file says which symbols of another it uses.
    fn names_symbols(&self, file: FileId, of: FileId) -> bool {
        let inside = self.graph.range(of);
        let from = self.graph.range(file).start;
        self.graph.dependencies(from).any(|edge| {
            edge.kind == EdgeKind::Imports && edge.to > inside.start && edge.to < inside.end
        })
    }

    /// Goes along an edge; those that stay inside the file we are to leave lead nowhere.
    fn step(&mut self, edge: Edge, leave: Option<FileId>, strength: f32, level: u32) {
        let (_, to) = self.direction.ends(&edge);
        let Some(stop) = self.stop(to) else { return };
        let file = stop.file();
        if leave == Some(file) {
            return;
        }
        let arrives = strength * edge.kind.weight() * f32::from(edge.origin.confidence()) / 100.0;
        let is_symbol = matches!(stop, Stop::Symbol(..));
        if self.arrive(to, stop, level, arrives)
            && is_symbol
            && let Some(count) = self.symbols_at.last_mut()
        {
            *count += 1;
        }
        let place = &mut self.places[file as usize];
        if *place == START {
            return;
        }
        if *place == 0 {
            let symbols = Vec::new();
            self.found.push(ReachedFile {
                file,
                depth: level,
                strength: arrives,
                by: edge,
                symbols,
            });
            *place = self.found.len() as u32;
        }
        let reached = &mut self.found[*place as usize - 1];
        if reached.depth == level && reached.strength < arrives {
            (reached.strength, reached.by) = (arrives, edge);
        }
        if is_symbol && reached.symbols.len() < SYMBOLS && !reached.symbols.contains(&to) {
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

/// The edges from a start to a reached file, the first one nearest to the start.
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
        edges.push(reached.by);
        let (before, _) = direction.ends(&reached.by);
        match graph.file_of(before) {
            Some(before) if before != at => at = before,
            _ => break,
        }
    }
    edges.reverse();
    edges
}
