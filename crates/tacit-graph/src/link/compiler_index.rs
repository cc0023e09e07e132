//! Adds the index of a compiler to the graph: calls on values, inferred types, and certainty for
//! edges found by name.
//!
//! Only existing nodes are linked. If a file has changed since the index was made, or its
//! definitions are on other lines, everything about it in the index is ignored.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::graph::{CompilerIndexStats, Edge, EdgeKind, EdgeOrigin, Graph, NodeId, NodeKind};
use crate::project::{CompilerIndex, FileId};
use crate::scip::{Descriptor, ScipDocument, descriptor, name_in_file};

/// Adds the edges of an index.
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
        if newer || !FileSymbols::new(graph, file).matches(document) {
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

/// Returns the edges of the index, and the files it covers.
fn edges(graph: &Graph, documents: &[(FileId, &ScipDocument)]) -> (Vec<Edge>, BTreeSet<FileId>) {
    // A symbol with two definitions, such as a package, resolves to neither.
    let mut defined: HashMap<&str, Option<NodeId>> = HashMap::new();
    for (file, document) in documents {
        let lines = FileSymbols::new(graph, *file);
        for occurrence in document.occurrences.iter().filter(|occurrence| occurrence.defines) {
            let Some(node) = lines.defined(&occurrence.symbol, occurrence.line) else { continue };
            let known = defined.entry(&occurrence.symbol).or_insert(Some(node));
            *known = match *known {
                // Only one of several overloads is on the line of the node.
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
        for occurrence in document.occurrences.iter().filter(|occurrence| !occurrence.defines) {
            let Some(to) = target(&occurrence.symbol) else { continue };
            let kind = graph.nodes[to as usize].kind;
            let is_called = || match lines.at(occurrence.line).next() {
                Some(_) => true,
                // Outside all symbols, a mention may be a re-export: indexers do not say. Only what
                // the parser saw as a call counts.
                None => called.contains(&(here, to)),
            };
            let by = lines.around(occurrence.line);
            let is_part = lines.is_part(by, to);
            let callable =
                matches!(kind, NodeKind::Function | NodeKind::Test) && !occurrence.imports;
            if callable && !is_part && is_called() {
                push(by, to, EdgeKind::Calls, occurrence.line);
            }
            let whole = graph.file_of(to).map_or(to, |file| graph.range(file).start);
            if whole != here {
                push(here, whole, EdgeKind::Imports, occurrence.line);
                push(here, to, EdgeKind::Imports, occurrence.line);
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

/// Merges edges into the graph. Returns the number of new ones.
fn merge(graph: &mut Graph, edges: Vec<Edge>) -> u32 {
    let key = |edge: &Edge| (edge.from, edge.to, edge.kind);
    let mut all: BTreeMap<_, Edge> = graph.edges.iter().map(|edge| (key(edge), *edge)).collect();
    let before = all.len();
    for edge in edges {
        let existing = all.entry(key(&edge)).or_insert(edge);
        // Keep the line from the source, but mark the edge as certain.
        if existing.origin.confidence() < EdgeOrigin::Scip.confidence() {
            existing.origin = EdgeOrigin::Scip;
        }
    }
    graph.edges = all.into_values().collect();
    (graph.edges.len() - before) as u32
}

/// The symbols of a file, looked up by line.
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

    /// Returns the symbols that span a line, outer before inner.
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

    /// Returns the node defined on a line, or the file if the definition is not a node.
    fn defined(&self, symbol: &str, line: u32) -> Option<NodeId> {
        let (Descriptor::Named(name) | Descriptor::Namespace(name)) = descriptor(symbol) else {
            return None;
        };
        Some(self.at(line).rev().find(|&node| self.is_named(node, name)).unwrap_or(self.file))
    }

    /// Returns the innermost symbol around a line, or the file if there is none or it is unclear.
    fn around(&self, line: u32) -> NodeId {
        let Some(inner) = self.at(line).next_back() else { return self.file };
        let name = self.graph.nodes[inner as usize].name.as_str();
        let nested = self.at(line).filter(|&node| node != inner).all(|outer| {
            let outer = self.graph.nodes[outer as usize].name.as_str();
            name.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
        });
        if nested { inner } else { self.file }
    }

    /// Returns true if `to` is part of `by`: the getter and setter of a property are one symbol,
    /// and a type mentions its own members.
    fn is_part(&self, by: NodeId, to: NodeId) -> bool {
        let here = self.symbols.contains(&to);
        let (by, to) = (&self.graph.nodes[by as usize], &self.graph.nodes[to as usize]);
        let has_members =
            matches!(by.kind, NodeKind::Class | NodeKind::Interface | NodeKind::Module);
        let inside = |rest: &str| rest.is_empty() || (has_members && rest.starts_with('.'));
        here && to.name.strip_prefix(by.name.as_str()).is_some_and(inside)
    }

    /// Returns true if an index has no name for a symbol: test titles, and symbols inside
    /// functions.
    fn is_unnamed(&self, node: NodeId) -> bool {
        let nodes = &self.graph.nodes;
        let symbol = &nodes[node as usize];
        let is_outer = |outer: NodeId| {
            let outer = &nodes[outer as usize];
            matches!(outer.kind, NodeKind::Function | NodeKind::Test)
                && symbol.name.strip_prefix(outer.name.as_str()).is_some_and(|r| r.starts_with('.'))
        };
        symbol.kind == NodeKind::Test
            || (symbol.name.contains('.') && self.at(symbol.line).any(is_outer))
    }

    /// Returns true if every named definition of a document is on the line that the index says.
    fn matches(&self, document: &ScipDocument) -> bool {
        let lines = self.graph.nodes[self.file as usize].end_line;
        let mut named: HashMap<&str, Vec<NodeId>> = HashMap::new();
        for node in self.symbols.clone().filter(|node| !self.is_unnamed(*node)) {
            named.entry(&self.graph.nodes[node as usize].name).or_default().push(node);
        }
        // Overloads are on several lines, and a constant and a type may share a name. One of the
        // lines must be that of the node.
        let mut on_stated_line: HashMap<String, bool> = HashMap::new();
        for occurrence in document.occurrences.iter().filter(|occurrence| occurrence.defines) {
            let Some(name) = name_in_file(&occurrence.symbol) else { continue };
            let Some(nodes) = named.get(name.as_str()) else { continue };
            let has = |node: &NodeId| {
                let node = &self.graph.nodes[*node as usize];
                (node.line..=node.end_line).contains(&occurrence.line)
            };
            *on_stated_line.entry(name).or_default() |= nodes.iter().any(has);
        }
        on_stated_line.values().all(|on_stated_line| *on_stated_line)
            && document.occurrences.iter().all(|occurrence| occurrence.line <= lines.max(1))
    }
}
