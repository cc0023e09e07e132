//! The one rule for scopes: whether a memory applies where somebody works.

use tacit_core::{Placement, Scope, SessionId, WorkUnitRef};

/// The session and the unit of work that somebody is in, as far as they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position<'p> {
    /// The session.
    pub session: Option<&'p SessionId>,
    /// The unit of work.
    pub unit: Option<&'p WorkUnitRef>,
}

/// Returns false for what is known to be about another session or other work. Which files a memory
/// of the scope `module` is about is a condition of a search and not of a place.
pub fn applies(placement: &Placement, here: &Position<'_>) -> bool {
    fits(placement, here).unwrap_or(true)
}

/// Returns true if a memory applies whatever else turns out about the place: what is handed on
/// unasked must not depend on a unit of work that nobody named.
pub fn certainly_applies(placement: &Placement, here: &Position<'_>) -> bool {
    fits(placement, here).unwrap_or(false)
}

/// None if the place is not known well enough to tell.
fn fits(placement: &Placement, here: &Position<'_>) -> Option<bool> {
    match placement.scope() {
        Scope::Global | Scope::Module => Some(true),
        Scope::WorkUnit => Some(is_related(here.unit?, placement.work_unit()?)),
        Scope::Session => Some(here.session? == placement.session()?),
    }
}

/// Returns true if one unit is the other, around it or inside it. The methodology that named them
/// does not matter: memories of the same work stay when a project takes up another.
fn is_related(one: &WorkUnitRef, other: &WorkUnitRef) -> bool {
    let (one, other) = (one.hierarchy(), other.hierarchy());
    one.starts_with(other) || other.starts_with(one)
}

/// Returns true if `inner` is `outer` or inside it, in the terms of one methodology.
pub fn contains(outer: &WorkUnitRef, inner: &WorkUnitRef) -> bool {
    outer.methodology() == inner.methodology() && inner.hierarchy().starts_with(outer.hierarchy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(methodology: &str, path: &str) -> WorkUnitRef {
        let hierarchy = path.split('/').map(str::to_owned).collect();
        WorkUnitRef::new(methodology, hierarchy, path).unwrap()
    }

    #[test]
    fn scope_and_position_decide_whether_a_memory_applies() {
        use Scope::{Global, Module, Session, WorkUnit};
        // The memory's scope, unit and session; the unit and session here; whether it applies, and
        // whether that is sure.
        for (scope, own, here, applies_here, surely) in [
            (Global, ("7", "a"), ("8", "b"), true, true),
            (Global, ("", ""), ("", ""), true, true),
            (Module, ("7", "a"), ("8", "b"), true, true),
            (WorkUnit, ("7", "a"), ("7", "b"), true, true),
            (WorkUnit, ("7/1", "a"), ("7", "a"), true, true),
            (WorkUnit, ("7", "a"), ("7/1", "a"), true, true),
            (WorkUnit, ("7/2", "a"), ("7/1", "a"), false, false),
            (WorkUnit, ("7", "a"), ("70", "a"), false, false),
            (WorkUnit, ("7", "a"), ("", "a"), true, false),
            (Session, ("7", "a"), ("8", "a"), true, true),
            (Session, ("7", "a"), ("7", "b"), false, false),
            (Session, ("7", "a"), ("7", ""), true, false),
        ] {
            let named =
                |methodology: &str, path: &str| (!path.is_empty()).then(|| unit(methodology, path));
            let session = |name: &str| SessionId::new(name).ok();
            let placement = Placement::new(scope, named("bmad", own.0), session(own.1)).unwrap();
            let (in_unit, in_session) = (named("native", here.0), session(here.1));
            let position = Position { session: in_session.as_ref(), unit: in_unit.as_ref() };
            assert_eq!(applies(&placement, &position), applies_here, "{scope} {own:?} {here:?}");
            assert_eq!(
                certainly_applies(&placement, &position),
                surely,
                "{scope} {own:?} {here:?}"
            );
        }
    }

    #[test]
    fn a_unit_contains_itself_and_its_inner_units() {
        for (outer, inner, expected) in [
            (unit("native", "7"), unit("native", "7"), true),
            (unit("native", "7"), unit("native", "7/1"), true),
            (unit("native", "7/1"), unit("native", "7"), false),
            (unit("native", "7"), unit("bmad", "7/1"), false),
        ] {
            assert_eq!(contains(&outer, &inner), expected, "{outer:?} {inner:?}");
        }
    }
}
