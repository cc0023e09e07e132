//! Scala companions: a class and an object share a name, but not their members.

use super::{DefinitionId, NamespaceIndex, Referent};
use crate::Language;
use crate::facts::{Definition, DefinitionKind, FileFacts};
use crate::project::FileId;

impl NamespaceIndex<'_> {
    /// Selects the member of the enclosing class or object. The companion's members are only
    /// visible if they are imported.
    pub(super) fn in_enclosing(
        &self,
        file: FileId,
        from: Option<u32>,
        full: &str,
        referent: Referent,
    ) -> Option<Referent> {
        let Some((facts, at)) = self.in_scala(referent).filter(|_| is_in(referent, file)) else {
            return Some(referent);
        };
        let parent = |at: &u32| facts.definitions[*at as usize].parent;
        let around: Vec<u32> = std::iter::successors(from, parent).collect();
        let is_own = |of: u32| around.contains(&of);
        if let Some(own) = self.same_name(full, file).find(|at| parent(at).is_some_and(is_own)) {
            return Some(Referent::One(file, own));
        }
        let hides = |one: &u32| {
            let of = parent(&at).filter(|of| are_companions(facts, *one, *of));
            of.is_some_and(|of| !is_imported(facts, &facts.definitions[of as usize].name))
        };
        (!around.iter().any(hides)).then_some(referent)
    }

    /// Selects the object's member for a qualified name, if the object has one.
    pub(super) fn object_member(&self, full: &str, referent: Referent) -> Referent {
        let (Some((facts, _)), Referent::One(file, _)) = (self.in_scala(referent), referent) else {
            return referent;
        };
        let of_object = self.same_name(full, file).find(|at| is_of_object(facts, *at));
        of_object.map_or(referent, |at| Referent::One(file, at))
    }

    /// Selects the member that subclasses inherit: objects pass on none.
    pub(super) fn class_member(&self, full: &str, referent: Referent) -> Option<Referent> {
        let (Some((facts, _)), Referent::One(file, _)) = (self.in_scala(referent), referent) else {
            return Some(referent);
        };
        let mut all = self.same_name(full, file);
        all.find(|at| !is_of_object(facts, *at)).map(|at| Referent::One(file, at))
    }

    fn in_scala(&self, referent: Referent) -> Option<(&FileFacts, u32)> {
        let Referent::One(file, at) = referent else { return None };
        let facts = self.index.facts(file)?;
        (facts.language == Language::Scala).then_some((facts, at))
    }

    /// Returns the definitions of a file with a full name.
    fn same_name(&self, full: &str, file: FileId) -> impl Iterator<Item = u32> {
        let places: &[DefinitionId] = self.definitions.get(full).map_or(&[], Vec::as_slice);
        places.iter().filter(move |place| place.0 == file).map(|place| place.1)
    }
}

fn is_in(referent: Referent, file: FileId) -> bool {
    matches!(referent, Referent::One(of, _) if of == file)
}

fn is_object(definition: &Definition) -> bool {
    definition.kind == DefinitionKind::Object
}

fn is_of_object(facts: &FileFacts, at: u32) -> bool {
    let parent = facts.definitions[at as usize].parent;
    parent.is_some_and(|parent| is_object(&facts.definitions[parent as usize]))
}

/// Returns true if a file imports members of an object anywhere.
fn is_imported(facts: &FileFacts, object: &str) -> bool {
    facts.imports.iter().any(|import| import.module.rsplit('.').next() == Some(object))
}

/// Returns true if one definition is the companion object of the other.
fn are_companions(facts: &FileFacts, one: u32, other: u32) -> bool {
    let (one, other) = (&facts.definitions[one as usize], &facts.definitions[other as usize]);
    one.name == other.name && one.parent == other.parent && is_object(one) != is_object(other)
}
