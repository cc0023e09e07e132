//! What an index that a compiler made adds to the graph: calls on values, types that are known by
//! inference, and certainty of what was found by names.
//!
//! Only nodes that are there are linked. A file that the index no longer fits, because it was
//! written later or because what it defines stands elsewhere, is left out with all that is said of
//! and by it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::graph::{CompilerIndexStats, Edge, EdgeKind, EdgeOrigin, Graph, NodeId, NodeKind};
use crate::project::{CompilerIndex, FileId};
use crate::scip::{Descriptor, ScipDocument, descriptor, name_in_file};

/// Adds what an index knows.
pub(super) fn add(graph: &mut Graph, index: &CompilerIndex) {
    let files: HashMap<&str, FileId> = (0..graph.files.len() as FileId)
        .map(|file| (graph.nodes[graph.range(file).start as usize].name.as_str(), file))
        .collect();
    let mut documents: Vec<(FileId, &ScipDocument)> = Vec::new();
    let mut stale = BTreeSet::new();
    for document in &index.scip.documents {
        let Some(&file) = files.get(document.path.as_str()) else { continue };
        if graph.files[file as usize].skipped.is_some() {
            continue;
        }
        let newer = index.newer_files.contains(&document.path);
        if newer || !FileSymbols::new(graph, file).fit(document) {
            stale.insert(document.path.clone());
        }
        documents.push((file, document));
    }
    documents.retain(|(_, document)| !stale.contains(&document.path));
    let (edges, known) = edges(graph, &documents);
    for (file, _) in &documents {
        graph.files[*file as usize].dynamic_calls = 0;
    }
    let added = merge(graph, edges);
    graph.compiler_index = Some(CompilerIndexStats {
        documents: known.len() as u32,
        edges: added,
        stale: stale.into_iter().collect(),
    });
}

/// The edges that follow, and the files that the index knows.
fn edges(graph: &Graph, documents: &[(FileId, &ScipDocument)]) -> (Vec<Edge>, BTreeSet<FileId>) {
    // A symbol that is defined in two places, such as a package, leads to neither.
    let mut defined: HashMap<&str, Option<NodeId>> = HashMap::new();
    for (file, document) in documents {
        let lines = FileSymbols::new(graph, *file);
        for one in document.occurrences.iter().filter(|one| one.defines) {
            let Some(node) = lines.defined(&one.symbol, one.line) else { continue };
            let known = defined.entry(&one.symbol).or_insert(Some(node));
            *known = match *known {
                // Of the lines of what is overloaded, one is that of the node.
                Some(before) if before == lines.file => Some(node),
                Some(before) if node == lines.file && graph.file_of(before) == Some(*file) => {
                    Some(before)
                }
                before => before.filter(|before| *before == node),
            };
        }
    }
    let written = graph.edges.iter().filter(|edge| edge.kind == EdgeKind::Calls);
    let called: HashSet<(NodeId, NodeId)> = written.map(|edge| (edge.from, edge.to)).collect();
    let target = |symbol: &str| defined.get(symbol).copied().flatten();
    let (mut edges, mut known) = (Vec::new(), BTreeSet::new());
    let mut push = |from: NodeId, to: NodeId, kind: EdgeKind, line: u32| {
        if from != to {
            edges.push(Edge { from, to, kind, origin: EdgeOrigin::Scip, line });
        }
    };
    for (file, document) in documents {
        known.insert(*file);
        let (lines, here) = (FileSymbols::new(graph, *file), graph.range(*file).start);
        for one in document.occurrences.iter().filter(|one| !one.defines) {
            let Some(to) = target(&one.symbol) else { continue };
            let kind = graph.nodes[to as usize].kind;
            let is_called = || match lines.at(one.line).next() {
                Some(_) => true,
                // Outside of all symbols, what is named may be imported and passed on: indexers do
                // not say so. What is written as a call is one.
                None => called.contains(&(here, to)),
            };
            let by = lines.around(one.line);
            let is_part = lines.is_part(by, to);
            let callable = matches!(kind, NodeKind::Function | NodeKind::Test) && !one.imports;
            if callable && !is_part && is_called() {
                push(by, to, EdgeKind::Calls, one.line);
            }
            let whole = graph.file_of(to).map_or(to, |file| graph.range(file).start);
            if whole != here {
                push(here, whole, EdgeKind::Imports, one.line);
                push(here, to, EdgeKind::Imports, one.line);
            }
        }
        for (symbol, base) in &document.bases {
            let (Some(from), Some(to)) = (target(symbol), target(base)) else { continue };
            let kind_of = |node: NodeId| graph.nodes[node as usize].kind;
            let kind = match (kind_of(from), kind_of(to)) {
                (NodeKind::Class, NodeKind::Interface)
                | (NodeKind::Function, NodeKind::Function) => EdgeKind::Implements,
                (NodeKind::Class, NodeKind::Class) | (NodeKind::Interface, NodeKind::Interface) => {
                    EdgeKind::Extends
                }
                _ => continue,
            };
            push(from, to, kind, graph.nodes[from as usize].line);
        }
    }
    edges.sort_unstable();
    edges.dedup_by_key(|edge| (edge.from, edge.to, edge.kind));
    (edges, known)
}

/// Puts edges among those that are there; tells how many are new.
fn merge(graph: &mut Graph, edges: Vec<Edge>) -> u32 {
    let key = |edge: &Edge| (edge.from, edge.to, edge.kind);
    let mut all: BTreeMap<_, Edge> = graph.edges.iter().map(|edge| (key(edge), *edge)).collect();
    let before = all.len();
    for edge in edges {
        let there = all.entry(key(&edge)).or_insert(edge);
        // The line is the one that is written; how it is known becomes certain.
        if there.origin.confidence() < EdgeOrigin::Scip.confidence() {
            there.origin = EdgeOrigin::Scip;
        }
    }
    graph.edges = all.into_values().collect();
    (graph.edges.len() - before) as u32
}

/// The symbols of a file, asked by lines.
struct FileSymbols<'g> {
    graph: &'g Graph,
    file: NodeId,
    symbols: std::ops::Range<NodeId>,
}

impl<'g> FileSymbols<'g> {
    fn new(graph: &'g Graph, file: FileId) -> FileSymbols<'g> {
        let range = graph.range(file);
        FileSymbols { graph, file: range.start, symbols: range.start + 1..range.end }
    }

    /// Symbols that have a line in them, outer before inner.
    fn at(&self, line: u32) -> impl DoubleEndedIterator<Item = NodeId> {
        let nodes = &self.graph.nodes;
        self.symbols.clone().filter(move |&node| {
            (nodes[node as usize].line..=nodes[node as usize].end_line).contains(&line)
        })
    }

    fn is_named(&self, node: NodeId, name: &str) -> bool {
        let whole = self.graph.nodes[node as usize].name.as_str();
        whole == name || whole.strip_suffix(name).is_some_and(|before| before.ends_with('.'))
    }

    /// The node that is defined on a line: the file itself, for what is no node.
    fn defined(&self, symbol: &str, line: u32) -> Option<NodeId> {
        let (Descriptor::Named(name) | Descriptor::Space(name)) = descriptor(symbol) else {
            return None;
        };
        Some(self.at(line).rev().find(|&node| self.is_named(node, name)).unwrap_or(self.file))
    }

    /// The innermost symbol around a line; the file, if there is none or it cannot be told which.
    fn around(&self, line: u32) -> NodeId {
        let Some(inner) = self.at(line).next_back() else { return self.file };
        let name = self.graph.nodes[inner as usize].name.as_str();
        let nested = self.at(line).filter(|&node| node != inner).all(|outer| {
            let outer = self.graph.nodes[outer as usize].name.as_str();
            name.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
        });
        if nested { inner } else { self.file }
    }

    /// Whether a symbol names only what belongs to it: what reads a property and what sets it are one
    /// symbol in two parts, and a type names its own members in its body.
    fn is_part(&self, by: NodeId, to: NodeId) -> bool {
        let here = self.symbols.contains(&to);
        let (by, to) = (&self.graph.nodes[by as usize], &self.graph.nodes[to as usize]);
        let holds = matches!(by.kind, NodeKind::Class | NodeKind::Interface | NodeKind::Module);
        let inside = |rest: &str| rest.is_empty() || (holds && rest.starts_with('.'));
        here && to.name.strip_prefix(by.name.as_str()).is_some_and(inside)
    }

    /// Whether no index knows a symbol by its name: the title of a test, what is inside a function.
    fn is_hidden(&self, node: NodeId) -> bool {
        let nodes = &self.graph.nodes;
        let one = &nodes[node as usize];
        let is_outer = |outer: NodeId| {
            let outer = &nodes[outer as usize];
            matches!(outer.kind, NodeKind::Function | NodeKind::Test)
                && one.name.strip_prefix(outer.name.as_str()).is_some_and(|r| r.starts_with('.'))
        };
        one.kind == NodeKind::Test || (one.name.contains('.') && self.at(one.line).any(is_outer))
    }

    /// Whether everything that a document defines, and that is known under its name, stands where
    /// the document says.
    fn fit(&self, document: &ScipDocument) -> bool {
        let lines = self.graph.nodes[self.file as usize].end_line;
        let mut named: HashMap<&str, Vec<NodeId>> = HashMap::new();
        for node in self.symbols.clone().filter(|node| !self.is_hidden(*node)) {
            named.entry(&self.graph.nodes[node as usize].name).or_default().push(node);
        }
        // What is overloaded is defined on several lines, and a constant and a type may share a name;
        // one of the lines is that of the node.
        let mut placed: HashMap<String, bool> = HashMap::new();
        for one in document.occurrences.iter().filter(|one| one.defines) {
            let Some(name) = name_in_file(&one.symbol) else { continue };
            let Some(nodes) = named.get(name.as_str()) else { continue };
            let has = |node: &NodeId| {
                let node = &self.graph.nodes[*node as usize];
                (node.line..=node.end_line).contains(&one.line)
            };
            *placed.entry(name).or_default() |= nodes.iter().any(has);
        }
        placed.values().all(|placed| *placed)
            && document.occurrences.iter().all(|one| one.line <= lines.max(1))
    }
}
