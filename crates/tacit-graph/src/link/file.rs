//! The links of one file: what it offers, what its imports and references lead to.

use std::collections::BTreeSet;

use super::name_resolver::{NameResolver, ResolvedName};
use super::name_tables::NameTables;
use super::node_ids::{NodeIds, node_kind};
use crate::Language;
use crate::facts::{DefinitionKind, FileFacts, ImportForm, Reference, ReferenceKind};
use crate::graph::{Edge, EdgeKind, EdgeOrigin, NodeId, Unresolved};
use crate::project::{FileId, ImportTarget};

/// What is not found of a file of which nobody knows what it is built with.
const UNPLACED: &str = "the module it is part of";

/// What linking one file gives.
#[derive(Default)]
pub(super) struct FileLinks {
    pub(super) edges: Vec<Edge>,
    pub(super) unresolved: BTreeSet<(u32, String)>,
    pub(super) external: BTreeSet<String>,
    /// The other files from whose nodes edges were made.
    pub(super) extended_files: BTreeSet<FileId>,
}

impl FileLinks {
    /// What could not be linked.
    pub(super) fn unresolved_in(&self, file: FileId) -> impl Iterator<Item = Unresolved> {
        let missing = self.unresolved.iter();
        missing.map(move |(line, name)| Unresolved { file, line: *line, name: name.clone() })
    }
}

/// Links a file.
pub(super) fn link_file(
    knowledge: &NameTables<'_, '_>,
    places: &NodeIds<'_>,
    file: FileId,
    facts: &FileFacts,
) -> FileLinks {
    let names = NameResolver::new(knowledge, file);
    let mut linker = Linker { file, names, places, out: FileLinks::default() };
    linker.run(facts);
    linker.out
}

struct Linker<'n, 'k, 'a> {
    file: FileId,
    names: NameResolver<'n, 'k, 'a>,
    places: &'n NodeIds<'n>,
    out: FileLinks,
}

impl Linker<'_, '_, '_> {
    fn run(&mut self, facts: &FileFacts) {
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

    fn edge(&mut self, from: NodeId, to: NodeId, kind: EdgeKind, origin: EdgeOrigin, line: u32) {
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
            let renamed = definition.binds && renamed.contains(definition.name.as_str());
            let offered = definition.exported || renamed;
            if offered && definition.parent.is_none() && node_kind(definition.kind).is_some() {
                let (from, to) = (self.own(None), self.own(Some(at as u32)));
                self.edge(from, to, EdgeKind::Exports, EdgeOrigin::Scope, definition.line);
            }
        }
    }

    fn imports(&mut self, facts: &FileFacts, used: &BTreeSet<FileId>) {
        if !self.names.has_known_target(self.file) {
            self.out.unresolved.insert((1, UNPLACED.to_owned()));
        }
        let places = self.places;
        let whole = |file: FileId| places.node(file, None);
        let here = self.own(None);
        for (at, import) in facts.imports.iter().enumerate() {
            if let ImportTarget::File(file, origin) | ImportTarget::InFile(file, origin) =
                &self.names.found(self.file)[at]
                && let Some(code) =
                    self.names.implementation_of(*file).filter(|code| *code != self.file)
            {
                self.edge(here, whole(code), EdgeKind::Imports, *origin, import.line);
            }
            match &self.names.found(self.file)[at] {
                ImportTarget::File(file, origin) => {
                    let part = matches!(import.form, ImportForm::Part { .. });
                    let kind = if part { EdgeKind::Exports } else { EdgeKind::Imports };
                    self.edge(here, whole(*file), kind, *origin, import.line);
                }
                ImportTarget::InFile(file, origin) if *file != self.file => {
                    self.edge(here, whole(*file), EdgeKind::Imports, *origin, import.line);
                    if let ImportForm::Item { name, .. } = &import.form
                        && let Some(target) = self.names.lookup(*file, name)
                    {
                        // What the file passes on is its own affair, unless it is a symbol.
                        let symbol = self.places.symbol(target.file, target.definition);
                        if let Some(to) = symbol {
                            self.edge(here, to, EdgeKind::Imports, EdgeOrigin::Import, import.line);
                        }
                    }
                }
                ImportTarget::InFile(..) => {}
                // Of a package, the files are meant whose names are used; all, where none is known.
                ImportTarget::Package(files, origin) => {
                    let known = files.iter().any(|file| used.contains(file));
                    let silent = matches!(import.form, ImportForm::Module { local: None });
                    if silent || (!known && facts.language == Language::Go) {
                        for file in files {
                            self.edge(here, whole(*file), EdgeKind::Imports, *origin, import.line);
                        }
                    }
                }
                ImportTarget::External => {
                    self.out.external.insert(import.module.clone());
                }
                ImportTarget::Missing => {
                    let name = match &import.form {
                        ImportForm::Item { name, .. } => format!("{}: {name}", import.module),
                        _ => import.module.clone(),
                    };
                    self.out.unresolved.insert((import.line, name));
                }
            }
        }
    }

    fn reference(&mut self, facts: &FileFacts, reference: &Reference, target: &ResolvedName) {
        let kind = match reference.kind {
            ReferenceKind::Call | ReferenceKind::New if target.whole => Some(EdgeKind::Calls),
            ReferenceKind::Extends if target.whole => Some(EdgeKind::Extends),
            ReferenceKind::Implements if target.whole => Some(EdgeKind::Implements),
            _ => None,
        };
        let to = self.places.node(target.file, target.definition);
        let defined = target.definition.is_some_and(|definition| {
            self.names.facts(target.file).is_some_and(|facts| {
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
            // The line is one of the file that the edge comes from.
            let is_here = self.places.file_of(from) == self.file;
            let line = if is_here { reference.line } else { 0 };
            self.edge(from, to, kind, target.origin, line);
        }
        // A use that no import statement tells of is one all the same.
        if target.file != self.file
            && matches!(target.origin, EdgeOrigin::Package | EdgeOrigin::ModuleTree)
        {
            let here = self.own(None);
            let whole = self.places.node(target.file, None);
            self.edge(here, whole, EdgeKind::Imports, target.origin, reference.line);
            self.edge(here, to, EdgeKind::Imports, target.origin, reference.line);
        }
    }

    fn implements(&self, facts: &FileFacts, reference: &Reference, target: &ResolvedName) -> bool {
        let kind = |facts: &FileFacts, at: Option<u32>| {
            at.and_then(|at| facts.definitions.get(at as usize)).map(|definition| definition.kind)
        };
        let target = self.names.facts(target.file).and_then(|to| kind(to, target.definition));
        target == Some(DefinitionKind::Interface)
            && matches!(
                kind(facts, reference.from),
                Some(DefinitionKind::Class | DefinitionKind::Object | DefinitionKind::Extension)
            )
    }

    /// The node that a reference is made by: what extends a type speaks for the type.
    fn source(&mut self, facts: &FileFacts, reference: &Reference) -> Option<NodeId> {
        let Some(from) = reference.from else { return Some(self.own(None)) };
        let definition = &facts.definitions[from as usize];
        if definition.kind == DefinitionKind::Extension {
            let target = self.names.name(self.file, definition.parent, &definition.name);
            // Only a type can be added to; a function may have the name of a block.
            let is_type = |target: &ResolvedName| {
                let facts = self.names.facts(target.file);
                let kind =
                    facts.zip(target.definition).map(|(f, at)| f.definitions[at as usize].kind);
                matches!(kind, Some(DefinitionKind::Class | DefinitionKind::Interface))
            };
            if let Some(target) = target.filter(is_type) {
                if target.file != self.file {
                    self.out.extended_files.insert(target.file);
                }
                return Some(self.places.node(target.file, target.definition));
            }
            return self.called_around(facts, reference, definition.parent);
        }
        if definition.kind == DefinitionKind::Anonymous {
            return self.called_around(facts, reference, definition.parent);
        }
        Some(self.own(Some(from)))
    }

    /// What adds to an unknown type says nothing of it, but what it calls is called around it.
    fn called_around(
        &mut self,
        facts: &FileFacts,
        reference: &Reference,
        parent: Option<u32>,
    ) -> Option<NodeId> {
        let is_call = matches!(reference.kind, ReferenceKind::Call | ReferenceKind::New);
        let around = Reference { from: parent, ..reference.clone() };
        is_call.then(|| self.source(facts, &around)).flatten()
    }
}
