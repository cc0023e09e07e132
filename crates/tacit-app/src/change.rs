//! Changes by a person: edits and corrections, and which changes of the history a use case made.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use tacit_core::log::MemoryVerdict;
use tacit_core::{MemoryId, Reasoning, Review, Scope};
use tacit_engine::remember::TextCleanup;
use tacit_engine::{Engine, EngineResult, ListChanges, StoreAccess, StoreScope, StoredMemory};
use tacit_store::{ChangeId, ChangeQuery};

use crate::app::App;
use crate::error::{AppError, AppResult};
use crate::remember::{embed_recent, make_commands_hot};
use crate::review::drop_waiting;
use crate::verdict::Verdict;

/// A place in the history of a store.
pub type StoreChange = (StoreScope, ChangeId);

/// The newest changes of the open stores at one moment.
#[derive(Debug, Clone)]
pub struct HistoryMark(Vec<(StoreScope, Option<ChangeId>)>);

impl HistoryMark {
    /// Notes the newest changes.
    pub fn of(engine: &Engine<'_>) -> EngineResult<HistoryMark> {
        let scopes = engine.stores().map(|(scope, _)| scope).collect::<Vec<_>>();
        let newest = |scope| {
            let query = ChangeQuery { limit: 1, without_items: true, ..ChangeQuery::default() };
            let newest = engine.history(scope, &query)?.pop();
            Ok((scope, newest.map(|change| change.id)))
        };
        Ok(HistoryMark(scopes.into_iter().map(newest).collect::<EngineResult<_>>()?))
    }

    /// Returns the changes of these memories since then by the author of this run, oldest first.
    pub fn changes_since(
        &self,
        app: &App,
        engine: &Engine<'_>,
        ids: &[MemoryId],
    ) -> EngineResult<Vec<StoreChange>> {
        let (actor, ids) = (app.actor(), BTreeSet::from_iter(ids));
        let mut made = Vec::new();
        for (scope, newest) in &self.0 {
            let query = ChangeQuery { after: *newest, limit: usize::MAX, ..ChangeQuery::default() };
            let mut later = engine.history(*scope, &query)?;
            later.reverse();
            later.retain(|change| {
                change.action.actor == actor
                    && change.items.iter().any(|item| ids.contains(&item.memory))
            });
            made.extend(later.into_iter().map(|change| (*scope, change.id)));
        }
        Ok(made)
    }
}

/// Takes changes back, the last one first. Returns the memories that they changed, and the changes that
/// took them back.
pub fn take_back_all(
    app: &App,
    changes: &[StoreChange],
) -> AppResult<(Vec<StoredMemory>, Vec<StoreChange>)> {
    let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
    let (mut ids, mut done) = (Vec::new(), Vec::new());
    for (scope, change) in changes.iter().rev() {
        let undone = engine.undo(*scope, Some(*change)).map_err(|error| {
            let mut error = AppError::from(error);
            if !done.is_empty() {
                let number = done.len();
                error.message += &format!("; {number} of {} changes were undone", changes.len());
            }
            error
        })?;
        done.extend(undone.by.map(|by| (*scope, by)));
        ids.extend(undone.change.items.iter().map(|item| item.memory));
    }
    drop_waiting(&app.places);
    ids.sort_unstable();
    ids.dedup();
    // A memory whose creation was taken back is no longer there.
    let found = ids.iter().filter_map(|id| engine.find(&id.to_string()).ok());
    Ok((found.collect(), done))
}

/// Changes fields and lists of a memory as one change, and does what follows from it.
pub fn edit(
    engine: &mut Engine<'_>,
    id: &str,
    patch: &Map<String, Value>,
    lists: &ListChanges,
    reason: Option<Reasoning>,
) -> EngineResult<(StoredMemory, TextCleanup)> {
    let edited = engine.edit_with_lists(id, patch, lists, reason)?;
    after_edit(engine, &edited.0);
    Ok(edited)
}

/// Does what follows from an edit: the vector of the new text, and the commands that it names.
pub fn after_edit(engine: &mut Engine<'_>, found: &StoredMemory) {
    embed_recent(engine, found.store);
    make_commands_hot(engine, &found.memory);
}

/// A finding of a person about a memory, and its correction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Correction {
    /// The text is wrong: this is right, and confirmed.
    Inaccurate(String),
    /// The memory no longer holds.
    Outdated,
    /// The memory holds for more than it says: this is the general text, confirmed for the whole project.
    TooSpecific(String),
    /// The memory says the same as this one, which supersedes it.
    Duplicate(String),
}

/// Applies a correction. The memory does not wait for review: a person just looked at it.
pub fn correct(
    app: &App,
    engine: &mut Engine<'_>,
    id: &str,
    correction: &Correction,
    reason: Option<&str>,
) -> AppResult<(StoredMemory, TextCleanup)> {
    let verdict = match correction {
        Correction::Outdated => Verdict::Plain(MemoryVerdict::Outdated),
        Correction::Duplicate(original) => Verdict::DuplicateOf(original),
        Correction::Inaccurate(text) | Correction::TooSpecific(text) => {
            let before = engine.find(id)?.memory;
            let mut patch = Map::new();
            patch.insert("content".into(), json!(text));
            patch.insert("review".into(), json!(Review::Verified.as_str()));
            let scope = before.body.subject.placement().scope();
            if matches!(correction, Correction::TooSpecific(_)) && scope != Scope::Global {
                patch.insert("scope".into(), json!(Scope::Global.as_str()));
            }
            let said = match correction {
                Correction::Inaccurate(_) => "corrected",
                _ => "generalised",
            };
            let reason = reason.map_or_else(|| said.to_owned(), |why| format!("{said}: {why}"));
            let reason = Some(Reasoning::new(reason)?);
            return Ok(edit(engine, id, &patch, &ListChanges::default(), reason)?);
        }
    };
    let reason = verdict.reason(reason, app.voice())?;
    let found = verdict.apply(engine, id, reason, Review::None, app.now())?.found;
    Ok((found, TextCleanup::default()))
}
