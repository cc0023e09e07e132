//! Names in languages whose namespaces are open: many files add to one, and a name means what any
//! file in sight puts there. What is in sight, and where a name is looked for, is said by the
//! language ([`Open`]).

mod bases;
mod companions;
mod local;
mod referent;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use super::name_resolver::ResolvedName;
use super::scopes::{full_names, inside, is_base, is_local, is_own, is_type, outward, scope};
use crate::Language;
use crate::facts::{Definition, DefinitionKind, Reference, ReferenceKind};
use crate::graph::EdgeOrigin;
use crate::project::{FileId, MemberScope, OpenNamespaces, ProjectIndex};
use bases::{Ancestry, Inherited};
use local::LocalLookup;

/// A definition, by its file and its place in it.
type DefinitionId = (FileId, u32);

/// A full name as seen from a file.
type VisibleName = (FileId, String);

/// Everything that the open namespaces of a family of languages hold, by full name: `shop.Cart.add`.
pub(super) struct NamespaceIndex<'a> {
    index: &'a ProjectIndex<'a>,
    open: &'a dyn OpenNamespaces,
    definitions: HashMap<String, Vec<DefinitionId>>,
    /// The files that add to a namespace.
    spaces: HashMap<String, Vec<FileId>>,
    /// What members of types are called.
    members: HashSet<&'a str>,
    /// What types are based on, as seen from a file, once somebody asked.
    ancestries: Mutex<HashMap<VisibleName, Arc<Ancestry>>>,
}

/// What a full name stands for, as seen from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Referent {
    One(FileId, u32),
    /// Several things, or one in several pieces: no target, but what is in it can be.
    Several,
}

/// What a path means: its full name as far as it is known, and how many parts are not. What is inside
/// a function has no full name.
struct ResolvedPath {
    full: String,
    pick: Referent,
    rest: usize,
    /// Whether the file is known to use it anyway: it imports it, or is based on what has it.
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
                // `class A::B` makes a namespace of `A`, wherever that is defined.
                if definition.kind == DefinitionKind::Module || definition.name.contains('.') {
                    add_space(&mut spaces, &full, file);
                }
                definitions.entry(full).or_insert_with(Vec::new).push((file, at));
            }
        }
        NamespaceIndex { index, open, definitions, spaces, members, ancestries: Mutex::default() }
    }

    /// What a reference means; none if that is not certain.
    pub(super) fn reference(&self, file: FileId, reference: &Reference) -> Option<ResolvedName> {
        let facts = self.index.facts(file)?;
        let scope = scope(facts, reference.from);
        let found = match reference.path.as_slice() {
            [own, _]
                if (is_own(own) || is_base(own))
                    && (is_local(facts, reference.from)
                        || !self.knows_receiver(file, reference.from)) =>
            {
                return None;
            }
            [own, name] if is_own(own) || is_base(own) => {
                let class = self.types(file, &scope).into_iter().next()?;
                let name = self.open.own_member_name(&scope, &class, name);
                let full = inside(&class, &name);
                let pick = self.pick(file, &full).filter(|_| !is_base(own));
                match pick.and_then(|pick| self.around(file, reference.from, &full, pick)) {
                    Some(pick) => ResolvedPath { full, pick, rest: 0, imported: false },
                    None => match self.inherited(file, &class, &name) {
                        Inherited::Found(full, pick) => {
                            ResolvedPath { full, pick, rest: 0, imported: true }
                        }
                        _ => return None,
                    },
                }
            }
            path @ [first, ..] => {
                let certain = match self.near(file, reference.from, path) {
                    LocalLookup::Found(found) => return self.target(file, reference, &found),
                    LocalLookup::Hidden => return None,
                    LocalLookup::Outside { certain } => certain,
                };
                let is_call = path.len() == 1 && reference.kind == ReferenceKind::Call;
                if is_call && self.open.member_scope() != MemberScope::Never {
                    self.called(file, reference.from, &scope, first, certain)?
                } else {
                    let path = self.open.as_defined(path);
                    let found = self.named(file, &scope, &path, reference.kind)?;
                    // What is not known of a type may be no member of it, but of something with the
                    // same name that the type around has from an unknown one.
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
        self.target(file, reference, &found)
    }

    /// What a reference leads to that means this.
    fn target(
        &self,
        file: FileId,
        reference: &Reference,
        found: &ResolvedPath,
    ) -> Option<ResolvedName> {
        let mut whole = found.rest == 0;
        let is_type = whole && reference.kind != ReferenceKind::Call;
        let pick = if is_type { self.as_type(found.pick) } else { found.pick };
        let Referent::One(to, mut definition) = pick else { return None };
        // Of a value in a type, the type is known.
        if let Some(parent) = self.holder(to, definition) {
            (definition, whole) = (parent, false);
        }
        let origin = match () {
            () if to == file => EdgeOrigin::Scope,
            () if found.imported => EdgeOrigin::Import,
            () => self.open.origin(),
        };
        Some(ResolvedName { file: to, definition: Some(definition), origin, whole })
    }

    /// A function that is called by its name alone: members of the types around come first, and
    /// where such a type is based on something unknown, nobody knows what lies further out.
    fn called(
        &self,
        file: FileId,
        from: Option<u32>,
        scope: &str,
        name: &str,
        certain: bool,
    ) -> Option<ResolvedPath> {
        let mut certain = certain && self.knows_receiver(file, from);
        for class in self.members_of(file, scope) {
            let name = self.open.own_member_name(scope, &class, name);
            let full = inside(&class, &name);
            let own = self.pick(file, &full);
            if let Some(pick) = own.and_then(|pick| self.around(file, from, &full, pick)) {
                let known = certain || !self.is_function(pick);
                return known.then_some(ResolvedPath { full, pick, rest: 0, imported: false });
            }
            match self.inherited(file, &class, &name) {
                Inherited::Found(full, pick) => {
                    return certain.then_some(ResolvedPath { full, pick, rest: 0, imported: true });
                }
                Inherited::Unknown => certain = false,
                Inherited::Absent => {}
            }
        }
        let found = self.meaning(file, scope, &[name.to_owned()], false)?;
        let found =
            ResolvedPath { pick: self.around(file, from, &found.full, found.pick)?, ..found };
        (certain || !self.is_function(found.pick)).then_some(found)
    }

    /// Whether the types are known that functions around a place add to: `fun Cart.total()`,
    /// `extension Cart`.
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
            let is_known = |of: &str| self.types(file, of).first().is_some_and(|at| at == of);
            if of_type.is_some_and(|of| !is_known(of)) {
                return false;
            }
            next = definition.parent;
        }
        true
    }

    /// Whether a name that no type around defines is not one of an unknown type they are based on.
    fn is_certain(&self, file: FileId, scope: &str, name: &str) -> bool {
        !self.open.may_be_inherited(name) || { self.members_of(file, scope) }
            .iter()
            .all(|class| !matches!(self.inherited(file, class, name), Inherited::Unknown))
    }

    /// What a path means in a scope. What a type around has from those it is based on hides what lies
    /// further out.
    fn named(
        &self,
        file: FileId,
        scope: &str,
        path: &[String],
        kind: ReferenceKind,
    ) -> Option<ResolvedPath> {
        let (first, rest) = path.split_first()?;
        let of_type = rest.is_empty() && kind != ReferenceKind::Call;
        if self.open.inherits_names() && self.members.contains(first.as_str()) {
            for class in self.members_of(file, scope) {
                if self.pick(file, &inside(&class, first)).is_some() {
                    break;
                }
                let found = self.inherited(file, &class, first);
                let Inherited::Found(full, pick) = found else { continue };
                if self.hides(pick, of_type) {
                    let meaning = self.descend(file, (full, pick), rest);
                    return Some(ResolvedPath { imported: true, ..meaning });
                }
            }
        }
        self.meaning(file, scope, path, of_type)
    }

    /// What a path means in a scope: its first part decides where, the others follow from it. A name
    /// that can only be that of a type is not hidden by a value.
    fn meaning(
        &self,
        file: FileId,
        scope: &str,
        path: &[String],
        of_type: bool,
    ) -> Option<ResolvedPath> {
        let (first, rest) = path.split_first()?;
        if first.is_empty() {
            // Written from the root: `::a::b`, `\A\B`.
            let (first, rest) = rest.split_first()?;
            let pick = self.pick(file, first)?;
            return Some(self.descend(file, (first.clone(), pick), rest));
        }
        for step in self.open.lookup_steps(file, scope, first) {
            let mut found: Vec<(String, Referent)> = Vec::new();
            for full in step.names {
                let pick = self.pick(file, &full);
                let pick = pick.map(|pick| if of_type { self.as_type(pick) } else { pick });
                let fits = |pick: &Referent| {
                    (!step.only_functions || self.is_function(*pick))
                        && !(of_type && self.is_no_type(*pick))
                };
                if let Some(pick) = pick.filter(fits)
                    && !found.iter().any(|(known, _)| *known == full)
                {
                    found.push((full, pick));
                }
            }
            match found.len() {
                0 => {}
                1 => {
                    let meaning = self.descend(file, found.swap_remove(0), rest);
                    return Some(ResolvedPath { imported: step.imported, ..meaning });
                }
                _ => return None,
            }
        }
        None
    }

    fn descend(
        &self,
        file: FileId,
        (mut full, mut pick): (String, Referent),
        rest: &[String],
    ) -> ResolvedPath {
        for (at, name) in rest.iter().enumerate() {
            let next = inside(&full, name);
            let Some(inner) = self.pick(file, &next) else {
                return ResolvedPath { full, pick, rest: rest.len() - at, imported: false };
            };
            (full, pick) = (next, inner);
            pick = self.of_object(&full, pick);
        }
        ResolvedPath { full, pick, rest: 0, imported: false }
    }

    fn definition(&self, file: FileId, at: u32) -> Option<&'a Definition> {
        self.index.facts(file)?.definitions.get(at as usize)
    }

    fn is_function(&self, pick: Referent) -> bool {
        let Referent::One(file, at) = pick else { return false };
        self.definition(file, at)
            .is_some_and(|d| matches!(d.kind, DefinitionKind::Function | DefinitionKind::Value))
    }

    /// Whether it is a function or a value, in a language in which these are no types.
    fn is_no_type(&self, pick: Referent) -> bool {
        use DefinitionKind::{Function, Test, Value};
        let Referent::One(file, at) = pick else { return false };
        match self.definition(file, at).map(|definition| definition.kind) {
            Some(Function | Test) => self.open.inherits_names(),
            Some(Value) => !self.open.values_are_types(file),
            _ => false,
        }
    }

    /// Whether a member hides others of its name: where a type is meant, it is one, and functions are
    /// named without a call in Scala alone.
    fn hides(&self, pick: Referent, of_type: bool) -> bool {
        let Referent::One(file, at) = pick else { return true };
        let is_scala = self.index.facts(file).is_some_and(|f| f.language == Language::Scala);
        let kind = self.definition(file, at).map(|definition| definition.kind);
        let is_value = kind == Some(DefinitionKind::Value);
        !self.is_no_type(pick) || (!of_type && (is_value || is_scala))
    }

    /// The full names of the types and modules around a scope, innermost first.
    fn types(&self, file: FileId, scope: &str) -> Vec<String> {
        let is_there = |full: &&str| {
            let places = self.definitions.get(*full).map_or(&[][..], Vec::as_slice);
            places.iter().any(|(to, at)| {
                (*to == file || self.open.sees(file, *to, full))
                    && self.definition(*to, *at).is_some_and(|definition| {
                        is_type(definition) || definition.kind == DefinitionKind::Module
                    })
            })
        };
        outward(scope).filter(is_there).map(str::to_owned).collect()
    }

    /// Those of them whose members are known by their names alone.
    fn members_of(&self, file: FileId, scope: &str) -> Vec<String> {
        let mut types = self.types(file, scope);
        match self.open.member_scope() {
            MemberScope::Never => types.clear(),
            MemberScope::Innermost => types.truncate(1),
            MemberScope::AllEnclosing => {}
        }
        types
    }
}

fn add_space(spaces: &mut HashMap<String, Vec<FileId>>, space: &str, file: FileId) {
    for space in outward(space).filter(|space| !space.is_empty()) {
        let files = spaces.entry(space.to_owned()).or_default();
        if files.last() != Some(&file) {
            files.push(file);
        }
    }
}
