//! Finds alternative definitions of one name, such as files for different systems of which one is
//! built. Calls to such a name stay unresolved, so that results about one of them may be
//! incomplete.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::Language;
use crate::graph::{EdgeKind, NodeId, NodeKind};
use crate::packed::PackedGraph;
use crate::project::{FileId, parent};

/// Names that many files define but nobody calls by name.
const NEVER_CALLED_BY_NAME: [&str; 3] = ["main", "init", "_"];

/// Finds the symbols, among `symbols` and all symbols of `files`, that another file defines too.
/// Returns each with one such file.
pub(crate) fn ambiguous_definitions(
    graph: &PackedGraph<'_>,
    files: &BTreeSet<FileId>,
    symbols: &[NodeId],
) -> Vec<(NodeId, FileId)> {
    let mut candidates: Vec<(NodeId, FileId)> = symbols
        .iter()
        .filter_map(|node| Some((*node, graph.file_of(*node)?)))
        .filter(|(node, file)| graph.range(*file).start != *node)
        .collect();
    let whole = files.iter().flat_map(|file| graph.range(*file).skip(1).map(|node| (node, *file)));
    candidates.extend(whole);
    candidates.sort_unstable();
    candidates.dedup();
    let mut finder =
        AlternativeFinder { graph, by_folder: HashMap::new(), by_file: HashMap::new() };
    let mut found = Vec::new();
    for (node, file) in candidates {
        let name = graph.name(node);
        if NEVER_CALLED_BY_NAME.contains(&name) {
            continue;
        }
        let is_called = graph.kind(node) == Some(NodeKind::Function) && !is_macro(name);
        let other = match Language::of_path(graph.path(file)) {
            Some(Language::Go) => finder.in_package(file, name),
            Some(Language::C | Language::Cpp) if is_called => finder.behind_header(file, name),
            _ => None,
        };
        found.extend(other.map(|other| (node, other)));
    }
    found
}

/// Returns true if a name looks like a macro of C, of which each file may have its own.
fn is_macro(name: &str) -> bool {
    !name.contains(|c: char| c.is_ascii_lowercase())
}

/// The files that define each name.
type Definers<'a> = BTreeMap<&'a str, Vec<FileId>>;

struct AlternativeFinder<'g, 'a> {
    graph: &'g PackedGraph<'a>,
    /// The names of each Go package, by its folder and whether the files are tests.
    by_folder: HashMap<(&'a str, bool), Definers<'a>>,
    /// The names exported by files that include the same headers as a file.
    by_file: HashMap<FileId, Definers<'a>>,
}

impl<'a> AlternativeFinder<'_, 'a> {
    fn in_package(&mut self, file: FileId, name: &str) -> Option<FileId> {
        let graph = self.graph;
        let is_test = |file: FileId| graph.path(file).ends_with("_test.go");
        let (folder, test) = (parent(graph.path(file)), is_test(file));
        let definers = self.by_folder.entry((folder, test)).or_insert_with(|| {
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
        let definers = self.by_file.entry(file).or_insert_with(|| {
            let node = graph.range(file).start;
            let included = graph.dependencies(node).filter(|edge| edge.kind == EdgeKind::Imports);
            let headers: BTreeSet<FileId> =
                included.filter_map(|edge| graph.file_of(edge.to)).collect();
            let nodes = headers.iter().map(|header| graph.range(*header).start);
            let includers = nodes.flat_map(|node| graph.dependents(node));
            let includers: BTreeSet<FileId> =
                includers.filter_map(|edge| graph.file_of(edge.from)).collect();
            let mut definers = Definers::new();
            // `static` functions are not exported, and cannot conflict.
            for other in includers {
                for node in exported_symbols(graph, other) {
                    definers.entry(graph.name(node)).or_default().push(other);
                }
            }
            definers
        });
        let definers = definers.get(name)?;
        definers.contains(&file).then(|| definers.iter().copied().find(|other| *other != file))?
    }
}

/// Returns the symbols that a file exports.
fn exported_symbols(graph: &PackedGraph<'_>, file: FileId) -> impl Iterator<Item = NodeId> {
    let edges = graph.dependencies(graph.range(file).start);
    edges.filter(|edge| edge.kind == EdgeKind::Exports).map(|edge| edge.to)
}
