//! Members that types inherit from their bases.

use std::sync::{Arc, PoisonError};

use super::super::scopes::{qualify, scope};
use super::{NamespaceIndex, Referent, VisibleName};
use crate::facts::{DefinitionKind, Reference};
use crate::project::FileId;

/// The maximum number of ancestors to search for a member.
const MAX_BASES: usize = 64;

/// The result of looking for an inherited member.
pub(super) enum Inherited {
    /// The member with its full name, which is empty inside a function.
    Found(String, Referent),
    Absent,
    /// An unknown base may have any member.
    Unknown,
}

/// All direct and indirect bases of a type, in the order of member lookup.
pub(super) struct Ancestry {
    bases: Vec<VisibleName>,
    all_known: bool,
}

impl NamespaceIndex<'_> {
    /// Looks for a member of a type, its own or inherited.
    pub(super) fn member(&self, file: FileId, class: &str, name: &str) -> Inherited {
        let full = qualify(class, name);
        match self.referent(file, &full).and_then(|referent| self.class_member(&full, referent)) {
            Some(referent) => Inherited::Found(full, referent),
            None => self.inherited(file, class, name),
        }
    }

    /// Looks for a member in the bases of a type.
    pub(super) fn inherited(&self, file: FileId, class: &str, name: &str) -> Inherited {
        let ancestry = self.ancestry(file, class);
        for (from, base) in &ancestry.bases {
            let full = qualify(base, name);
            let referent = self.referent(*from, &full);
            if let Some(referent) = referent.and_then(|referent| self.class_member(&full, referent))
            {
                return Inherited::Found(full, referent);
            }
        }
        if ancestry.all_known { Inherited::Absent } else { Inherited::Unknown }
    }

    fn ancestry(&self, file: FileId, class: &str) -> Arc<Ancestry> {
        let seen = (file, class.to_owned());
        let known = || self.ancestries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&seen) {
            return Arc::clone(found);
        }
        let mut ancestry = Ancestry { bases: Vec::new(), all_known: true };
        self.climb(&seen, &mut Vec::new(), &mut ancestry);
        let ancestry = Arc::new(ancestry);
        known().insert(seen, Arc::clone(&ancestry));
        ancestry
    }

    /// Adds the bases of a type, and recursively theirs.
    fn climb(&self, (file, class): &VisibleName, asked: &mut Vec<String>, found: &mut Ancestry) {
        // Bases may form cycles, and may be reached in several ways.
        if asked.contains(class) {
            return;
        }
        if asked.len() == MAX_BASES {
            found.all_known = false;
            return;
        }
        let is_asked_about = asked.is_empty();
        asked.push(class.clone());
        let places = self.definitions.get(class).map_or(&[][..], Vec::as_slice);
        found.all_known &= !self.open.only_reopens(class, places, places);
        let seen = places.iter().filter(|(to, _)| to == file || self.open.sees(*file, *to, class));
        for (to, at) in seen {
            let Some(facts) = self.index.facts(*to) else { continue };
            // Objects cannot be extended.
            let is_object = facts.definitions[*at as usize].kind == DefinitionKind::Object;
            if is_object && !is_asked_about {
                continue;
            }
            let outer = scope(facts, facts.definitions[*at as usize].parent);
            let mut bases: Vec<&Reference> = { facts.references.iter() }
                .filter(|reference| reference.from == Some(*at) && reference.is_base())
                .collect();
            self.open.order_bases(&mut bases);
            for base in bases {
                let base = self.resolve_path(*to, &outer, &base.path, true);
                let Some(base) = base.filter(|base| base.rest == 0 && base.full != *class) else {
                    found.all_known = false;
                    continue;
                };
                let base = (*to, base.full);
                found.bases.push(base.clone());
                self.climb(&base, asked, found);
            }
        }
    }
}
