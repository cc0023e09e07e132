//! Resolves names in languages with open namespaces, to which many files can add. The language
//! decides which files are visible and where to look for a name: see [`OpenNamespaces`].

mod bases;
mod companions;
mod local;
mod referent;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use super::name_resolver::ResolvedName;
use super::scopes::{
    enclosing_scopes, full_names, is_local, is_self_name, is_super_name, is_type, qualify, scope,
};
use crate::Language;
use crate::facts::{Definition, DefinitionKind, Reference, ReferenceKind};
use crate::graph::EdgeOrigin;
use crate::project::{FileId, MemberScope, OpenNamespaces, ProjectIndex};
use bases::{Ancestry, Inherited};
use local::LocalLookup;

/// A definition: its file and its index there.
type DefinitionId = (FileId, u32);

/// A full name as seen from a file.
type VisibleName = (FileId, String);

/// The definitions in the open namespaces of a family of languages, by full name: `shop.Cart.add`.
pub(super) struct NamespaceIndex<'a> {
    index: &'a ProjectIndex<'a>,
    open: &'a dyn OpenNamespaces,
    definitions: HashMap<String, Vec<DefinitionId>>,
    /// The files that add to each namespace.
    spaces: HashMap<String, Vec<FileId>>,
    /// The names of all members of types.
    members: HashSet<&'a str>,
    /// The ancestors of types as seen from a file, computed on first use.
    ancestries: Mutex<HashMap<VisibleName, Arc<Ancestry>>>,
}

/// The thing that a full name refers to, as seen from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Referent {
    One(FileId, u32),
    /// Several definitions, or one in several parts. Not a target itself, but its members can be.
    Several,
}

/// A resolved path: the full name of the known part, and the number of unknown parts. Definitions
/// inside a function have an empty full name.
struct ResolvedPath {
    full: String,
    referent: Referent,
    rest: usize,
    /// Whether the file certainly uses it, through an import or a base.
    imported: bool,
}

impl<'a> NamespaceIndex<'a> {
    pub(super) fn new(
        index: &'a ProjectIndex<'a>,
        languages: &[Language],
        open: &'a dyn OpenNamespaces,
    ) -> NamespaceIndex<'a> {
        let (mut definitions, mut spaces) = (HashMap::new(), HashMap::new());
        let mut members = HashSet::new();
        for (file, facts) in index.parsed(|language| languages.contains(&language)) {
            add_space(&mut spaces, facts.package.as_deref().unwrap_or_default(), file);
            let fulls = facts.definitions.iter().zip(full_names(facts));
            for (at, (definition, full)) in (0_u32..).zip(fulls) {
                let Some(full) = full else { continue };
                let of = definition.parent.map(|parent| &facts.definitions[parent as usize]);
                if of.is_some_and(is_type) {
                    members.insert(definition.name.as_str());
                }
                // `class A::B` adds to the namespace `A`, even if `A` is defined elsewhere.
                if definition.kind == DefinitionKind::Module || definition.name.contains('.') {
                    add_space(&mut spaces, &full, file);
                }
                definitions.entry(full).or_insert_with(Vec::new).push((file, at));
            }
        }
        NamespaceIndex { index, open, definitions, spaces, members, ancestries: Mutex::default() }
    }

    /// Resolves a reference. Returns `None` if the target is not certain.
    pub(super) fn resolve_reference(
        &self,
        file: FileId,
        reference: &Reference,
    ) -> Option<ResolvedName> {
        let facts = self.index.facts(file)?;
        let scope = scope(facts, reference.from);
        let found = match reference.path.as_slice() {
            [own, _]
                if (is_self_name(own) || is_super_name(own))
                    && (is_local(facts, reference.from)
                        || !self.knows_receiver(file, reference.from)) =>
            {
                return None;
            }
            [own, name] if is_self_name(own) || is_super_name(own) => {
                let class = self.enclosing_types(file, &scope).into_iter().next()?;
                let name = self.open.own_member_name(&scope, &class, name);
                let full = qualify(&class, &name);
                let referent = self.referent(file, &full).filter(|_| !is_super_name(own));
                match referent
                    .and_then(|referent| self.in_enclosing(file, reference.from, &full, referent))
                {
                    Some(referent) => ResolvedPath { full, referent, rest: 0, imported: false },
                    None => match self.inherited(file, &class, &name) {
                        Inherited::Found(full, referent) => {
                            ResolvedPath { full, referent, rest: 0, imported: true }
                        }
                        _ => return None,
                    },
                }
            }
            path @ [first, ..] => {
                let certain = match self.lookup_local(file, reference.from, path) {
                    LocalLookup::Found(found) => {
                        return self.to_resolved_name(file, reference, &found);
                    }
                    LocalLookup::Hidden => return None,
                    LocalLookup::Outside { certain } => certain,
                };
                let is_call = path.len() == 1 && reference.kind == ReferenceKind::Call;
                if is_call && self.open.member_scope() != MemberScope::Never {
                    self.resolve_call(file, reference.from, &scope, first, certain)?
                } else {
                    let path = self.open.as_defined(path);
                    let found = self.resolve_named(file, &scope, &path, reference.kind)?;
                    // An unknown member may belong to something else of the same name, inherited
                    // from an unknown base.
                    let certain = (certain || !self.open.may_be_inherited(first))
                        && self.is_certain(file, &scope, first);
                    if found.rest > 0 && !certain {
                        return None;
                    }
                    found
                }
            }
            [] => return None,
        };
        self.to_resolved_name(file, reference, &found)
    }

    /// Converts a resolved path into the target of a reference.
    fn to_resolved_name(
        &self,
        file: FileId,
        reference: &Reference,
        found: &ResolvedPath,
    ) -> Option<ResolvedName> {
        let mut complete = found.rest == 0;
        let is_type = complete && reference.kind != ReferenceKind::Call;
        let referent = if is_type { self.as_type(found.referent) } else { found.referent };
        let Referent::One(to, mut definition) = referent else { return None };
        // The target of a value is the type that contains it.
        if let Some(parent) = self.containing_type(to, definition) {
            (definition, complete) = (parent, false);
        }
        let origin = match () {
            () if to == file => EdgeOrigin::Scope,
            () if found.imported => EdgeOrigin::Import,
            () => self.open.origin(),
        };
        Some(ResolvedName { file: to, definition: Some(definition), origin, complete })
    }

    /// Resolves a function called by its bare name. Members of enclosing types come first. If such
    /// a type has an unknown base, everything further out is uncertain.
    fn resolve_call(
        &self,
        file: FileId,
        from: Option<u32>,
        scope: &str,
        name: &str,
        certain: bool,
    ) -> Option<ResolvedPath> {
        let mut certain = certain && self.knows_receiver(file, from);
        for class in self.types_with_bare_members(file, scope) {
            let name = self.open.own_member_name(scope, &class, name);
            let full = qualify(&class, &name);
            let own = self.referent(file, &full);
            if let Some(referent) =
                own.and_then(|referent| self.in_enclosing(file, from, &full, referent))
            {
                let known = certain || !self.is_function(referent);
                return known.then_some(ResolvedPath { full, referent, rest: 0, imported: false });
            }
            match self.inherited(file, &class, &name) {
                Inherited::Found(full, referent) => {
                    return certain.then_some(ResolvedPath {
                        full,
                        referent,
                        rest: 0,
                        imported: true,
                    });
                }
                Inherited::Unknown => certain = false,
                Inherited::Absent => {}
            }
        }
        let found = self.resolve_path(file, scope, &[name.to_owned()], false)?;
        let found = ResolvedPath {
            referent: self.in_enclosing(file, from, &found.full, found.referent)?,
            ..found
        };
        (certain || !self.is_function(found.referent)).then_some(found)
    }

    /// Returns true if the types are known that enclosing functions and extensions add to: `fun
    /// Cart.total()`, `extension Cart`.
    fn knows_receiver(&self, file: FileId, from: Option<u32>) -> bool {
        let Some(facts) = self.index.facts(file) else { return false };
        let mut next = from;
        while let Some(at) = next {
            let definition = &facts.definitions[at as usize];
            let scope = scope(facts, Some(at));
            let of_type = match (definition.kind, definition.name.rsplit_once('.')) {
                (_, Some(("self", _))) => None,
                (DefinitionKind::Function, Some(_)) => scope.rsplit_once('.').map(|(of, _)| of),
                (DefinitionKind::Extension, _) if definition.name != "self" => Some(scope.as_str()),
                _ => None,
            };
            let is_known =
                |of: &str| self.enclosing_types(file, of).first().is_some_and(|at| at == of);
            if of_type.is_some_and(|of| !is_known(of)) {
                return false;
            }
            next = definition.parent;
        }
        true
    }

    /// Returns true if a name cannot come from an unknown base of an enclosing type.
    fn is_certain(&self, file: FileId, scope: &str, name: &str) -> bool {
        !self.open.may_be_inherited(name) || { self.types_with_bare_members(file, scope) }
            .iter()
            .all(|class| !matches!(self.inherited(file, class, name), Inherited::Unknown))
    }

    /// Resolves a path in a scope. Members inherited by an enclosing type hide names further out.
    fn resolve_named(
        &self,
        file: FileId,
        scope: &str,
        path: &[String],
        kind: ReferenceKind,
    ) -> Option<ResolvedPath> {
        let (first, rest) = path.split_first()?;
        let expects_type = rest.is_empty() && kind != ReferenceKind::Call;
        if self.open.inherits_names() && self.members.contains(first.as_str()) {
            for class in self.types_with_bare_members(file, scope) {
                if self.referent(file, &qualify(&class, first)).is_some() {
                    break;
                }
                let found = self.inherited(file, &class, first);
                let Inherited::Found(full, referent) = found else { continue };
                if self.hides(referent, expects_type) {
                    let resolved = self.descend(file, (full, referent), rest);
                    return Some(ResolvedPath { imported: true, ..resolved });
                }
            }
        }
        self.resolve_path(file, scope, path, expects_type)
    }

    /// Resolves a path in a scope: looks up the first part, then follows the others. A value does
    /// not hide a type where only a type can be meant.
    fn resolve_path(
        &self,
        file: FileId,
        scope: &str,
        path: &[String],
        expects_type: bool,
    ) -> Option<ResolvedPath> {
        let (first, rest) = path.split_first()?;
        if first.is_empty() {
            // A path from the root: `::a::b`, `\A\B`.
            let (first, rest) = rest.split_first()?;
            let referent = self.referent(file, first)?;
            return Some(self.descend(file, (first.clone(), referent), rest));
        }
        for step in self.open.lookup_steps(file, scope, first) {
            let mut found: Vec<(String, Referent)> = Vec::new();
            for full in step.names {
                let referent = self.referent(file, &full);
                let referent = referent
                    .map(|referent| if expects_type { self.as_type(referent) } else { referent });
                let fits = |referent: &Referent| {
                    (!step.only_functions || self.is_function(*referent))
                        && !(expects_type && self.is_not_a_type(*referent))
                };
                if let Some(referent) = referent.filter(fits)
                    && !found.iter().any(|(known, _)| *known == full)
                {
                    found.push((full, referent));
                }
            }
            match found.len() {
                0 => {}
                1 => {
                    let resolved = self.descend(file, found.swap_remove(0), rest);
                    return Some(ResolvedPath { imported: step.imported, ..resolved });
                }
                _ => return None,
            }
        }
        None
    }

    fn descend(
        &self,
        file: FileId,
        (mut full, mut referent): (String, Referent),
        rest: &[String],
    ) -> ResolvedPath {
        for (at, name) in rest.iter().enumerate() {
            let next = qualify(&full, name);
            let Some(inner) = self.referent(file, &next) else {
                return ResolvedPath { full, referent, rest: rest.len() - at, imported: false };
            };
            (full, referent) = (next, inner);
            referent = self.object_member(&full, referent);
        }
        ResolvedPath { full, referent, rest: 0, imported: false }
    }

    fn definition(&self, file: FileId, at: u32) -> Option<&'a Definition> {
        self.index.facts(file)?.definitions.get(at as usize)
    }

    fn is_function(&self, referent: Referent) -> bool {
        let Referent::One(file, at) = referent else { return false };
        self.definition(file, at)
            .is_some_and(|d| matches!(d.kind, DefinitionKind::Function | DefinitionKind::Value))
    }

    /// Returns true for functions and values, in languages where these cannot be types.
    fn is_not_a_type(&self, referent: Referent) -> bool {
        use DefinitionKind::{Function, Test, Value};
        let Referent::One(file, at) = referent else { return false };
        match self.definition(file, at).map(|definition| definition.kind) {
            Some(Function | Test) => self.open.inherits_names(),
            Some(Value) => !self.open.values_are_types(file),
            _ => false,
        }
    }

    /// Returns true if a member hides other definitions of its name. Where a type is expected, only
    /// a type does. Only Scala can name a function without calling it.
    fn hides(&self, referent: Referent, expects_type: bool) -> bool {
        let Referent::One(file, at) = referent else { return true };
        let is_scala = self.index.facts(file).is_some_and(|f| f.language == Language::Scala);
        let kind = self.definition(file, at).map(|definition| definition.kind);
        let is_value = kind == Some(DefinitionKind::Value);
        !self.is_not_a_type(referent) || (!expects_type && (is_value || is_scala))
    }

    /// Returns the full names of the types and modules around a scope, innermost first.
    fn enclosing_types(&self, file: FileId, scope: &str) -> Vec<String> {
        let is_there = |full: &&str| {
            let places = self.definitions.get(*full).map_or(&[][..], Vec::as_slice);
            places.iter().any(|(to, at)| {
                (*to == file || self.open.sees(file, *to, full))
                    && self.definition(*to, *at).is_some_and(|definition| {
                        is_type(definition) || definition.kind == DefinitionKind::Module
                    })
            })
        };
        enclosing_scopes(scope).filter(is_there).map(str::to_owned).collect()
    }

    /// Returns the enclosing types whose members can be used by their bare names.
    fn types_with_bare_members(&self, file: FileId, scope: &str) -> Vec<String> {
        let mut types = self.enclosing_types(file, scope);
        match self.open.member_scope() {
            MemberScope::Never => types.clear(),
            MemberScope::Innermost => types.truncate(1),
            MemberScope::AllEnclosing => {}
        }
        types
    }
}

fn add_space(spaces: &mut HashMap<String, Vec<FileId>>, space: &str, file: FileId) {
    for space in enclosing_scopes(space).filter(|space| !space.is_empty()) {
        let files = spaces.entry(space.to_owned()).or_default();
        if files.last() != Some(&file) {
            files.push(file);
        }
    }
}
