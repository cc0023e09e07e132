//! The rule for scopes: decides whether a memory applies to the current work.

use tacit_core::{Placement, Scope, SessionId, WorkUnitRef};

/// The current session and unit of work, as far as they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position<'p> {
    /// The session.
    pub session: Option<&'p SessionId>,
    /// The unit of work.
    pub unit: Option<&'p WorkUnitRef>,
}

/// Returns false only if a memory is known to be about another session or other work. The files of
/// a memory with scope `module` are checked by the search instead.
pub fn applies(placement: &Placement, here: &Position<'_>) -> bool {
    fits(placement, here).unwrap_or(true)
}

/// Returns true only if a memory certainly applies: a relay must not depend on an unknown unit of
/// work.
pub fn certainly_applies(placement: &Placement, here: &Position<'_>) -> bool {
    fits(placement, here).unwrap_or(false)
}

/// Returns `None` if the position is not known well enough.
fn fits(placement: &Placement, here: &Position<'_>) -> Option<bool> {
    match placement.scope() {
        Scope::Global | Scope::Module => Some(true),
        Scope::WorkUnit => Some(is_related(here.unit?, placement.work_unit()?)),
        Scope::Session => Some(here.session? == placement.session()?),
    }
}

/// Returns true if the units are equal or one contains the other. The methodology does not matter:
/// memories outlast a change of methodology.
pub(crate) fn is_related(one: &WorkUnitRef, other: &WorkUnitRef) -> bool {
    let (one, other) = (one.hierarchy(), other.hierarchy());
    one.starts_with(other) || other.starts_with(one)
}

/// Returns true if `inner` is `outer` or inside it, in the same methodology.
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
        // Scope, unit and session of the memory; current unit and session; whether it applies, and
        // whether that is certain.
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
