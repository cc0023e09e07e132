//! Resolves names in a file: scopes first, then imports, then the package. Never guesses.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use super::name_tables::{Binding, FileNames, GlobImport, NameTables};
use crate::Language;
use crate::facts::{DefinitionKind, FileFacts, Reference, ReferenceKind};
use crate::graph::EdgeOrigin;
use crate::languages::{is_declaration, is_script};
use crate::project::{FileId, ImportTarget};

/// The maximum number of files through which a name may be re-exported.
const MAX_HOPS: usize = 12;

/// The target of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResolvedName {
    pub(super) file: FileId,
    /// The definition; `None` for the file itself.
    pub(super) definition: Option<u32>,
    /// The evidence for the target.
    pub(super) origin: EdgeOrigin,
    /// Whether the whole path is resolved. If a member is unknown, the target is its type.
    pub(super) complete: bool,
}

/// Resolves the names of the file that is being linked.
pub(super) struct NameResolver<'n, 'k, 'a> {
    tables: &'n NameTables<'k, 'a>,
    /// The file that is being linked.
    file: FileId,
}

impl<'n, 'k, 'a> NameResolver<'n, 'k, 'a> {
    pub(super) fn new(tables: &'n NameTables<'k, 'a>, file: FileId) -> NameResolver<'n, 'k, 'a> {
        NameResolver { tables, file }
    }

    pub(super) fn facts(&self, file: FileId) -> Option<&'k FileFacts> {
        self.tables.index.facts(file)
    }

    /// Returns the file that implements a declaration file. Inside a declaration file, declarations
    /// are enough.
    pub(super) fn implementation_of(&self, declaring: FileId) -> Option<FileId> {
        let language = self.facts(declaring)?.language;
        let code = self.tables.resolvers.get(language)?.implementation_of(declaring);
        code.filter(|_| !is_declaration(self.tables.index.path(self.file)))
    }

    /// Returns the targets of a file's imports.
    pub(super) fn import_targets(&self, file: FileId) -> &'k [ImportTarget] {
        self.tables.import_targets(file)
    }

    /// Returns true if the build target of a file is known.
    pub(super) fn has_known_target(&self, file: FileId) -> bool {
        self.tables.has_known_target(file)
    }

    fn names(&self, file: FileId) -> &'n FileNames<'k> {
        self.tables.names(file)
    }

    /// Resolves a reference. Returns `None` if the target is not certain.
    pub(super) fn resolve_reference(
        &self,
        file: FileId,
        reference: &Reference,
    ) -> Option<ResolvedName> {
        let facts = self.facts(file)?;
        if let Some(spaces) = self.tables.namespaces(facts.language) {
            return spaces.resolve_reference(file, reference);
        }
        let path = &reference.path;
        let first = path[0].as_str();
        if first.is_empty() {
            return None;
        }
        let is_own = match first {
            "self" | "cls" | "Self" => !is_script(facts.language),
            "this" | "super" => true,
            _ => false,
        };
        if is_own && path.len() == 2 {
            let own = self.own_member(file, facts, reference.from, &path[1]);
            if own.is_some() || facts.language != Language::Rust {
                return own;
            }
        }
        if let Some(found) = self.in_scopes(file, facts, reference.from, path) {
            return found;
        }
        if let Some(found) = self.via_imports(&self.names(file).imported, path) {
            return found;
        }
        if let Some(target) = self.in_package(file, first) {
            return self.member(target, &path[1..]);
        }
        if !is_script(facts.language)
            && let Some(target) = self.glob_imported(file, first, |glob| glob.scope.is_none())
        {
            return self.member(target, &path[1..]);
        }
        let (end, used) = self.tables.resolvers.get(facts.language)?.resolve_path(file, path)?;
        let rest = path.get(used..)?;
        let name = rest.first()?;
        let target = self.lookup(end, name)?;
        let target = ResolvedName { origin: EdgeOrigin::ModuleTree, ..target };
        self.member(target, &rest[1..])
    }

    /// Resolves a single name at a place in a file.
    pub(super) fn resolve_name(
        &self,
        file: FileId,
        from: Option<u32>,
        name: &str,
    ) -> Option<ResolvedName> {
        let facts = self.facts(file)?;
        if let Some(spaces) = self.tables.namespaces(facts.language) {
            let path = name.split('.').map(str::to_owned).collect();
            let reference = Reference { from, kind: ReferenceKind::Use, path, line: 0 };
            return spaces.resolve_reference(file, &reference).filter(|found| found.complete);
        }
        self.in_scopes(file, facts, from, &[name.to_owned()])
            .or_else(|| Some(self.follow_binding(self.names(file).imported.get(name)?, &[])))
            .unwrap_or_else(|| self.in_package(file, name))
    }

    /// Resolves a path in the scopes of this file and their imports, from the innermost outwards.
    /// Returns `None` if no scope has the name.
    fn in_scopes(
        &self,
        file: FileId,
        facts: &FileFacts,
        from: Option<u32>,
        path: &[String],
    ) -> Option<Option<ResolvedName>> {
        let (name, rest) = (path[0].as_str(), &path[1..]);
        let known = self.names(file);
        let mut around = from;
        while let Some(at) = around {
            let definition = &facts.definitions[at as usize];
            let is_type = !matches!(
                definition.kind,
                DefinitionKind::Function | DefinitionKind::Test | DefinitionKind::Module
            );
            // Members of a type can only be named through an object.
            if !is_type && let Some(inner) = known.members.get(&(at, name)) {
                return Some(self.member(target(file, *inner), rest));
            }
            let imports = known.scoped_imports.get(&at).filter(|_| !is_type || around == from);
            if let Some(found) = imports.and_then(|bindings| self.via_imports(bindings, path)) {
                return Some(found);
            }
            let brought = self.glob_imported(file, name, |glob| glob.scope == Some(at));
            if let Some(target) = brought {
                return Some(self.member(target, rest));
            }
            around = definition.parent;
        }
        known.top.get(name).map(|at| self.member(target(file, *at), rest))
    }

    /// Resolves a path by the longest prefix that is imported. Returns `None` if nothing matches.
    fn via_imports(
        &self,
        bindings: &HashMap<String, Binding<'_>>,
        path: &[String],
    ) -> Option<Option<ResolvedName>> {
        (1..=path.len()).rev().find_map(|end| {
            let binding = match &path[..end] {
                [one] => bindings.get(one),
                several => bindings.get(&several.join(".")),
            };
            Some(self.follow_binding(binding?, &path[end..]))
        })
    }

    /// Resolves a member of the type around a reference, or of its bases.
    fn own_member(
        &self,
        file: FileId,
        facts: &FileFacts,
        from: Option<u32>,
        name: &str,
    ) -> Option<ResolvedName> {
        let mut around = from;
        while let Some(at) = around {
            let definition = &facts.definitions[at as usize];
            match definition.kind {
                DefinitionKind::Extension => {
                    let known = self.names(file);
                    let of_type =
                        known.extensions.get(definition.name.as_str()).into_iter().flatten();
                    let direct = known.top.get(definition.name.as_str());
                    return of_type
                        .chain(direct)
                        .find_map(|at| known.members.get(&(*at, name)))
                        .map(|at| target(file, *at));
                }
                DefinitionKind::Class | DefinitionKind::Interface => {
                    let found = self.names(file).members.get(&(at, name));
                    return found
                        .map(|found| target(file, *found))
                        .or_else(|| self.inherited(file, at, name, 0));
                }
                // In a method of an object, `this` is that object, not the class around it.
                DefinitionKind::Function if !definition.binds => return None,
                _ => around = definition.parent,
            }
        }
        None
    }

    /// Resolves a member of a base class.
    fn inherited(
        &self,
        file: FileId,
        class: u32,
        name: &str,
        depth: usize,
    ) -> Option<ResolvedName> {
        if depth > MAX_HOPS {
            return None;
        }
        let facts = self.facts(file)?;
        let bases = facts.references.iter().filter(|reference| {
            reference.from == Some(class)
                && reference.kind == ReferenceKind::Extends
                // A longer path could lead back to this class and recurse for ever.
                && reference.path.len() <= 2
        });
        for base in bases {
            let outer = facts.definitions[class as usize].parent;
            let base = Reference { from: outer, ..base.clone() };
            let Some(found) = self.resolve_reference(file, &base) else { continue };
            let Some(at) = found.definition.filter(|_| found.complete) else { continue };
            let member = self.names(found.file).members.get(&(at, name));
            if let Some(member) = member {
                return Some(ResolvedName {
                    origin: EdgeOrigin::Import,
                    ..target(found.file, *member)
                });
            }
            if let Some(further) = self.inherited(found.file, at, name, depth + 1) {
                return Some(further);
            }
        }
        None
    }

    /// Follows a path of members from a target as far as they are known.
    fn member(&self, start: ResolvedName, path: &[String]) -> Option<ResolvedName> {
        let mut at = start;
        for name in path {
            let Some(definition) = at.definition else {
                at = ResolvedName { origin: EdgeOrigin::Import, ..self.lookup(at.file, name)? };
                continue;
            };
            let known = self.names(at.file);
            let facts = self.facts(at.file)?;
            let own_name = facts.definitions[definition as usize].name.as_str();
            let inner = known.members.get(&(definition, name.as_str())).copied().or_else(|| {
                let extensions = known.extensions.get(own_name)?;
                extensions.iter().find_map(|at| known.members.get(&(*at, name.as_str()))).copied()
            });
            let Some(inner) = inner else {
                return Some(ResolvedName { complete: false, ..at });
            };
            at = ResolvedName { definition: Some(inner), ..at };
        }
        Some(at)
    }

    /// Follows an imported name, and then a path of members.
    fn follow_binding(&self, binding: &Binding<'_>, rest: &[String]) -> Option<ResolvedName> {
        match binding {
            Binding::File(file) => match rest.split_first() {
                Some((name, rest)) => {
                    let found = self.lookup(*file, name)?;
                    self.member(ResolvedName { origin: EdgeOrigin::Import, ..found }, rest)
                }
                None => Some(ResolvedName {
                    file: *file,
                    definition: None,
                    origin: EdgeOrigin::Import,
                    complete: true,
                }),
            },
            Binding::Name(file, name) => {
                let found = self.lookup(*file, name)?;
                self.member(ResolvedName { origin: EdgeOrigin::Import, ..found }, rest)
            }
            Binding::Package(files) => {
                let (name, rest) = rest.split_first()?;
                let found = self.unique_in(files, name)?;
                self.member(ResolvedName { origin: EdgeOrigin::Package, ..found }, rest)
            }
            Binding::Unknown => None,
        }
    }

    /// Returns the only top-level definition of a name in several files.
    fn unique_in(&self, files: &[FileId], name: &str) -> Option<ResolvedName> {
        let mut found = files
            .iter()
            .filter_map(|file| self.names(*file).top.get(name).map(|at| target(*file, *at)));
        let first = found.next()?;
        // Two definitions are usually alternatives for different systems, of which one is built.
        found.next().is_none().then_some(first)
    }

    fn in_package(&self, file: FileId, name: &str) -> Option<ResolvedName> {
        let facts = self.facts(file)?;
        let neighbours = self.tables.resolvers.get(facts.language)?.neighbours(file);
        let found = self.unique_in(neighbours, name)?;
        Some(ResolvedName { origin: EdgeOrigin::Package, ..found })
    }

    /// Resolves a name that a file offers to others, including re-exports.
    pub(super) fn lookup(&self, file: FileId, name: &str) -> Option<ResolvedName> {
        thread_local! {
            static VISITED: RefCell<Vec<(FileId, String)>> = const { RefCell::new(Vec::new()) };
        }
        // Files may re-export each other's names in a cycle.
        let entered = VISITED.with_borrow_mut(|visited| {
            let again = visited.iter().any(|(at, known)| *at == file && known == name);
            if again || visited.len() >= MAX_HOPS {
                return false;
            }
            visited.push((file, name.to_owned()));
            true
        });
        if !entered {
            return None;
        }
        let found = self.find_offered(file, name);
        VISITED.with_borrow_mut(Vec::pop);
        found
    }

    fn find_offered(&self, file: FileId, name: &str) -> Option<ResolvedName> {
        // If a declaration file has an implementation with this name, the implementation is meant.
        if let Some(found) =
            self.implementation_of(file).and_then(|code| self.find_offered(code, name))
        {
            return Some(found);
        }
        let known = self.names(file);
        let facts = self.facts(file)?;
        let is_offered = |at: &&u32| {
            !is_script(facts.language)
                || facts.definitions[**at as usize].exported
                || is_declaration(self.tables.index.path(file))
        };
        if let Some(at) = known.top.get(name).filter(is_offered).or(known.offered.get(name)) {
            return Some(target(file, *at));
        }
        if let Some(export) = facts.exports.iter().find(|export| export.name == name) {
            if let Some(at) = known.top.get(export.local.as_str()) {
                return Some(target(file, *at));
            }
            return self.follow_binding(known.imported.get(&export.local)?, &[]);
        }
        match known.reexports.get(name) {
            Some(Binding::Name(from, there)) => return self.lookup(*from, there),
            Some(reexport) => return self.follow_binding(reexport, &[]),
            None => {}
        }
        // In Python, names imported from outside can be imported from here too.
        let is_outside = known.imported.get(name) == Some(&Binding::Unknown);
        if is_outside && !is_script(facts.language) {
            return None;
        }
        self.glob_imported(file, name, |glob| glob.reexported)
    }

    /// Resolves a name through glob imports. Returns `None` if it is ambiguous.
    fn glob_imported(
        &self,
        file: FileId,
        name: &str,
        counts: impl Fn(&GlobImport<'_>) -> bool,
    ) -> Option<ResolvedName> {
        let mut found: BTreeMap<(FileId, Option<u32>), ResolvedName> = BTreeMap::new();
        let globs = self.names(file).globs.iter().filter(|glob| counts(glob));
        for GlobImport { files, single_file, .. } in globs {
            let inner = match files {
                [one] if *single_file => self
                    .lookup(*one, name)
                    .map(|target| ResolvedName { origin: EdgeOrigin::Import, ..target }),
                several => self
                    .unique_in(several, name)
                    .map(|t| ResolvedName { origin: EdgeOrigin::Package, ..t }),
            };
            found.extend(inner.map(|target| ((target.file, target.definition), target)));
        }
        let mut found = found.into_values();
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}

fn target(file: FileId, definition: u32) -> ResolvedName {
    ResolvedName { file, definition: Some(definition), origin: EdgeOrigin::Scope, complete: true }
}
