//! From facts to the graph: imports by the rules of their language, then calls and types through
//! imports and scopes. A name that could be several things is linked to none of them.
//!
//! The whole project is linked every time. That costs little beside parsing, and makes a graph that
//! was brought up to date the same as one that was built anew: it depends on the facts alone.

mod indexed;
mod names;
mod open;
mod scopes;
mod tests_of;

use std::collections::{BTreeMap, BTreeSet};

use crate::Language;
use crate::facts::{DefinitionKind, FileFacts, Form, Reference, ReferenceKind};
use crate::graph::{Edge, EdgeKind, FileNode, Graph, Node, NodeId, NodeKind, Origin, Unresolved};
use crate::languages::Resolvers;
use crate::project::{FileId, Found, Index, Project, ancestors, parent};
use names::{Names, Target};

pub(crate) use scopes::{inside, outward};
pub use tests_of::is_test_path;

/// Links a project, on this many threads.
#[must_use]
pub fn link(project: &Project, threads: usize) -> Graph {
    let index = Index::new(project);
    let resolvers = Resolvers::new(&index);
    let places = Places::new(project);
    let resolve = |file: FileId| -> Vec<Found> {
        let Some(facts) = index.facts(file) else { return Vec::new() };
        let resolver = resolvers.of(facts.language);
        let imports = facts.imports.iter();
        imports.map(|import| resolver.map_or(Found::External, |r| r.import(file, import))).collect()
    };
    let found = in_parallel(project.files.len(), threads, resolve);
    let names = Names::new(&index, &resolvers, &found);
    let linked = in_parallel(project.files.len(), threads, |file| {
        let mut linker = Linker { file, names: &names, places: &places, out: Linked::default() };
        linker.run();
        linker.out
    });
    let mut graph = places.into_graph(&index, linked);
    if let Some(known) = &project.index {
        indexed::add(&mut graph, known);
    }
    graph
}

/// Does something for every file, on several threads; results are in the order of the files.
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

/// What linking one file gives.
#[derive(Default)]
struct Linked {
    edges: Vec<Edge>,
    unresolved: BTreeSet<(u32, String)>,
    external: BTreeSet<String>,
}

/// Which node is what.
struct Places {
    /// The node of each file.
    files: Vec<NodeId>,
    /// For each file, the node of each of its definitions; none where it is no node.
    symbols: Vec<Vec<Option<NodeId>>>,
    next: NodeId,
}

impl Places {
    fn new(project: &Project) -> Places {
        let mut places = Places { files: Vec::new(), symbols: Vec::new(), next: 0 };
        for file in &project.files {
            places.files.push(places.next);
            places.next += 1;
            let definitions = file.facts.as_ref().map_or(&[][..], |facts| &facts.definitions);
            let mut symbols = Vec::with_capacity(definitions.len());
            for definition in definitions {
                let is_node = node_kind(definition.kind).is_some();
                symbols.push(is_node.then_some(places.next));
                places.next += u32::from(is_node);
            }
            places.symbols.push(symbols);
        }
        places
    }

    /// The node of a definition.
    fn symbol(&self, file: FileId, definition: Option<u32>) -> Option<NodeId> {
        *self.symbols.get(file as usize)?.get(definition? as usize)?
    }

    /// The node of a definition, or of its file where it is none.
    fn node(&self, file: FileId, definition: Option<u32>) -> NodeId {
        self.symbol(file, definition).unwrap_or(self.files[file as usize])
    }

    fn into_graph(self, index: &Index<'_>, linked: Vec<Linked>) -> Graph {
        let mut graph = Graph::default();
        let mut directories = BTreeSet::new();
        for (id, file) in index.project.files.iter().enumerate() {
            let facts = file.facts.as_ref().ok();
            graph.files.push(FileNode {
                node: self.files[id],
                skipped: file.facts.as_ref().err().copied(),
                error_line: facts.and_then(|facts| facts.error_line),
                test: is_test_path(&file.path),
                dynamic_calls: facts.map_or(0, |facts| facts.dynamic_calls),
            });
            graph.nodes.push(Node {
                kind: NodeKind::File,
                name: file.path.clone(),
                line: 0,
                end_line: facts.map_or(0, |facts| facts.lines),
                sum: 0,
            });
            for (at, definition) in facts.into_iter().flat_map(|f| f.definitions.iter().enumerate())
            {
                if let (Some(kind), Some(facts)) = (node_kind(definition.kind), facts) {
                    graph.nodes.push(Node {
                        kind,
                        name: facts.qualified(at as u32),
                        line: definition.line,
                        end_line: definition.end_line,
                        sum: definition.sum,
                    });
                }
            }
            directories.extend(ancestors(parent(&file.path)).take_while(|at| !at.is_empty()));
        }
        graph.nodes.extend(directories.into_iter().map(|name| Node {
            kind: NodeKind::Directory,
            name: name.to_owned(),
            line: 0,
            end_line: 0,
            sum: 0,
        }));
        let mut external: BTreeMap<String, u32> = BTreeMap::new();
        for (file, linked) in linked.into_iter().enumerate() {
            graph.edges.extend(linked.edges);
            let missing = linked.unresolved.into_iter();
            graph.unresolved.extend(missing.map(|(line, name)| Unresolved {
                file: file as FileId,
                line,
                name,
            }));
            for name in linked.external {
                *external.entry(name).or_default() += 1;
            }
        }
        graph.external = external;
        graph.edges.sort_unstable();
        // The first line that says so is enough.
        graph.edges.dedup_by_key(|edge| (edge.from, edge.to, edge.kind));
        graph
    }
}

fn node_kind(kind: DefinitionKind) -> Option<NodeKind> {
    match kind {
        DefinitionKind::Function => Some(NodeKind::Function),
        DefinitionKind::Class => Some(NodeKind::Class),
        DefinitionKind::Interface => Some(NodeKind::Interface),
        DefinitionKind::Module => Some(NodeKind::Module),
        DefinitionKind::Test => Some(NodeKind::Test),
        DefinitionKind::Extension | DefinitionKind::Value => None,
    }
}

struct Linker<'a> {
    file: FileId,
    names: &'a Names<'a>,
    places: &'a Places,
    out: Linked,
}

impl Linker<'_> {
    fn run(&mut self) {
        let Some(facts) = self.names.index.facts(self.file) else { return };
        self.exports(facts);
        let mut used = BTreeSet::new();
        for reference in &facts.references {
            if let Some(target) = self.names.reference(self.file, reference) {
                self.reference(facts, reference, &target);
                used.insert(target.file);
            }
        }
        self.imports(facts, &used);
    }

    fn edge(&mut self, from: NodeId, to: NodeId, kind: EdgeKind, origin: Origin, line: u32) {
        if from != to {
            self.out.edges.push(Edge { from, to, kind, origin, line });
        }
    }

    fn own(&self, definition: Option<u32>) -> NodeId {
        self.places.node(self.file, definition)
    }

    /// What the file offers to others.
    fn exports(&mut self, facts: &FileFacts) {
        let renamed: BTreeSet<&str> =
            facts.exports.iter().map(|export| export.local.as_str()).collect();
        for (at, definition) in facts.definitions.iter().enumerate() {
            let offered = definition.exported || renamed.contains(definition.name.as_str());
            if offered && definition.parent.is_none() && node_kind(definition.kind).is_some() {
                let (from, to) = (self.own(None), self.own(Some(at as u32)));
                self.edge(from, to, EdgeKind::Exports, Origin::Scope, definition.line);
            }
        }
    }

    fn imports(&mut self, facts: &FileFacts, used: &BTreeSet<FileId>) {
        for (at, import) in facts.imports.iter().enumerate() {
            let here = self.own(None);
            match &self.names.found[self.file as usize][at] {
                Found::Module(file, origin) => {
                    let part = matches!(import.form, Form::Part { .. });
                    let kind = if part { EdgeKind::Exports } else { EdgeKind::Imports };
                    self.edge(here, self.places.node(*file, None), kind, *origin, import.line);
                }
                Found::Within(file, origin) if *file != self.file => {
                    self.edge(
                        here,
                        self.places.node(*file, None),
                        EdgeKind::Imports,
                        *origin,
                        import.line,
                    );
                    if let Form::Item { name, .. } = &import.form
                        && let Some(target) = self.names.lookup(*file, name)
                    {
                        // What the file passes on is its own affair, unless it is a symbol.
                        let symbol = self.places.symbol(target.file, target.definition);
                        if let Some(to) = symbol {
                            self.edge(here, to, EdgeKind::Imports, Origin::Import, import.line);
                        }
                    }
                }
                Found::Within(..) => {}
                // Of a package, the files are meant whose names are used; all, where none is known.
                Found::Package(files, origin) => {
                    let known = files.iter().any(|file| used.contains(file));
                    let silent = matches!(import.form, Form::Module { local: None });
                    if silent || (!known && facts.language == Language::Go) {
                        for file in files {
                            self.edge(
                                here,
                                self.places.node(*file, None),
                                EdgeKind::Imports,
                                *origin,
                                import.line,
                            );
                        }
                    }
                }
                Found::External => {
                    self.out.external.insert(import.module.clone());
                }
                Found::Missing => {
                    let name = match &import.form {
                        Form::Item { name, .. } => format!("{}: {name}", import.module),
                        _ => import.module.clone(),
                    };
                    self.out.unresolved.insert((import.line, name));
                }
            }
        }
    }

    fn reference(&mut self, facts: &FileFacts, reference: &Reference, target: &Target) {
        let kind = match reference.kind {
            ReferenceKind::Call if target.whole => Some(EdgeKind::Calls),
            ReferenceKind::Extends if target.whole => Some(EdgeKind::Extends),
            ReferenceKind::Implements if target.whole => Some(EdgeKind::Implements),
            _ => None,
        };
        let to = self.places.node(target.file, target.definition);
        let defined = target.definition.is_some_and(|definition| {
            self.names.index.facts(target.file).is_some_and(|facts| {
                node_kind(facts.definitions[definition as usize].kind).is_some()
            })
        });
        if let Some(mut kind) = kind.filter(|_| defined)
            && let Some(from) = self.source(facts, reference)
        {
            // Where the language writes both alike, the target tells: classes implement interfaces.
            if kind == EdgeKind::Extends && self.implements(facts, reference, target) {
                kind = EdgeKind::Implements;
            }
            self.edge(from, to, kind, target.origin, reference.line);
        }
        // A use that no import statement tells of is one all the same.
        if target.file != self.file && matches!(target.origin, Origin::Package | Origin::ModuleTree)
        {
            let here = self.own(None);
            let whole = self.places.node(target.file, None);
            self.edge(here, whole, EdgeKind::Imports, target.origin, reference.line);
            self.edge(here, to, EdgeKind::Imports, target.origin, reference.line);
        }
    }

    fn implements(&self, facts: &FileFacts, reference: &Reference, target: &Target) -> bool {
        let kind = |facts: &FileFacts, at: Option<u32>| {
            at.and_then(|at| facts.definitions.get(at as usize)).map(|definition| definition.kind)
        };
        let target = self.names.index.facts(target.file).and_then(|to| kind(to, target.definition));
        target == Some(DefinitionKind::Interface)
            && matches!(
                kind(facts, reference.from),
                Some(DefinitionKind::Class | DefinitionKind::Extension)
            )
    }

    /// The node that a reference is made by: what extends a type speaks for the type.
    fn source(&self, facts: &FileFacts, reference: &Reference) -> Option<NodeId> {
        let Some(from) = reference.from else { return Some(self.own(None)) };
        let definition = &facts.definitions[from as usize];
        if definition.kind == DefinitionKind::Extension {
            let target = self.names.name(self.file, definition.parent, &definition.name);
            // Only a type can be added to; a function may have the name of a block.
            let is_type = |target: &Target| {
                let facts = self.names.index.facts(target.file);
                let kind =
                    facts.zip(target.definition).map(|(f, at)| f.definitions[at as usize].kind);
                matches!(kind, Some(DefinitionKind::Class | DefinitionKind::Interface))
            };
            if let Some(target) = target.filter(is_type) {
                return Some(self.places.node(target.file, target.definition));
            }
            // What adds to an unknown type says nothing of it, but what it calls is called here.
            let around = Reference { from: definition.parent, ..reference.clone() };
            return (reference.kind == ReferenceKind::Call)
                .then(|| self.source(facts, &around))
                .flatten();
        }
        Some(self.own(Some(from)))
    }
}
