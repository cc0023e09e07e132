//! What a name means in a file: scopes first, then imports, then the package, never a guess.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use super::name_tables::{Binding, FileNames, NameTables, Star};
use crate::Language;
use crate::facts::{DefinitionKind, FileFacts, Reference, ReferenceKind};
use crate::graph::EdgeOrigin;
use crate::languages::{is_declaration, is_script};
use crate::project::{FileId, ImportTarget};

/// How many files a name may pass through on its way.
const LONGEST_WAY: usize = 12;

/// What a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResolvedName {
    pub(super) file: FileId,
    /// The definition; none for the file itself.
    pub(super) definition: Option<u32>,
    /// How that is known.
    pub(super) origin: EdgeOrigin,
    /// Whether all of the name is accounted for; a member that is not known leaves its type.
    pub(super) whole: bool,
}

/// The names in scope while one file is linked.
pub(super) struct NameResolver<'n, 'k, 'a> {
    all: &'n NameTables<'k, 'a>,
    /// The file that is linked.
    of: FileId,
}

impl<'n, 'k, 'a> NameResolver<'n, 'k, 'a> {
    pub(super) fn new(all: &'n NameTables<'k, 'a>, of: FileId) -> NameResolver<'n, 'k, 'a> {
        NameResolver { all, of }
    }

    pub(super) fn facts(&self, file: FileId) -> Option<&'k FileFacts> {
        self.all.index.facts(file)
    }

    /// The file with the code of what another declares. To a file that only declares, declarations
    /// are all there is.
    pub(super) fn implementation_of(&self, declaring: FileId) -> Option<FileId> {
        let language = self.facts(declaring)?.language;
        let code = self.all.resolvers.of(language)?.implementation_of(declaring);
        code.filter(|_| !is_declaration(self.all.index.path(self.of)))
    }

    /// What the imports of a file mean.
    pub(super) fn found(&self, file: FileId) -> &'k [ImportTarget] {
        self.all.found(file)
    }

    /// Whether it is known what a file is built with.
    pub(super) fn has_known_target(&self, file: FileId) -> bool {
        self.all.has_known_target(file)
    }

    fn known(&self, file: FileId) -> &'n FileNames<'k> {
        self.all.known(file)
    }

    /// What a reference means; none if that is not certain.
    pub(super) fn reference(&self, file: FileId, reference: &Reference) -> Option<ResolvedName> {
        let facts = self.facts(file)?;
        if let Some(spaces) = self.all.open(facts.language) {
            return spaces.reference(file, reference);
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
        if let Some(found) = self.scoped(file, facts, reference.from, path) {
            return found;
        }
        if let Some(found) = self.imported(&self.known(file).bound, path) {
            return found;
        }
        if let Some(target) = self.package(file, first) {
            return self.member(target, &path[1..]);
        }
        if !is_script(facts.language)
            && let Some(target) = self.starred(file, first, |star| star.scope.is_none())
        {
            return self.member(target, &path[1..]);
        }
        let (end, used) = self.all.resolvers.of(facts.language)?.resolve_path(file, path)?;
        let rest = path.get(used..)?;
        let name = rest.first()?;
        let target = self.lookup(end, name)?;
        let whole = ResolvedName { origin: EdgeOrigin::ModuleTree, ..target };
        self.member(whole, &rest[1..])
    }

    /// What a single name means in a place of a file.
    pub(super) fn name(&self, file: FileId, from: Option<u32>, name: &str) -> Option<ResolvedName> {
        let facts = self.facts(file)?;
        if let Some(spaces) = self.all.open(facts.language) {
            let path = name.split('.').map(str::to_owned).collect();
            let reference = Reference { from, kind: ReferenceKind::Use, path, line: 0 };
            return spaces.reference(file, &reference).filter(|found| found.whole);
        }
        self.scoped(file, facts, from, &[name.to_owned()])
            .or_else(|| Some(self.through(self.known(file).bound.get(name)?, &[])))
            .unwrap_or_else(|| self.package(file, name))
    }

    /// A name of this file, or one that is imported inside of it, from the innermost scope outwards;
    /// none if no scope has it.
    fn scoped(
        &self,
        file: FileId,
        facts: &FileFacts,
        from: Option<u32>,
        path: &[String],
    ) -> Option<Option<ResolvedName>> {
        let (name, rest) = (path[0].as_str(), &path[1..]);
        let known = self.known(file);
        let mut around = from;
        while let Some(at) = around {
            let definition = &facts.definitions[at as usize];
            let is_type = !matches!(
                definition.kind,
                DefinitionKind::Function | DefinitionKind::Test | DefinitionKind::Module
            );
            // Members of a type are named with the object they are members of.
            if !is_type && let Some(inner) = known.members.get(&(at, name)) {
                return Some(self.member(target(file, *inner), rest));
            }
            let imports = known.scoped.get(&at).filter(|_| !is_type || around == from);
            if let Some(found) = imports.and_then(|bound| self.imported(bound, path)) {
                return Some(found);
            }
            let brought = self.starred(file, name, |star| star.scope == Some(at));
            if let Some(target) = brought {
                return Some(self.member(target, rest));
            }
            around = definition.parent;
        }
        known.top.get(name).map(|at| self.member(target(file, *at), rest))
    }

    /// What imports make of a name, by as many of its parts as they bring; none if they bring none.
    fn imported(
        &self,
        bound: &HashMap<String, Binding<'_>>,
        path: &[String],
    ) -> Option<Option<ResolvedName>> {
        (1..=path.len()).rev().find_map(|end| {
            let bound = match &path[..end] {
                [one] => bound.get(one),
                several => bound.get(&several.join(".")),
            };
            Some(self.through(bound?, &path[end..]))
        })
    }

    /// A member of the type around a reference, or of what that type is based on.
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
                    let known = self.known(file);
                    let of_type =
                        known.extensions.get(definition.name.as_str()).into_iter().flatten();
                    let direct = known.top.get(definition.name.as_str());
                    return of_type
                        .chain(direct)
                        .find_map(|at| known.members.get(&(*at, name)))
                        .map(|at| target(file, *at));
                }
                DefinitionKind::Class | DefinitionKind::Interface => {
                    let found = self.known(file).members.get(&(at, name));
                    return found
                        .map(|found| target(file, *found))
                        .or_else(|| self.inherited(file, at, name, 0));
                }
                // A method of an object has that object at hand.
                DefinitionKind::Function if !definition.binds => return None,
                _ => around = definition.parent,
            }
        }
        None
    }

    /// A member of a base class.
    fn inherited(
        &self,
        file: FileId,
        class: u32,
        name: &str,
        depth: usize,
    ) -> Option<ResolvedName> {
        if depth > LONGEST_WAY {
            return None;
        }
        let facts = self.facts(file)?;
        let bases = facts.references.iter().filter(|reference| {
            reference.from == Some(class)
                && reference.kind == ReferenceKind::Extends
                // Else a class that is named like a member of its own would be asked for ever.
                && reference.path.len() <= 2
        });
        for base in bases {
            let outer = facts.definitions[class as usize].parent;
            let base = Reference { from: outer, ..base.clone() };
            let Some(found) = self.reference(file, &base) else { continue };
            let Some(at) = found.definition.filter(|_| found.whole) else { continue };
            let member = self.known(found.file).members.get(&(at, name));
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

    /// Members of a target, one in another, as far as they are known.
    fn member(&self, start: ResolvedName, path: &[String]) -> Option<ResolvedName> {
        let mut at = start;
        for name in path {
            let Some(definition) = at.definition else {
                at = ResolvedName { origin: EdgeOrigin::Import, ..self.lookup(at.file, name)? };
                continue;
            };
            let known = self.known(at.file);
            let facts = self.facts(at.file)?;
            let own_name = facts.definitions[definition as usize].name.as_str();
            let inner = known.members.get(&(definition, name.as_str())).copied().or_else(|| {
                let extensions = known.extensions.get(own_name)?;
                extensions.iter().find_map(|at| known.members.get(&(*at, name.as_str()))).copied()
            });
            let Some(inner) = inner else {
                return Some(ResolvedName { whole: false, ..at });
            };
            at = ResolvedName { definition: Some(inner), ..at };
        }
        Some(at)
    }

    /// What follows from an import.
    fn through(&self, bound: &Binding<'_>, rest: &[String]) -> Option<ResolvedName> {
        match bound {
            Binding::File(file) => match rest.split_first() {
                Some((name, rest)) => {
                    let found = self.lookup(*file, name)?;
                    self.member(ResolvedName { origin: EdgeOrigin::Import, ..found }, rest)
                }
                None => Some(ResolvedName {
                    file: *file,
                    definition: None,
                    origin: EdgeOrigin::Import,
                    whole: true,
                }),
            },
            Binding::Name(file, name) => {
                let found = self.lookup(*file, name)?;
                self.member(ResolvedName { origin: EdgeOrigin::Import, ..found }, rest)
            }
            Binding::Package(files) => {
                let (name, rest) = rest.split_first()?;
                let found = self.one_of(files, name)?;
                self.member(ResolvedName { origin: EdgeOrigin::Package, ..found }, rest)
            }
            Binding::Unknown => None,
        }
    }

    /// The one definition of a name at the top of several files.
    fn one_of(&self, files: &[FileId], name: &str) -> Option<ResolvedName> {
        let mut found = files
            .iter()
            .filter_map(|file| self.known(*file).top.get(name).map(|at| target(*file, *at)));
        let first = found.next()?;
        // The same name twice: files for different systems, of which one is built.
        found.next().is_none().then_some(first)
    }

    fn package(&self, file: FileId, name: &str) -> Option<ResolvedName> {
        let facts = self.facts(file)?;
        let neighbours = self.all.resolvers.of(facts.language)?.neighbours(file);
        let found = self.one_of(neighbours, name)?;
        Some(ResolvedName { origin: EdgeOrigin::Package, ..found })
    }

    /// A name that a file offers, wherever it comes from.
    pub(super) fn lookup(&self, file: FileId, name: &str) -> Option<ResolvedName> {
        thread_local! {
            static WAY: RefCell<Vec<(FileId, String)>> = const { RefCell::new(Vec::new()) };
        }
        // Files that offer each other's names go round in circles.
        let entered = WAY.with_borrow_mut(|way| {
            let again = way.iter().any(|(at, known)| *at == file && known == name);
            if again || way.len() >= LONGEST_WAY {
                return false;
            }
            way.push((file, name.to_owned()));
            true
        });
        if !entered {
            return None;
        }
        let found = self.offered(file, name);
        WAY.with_borrow_mut(Vec::pop);
        found
    }

    fn offered(&self, file: FileId, name: &str) -> Option<ResolvedName> {
        // What is declared is what the code beside it does, as far as that has it.
        if let Some(found) = self.implementation_of(file).and_then(|code| self.offered(code, name))
        {
            return Some(found);
        }
        let known = self.known(file);
        let facts = self.facts(file)?;
        let is_offered = |at: &&u32| {
            !is_script(facts.language)
                || facts.definitions[**at as usize].exported
                || is_declaration(self.all.index.path(file))
        };
        if let Some(at) = known.top.get(name).filter(is_offered).or(known.offered.get(name)) {
            return Some(target(file, *at));
        }
        if let Some(export) = facts.exports.iter().find(|export| export.name == name) {
            if let Some(at) = known.top.get(export.local.as_str()) {
                return Some(target(file, *at));
            }
            return self.through(known.bound.get(&export.local)?, &[]);
        }
        match known.passed.get(name) {
            Some(Binding::Name(from, there)) => return self.lookup(*from, there),
            Some(passed) => return self.through(passed, &[]),
            None => {}
        }
        // In Python, what is imported from outside can be imported from here as well.
        let is_outside = known.bound.get(name) == Some(&Binding::Unknown);
        if is_outside && !is_script(facts.language) {
            return None;
        }
        self.starred(file, name, |star| star.passes)
    }

    /// A name that comes with all the others of a file or package; none if two could be meant.
    fn starred(
        &self,
        file: FileId,
        name: &str,
        counts: impl Fn(&Star<'_>) -> bool,
    ) -> Option<ResolvedName> {
        let mut found: BTreeMap<(FileId, Option<u32>), ResolvedName> = BTreeMap::new();
        let stars = self.known(file).stars.iter().filter(|star| counts(star));
        for Star { files, alone, .. } in stars {
            let inner = match files {
                [one] if *alone => self
                    .lookup(*one, name)
                    .map(|target| ResolvedName { origin: EdgeOrigin::Import, ..target }),
                several => self
                    .one_of(several, name)
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
    ResolvedName { file, definition: Some(definition), origin: EdgeOrigin::Scope, whole: true }
}
