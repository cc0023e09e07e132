//! Purges in a team: the server first, because it decides whether the user may purge, and then this
//! machine. What was purged on another machine is removed here in the same way.

use serde_json::{Value, json};
use tacit_core::{Author, FieldError, MemoryId, Quotations};
use tacit_fs::failpoint::step;
use tacit_store::{
    Action, ActionKind, ErasedRows, InjectionQuery, SharedStore, Store, StoreError, TeamRole,
};
use tacit_store_sqlite::{ClaimedWork, PendingWork};

use super::phrases::quotations_of;
use super::{PurgeNote, texts_in};
use crate::engine::{Engine, StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};

/// The author of purges on other machines, as this machine's history names it.
const ELSEWHERE: &str = "another machine";
/// The most injections of a memory that are read for what it said.
const SHOWN: usize = 1_000;

impl Engine<'_> {
    /// Returns true if a purge of these memories begins on a server.
    pub(super) fn begins_on_server(&self, note: &PurgeNote) -> bool {
        !note.global && !note.gone && self.is_in_team()
    }

    /// Returns true if a purge must wait for the server of the team, which does not answer.
    pub(super) fn waits_for_server(&self, note: &PurgeNote) -> bool {
        !note.gone && self.reach_team().is_err()
    }

    /// Removes the memories and their quotations from the server, and notes that: from then on, this
    /// machine alone finishes the purge. Nothing is changed if it fails, except with
    /// [`EngineError::PurgeUnanswered`].
    pub(super) fn remove_from_server(
        &mut self,
        place: StoreScope,
        note: &mut PurgeNote,
    ) -> EngineResult<(Vec<ErasedRows>, ClaimedWork)> {
        if note.texts.is_empty() {
            // Noted before the project was in a team.
            note.texts = self.texts_of(note)?;
        }
        let mut action = self.action(ActionKind::Purge, note.reason.clone());
        action.actor = note.actor.clone();
        let erased = match self.team_mut() {
            Some(team) => remove_shared(team.writable()?.as_mut(), note, action)?,
            None => Vec::new(),
        };
        note.gone = true;
        let bytes = serde_json::to_vec(note)?;
        let begun = self.pending(place).begin(&note.name(), &bytes);
        Ok((erased, begun.map_err(|source| self.cannot_note(place, source))?))
    }

    /// Deletes rows of the user's sessions on the server that are about global memories. Readers have none
    /// there.
    pub(super) fn erase_from_shared_sessions(
        &mut self,
        note: &PurgeNote,
        quotations: &Quotations,
    ) -> EngineResult<Vec<ErasedRows>> {
        let action = self.action(ActionKind::Purge, None);
        let Some(team) = self.team_mut().filter(|_| note.global && !note.gone) else {
            return Ok(Vec::new());
        };
        let server = team.writable()?;
        if server.membership()?.role < TeamRole::Contributor {
            return Ok(Vec::new());
        }
        let mut transaction = server.begin(action)?;
        let erased = transaction.erase_quotes(quotations)?;
        transaction.commit()?;
        note.ids.iter().try_for_each(|id| server.blank_injections(id).map(drop))?;
        Ok(erased)
    }
}

/// Removes memories and their quotations from a server.
fn remove_shared(
    server: &mut dyn SharedStore,
    note: &PurgeNote,
    action: Action,
) -> EngineResult<Vec<ErasedRows>> {
    let may_not = |error| match error {
        StoreError::Denied { server, .. } => EngineError::MayNotPurge { server },
        error => error.into(),
    };
    let quotations = quotations_of(&note.texts);
    step();
    let mut transaction = server.begin(action).map_err(may_not)?;
    for memory in transaction.read(&note.ids)? {
        transaction.remove(&memory).map_err(may_not)?;
        transaction.erase_history(&memory.id).map_err(may_not)?;
    }
    let erased = transaction.erase_quotes(&quotations).map_err(may_not)?;
    transaction.commit().map_err(|error| match error {
        error @ StoreError::Unreachable { .. } => EngineError::PurgeUnanswered(error),
        error => error.into(),
    })?;
    step();
    for id in &note.ids {
        // The memories are gone: the next process repeats what is left to do.
        server.blank_injections(id).map_err(EngineError::PurgeUnanswered)?;
    }
    // Only the owner of the tables can; for others, the server does it on its own.
    let _ = server.scrub();
    Ok(erased)
}

/// Notes memories that were purged on another machine, before their rows go from a store of this one. What
/// quotes them here is removed by the next command or by `tacit maintain`: a hook has no time for it. Those
/// that the store does not have are left out.
pub(crate) fn note_purged(
    paths: &StorePaths,
    scope: StoreScope,
    store: &dyn Store,
    ids: &[MemoryId],
) -> EngineResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let ids: Vec<MemoryId> = store.read(ids)?.iter().map(|memory| memory.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let texts = texts_in(store, &ids)?;
    let note = PurgeNote {
        ids,
        global: scope == StoreScope::Global,
        actor: Author::new(ELSEWHERE).map_err(|problem| FieldError::new("actor", problem))?,
        reason: None,
        damaged_copies: false,
        texts,
        gone: true,
        elsewhere: true,
    };
    let bytes = serde_json::to_vec(&note)?;
    // The sessions of this project may quote it, too. Its note comes first: once the other is there, the row
    // may go.
    let here = note.global && paths.database(StoreScope::Project).exists();
    for place in here.then_some(StoreScope::Project).into_iter().chain([scope]) {
        let begun = PendingWork::of(&paths.database(place)).begin(&note.name(), &bytes);
        begun.map_err(|source| EngineError::Io { path: paths.directory(place).clone(), source })?;
        step();
    }
    Ok(())
}

/// Returns what agents on this machine were shown of memories: also of earlier versions, which a copy of a
/// team's memories does not keep.
pub(super) fn shown_texts(store: &dyn Store, ids: &[MemoryId]) -> EngineResult<Vec<Value>> {
    let mut shown = Vec::new();
    for id in ids {
        let query = InjectionQuery { memory: Some(*id), limit: SHOWN, ..InjectionQuery::default() };
        let texts = store.injections(&query)?.into_iter().map(|injection| injection.text);
        shown.extend(texts.map(|text| json!({"details": text})));
    }
    shown.dedup();
    Ok(shown)
}
