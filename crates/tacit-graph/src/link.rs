//! Links facts into a graph: resolves imports by the rules of their language, then calls and types
//! through imports and scopes. Ambiguous names stay unresolved.

mod compiler_index;
mod file;
mod name_resolver;
mod name_tables;
mod namespaces;
mod node_ids;
mod scopes;
mod test_paths;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::graph::{Edge, Graph, GraphNode, NodeId, NodeKind};
use crate::languages::Resolvers;
use crate::project::{FileId, GraphInput, ProjectIndex, ancestors, parent};
use file::{FileLinks, link_file};
use name_tables::NameTables;
use node_ids::NodeIds;

pub(crate) use node_ids::is_node;
pub(crate) use scopes::{enclosing_scopes, is_type, qualify};
pub use test_paths::is_test_path;

/// Links a project on the given number of threads.
#[must_use]
pub fn link(project: &GraphInput, threads: usize) -> Graph {
    let index = ProjectIndex::new(project);
    let resolvers = Resolvers::new(&index);
    let found: Vec<_> = project.files.iter().map(|_| OnceLock::new()).collect();
    let knowledge = NameTables::new(&index, &resolvers, &found);
    let mut next = 0;
    let starts = project.files.iter().map(|file| {
        let start = next;
        next += node_ids::node_count(file.facts.as_ref().ok());
        start
    });
    let starts: Vec<NodeId> = starts.collect();
    let node_ids = NodeIds::new(&index, starts.clone());
    let linked = in_parallel(project.files.len(), threads, |file| {
        project.facts(file).map(|facts| link_file(&knowledge, &node_ids, file, facts))
    });
    let linked = linked.into_iter().map(Option::unwrap_or_default).collect();
    let mut graph = assemble(project, &starts, linked);
    if let Some(known) = &project.compiler_index {
        compiler_index::add(&mut graph, known);
    }
    graph
}

/// Builds the graph from the links of all files.
fn assemble(project: &GraphInput, starts: &[NodeId], linked: Vec<FileLinks>) -> Graph {
    let mut graph = Graph { non_utf8: project.non_utf8, ..Graph::default() };
    let mut directories = BTreeSet::new();
    for (file, start) in project.files.iter().zip(starts) {
        let facts = file.facts.as_ref().map_err(|why| *why);
        graph.files.push(node_ids::file_node(&file.path, *start, facts, &project.manifests));
        graph.nodes.extend(node_ids::nodes(&file.path, facts.ok()));
        directories.extend(ancestors(parent(&file.path)).take_while(|at| !at.is_empty()));
    }
    graph.nodes.extend(directories.into_iter().map(|name| GraphNode {
        kind: NodeKind::Directory,
        name: name.to_owned(),
        line: 0,
        end_line: 0,
        checksum: 0,
    }));
    let mut external: BTreeMap<String, u32> = BTreeMap::new();
    for (file, linked) in (0..).zip(linked) {
        graph.unresolved.extend(linked.unresolved_in(file));
        graph.extended_files.extend(linked.extended_files.iter().map(|of| (file, *of)));
        graph.edges.extend(linked.edges);
        for name in linked.external {
            *external.entry(name).or_default() += 1;
        }
    }
    graph.external = external;
    sort_edges(&mut graph.edges);
    graph
}

/// Sorts edges and removes duplicates, keeping the first line of each.
fn sort_edges(edges: &mut Vec<Edge>) {
    edges.sort_unstable();
    edges.dedup_by_key(|edge| (edge.from, edge.to, edge.kind));
}

/// Runs `work` for every file on several threads. Returns the results in file order.
fn in_parallel<T: Send>(files: usize, threads: usize, work: impl Fn(FileId) -> T + Sync) -> Vec<T> {
    let threads = threads.clamp(1, files.max(1));
    if threads == 1 {
        return (0..files as FileId).map(work).collect();
    }
    let share = files.div_ceil(threads);
    let parts: Vec<Vec<T>> = std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = (0..threads)
            .map(|part| {
                let range = (part * share).min(files)..((part + 1) * share).min(files);
                scope.spawn(move || range.map(|file| work(file as FileId)).collect())
            })
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
    });
    parts.into_iter().flatten().collect()
}
