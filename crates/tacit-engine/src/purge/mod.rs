//! Purges: the permanent removal of memories, completed even after a crash.
//!
//! A purge is noted beside the store before it starts (`tacit_store_sqlite::PendingWork`), and the
//! note is removed when it is done. If the process dies, the next one that opens the store repeats
//! all steps; every step is idempotent. The note names memories but does not quote them: as long as
//! their text must be searched for, their rows still hold it. In a team, the rows go first, because
//! the server decides whether they may go; there, the note quotes them until the purge is done.

mod copies;
mod files;
mod phrases;
mod team;
mod trace;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacit_core::{Author, MemoryId, Quotations, Reasoning};
use tacit_fs::failpoint::step;
use tacit_store::{ActionKind, ChangeQuery, ErasedRows, Store};
use tacit_store_sqlite::PendingWork;

use crate::backup::BACKUPS;
use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::lookup::StoredMemory;
use phrases::{quotations_of, said_by};
pub(crate) use team::note_purged;
use team::shown_texts;
pub use trace::{TraceScan, quotes_in_file};

/// The result of a purge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PurgeResult {
    /// The purged memories.
    pub memories: Vec<StoredMemory>,
    /// True if other processes kept the last traces locked; the next command removes them.
    pub unfinished: bool,
    /// Files that quote a purged memory and that Tacit may not change.
    pub quoted_in: Vec<PathBuf>,
    /// Copies of damaged databases that may still contain it.
    pub damaged_copies: Vec<PathBuf>,
    /// Rows of the databases that quoted it and were deleted or blanked.
    pub erased: Vec<ErasedRows>,
    /// Files beside the stores that quoted it and were deleted or lost lines.
    pub cleaned: Vec<PathBuf>,
    /// Backups that were rewritten without it.
    pub backups_cleaned: Vec<PathBuf>,
    /// Backups that could not be rewritten and were deleted.
    pub backups_removed: Vec<PathBuf>,
    /// Other memories that quote it. Each is purged by itself.
    pub quoted_by: Vec<MemoryId>,
    /// Transcripts of agent clients that sessions of this project named. They are not changed.
    pub transcripts: Vec<PathBuf>,
    /// The texts that were searched for.
    pub quotations: Quotations,
}

/// A started purge.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct PurgeNote {
    ids: Vec<MemoryId>,
    /// True if the memories are in the global store.
    global: bool,
    actor: Author,
    reason: Option<Reasoning>,
    /// True if copies of damaged databases are deleted too.
    damaged_copies: bool,
    /// The texts of the memories, if their rows go before everything that quotes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    texts: Vec<Value>,
    /// True once the server of the team does not have them: what is left of them is on this machine.
    #[serde(default)]
    gone: bool,
    /// True if they were purged on another machine.
    #[serde(default)]
    elsewhere: bool,
}

const NOTES: &str = "purge-";
/// The folder of [`PendingWork`] beside a database.
const PENDING: &str = "pending";

impl PurgeNote {
    fn scope(&self) -> StoreScope {
        if self.global { StoreScope::Global } else { StoreScope::Project }
    }

    /// Returns the name of its file. The note of a purge that was begun here is never replaced by that of
    /// the same purge, as another machine made it.
    fn name(&self) -> String {
        let id = self.ids.first().map(MemoryId::to_string).unwrap_or_default();
        let elsewhere = if self.elsewhere { "elsewhere-" } else { "" };
        format!("{NOTES}{elsewhere}{id}.json")
    }
}

impl Engine<'_> {
    /// Deletes memories, their history and everything that quotes them, permanently. It is one
    /// change per store. With `damaged_copies`, the copies of damaged databases are deleted too. In a team,
    /// nothing is changed if the server does not answer or the user may not purge.
    pub fn purge(
        &mut self,
        ids: &[&str],
        reason: Reasoning,
        damaged_copies: bool,
    ) -> EngineResult<PurgeResult> {
        self.reach_team()?;
        let mut found: Vec<StoredMemory> = Vec::new();
        for id in ids {
            let memory = self.find(id)?;
            if found.iter().all(|known| known.memory.id != memory.memory.id) {
                found.push(memory);
            }
        }
        let mut purged = PurgeResult::default();
        let reason = self.action(ActionKind::Purge, Some(reason)).reason;
        for scope in [StoreScope::Project, StoreScope::Global] {
            let here = found.iter().filter(|found| found.store == scope);
            let mut note = PurgeNote {
                ids: here.map(|found| found.memory.id).collect(),
                global: scope == StoreScope::Global,
                actor: self.actor.clone(),
                reason: reason.clone(),
                damaged_copies,
                texts: Vec::new(),
                gone: false,
                elsewhere: false,
            };
            if note.ids.is_empty() {
                continue;
            }
            let begins_on_server = self.begins_on_server(&note);
            if begins_on_server {
                note.texts = self.texts_of(&note)?;
            }
            // Sessions of this project may quote memories of both stores.
            let place = if self.project.is_some() { StoreScope::Project } else { scope };
            let pending = self.pending(place);
            let bytes = serde_json::to_vec(&note)?;
            let mut claimed = pending
                .begin(&note.name(), &bytes)
                .map_err(|source| EngineError::Io { path: self.paths.database(place), source })?;
            if begins_on_server {
                match self.remove_from_server(place, &mut note) {
                    Ok((erased, again)) => {
                        purged.erased.extend(erased);
                        claimed = again;
                    }
                    // The next process that reaches the server asks again.
                    Err(error @ EngineError::PurgeUnanswered(_)) => return Err(error),
                    Err(error) if note.gone => return Err(error),
                    Err(error) => {
                        drop(claimed);
                        let _ = pending.complete(&note.name());
                        return Err(error);
                    }
                }
            }
            match self.finish_purge(place, &note, &mut purged) {
                Ok(()) => {}
                // Nothing was deleted yet, so the purge can fail without a trace.
                Err(error) if self.still_there(&note) => {
                    drop(claimed);
                    let _ = pending.complete(&note.name());
                    let _ = self.pending(note.scope()).complete(&note.name());
                    return Err(error);
                }
                Err(error) if error.is_busy() => purged.unfinished = true,
                Err(error) => return Err(error),
            }
        }
        purged.quoted_by.extend(self.quoting_memories(&purged.quotations).unwrap_or_default());
        purged.memories = found;
        purged.tidy();
        Ok(purged)
    }

    /// Returns the memories whose purge another process started and this one finished on opening.
    pub fn resumed_purges(&self) -> &[MemoryId] {
        &self.resumed_purges
    }

    /// Finishes purges that other processes started, if the stores are open. Failures are left to
    /// the next process.
    pub(crate) fn resume_purges(&mut self) {
        for place in [StoreScope::Project, StoreScope::Global] {
            if self.store(place).is_none() || self.pending(place).is_empty() {
                continue;
            }
            let pending = self.pending(place);
            for claimed in pending.claim(NOTES).unwrap_or_default() {
                // An unreadable note stays, because it is the only trace of the purge; `health`
                // reports it.
                let Ok(mut note) = serde_json::from_slice::<PurgeNote>(&claimed.bytes) else {
                    continue;
                };
                if self.store(note.scope()).is_none() || self.waits_for_server(&note) {
                    continue;
                }
                let mut _again = None;
                if self.begins_on_server(&note) {
                    match self.remove_from_server(place, &mut note) {
                        Ok((_, again)) => _again = Some(again),
                        // The user has lost the right to it before anything was removed.
                        Err(EngineError::MayNotPurge { .. }) => {
                            let _ = pending.complete(&note.name());
                            continue;
                        }
                        Err(_) => continue,
                    }
                }
                if self.finish_purge(place, &note, &mut PurgeResult::default()).is_ok() {
                    self.resumed_purges.extend(note.ids);
                }
            }
            let _ = pending.tidy();
        }
    }

    /// Returns the unreadable notes of interrupted purges, whose memories are unknown.
    pub(crate) fn unreadable_purges(&self, scope: StoreScope) -> EngineResult<Vec<PathBuf>> {
        let claimed = self.pending(scope).claim(NOTES);
        let claimed = claimed.map_err(|source| self.cannot_note(scope, source))?;
        let unreadable = claimed
            .into_iter()
            .filter(|claimed| serde_json::from_slice::<PurgeNote>(&claimed.bytes).is_err());
        let folder = self.paths.directory(scope).join(PENDING);
        Ok(unreadable.map(|claimed| folder.join(claimed.name)).collect())
    }

    fn pending(&self, scope: StoreScope) -> PendingWork {
        PendingWork::of(&self.paths.database(scope))
    }

    fn still_there(&self, note: &PurgeNote) -> bool {
        let store = self.store(note.scope()).filter(|_| !note.gone);
        store.is_some_and(|store| store.read(&note.ids).is_ok_and(|there| !there.is_empty()))
    }

    /// Performs all steps of a purge on this machine from the start and removes its note. `place` is the
    /// store that holds the note.
    fn finish_purge(
        &mut self,
        place: StoreScope,
        note: &PurgeNote,
        purged: &mut PurgeResult,
    ) -> EngineResult<()> {
        let scope = note.scope();
        if self.project.is_some() {
            self.flush_events()?;
        }
        let quotations = quotations_of(&self.texts_of(note)?);
        purged.quotations.extend(quotations.clone());
        step();
        purged.erased.extend(self.erase_from_shared_sessions(note, &quotations)?);
        purged.transcripts.extend(self.transcripts());
        let files = files::clean(&self.paths, &note.ids, &quotations);
        purged.quoted_in.extend(files.left);
        purged.cleaned.extend(files.cleaned);
        step();
        // While the rows or the note still have the text: an interrupted purge looks for it again.
        self.purge_copies(note, &quotations, purged)?;
        step();
        let mut _claimed = None;
        if scope == StoreScope::Global && self.project.is_some() {
            purged.erased.extend(self.erase_from_sessions(note, &quotations)?);
            // From here on, a process in another project can finish the purge too.
            let bytes = serde_json::to_vec(note)?;
            let begun = self.pending(StoreScope::Global).begin(&note.name(), &bytes);
            _claimed = Some(begun.map_err(|source| self.cannot_note(StoreScope::Global, source))?);
        }
        purged.erased.extend(self.remove_rows(note, &quotations)?);
        step();
        // A backup may have been made since.
        self.purge_copies(note, &quotations, purged)?;
        for scope in [StoreScope::Project, StoreScope::Global] {
            if self.store(scope).is_some() && (scope == place || scope == note.scope()) {
                self.own_store_mut(scope)?.scrub()?;
            }
        }
        step();
        self.rebuild_vectors(scope)?;
        files::clean_derived(&self.paths)
            .map_err(|source| EngineError::Io { path: self.paths.project.clone(), source })?;
        step();
        for scope in [place, scope] {
            let left = self.damaged_copies_of(scope, note.damaged_copies)?;
            purged.damaged_copies.extend(left);
        }
        purged.damaged_copies.sort();
        purged.damaged_copies.dedup();
        step();
        for scope in [scope, place] {
            let done = self.pending(scope).complete(&note.name());
            done.map_err(|source| self.cannot_note(scope, source))?;
        }
        Ok(())
    }

    /// Returns the texts to search for: those of the memories, current and earlier.
    fn texts_of(&self, note: &PurgeNote) -> EngineResult<Vec<Value>> {
        let mut texts = note.texts.clone();
        if let Some(store) = self.store(note.scope()).filter(|_| !note.gone) {
            texts.extend(texts_in(store, &note.ids)?);
        }
        // The copy of a team's memories may have another version than the server.
        if let Some(own) = self.own_store(note.scope()).filter(|_| note.gone || self.is_in_team()) {
            texts.extend(texts_in(own, &note.ids)?);
        }
        if let Some(log) = self.own_store(StoreScope::Project).filter(|_| note.elsewhere) {
            texts.extend(shown_texts(log, &note.ids)?);
        }
        Ok(texts)
    }

    /// Deletes rows of this project's sessions that are about global memories.
    fn erase_from_sessions(
        &mut self,
        note: &PurgeNote,
        quotations: &Quotations,
    ) -> EngineResult<Vec<ErasedRows>> {
        let action = self.action(ActionKind::Purge, None);
        let store = self.own_store_mut(StoreScope::Project)?;
        let mut transaction = store.begin(action)?;
        let erased = transaction.erase_quotes(quotations)?;
        transaction.commit()?;
        for id in &note.ids {
            store.blank_injections(id)?;
        }
        Ok(erased)
    }

    /// Deletes the memories and the quotations in their store on this machine.
    fn remove_rows(
        &mut self,
        note: &PurgeNote,
        quotations: &Quotations,
    ) -> EngineResult<Vec<ErasedRows>> {
        let mut action = self.action(ActionKind::Purge, note.reason.clone());
        action.actor = note.actor.clone();
        let store = self.own_store_mut(note.scope())?;
        let mut transaction = store.begin(action)?;
        for memory in transaction.read(&note.ids)? {
            transaction.remove(&memory)?;
        }
        for id in &note.ids {
            transaction.erase_history(id)?;
        }
        let erased = transaction.erase_quotes(quotations)?;
        transaction.commit()?;
        if !note.global {
            for id in &note.ids {
                store.blank_injections(id)?;
            }
        }
        Ok(erased)
    }

    fn cannot_note(&self, scope: StoreScope, source: std::io::Error) -> EngineError {
        EngineError::Io { path: self.paths.directory(scope).join(PENDING), source }
    }
}

/// Returns what a store knows that memories say and said.
fn texts_in(store: &dyn Store, ids: &[MemoryId]) -> EngineResult<Vec<Value>> {
    let mut texts = Vec::new();
    for memory in store.read(ids)? {
        texts.push(said_by(&memory.to_json()));
        let query =
            ChangeQuery { memory: Some(memory.id), limit: usize::MAX, ..ChangeQuery::default() };
        for change in store.changes(&query)? {
            let items = change.items.into_iter().filter(|item| item.memory == memory.id);
            let sides = items.flat_map(|item| [item.before, item.after]).flatten();
            texts.extend(sides.map(|fields| said_by(&Value::Object(fields))));
        }
    }
    texts.sort_by_cached_key(Value::to_string);
    texts.dedup();
    Ok(texts)
}
