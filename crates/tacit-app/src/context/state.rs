//! The state in which work was left.

use tacit_core::{BuiltinType, Details, Timestamp};
use tacit_engine::{Engine, EngineResult, Found, Shelf};
use tacit_store::{Filter, ListOrder};
use tacit_work::CurrentWork;

use crate::inject::Item;

/// Number of states that are looked at.
const LOOKED_AT: usize = 20;

/// The state that a session on this work or branch should be told.
pub(crate) fn last_state(
    engine: &Engine<'_>,
    work: &CurrentWork,
    branch: Option<&str>,
    now: Timestamp,
) -> EngineResult<Option<Found>> {
    let filter = Filter {
        types: vec![BuiltinType::WorkState.into()],
        stale: Some(false),
        ..Filter::default()
    };
    let states = engine.list(Some(Shelf::Project), &filter, ListOrder::Changed, LOOKED_AT, 0)?;
    let memories = states.iter().map(|found| &found.memory);
    let last = tacit_work::last_state(memories, work.unit(), branch, now).map(|last| last.id);
    Ok(states.into_iter().find(|found| Some(found.memory.id) == last))
}

/// A state as it is shown: what it says, and what the methodology makes of its fields where that is
/// something else.
pub(crate) fn state_item(engine: &Engine<'_>, found: Found) -> Item {
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
