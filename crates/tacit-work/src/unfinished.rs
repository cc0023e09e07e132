//! Work states: where unfinished work stood when a session ended, for the next session on the same
//! unit or branch.

use serde_json::{Map, Value, json};
use tacit_core::{
    BuiltinType, Details, Draft, Memory, Review, Scope, SessionId, Source, Timestamp, WorkUnitRef,
};

use crate::activity::SessionActivity;
use crate::completion::GENERATOR;
use crate::definition::Methodology;
use crate::scope::{Position, applies};

/// Limits on files and failing commands.
const MAX_FILES: usize = 20;
const MAX_FAILING: usize = 5;
/// Older states would mislead, in days.
const MAX_AGE_DAYS: f64 = 14.0;

/// The state of unfinished work.
#[derive(Debug, Clone, PartialEq)]
pub struct UnfinishedWork {
    /// The unit of work.
    pub unit: WorkUnitRef,
    /// The fields of the state.
    pub state: Map<String, Value>,
}

impl Methodology {
    /// Returns the state of the work that a session left, or `None` if it did nothing or its unit
    /// is unknown.
    pub fn unfinished(
        &self,
        activity: &SessionActivity,
        unit: Option<WorkUnitRef>,
        branch: Option<&str>,
    ) -> Option<UnfinishedWork> {
        let mut state = self.extract_work_state(&activity.output);
        if state.is_empty() && activity.files.is_empty() && activity.failing.is_empty() {
            return None;
        }
        // A branch that names no unit stands for itself.
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
        Some(UnfinishedWork { unit, state })
    }
}

impl UnfinishedWork {
    /// Drafts the memory of the state, with the methodology's text.
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
            // The state is outdated before anyone could review it.
            review: Some(Review::None.to_string()),
            ..Draft::default()
        }
    }

    /// Returns true if a memory is an earlier state of the same work: there is one for each unit
    /// and branch.
    pub fn replaces(&self, memory: &Memory) -> bool {
        let Details::WorkState(state) = memory.body.subject.details() else { return false };
        is_about_unit(memory, &self.unit) && state.get("branch") == self.state.get("branch")
    }
}

/// Returns the state to show at the start of a session: that of its unit, else of its branch, else
/// one without a branch. `states` must be ordered by last change, newest first.
pub fn last_state<'m>(
    states: impl IntoIterator<Item = &'m Memory>,
    unit: Option<&WorkUnitRef>,
    branch: Option<&str>,
    now: Timestamp,
) -> Option<&'m Memory> {
    // States are shown without being asked for, so a file or an agent alone must not be able to set
    // one.
    let usable = |memory: &&Memory| {
        now.days_since(memory.updated_at) <= MAX_AGE_DAYS && !memory.is_unconfirmed_claim()
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

/// Returns true if a state is about this unit, in any methodology.
fn is_about_unit(memory: &Memory, unit: &WorkUnitRef) -> bool {
    let own = memory.body.subject.placement().work_unit();
    own.is_some_and(|own| own.hierarchy() == unit.hierarchy())
}

fn is_on_branch(memory: &Memory, branch: &str) -> bool {
    if let Some(own) = branch_of(memory) {
        return own == branch;
    }
    // A state that a person wrote names the branch in its own way.
    let unit = memory.body.subject.placement().work_unit();
    let named = |unit: &WorkUnitRef| unit.hierarchy().iter().any(|entry| branch.contains(entry));
    unit.is_some_and(named) || memory.body.tags.iter().any(|tag| tag.as_str() == branch)
}

/// Returns the branch that a state records.
fn branch_of(memory: &Memory) -> Option<&str> {
    match memory.body.subject.details() {
        Details::WorkState(state) => state.get("branch")?.as_str(),
        _ => None,
    }
}
