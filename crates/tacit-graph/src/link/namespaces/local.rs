//! Local names: definitions inside functions, and members of types without a full name, because
//! they are anonymous or inside a function.

use super::super::scopes::{is_named_scope, is_type, scope};
use super::bases::Inherited;
use super::{NamespaceIndex, Referent, ResolvedPath};
use crate::Language;
use crate::facts::{Definition, DefinitionKind, FileFacts};
use crate::project::{FileId, MemberScope};

/// The maximum depth of local types based on each other.
const MAX_BASES: usize = 8;

/// The result of looking up a name in the enclosing functions.
pub(super) enum LocalLookup {
    Found(ResolvedPath),
    /// The name may be inherited from an unknown base, which would come first.
    Hidden,
    /// The name is not local. `certain` is false if an unknown base may have it.
    Outside {
        certain: bool,
    },
}

impl NamespaceIndex<'_> {
    /// Looks up a path in the enclosing functions, the innermost first.
    pub(super) fn lookup_local(
        &self,
        file: FileId,
        from: Option<u32>,
        path: &[String],
    ) -> LocalLookup {
        self.lookup_local_within(file, from, path, MAX_BASES)
    }

    fn lookup_local_within(
        &self,
        file: FileId,
        from: Option<u32>,
        path: &[String],
        bases: usize,
    ) -> LocalLookup {
        let mut certain = true;
        let (Some(facts), Some((first, rest))) = (self.index.facts(file), path.split_first())
        else {
            return LocalLookup::Outside { certain };
        };
        for at in local_scopes(facts, from) {
            let is_object = is_object(&facts.definitions[at as usize]);
            if is_object && self.open.member_scope() == MemberScope::Never {
                continue;
            }
            let found = match child(facts, at, first) {
                Some(inner) => Some(descend(facts, file, inner, rest)),
                None => match self.inherited_local(file, at, first, bases) {
                    Inherited::Found(full, Referent::One(_, inner)) if full.is_empty() => {
                        Some(descend(facts, file, inner, rest))
                    }
                    Inherited::Found(full, referent) => {
                        let resolved = self.descend(file, (full, referent), rest);
                        Some(ResolvedPath { imported: true, ..resolved })
                    }
                    Inherited::Unknown => {
                        certain = false;
                        None
                    }
                    Inherited::Absent => None,
                },
            };
            if let Some(found) = found {
                let is_certain = certain || !self.is_function(found.referent);
                return if is_certain { LocalLookup::Found(found) } else { LocalLookup::Hidden };
            }
            if is_object && self.open.member_scope() == MemberScope::Innermost {
                break;
            }
        }
        LocalLookup::Outside { certain }
    }

    /// Looks for a member that a local type inherits.
    fn inherited_local(&self, file: FileId, at: u32, name: &str, bases: usize) -> Inherited {
        let Some(facts) = self.index.facts(file) else { return Inherited::Unknown };
        let mut all_known = true;
        for base in based_on(facts, at) {
            let Some(left) = bases.checked_sub(1) else { return Inherited::Unknown };
            match self.member_of_local(
                file,
                facts.definitions[at as usize].parent,
                &base,
                name,
                left,
            ) {
                Inherited::Unknown => all_known = false,
                Inherited::Absent => {}
                found => return found,
            }
        }
        if all_known { Inherited::Absent } else { Inherited::Unknown }
    }

    /// Looks for a member of a type that is named at a place.
    fn member_of_local(
        &self,
        file: FileId,
        from: Option<u32>,
        path: &[String],
        name: &str,
        bases: usize,
    ) -> Inherited {
        let Some(facts) = self.index.facts(file) else { return Inherited::Unknown };
        let found = match self.lookup_local_within(file, from, path, bases) {
            LocalLookup::Found(found) => Some(found),
            LocalLookup::Hidden => None,
            LocalLookup::Outside { .. } => {
                self.resolve_path(file, &scope(facts, from), &self.open.as_defined(path), true)
            }
        };
        match found {
            // The type is local too.
            Some(ResolvedPath { full, referent: Referent::One(_, at), rest: 0, .. })
                if full.is_empty() =>
            {
                match child(facts, at, name) {
                    Some(inner) => Inherited::Found(String::new(), Referent::One(file, inner)),
                    None => self.inherited_local(file, at, name, bases),
                }
            }
            Some(ResolvedPath { full, referent, rest: 0, .. }) if self.is_type(referent) => {
                self.member(file, &full, name)
            }
            _ => Inherited::Unknown,
        }
    }

    fn is_type(&self, referent: Referent) -> bool {
        let Referent::One(file, at) = referent else { return false };
        self.definition(file, at).is_some_and(is_type)
    }
}

/// Returns the enclosing definitions with local names, the innermost first.
fn local_scopes(facts: &FileFacts, from: Option<u32>) -> Vec<u32> {
    // In C, nested structs are global.
    if facts.language == Language::C {
        return Vec::new();
    }
    let parent = |at: &u32| facts.definitions[*at as usize].parent;
    let mut around: Vec<u32> = std::iter::successors(from, parent).collect();
    let outermost = around.iter().rposition(|at| !is_named_scope(&facts.definitions[*at as usize]));
    around.truncate(outermost.map_or(0, |at| at + 1));
    around
}

/// Returns true if nested definitions are members of an object.
fn is_object(definition: &Definition) -> bool {
    is_type(definition) || definition.kind == DefinitionKind::Anonymous
}

/// Returns the direct child of a definition with a name. Functions and types come before values.
fn child(facts: &FileFacts, of: u32, name: &str) -> Option<u32> {
    let inner = (of + 1..).zip(facts.definitions.get(of as usize + 1..)?);
    // In a function of C++, a declaration refers to something defined elsewhere.
    let declares = facts.language == Language::Cpp && !is_object(&facts.definitions[of as usize]);
    let is_value = |one: &Definition| one.kind == DefinitionKind::Value;
    let mut named = inner
        .take_while(|(_, one)| one.parent.is_some_and(|parent| parent >= of))
        .filter(|(_, one)| one.parent == Some(of) && one.name == name && one.binds)
        .filter(|(_, one)| !(declares && is_value(one)))
        .filter(|(_, one)| {
            !matches!(one.kind, DefinitionKind::Anonymous | DefinitionKind::Extension)
        });
    let first = named.next()?;
    let real = std::iter::once(first).chain(named).find(|(_, one)| !is_value(one));
    Some(real.unwrap_or(first).0)
}

/// Follows a path from a local definition as far as its parts are known.
fn descend(facts: &FileFacts, file: FileId, start: u32, path: &[String]) -> ResolvedPath {
    let mut at = start;
    let mut rest = path.len();
    for name in path {
        let Some(inner) = child(facts, at, name) else { break };
        (at, rest) = (inner, rest - 1);
    }
    ResolvedPath { full: String::new(), referent: Referent::One(file, at), rest, imported: false }
}

/// Returns the bases of a type.
fn based_on(facts: &FileFacts, at: u32) -> Vec<Vec<String>> {
    let definition = &facts.definitions[at as usize];
    if definition.kind == DefinitionKind::Anonymous {
        let bases = definition.name.split(',').filter(|base| !base.is_empty());
        return bases.map(|base| base.split('.').map(str::to_owned).collect()).collect();
    }
    if !is_type(definition) {
        return Vec::new();
    }
    let bases = facts.references.iter().filter(|one| one.from == Some(at) && one.is_base());
    bases.map(|base| base.path.clone()).collect()
}
