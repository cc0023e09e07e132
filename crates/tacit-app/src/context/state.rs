//! Where the work was left.

use tacit_core::{BuiltinType, Details, Memory, Timestamp};
use tacit_engine::{Engine, EngineResult, Found, Shelf, Work};
use tacit_store::{Filter, ListOrder};

use super::is_of_other_work;
use crate::inject::Item;

/// A state of work older than this would mislead.
const DAYS: f64 = 14.0;
/// How many are looked at.
const LOOKED_AT: usize = 20;

/// Where the work on this unit or on this branch was left; if neither is known of any, where the
/// last work was left that does not say on which branch it was.
pub fn last_state(
    engine: &Engine<'_>,
    work: &Work,
    branch: Option<&str>,
    now: Timestamp,
) -> EngineResult<Option<Found>> {
    let filter = Filter {
        types: vec![BuiltinType::WorkState.into()],
        stale: Some(false),
        ..Filter::default()
    };
    let mut states =
        engine.list(Some(Shelf::Project), &filter, ListOrder::Changed, LOOKED_AT, 0)?;
    // Where work stands is told unasked, so that a file or an agent alone cannot say it.
    states.retain(|found| {
        now.days_since(found.memory.updated_at) <= DAYS && !found.memory.is_only_told()
    });
    let unit = work.unit().map(|unit| unit.hierarchy());
    let same_unit = |memory: &Memory| {
        let own = memory.said.subject.placement().work_unit();
        unit.is_some() && own.map(|own| own.hierarchy()) == unit
    };
    let same_branch = |memory: &Memory| {
        let Some(branch) = branch else { return false };
        match own_branch(memory) {
            Some(own) => own == branch,
            // One that a person wrote names the branch in its own way.
            None => {
                let unit = memory.said.subject.placement().work_unit();
                let named = unit.is_some_and(|unit| {
                    unit.hierarchy().iter().any(|entry| branch.contains(entry.as_str()))
                });
                named || memory.said.tags.iter().any(|tag| tag.as_str() == branch)
            }
        }
    };
    let unbound =
        |memory: &Memory| own_branch(memory).is_none() && !is_of_other_work(memory, work.unit());
    let found = states
        .iter()
        .position(|found| same_unit(&found.memory))
        .or_else(|| states.iter().position(|found| same_branch(&found.memory)))
        .or_else(|| states.iter().position(|found| unbound(&found.memory)));
    Ok(found.map(|at| states.swap_remove(at)))
}

/// A state as it is shown: what it says, and what the methodology makes of its fields where that is
/// something else.
pub fn state_item(engine: &Engine<'_>, found: Found) -> Item {
    let said = &found.memory.said;
    let told = match said.subject.details() {
        Details::WorkState(state) => engine.methodology().format_work_state(state),
        _ => String::new(),
    };
    let more = (!said.content.as_str().contains(&told)).then_some(told);
    let item = Item::memory(found, "where the work was left");
    match more {
        Some(more) => item.with_more(&more),
        None => item,
    }
}

/// The branch that a state says it is of.
fn own_branch(memory: &Memory) -> Option<&str> {
    match memory.said.subject.details() {
        Details::WorkState(state) => state.get("branch")?.as_str(),
        _ => None,
    }
}
