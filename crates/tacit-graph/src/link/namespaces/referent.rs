//! Finds the definition that a full name refers to, as seen from a file.

use super::super::scopes::is_type;
use super::{DefinitionId, NamespaceIndex, Referent};
use crate::facts::{Definition, DefinitionKind};
use crate::project::FileId;

impl NamespaceIndex<'_> {
    /// Returns the referent of a full name, as seen from a file.
    pub(super) fn referent(&self, file: FileId, full: &str) -> Option<Referent> {
        let sees = |to: FileId| to == file || self.open.sees(file, to, full);
        let places = self.definitions.get(full).map_or(&[][..], Vec::as_slice);
        let hidden = |(to, at): &DefinitionId| {
            self.open.hides_private()
                && *to != file
                && self.definition(*to, *at).is_some_and(|definition| !definition.exported)
        };
        let mut seen: Vec<DefinitionId> =
            places.iter().copied().filter(|place| sees(place.0) && !hidden(place)).collect();
        if seen.iter().any(|place| self.open.is_preferred(file, place.0)) {
            seen.retain(|place| place.0 == file || self.open.is_preferred(file, place.0));
        }
        let adds = |place: &DefinitionId| {
            self.definition(place.0, place.1)
                .is_some_and(|one| is_type(one) || one.kind == DefinitionKind::Module)
        };
        if seen.iter().any(adds) && self.open.only_reopens(full, &seen, places) {
            return Some(Referent::Several);
        }
        let of_kind = |matches_kind: fn(DefinitionKind) -> bool| -> Vec<DefinitionId> {
            let kind = |(file, at): &DefinitionId| self.definition(*file, *at).map(|d| d.kind);
            seen.iter().copied().filter(|place| kind(place).is_some_and(matches_kind)).collect()
        };
        let real = of_kind(|kind| {
            use DefinitionKind::{Extension, Module, Value};
            !matches!(kind, Value | Module | Extension)
        });
        if let Some((_, at)) = real.iter().find(|place| place.0 == file) {
            return Some(Referent::One(file, *at));
        }
        if !real.is_empty() {
            return Some(self.in_one_file(&real, full));
        }
        let declared = of_kind(|kind| kind == DefinitionKind::Value);
        if !declared.is_empty() {
            let defined = self.definition_of(places, &declared, full);
            return Some(defined.unwrap_or_else(|| self.in_one_file(&declared, full)));
        }
        let modules = of_kind(|kind| kind == DefinitionKind::Module);
        if !modules.is_empty() {
            let is_package = self.open.modules_are_packages();
            return Some(match is_package {
                true => Referent::Several,
                false => self.in_one_file(&modules, full),
            });
        }
        let adds = self.spaces.get(full)?;
        adds.iter().any(|to| sees(*to)).then_some(Referent::Several)
    }

    /// Selects the type where a type is meant: a function or an object may share its name.
    pub(super) fn as_type(&self, referent: Referent) -> Referent {
        use DefinitionKind::{Class, Interface};
        let Referent::One(file, at) = referent else { return referent };
        let Some(facts) = self.index.facts(file).filter(|_| self.open.inherits_names()) else {
            return referent;
        };
        let picked = &facts.definitions[at as usize];
        let is_type = |one: &Definition| matches!(one.kind, Class | Interface);
        if is_type(picked) {
            return referent;
        }
        let beside = facts.definitions.iter().position(|other| {
            is_type(other) && other.name == picked.name && other.parent == picked.parent
        });
        beside.map_or(referent, |at| Referent::One(file, at as u32))
    }

    /// Returns the type that contains a value.
    pub(super) fn containing_type(&self, file: FileId, at: u32) -> Option<u32> {
        let facts = self.index.facts(file)?;
        let value = &facts.definitions[at as usize];
        let parent = value.parent.filter(|_| value.kind == DefinitionKind::Value)?;
        is_type(&facts.definitions[parent as usize]).then_some(parent)
    }

    /// Selects the first definition if all are in one file, or the one in the file that is named
    /// after them.
    fn in_one_file(&self, places: &[DefinitionId], full: &str) -> Referent {
        let (file, at) = places[0];
        if places.iter().all(|place| place.0 == file) {
            return Referent::One(file, at);
        }
        let last = full.rsplit('.').next().unwrap_or(full);
        let mut named = places.iter().filter(|(file, at)| {
            self.definition(*file, *at).is_some_and(is_type)
                && self.open.is_home(self.index.path(*file), last)
        });
        match (named.next(), named.next()) {
            (Some((file, at)), None) => Referent::One(*file, *at),
            _ => Referent::Several,
        }
    }

    /// Returns the definition of something that was only declared: in the only file that sees a
    /// declaration.
    fn definition_of(
        &self,
        places: &[DefinitionId],
        declared: &[DefinitionId],
        full: &str,
    ) -> Option<Referent> {
        let mut found = places.iter().filter(|(file, at)| {
            let outside = self.definition(*file, *at).is_some_and(|definition| {
                definition.exported && definition.kind == DefinitionKind::Function
            });
            outside && declared.iter().any(|(header, _)| self.open.sees(*file, *header, full))
        });
        let first = found.next()?;
        found.all(|other| other.0 == first.0).then_some(Referent::One(first.0, first.1))
    }
}
