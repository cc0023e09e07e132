//! A class of Scala and the object beside it share a name, but not their members.

use super::{DefinitionId, NamespaceIndex, Referent};
use crate::Language;
use crate::facts::{Definition, DefinitionKind, FileFacts};
use crate::project::FileId;

impl NamespaceIndex<'_> {
    /// A member of a type around a place: of a class and the object beside it, the one that is around,
    /// unless those of the other are imported.
    pub(super) fn around(
        &self,
        file: FileId,
        from: Option<u32>,
        full: &str,
        pick: Referent,
    ) -> Option<Referent> {
        let Some((facts, at)) = self.in_scala(pick).filter(|_| is_in(pick, file)) else {
            return Some(pick);
        };
        let parent = |at: &u32| facts.definitions[*at as usize].parent;
        let around: Vec<u32> = std::iter::successors(from, parent).collect();
        let is_own = |of: u32| around.contains(&of);
        if let Some(own) = self.same_name(full, file).find(|at| parent(at).is_some_and(is_own)) {
            return Some(Referent::One(file, own));
        }
        let hides = |one: &u32| {
            let of = parent(&at).filter(|of| are_beside(facts, *one, *of));
            of.is_some_and(|of| !is_imported(facts, &facts.definitions[of as usize].name))
        };
        (!around.iter().any(hides)).then_some(pick)
    }

    /// A member that is named with what has it: that of the object, if it has one.
    pub(super) fn of_object(&self, full: &str, pick: Referent) -> Referent {
        let (Some((facts, _)), Referent::One(file, _)) = (self.in_scala(pick), pick) else {
            return pick;
        };
        let of_object = self.same_name(full, file).find(|at| is_of_object(facts, *at));
        of_object.map_or(pick, |at| Referent::One(file, at))
    }

    /// A member that others may have from a type: nobody has one from an object.
    pub(super) fn of_class(&self, full: &str, pick: Referent) -> Option<Referent> {
        let (Some((facts, _)), Referent::One(file, _)) = (self.in_scala(pick), pick) else {
            return Some(pick);
        };
        let mut all = self.same_name(full, file);
        all.find(|at| !is_of_object(facts, *at)).map(|at| Referent::One(file, at))
    }

    fn in_scala(&self, pick: Referent) -> Option<(&FileFacts, u32)> {
        let Referent::One(file, at) = pick else { return None };
        let facts = self.index.facts(file)?;
        (facts.language == Language::Scala).then_some((facts, at))
    }

    /// What a file defines under a full name.
    fn same_name(&self, full: &str, file: FileId) -> impl Iterator<Item = u32> {
        let places: &[DefinitionId] = self.definitions.get(full).map_or(&[], Vec::as_slice);
        places.iter().filter(move |place| place.0 == file).map(|place| place.1)
    }
}

fn is_in(pick: Referent, file: FileId) -> bool {
    matches!(pick, Referent::One(of, _) if of == file)
}

fn is_object(definition: &Definition) -> bool {
    definition.kind == DefinitionKind::Object
}

fn is_of_object(facts: &FileFacts, at: u32) -> bool {
    let parent = facts.definitions[at as usize].parent;
    parent.is_some_and(|parent| is_object(&facts.definitions[parent as usize]))
}

/// Whether members of an object are imported by a file, wherever that counts.
fn is_imported(facts: &FileFacts, object: &str) -> bool {
    facts.imports.iter().any(|import| import.module.rsplit('.').next() == Some(object))
}

/// Whether one of two definitions is the object beside the other.
fn are_beside(facts: &FileFacts, one: u32, other: u32) -> bool {
    let (one, other) = (&facts.definitions[one as usize], &facts.definitions[other as usize]);
    one.name == other.name && one.parent == other.parent && is_object(one) != is_object(other)
}
