//! The state in which the last session left the work.

use tacit_core::{BuiltinType, Details, Source, Timestamp};
use tacit_engine::{Engine, EngineResult, StoreScope, StoredMemory};
use tacit_store::{Filter, ListOrder};
use tacit_work::CurrentWork;

use crate::inject::InjectionItem;

/// The maximum number of recent states examined.
const EXAMINED: usize = 20;

/// Returns the state that a session on this unit of work or branch should continue from.
pub(crate) fn last_state(
    engine: &Engine<'_>,
    work: &CurrentWork,
    branch: Option<&str>,
    now: Timestamp,
) -> EngineResult<Option<StoredMemory>> {
    let filter = Filter {
        types: vec![BuiltinType::WorkState.into()],
        stale: Some(false),
        ..Filter::default()
    };
    let states =
        engine.list(Some(StoreScope::Project), &filter, ListOrder::Changed, EXAMINED, 0)?;
    let memories = states.iter().map(|found| &found.memory);
    let last = tacit_work::last_state(memories, work.unit(), branch, now).map(|last| last.id);
    Ok(states.into_iter().find(|found| Some(found.memory.id) == last))
}

/// Returns the unfinished work that the next session on this unit or branch is told, with its text.
pub fn unfinished_work(
    engine: &Engine<'_>,
    work: &CurrentWork,
    branch: Option<&str>,
    now: Timestamp,
) -> EngineResult<Option<(StoredMemory, String)>> {
    let state = last_state(engine, work, branch, now)?;
    Ok(state.map(|found| {
        let text = state_item(engine, found.clone()).text().to_owned();
        (found, text)
    }))
}

/// Formats a state: its content, and for a state that a person or an agent wrote, the methodology's
/// rendering of its fields if that adds anything.
pub(crate) fn state_item(engine: &Engine<'_>, found: StoredMemory) -> InjectionItem {
    let said = &found.memory.body;
    let observed = said.origin.source == Source::ObserverInferred;
    let rendered = match said.subject.details() {
        Details::WorkState(state) if !observed => engine.methodology().format_work_state(state),
        _ => String::new(),
    };
    let more = (!said.content.as_str().contains(&rendered)).then_some(rendered);
    let item = InjectionItem::memory(found, "the state of the work");
    match more {
        Some(more) => item.with_more(&more),
        None => item,
    }
}
