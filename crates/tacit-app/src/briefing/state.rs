//! The state in which the last session left the work.

use std::path::Path;

use tacit_core::{BuiltinType, Details, Memory, Source, Timestamp};
use tacit_engine::{Engine, EngineResult, StoreScope, StoredMemory};
use tacit_store::{Filter, ListOrder};
use tacit_work::CurrentWork;

use crate::inject::InjectionItem;

/// The maximum number of recent states examined.
const EXAMINED: usize = 20;

/// Returns the state that a session on this unit of work or branch should continue from; `None` if
/// its files were committed since and nothing else was left.
pub(crate) fn last_state(
    engine: &Engine<'_>,
    work: &CurrentWork,
    branch: Option<&str>,
    root: &Path,
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
    let last = states.into_iter().find(|found| Some(found.memory.id) == last);
    Ok(last.filter(|found| !was_committed(engine, root, &found.memory)))
}

/// Returns true if all that a state says is left are files that were committed since.
fn was_committed(engine: &Engine<'_>, root: &Path, memory: &Memory) -> bool {
    let Details::WorkState(state) = memory.body.subject.details() else { return false };
    let files = tacit_work::uncommitted_files(state);
    let since = memory.updated_at.as_millis() / 1_000;
    !files.is_empty()
        && tacit_work::failing_commands(state).is_empty()
        && !engine.methodology().has_open_points(state)
        && tacit_git::committed_since(root, &files, since)
}

/// Returns the unfinished work that the next session on this unit or branch is told, with its text.
pub fn unfinished_work(
    engine: &Engine<'_>,
    work: &CurrentWork,
    branch: Option<&str>,
    root: &Path,
    now: Timestamp,
) -> EngineResult<Option<(StoredMemory, String)>> {
    let state = last_state(engine, work, branch, root, now)?;
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
