//! How broadly a memory applies, and what its type asks of that.

use super::details::Details;
use super::kind::{BuiltinType, MemoryType};
use super::values::SessionId;
use super::words::word_enum;
use super::work_unit::WorkUnitRef;
use crate::field::{FieldError, Problem};

word_enum! {
    /// How broadly a memory applies.
    Scope, "a scope" {
        /// To all work in the project.
        Global = "global",
        /// To certain files or modules.
        Module = "module",
        /// To one unit of work.
        WorkUnit = "work_unit",
        /// To one session.
        Session = "session",
    }
}

/// A scope together with the unit of work and the session a memory was learnt in. A memory scoped
/// to a unit of work or a session always names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    scope: Scope,
    work_unit: Option<WorkUnitRef>,
    session: Option<SessionId>,
}

impl Placement {
    /// Checks and takes the parts.
    pub fn new(
        scope: Scope,
        work_unit: Option<WorkUnitRef>,
        session: Option<SessionId>,
    ) -> Result<Placement, FieldError> {
        if scope == Scope::WorkUnit && work_unit.is_none() {
            let rule = "scope `work_unit` needs the unit of work it applies to";
            return Err(FieldError::new("work_unit", Problem::rule(rule)));
        }
        if scope == Scope::Session && session.is_none() {
            let rule = "scope `session` needs the session it applies to";
            return Err(FieldError::new("session", Problem::rule(rule)));
        }
        Ok(Placement { scope, work_unit, session })
    }

    /// A placement with neither unit of work nor session.
    pub fn global() -> Placement {
        Placement { scope: Scope::Global, work_unit: None, session: None }
    }

    /// How broadly it applies.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// The unit of work it was learnt in.
    pub fn work_unit(&self) -> Option<&WorkUnitRef> {
        self.work_unit.as_ref()
    }

    /// The session it was learnt in.
    pub fn session(&self) -> Option<&SessionId> {
        self.session.as_ref()
    }
}

/// What kind of thing is remembered and where it applies; the pair is checked because some types
/// only make sense in one scope.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    details: Details,
    placement: Placement,
}

impl Subject {
    /// Checks and takes the pair.
    pub fn new(details: Details, placement: Placement) -> Result<Subject, FieldError> {
        let kind = details.memory_type();
        if let MemoryType::Builtin(builtin) = &kind {
            if let Some(required) = required_scope(*builtin)
                && placement.scope != required
            {
                let rule = format!("a `{kind}` always has the scope `{required}`");
                return Err(FieldError::new("scope", Problem::rule(rule)));
            }
            let needs_unit =
                matches!(builtin, BuiltinType::WorkState | BuiltinType::WorkUnitOutcome);
            if needs_unit && placement.work_unit.is_none() {
                let rule = format!("a `{kind}` needs the unit of work it is about");
                return Err(FieldError::new("work_unit", Problem::rule(rule)));
            }
        }
        Ok(Subject { details, placement })
    }

    /// The type.
    pub fn memory_type(&self) -> MemoryType {
        self.details.memory_type()
    }

    /// What the type adds.
    pub fn details(&self) -> &Details {
        &self.details
    }

    /// Where it applies.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }
}

/// The scope a type is bound to.
pub(crate) fn required_scope(kind: BuiltinType) -> Option<Scope> {
    match kind {
        BuiltinType::WorkflowRecipe => Some(Scope::Global),
        BuiltinType::ContextCost | BuiltinType::PrefetchPattern => Some(Scope::Module),
        _ => None,
    }
}
