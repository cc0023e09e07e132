//! Values that types have: a call on one is a call on a value.

use std::collections::HashSet;

use crate::Language;
use crate::facts::{Definition, DefinitionKind, ReferenceKind};

/// What is in the definitions of a file, by the place of what it is in.
pub(super) struct TypeMembers<'d> {
    values: HashSet<(u32, &'d str)>,
    functions: HashSet<(u32, &'d str)>,
}

impl<'d> TypeMembers<'d> {
    /// In other languages than these, values are declarations of functions as well.
    pub(super) fn new(language: Language, definitions: &'d [Definition]) -> TypeMembers<'d> {
        use Language::{CSharp, Kotlin, Scala, Swift};
        let known = matches!(language, CSharp | Kotlin | Scala | Swift);
        let definitions = if known { definitions } else { &[] };
        let of_kind = |kind: DefinitionKind| {
            let named = definitions.iter().filter(move |one| one.kind == kind);
            named.filter_map(|one| Some((one.parent?, one.name.as_str()))).collect()
        };
        TypeMembers {
            values: of_kind(DefinitionKind::Value),
            functions: of_kind(DefinitionKind::Function),
        }
    }

    /// Whether a name means a value of a type around its use. A name alone that is not called can be
    /// that of a type, and one that is called can be that of a function.
    pub(super) fn is_value(
        &self,
        definitions: &[Definition],
        from: Option<u32>,
        path: &[String],
        kind: ReferenceKind,
    ) -> bool {
        let [name, rest @ ..] = path else { return false };
        if self.values.is_empty() || (rest.is_empty() && kind != ReferenceKind::Call) {
            return false;
        }
        let parent = |at: &u32| definitions[*at as usize].parent;
        let mut around = std::iter::successors(from, parent);
        let is_member = |at: &u32| {
            let key = (*at, name.as_str());
            self.values.contains(&key) || self.functions.contains(&key)
        };
        let nearest = around.find(is_member);
        nearest.is_some_and(|at| !rest.is_empty() || !self.functions.contains(&(at, name)))
    }
}
