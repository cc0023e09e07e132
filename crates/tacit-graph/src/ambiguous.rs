//! Definitions of one name that are alternatives of each other: files for different systems, of which
//! one is built. What calls the name is linked to none of them, so an answer about one may lack it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::Language;
use crate::graph::{EdgeKind, NodeId, NodeKind};
use crate::packed::PackedGraph;
use crate::project::{FileId, parent};

/// Names that every program has, or any file may: nobody calls them by name.
const NEVER_CALLED_BY_NAME: [&str; 3] = ["main", "init", "_"];

/// Which symbols of these files, or which of these symbols, others define as well, each with a file
/// that does.
pub(crate) fn ambiguous_definitions(
    graph: &PackedGraph<'_>,
    files: &BTreeSet<FileId>,
    symbols: &[NodeId],
) -> Vec<(NodeId, FileId)> {
    let mut wanted: Vec<(NodeId, FileId)> = symbols
        .iter()
        .filter_map(|node| Some((*node, graph.file_of(*node)?)))
        .filter(|(node, file)| graph.range(*file).start != *node)
        .collect();
    let whole = files.iter().flat_map(|file| graph.range(*file).skip(1).map(|node| (node, *file)));
    wanted.extend(whole);
    wanted.sort_unstable();
    wanted.dedup();
    let mut rivals =
        AlternativeFinder { graph, of_folder: HashMap::new(), of_file: HashMap::new() };
    let mut found = Vec::new();
    for (node, file) in wanted {
        let name = graph.name(node);
        if NEVER_CALLED_BY_NAME.contains(&name) {
            continue;
        }
        let is_called = graph.kind(node) == Some(NodeKind::Function) && !is_macro(name);
        let other = match Language::of_path(graph.path(file)) {
            Some(Language::Go) => rivals.in_package(file, name),
            Some(Language::C | Language::Cpp) if is_called => rivals.behind_header(file, name),
            _ => None,
        };
        found.extend(other.map(|other| (node, other)));
    }
    found
}

/// Whether a name of C is one of a macro, by custom: each file has its own.
fn is_macro(name: &str) -> bool {
    !name.contains(|c: char| c.is_ascii_lowercase())
}

/// The files that define each name.
type Definers<'a> = BTreeMap<&'a str, Vec<FileId>>;

struct AlternativeFinder<'g, 'a> {
    graph: &'g PackedGraph<'a>,
    /// The names of a package of Go, by its folder and whether they are those of tests.
    of_folder: HashMap<(&'a str, bool), Definers<'a>>,
    /// The names that files offer which include what a file includes.
    of_file: HashMap<FileId, Definers<'a>>,
}

impl<'a> AlternativeFinder<'_, 'a> {
    fn in_package(&mut self, file: FileId, name: &str) -> Option<FileId> {
        let graph = self.graph;
        let is_test = |file: FileId| graph.path(file).ends_with("_test.go");
        let (folder, test) = (parent(graph.path(file)), is_test(file));
        let definers = self.of_folder.entry((folder, test)).or_insert_with(|| {
            let inside =
                if folder.is_empty() { 0..graph.files() } else { graph.files_below(folder) };
            let package = inside.filter(|other| {
                let path = graph.path(*other);
                parent(path) == folder && path.ends_with(".go") && is_test(*other) == test
            });
            let mut definers = Definers::new();
            for other in package {
                for node in graph.range(other).skip(1) {
                    definers.entry(graph.name(node)).or_default().push(other);
                }
            }
            definers
        });
        definers.get(name)?.iter().copied().find(|other| *other != file)
    }

    fn behind_header(&mut self, file: FileId, name: &str) -> Option<FileId> {
        let graph = self.graph;
        let definers = self.of_file.entry(file).or_insert_with(|| {
            let node = graph.range(file).start;
            let included = graph.dependencies(node).filter(|edge| edge.kind == EdgeKind::Imports);
            let headers: BTreeSet<FileId> =
                included.filter_map(|edge| graph.file_of(edge.to)).collect();
            let nodes = headers.iter().map(|header| graph.range(*header).start);
            let includers = nodes.flat_map(|node| graph.dependents(node));
            let includers: BTreeSet<FileId> =
                includers.filter_map(|edge| graph.file_of(edge.from)).collect();
            let mut definers = Definers::new();
            // What is `static` is nobody else's.
            for other in includers {
                for node in offered(graph, other) {
                    definers.entry(graph.name(node)).or_default().push(other);
                }
            }
            definers
        });
        let definers = definers.get(name)?;
        definers.contains(&file).then(|| definers.iter().copied().find(|other| *other != file))?
    }
}

/// The symbols that a file offers to others.
fn offered(graph: &PackedGraph<'_>, file: FileId) -> impl Iterator<Item = NodeId> {
    let edges = graph.dependencies(graph.range(file).start);
    edges.filter(|edge| edge.kind == EdgeKind::Exports).map(|edge| edge.to)
}
