//! Scope, visibility and placement of memories, and the requirements of their types.

use super::details::Details;
use super::kind::{BuiltinType, MemoryType};
use super::values::SessionId;
use super::words::word_enum;
use super::work_unit::WorkUnitRef;
use crate::field::{FieldError, Problem};

word_enum! {
    /// The scope of a memory.
    Scope, "a scope" {
        /// All work in the project.
        Global = "global",
        /// Certain files or modules.
        Module = "module",
        /// One unit of work.
        WorkUnit = "work_unit",
        /// One session.
        Session = "session",
    }
}

word_enum! {
    /// The people who see a memory once its project is shared on a server. It has no effect before.
    #[derive(Default)]
    Visibility, "a visibility" {
        /// Everybody in the project.
        #[default]
        Team = "team",
        /// The owner alone.
        Private = "private",
    }
}

impl Visibility {
    /// Returns true if everybody in the project sees the memory. JSON and rows omit this default.
    pub fn is_team(&self) -> bool {
        *self == Visibility::Team
    }
}

/// A scope with the unit of work and the session in which a memory was learnt. A memory scoped to a
/// unit of work or a session always names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    scope: Scope,
    work_unit: Option<WorkUnitRef>,
    session: Option<SessionId>,
}

impl Placement {
    /// Checks that the scope has the reference it needs.
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

    /// Returns the global placement without unit of work and session.
    pub fn global() -> Placement {
        Placement { scope: Scope::Global, work_unit: None, session: None }
    }

    /// Returns the scope.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Returns the unit of work in which the memory was learnt.
    pub fn work_unit(&self) -> Option<&WorkUnitRef> {
        self.work_unit.as_ref()
    }

    /// Returns the session in which the memory was learnt.
    pub fn session(&self) -> Option<&SessionId> {
        self.session.as_ref()
    }
}

/// The details and placement of a memory. They are checked together because some types require a
/// certain scope.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    details: Details,
    placement: Placement,
}

impl Subject {
    /// Checks that the placement suits the type.
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

    /// Returns the memory type.
    pub fn memory_type(&self) -> MemoryType {
        self.details.memory_type()
    }

    /// Returns the details of the type.
    pub fn details(&self) -> &Details {
        &self.details
    }

    /// Returns the placement.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }
}

/// Returns the scope that a type requires, if any.
pub(crate) fn required_scope(kind: BuiltinType) -> Option<Scope> {
    match kind {
        BuiltinType::WorkflowRecipe => Some(Scope::Global),
        BuiltinType::ContextCost | BuiltinType::PrefetchPattern => Some(Scope::Module),
        _ => None,
    }
}
