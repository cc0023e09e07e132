//! Unfinished work: where it was left when a session ended, for the next one in the same unit or on the same branch.

use serde_json::{Map, Value, json};
use tacit_core::{
    BuiltinType, Details, Draft, Memory, Review, Scope, SessionId, Source, Timestamp, WorkUnitRef,
};

use crate::activity::SessionActivity;
use crate::completion::GENERATOR;
use crate::definition::Methodology;
use crate::scope::{Position, applies};

/// The most files and failing commands that are told.
const MAX_FILES: usize = 20;
const MAX_FAILING: usize = 5;
/// A state older than this would mislead.
const MAX_AGE_DAYS: f64 = 14.0;

/// The account of work that was left.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished {
    /// The unit of work.
    pub unit: WorkUnitRef,
    /// The account in the methodology's terms.
    pub state: Map<String, Value>,
}

impl Methodology {
    /// The account of the work that a session left; none if it did nothing, or nobody knows what it
    /// belongs to.
    pub fn unfinished(
        &self,
        activity: &SessionActivity,
        unit: Option<WorkUnitRef>,
        branch: Option<&str>,
    ) -> Option<Unfinished> {
        let mut state = self.extract_work_state(&activity.output);
        if state.is_empty() && activity.files.is_empty() && activity.failing.is_empty() {
            return None;
        }
        // Everything and nothing in particular is done on a branch that names no unit, but it was
        // done there.
        let branch_unit = || {
            WorkUnitRef::new(self.id(), vec![branch?.into()], format!("Branch {}", branch?)).ok()
        };
        let unit = unit.or_else(branch_unit)?;
        let files: Vec<&str> =
            activity.files.iter().rev().take(MAX_FILES).map(|file| file.as_str()).collect();
        let failing: Vec<&String> = activity.failing.iter().rev().take(MAX_FAILING).collect();
        for (name, value) in [
            ("task", json!(activity.task)),
            ("files_changed", json!(files)),
            ("still_failing", json!(failing)),
            ("branch", json!(branch)),
        ] {
            let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            if !empty {
                state.insert(name.to_owned(), value);
            }
        }
        Some(Unfinished { unit, state })
    }
}

impl Unfinished {
    /// The memory of it, with the text that the methodology gives it.
    pub fn draft(self, session: &SessionId, text: String) -> Draft {
        Draft {
            content: text,
            name: Some(format!("Where {} was left", self.unit.label())),
            kind: Some(BuiltinType::WorkState.to_string()),
            details: Some(Value::Object(self.state)),
            scope: Some(Scope::WorkUnit.to_string()),
            work_unit: Some(self.unit),
            session: Some(session.to_string()),
            source: Some(Source::ObserverInferred.to_string()),
            generator: Some(GENERATOR.into()),
            // It is out of date before anybody could look at it.
            review: Some(Review::None.to_string()),
            ..Draft::default()
        }
    }

    /// Returns true if a memory tells where the same work was left before: there is one for each
    /// unit and branch.
    pub fn replaces(&self, memory: &Memory) -> bool {
        let Details::WorkState(state) = memory.body.subject.details() else { return false };
        is_about_unit(memory, &self.unit) && state.get("branch") == self.state.get("branch")
    }
}

/// The state that a session should be told, of the last changed ones first: that of its unit, else
/// that of its branch, else one that does not say on which branch it was.
pub fn last_state<'m>(
    states: impl IntoIterator<Item = &'m Memory>,
    unit: Option<&WorkUnitRef>,
    branch: Option<&str>,
    now: Timestamp,
) -> Option<&'m Memory> {
    // Where work stands is told unasked, so that a file or an agent alone cannot say it.
    let usable = |memory: &&Memory| {
        now.days_since(memory.updated_at) <= MAX_AGE_DAYS && !memory.is_only_told()
    };
    let states: Vec<&Memory> = states.into_iter().filter(usable).collect();
    let find = |meant: &dyn Fn(&Memory) -> bool| states.iter().copied().find(|state| meant(state));
    let here = Position { session: None, unit };
    let unbound = |memory: &Memory| {
        branch_of(memory).is_none() && applies(memory.body.subject.placement(), &here)
    };
    find(&|memory| unit.is_some_and(|unit| is_about_unit(memory, unit)))
        .or_else(|| find(&|memory| branch.is_some_and(|branch| is_on_branch(memory, branch))))
        .or_else(|| find(&unbound))
}

/// Returns true if a state is of this very unit, whoever gave it its name.
fn is_about_unit(memory: &Memory, unit: &WorkUnitRef) -> bool {
    let own = memory.body.subject.placement().work_unit();
    own.is_some_and(|own| own.hierarchy() == unit.hierarchy())
}

fn is_on_branch(memory: &Memory, branch: &str) -> bool {
    if let Some(own) = branch_of(memory) {
        return own == branch;
    }
    // One that a person wrote names the branch in its own way.
    let unit = memory.body.subject.placement().work_unit();
    let named = |unit: &WorkUnitRef| unit.hierarchy().iter().any(|entry| branch.contains(entry));
    unit.is_some_and(named) || memory.body.tags.iter().any(|tag| tag.as_str() == branch)
}

/// The branch that a state says it is of.
fn branch_of(memory: &Memory) -> Option<&str> {
    match memory.body.subject.details() {
        Details::WorkState(state) => state.get("branch")?.as_str(),
        _ => None,
    }
}
