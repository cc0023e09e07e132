//! Values of types: a call on such a name is a call on a value, whose type is unknown.

use std::collections::HashSet;

use crate::Language;
use crate::facts::{Definition, DefinitionKind, ReferenceKind};

/// The members of a file's definitions, by parent and name.
pub(super) struct TypeMembers<'d> {
    values: HashSet<(u32, &'d str)>,
    functions: HashSet<(u32, &'d str)>,
}

impl<'d> TypeMembers<'d> {
    /// Collects the members. In languages other than these four, values are also declarations of
    /// functions, so nothing is collected.
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

    /// Returns true if a name refers to a value of an enclosing type. A bare name that is not
    /// called may be a type instead, and one that is called may be a function.
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
