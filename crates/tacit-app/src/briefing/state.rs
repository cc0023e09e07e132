//! The state in which work was left.

use tacit_core::{BuiltinType, Details, Timestamp};
use tacit_engine::{Engine, EngineResult, StoreScope, StoredMemory};
use tacit_store::{Filter, ListOrder};
use tacit_work::Work;

use crate::inject::InjectionItem;

/// Number of states that are looked at.
const LOOKED_AT: usize = 20;

/// The state that a session on this work or branch should be told.
pub(crate) fn last_state(
    engine: &Engine<'_>,
    work: &Work,
    branch: Option<&str>,
    now: Timestamp,
) -> EngineResult<Option<StoredMemory>> {
    let filter = Filter {
        types: vec![BuiltinType::WorkState.into()],
        stale: Some(false),
        ..Filter::default()
    };
    let states =
        engine.list(Some(StoreScope::Project), &filter, ListOrder::Changed, LOOKED_AT, 0)?;
    let memories = states.iter().map(|found| &found.memory);
    let last = tacit_work::last_state(memories, work.unit(), branch, now).map(|last| last.id);
    Ok(states.into_iter().find(|found| Some(found.memory.id) == last))
}

/// A state as it is shown: what it says, and what the methodology makes of its fields where that is
/// something else.
pub(crate) fn state_item(engine: &Engine<'_>, found: StoredMemory) -> InjectionItem {
    let said = &found.memory.body;
    let told = match said.subject.details() {
        Details::WorkState(state) => engine.methodology().format_work_state(state),
        _ => String::new(),
    };
    let more = (!said.content.as_str().contains(&told)).then_some(told);
    let item = InjectionItem::memory(found, "where the work was left");
    match more {
        Some(more) => item.with_more(&more),
        None => item,
    }
}
