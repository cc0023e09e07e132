//! Names that are known around a place alone: what functions define inside of them, and members of
//! types that have no full name, because they are inside a function or have no name at all.

use super::super::scopes::{holds, is_type, scope};
use super::bases::Inherited;
use super::{NamespaceIndex, Referent, ResolvedPath};
use crate::Language;
use crate::facts::{Definition, DefinitionKind, FileFacts};
use crate::project::{FileId, MemberScope};

/// How many local types may be based on each other.
const MOST_BASES: usize = 8;

/// What a name means to the functions around a place.
pub(super) enum LocalLookup {
    Found(ResolvedPath),
    /// It may be one of something unknown, which comes first.
    Hidden,
    /// Nothing; and whether no type there is based on something unknown, which may have it.
    Outside {
        certain: bool,
    },
}

impl NamespaceIndex<'_> {
    /// What a path means to the functions around a place, the innermost first.
    pub(super) fn near(&self, file: FileId, from: Option<u32>, path: &[String]) -> LocalLookup {
        self.near_within(file, from, path, MOST_BASES)
    }

    fn near_within(
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
        for at in local(facts, from) {
            let is_object = is_object(&facts.definitions[at as usize]);
            if is_object && self.open.member_scope() == MemberScope::Never {
                continue;
            }
            let found = match child(facts, at, first) {
                Some(inner) => Some(descend(facts, file, inner, rest)),
                None => match self.inherited_near(file, at, first, bases) {
                    Inherited::Found(full, Referent::One(_, inner)) if full.is_empty() => {
                        Some(descend(facts, file, inner, rest))
                    }
                    Inherited::Found(full, pick) => {
                        let meaning = self.descend(file, (full, pick), rest);
                        Some(ResolvedPath { imported: true, ..meaning })
                    }
                    Inherited::Unknown => {
                        certain = false;
                        None
                    }
                    Inherited::Absent => None,
                },
            };
            if let Some(found) = found {
                let is_meant = certain || !self.is_function(found.pick);
                return if is_meant { LocalLookup::Found(found) } else { LocalLookup::Hidden };
            }
            if is_object && self.open.member_scope() == MemberScope::Innermost {
                break;
            }
        }
        LocalLookup::Outside { certain }
    }

    /// A member that a local type has from those it is based on.
    fn inherited_near(&self, file: FileId, at: u32, name: &str, bases: usize) -> Inherited {
        let Some(facts) = self.index.facts(file) else { return Inherited::Unknown };
        let mut all_known = true;
        for base in based_on(facts, at) {
            let Some(left) = bases.checked_sub(1) else { return Inherited::Unknown };
            match self.member_near(file, facts.definitions[at as usize].parent, &base, name, left) {
                Inherited::Unknown => all_known = false,
                Inherited::Absent => {}
                found => return found,
            }
        }
        if all_known { Inherited::Absent } else { Inherited::Unknown }
    }

    /// A member of a type that is named in a place.
    fn member_near(
        &self,
        file: FileId,
        from: Option<u32>,
        path: &[String],
        name: &str,
        bases: usize,
    ) -> Inherited {
        let Some(facts) = self.index.facts(file) else { return Inherited::Unknown };
        let found = match self.near_within(file, from, path, bases) {
            LocalLookup::Found(found) => Some(found),
            LocalLookup::Hidden => None,
            LocalLookup::Outside { .. } => {
                self.meaning(file, &scope(facts, from), &self.open.as_defined(path), true)
            }
        };
        match found {
            // One that is inside a function as well.
            Some(ResolvedPath { full, pick: Referent::One(_, at), rest: 0, .. })
                if full.is_empty() =>
            {
                match child(facts, at, name) {
                    Some(inner) => Inherited::Found(String::new(), Referent::One(file, inner)),
                    None => self.inherited_near(file, at, name, bases),
                }
            }
            Some(ResolvedPath { full, pick, rest: 0, .. }) if self.is_type(pick) => {
                self.member(file, &full, name)
            }
            _ => Inherited::Unknown,
        }
    }

    fn is_type(&self, pick: Referent) -> bool {
        let Referent::One(file, at) = pick else { return false };
        self.definition(file, at).is_some_and(is_type)
    }
}

/// The definitions around a place that know what nobody outside does, the innermost first.
fn local(facts: &FileFacts, from: Option<u32>) -> Vec<u32> {
    // What is inside another is as global as all others there.
    if facts.language == Language::C {
        return Vec::new();
    }
    let parent = |at: &u32| facts.definitions[*at as usize].parent;
    let mut around: Vec<u32> = std::iter::successors(from, parent).collect();
    let outermost = around.iter().rposition(|at| !holds(&facts.definitions[*at as usize]));
    around.truncate(outermost.map_or(0, |at| at + 1));
    around
}

/// Whether what is in a definition are members of an object.
fn is_object(definition: &Definition) -> bool {
    is_type(definition) || definition.kind == DefinitionKind::Anonymous
}

/// What is defined right inside of a definition under a name: functions and types before values.
fn child(facts: &FileFacts, of: u32, name: &str) -> Option<u32> {
    let inner = (of + 1..).zip(facts.definitions.get(of as usize + 1..)?);
    // In a function of C++, only what is known elsewhere can be declared.
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

/// What follows from a local definition: one in another, as far as they are known.
fn descend(facts: &FileFacts, file: FileId, start: u32, path: &[String]) -> ResolvedPath {
    let mut at = start;
    let mut rest = path.len();
    for name in path {
        let Some(inner) = child(facts, at, name) else { break };
        (at, rest) = (inner, rest - 1);
    }
    ResolvedPath { full: String::new(), pick: Referent::One(file, at), rest, imported: false }
}

/// What a type is based on.
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
