//! Links one file: its exports, imports and references.

use std::collections::BTreeSet;

use super::name_resolver::{NameResolver, ResolvedName};
use super::name_tables::NameTables;
use super::node_ids::{NodeIds, node_kind};
use crate::Language;
use crate::facts::{DefinitionKind, FileFacts, ImportForm, Reference, ReferenceKind};
use crate::graph::{Edge, EdgeKind, EdgeOrigin, NodeId, Unresolved};
use crate::project::{FileId, ImportTarget};

/// The unresolved name of a file that belongs to no known build target.
const UNKNOWN_MODULE: &str = "the module it belongs to";

/// The links of one file.
#[derive(Default)]
pub(super) struct FileLinks {
    pub(super) edges: Vec<Edge>,
    pub(super) unresolved: BTreeSet<(u32, String)>,
    pub(super) external: BTreeSet<String>,
    /// Files that this one extends: some edges start at their nodes.
    pub(super) extended_files: BTreeSet<FileId>,
}

impl FileLinks {
    /// Returns the unresolved names of `file`.
    pub(super) fn unresolved_in(&self, file: FileId) -> impl Iterator<Item = Unresolved> {
        let missing = self.unresolved.iter();
        missing.map(move |(line, name)| Unresolved { file, line: *line, name: name.clone() })
    }
}

/// Links a file.
pub(super) fn link_file(
    knowledge: &NameTables<'_, '_>,
    node_ids: &NodeIds<'_>,
    file: FileId,
    facts: &FileFacts,
) -> FileLinks {
    let names = NameResolver::new(knowledge, file);
    let mut linker = Linker { file, names, node_ids, out: FileLinks::default() };
    linker.run(facts);
    linker.out
}

struct Linker<'n, 'k, 'a> {
    file: FileId,
    names: NameResolver<'n, 'k, 'a>,
    node_ids: &'n NodeIds<'n>,
    out: FileLinks,
}

impl Linker<'_, '_, '_> {
    fn run(&mut self, facts: &FileFacts) {
        self.exports(facts);
        let mut used = BTreeSet::new();
        for reference in &facts.references {
            if let Some(target) = self.names.resolve_reference(self.file, reference) {
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
        self.node_ids.node(self.file, definition)
    }

    /// Adds edges from the file to the symbols it exports.
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
            self.out.unresolved.insert((1, UNKNOWN_MODULE.to_owned()));
        }
        let node_ids = self.node_ids;
        let whole = |file: FileId| node_ids.node(file, None);
        let here = self.own(None);
        for (at, import) in facts.imports.iter().enumerate() {
            if let ImportTarget::File(file, origin) | ImportTarget::InFile(file, origin) =
                &self.names.import_targets(self.file)[at]
                && let Some(code) =
                    self.names.implementation_of(*file).filter(|code| *code != self.file)
            {
                self.edge(here, whole(code), EdgeKind::Imports, *origin, import.line);
            }
            match &self.names.import_targets(self.file)[at] {
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
                        // An edge to another file that this one re-exports would be redundant; one
                        // to a symbol is not.
                        let symbol = self.node_ids.symbol(target.file, target.definition);
                        if let Some(to) = symbol {
                            self.edge(here, to, EdgeKind::Imports, EdgeOrigin::Import, import.line);
                        }
                    }
                }
                ImportTarget::InFile(..) => {}
                // A side-effect import uses all files of a package, and so does an import in Go without
                // references. Other imports use the files whose names are referenced.
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
            ReferenceKind::Call | ReferenceKind::New if target.complete => Some(EdgeKind::Calls),
            ReferenceKind::Extends if target.complete => Some(EdgeKind::Extends),
            ReferenceKind::Implements if target.complete => Some(EdgeKind::Implements),
            _ => None,
        };
        let to = self.node_ids.node(target.file, target.definition);
        let defined = target.definition.is_some_and(|definition| {
            self.names.facts(target.file).is_some_and(|facts| {
                node_kind(facts.definitions[definition as usize].kind).is_some()
            })
        });
        if let Some(mut kind) = kind.filter(|_| defined)
            && let Some(from) = self.source(facts, reference)
        {
            // If the syntax does not say so, the target does: classes implement interfaces.
            if kind == EdgeKind::Extends && self.implements(facts, reference, target) {
                kind = EdgeKind::Implements;
            }
            // The line must be in the file of the source node.
            let is_here = self.node_ids.file_of(from) == self.file;
            let line = if is_here { reference.line } else { 0 };
            self.edge(from, to, kind, target.origin, line);
        }
        // A reference without an import statement is still a dependency.
        if target.file != self.file
            && matches!(target.origin, EdgeOrigin::Package | EdgeOrigin::ModuleTree)
        {
            let here = self.own(None);
            let whole = self.node_ids.node(target.file, None);
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

    /// Returns the node that makes a reference. References of an extension belong to the extended
    /// type.
    fn source(&mut self, facts: &FileFacts, reference: &Reference) -> Option<NodeId> {
        let Some(from) = reference.from else { return Some(self.own(None)) };
        let definition = &facts.definitions[from as usize];
        if definition.kind == DefinitionKind::Extension {
            let target = self.names.resolve_name(self.file, definition.parent, &definition.name);
            // Only types can be extended; a function may share the name of a block.
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
                return Some(self.node_ids.node(target.file, target.definition));
            }
            return self.calling_scope(facts, reference, definition.parent);
        }
        if definition.kind == DefinitionKind::Anonymous {
            return self.calling_scope(facts, reference, definition.parent);
        }
        Some(self.own(Some(from)))
    }

    /// Attributes calls to the enclosing definition if the extended type is unknown. Other
    /// references are dropped.
    fn calling_scope(
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
