//! What types have from those they are based on.

use std::sync::{Arc, PoisonError};

use super::super::scopes::{inside, scope};
use super::{NamespaceIndex, Referent, VisibleName};
use crate::facts::{DefinitionKind, Reference};
use crate::project::FileId;

/// How many types are asked for a member before it is taken for unknown.
const MOST_BASES: usize = 64;

/// What a type has from those it is based on.
pub(super) enum Inherited {
    /// By its full name; it has none inside a function.
    Found(String, Referent),
    Absent,
    /// One of them is not known, and may have anything.
    Unknown,
}

/// All that a type is based on, directly or not, in the order in which members are looked for.
pub(super) struct Ancestry {
    bases: Vec<VisibleName>,
    all_known: bool,
}

impl NamespaceIndex<'_> {
    /// A member of a type, its own or one that it has from others.
    pub(super) fn member(&self, file: FileId, class: &str, name: &str) -> Inherited {
        let full = inside(class, name);
        match self.pick(file, &full).and_then(|pick| self.of_class(&full, pick)) {
            Some(pick) => Inherited::Found(full, pick),
            None => self.inherited(file, class, name),
        }
    }

    /// A member of what a type is based on.
    pub(super) fn inherited(&self, file: FileId, class: &str, name: &str) -> Inherited {
        let ancestry = self.ancestry(file, class);
        for (from, base) in &ancestry.bases {
            let full = inside(base, name);
            let pick = self.pick(*from, &full);
            if let Some(pick) = pick.and_then(|pick| self.of_class(&full, pick)) {
                return Inherited::Found(full, pick);
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

    /// Adds what a type is based on, and what that is based on.
    fn climb(&self, (file, class): &VisibleName, asked: &mut Vec<String>, found: &mut Ancestry) {
        // Types may be based on each other in circles, and on the same one in many ways.
        if asked.contains(class) {
            return;
        }
        if asked.len() == MOST_BASES {
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
            // An object is nothing that others are based on.
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
                let base = self.meaning(*to, &outer, &base.path, true);
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
