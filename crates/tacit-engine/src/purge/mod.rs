//! Purges: the permanent removal of memories, completed even after a crash.
//!
//! A purge is noted beside the store before it starts (`tacit_store_sqlite::PendingWork`), and the
//! note is removed when it is done. If the process dies, the next one that opens the store repeats
//! all steps; every step is idempotent. The note names memories but does not quote them: as long as
//! their text must be searched for, their rows still hold it.

mod copies;
mod files;
mod phrases;
mod trace;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tacit_core::{Author, MemoryId, Quotations, Reasoning};
use tacit_fs::failpoint::step;
use tacit_store::{ActionKind, ChangeQuery, ErasedRows};
use tacit_store_sqlite::PendingWork;

use crate::backup::BACKUPS;
use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::lookup::StoredMemory;
use phrases::quotations_of;
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
}

const NOTES: &str = "purge-";
/// The folder of [`PendingWork`] beside a database.
const PENDING: &str = "pending";

impl PurgeNote {
    fn scope(&self) -> StoreScope {
        if self.global { StoreScope::Global } else { StoreScope::Project }
    }

    fn name(&self) -> String {
        format!("{NOTES}{}.json", self.ids.first().map(MemoryId::to_string).unwrap_or_default())
    }
}

impl Engine<'_> {
    /// Deletes memories, their history and everything that quotes them, permanently. It is one
    /// change per store. With `damaged_copies`, the copies of damaged databases are deleted too.
    pub fn purge(
        &mut self,
        ids: &[&str],
        reason: Reasoning,
        damaged_copies: bool,
    ) -> EngineResult<PurgeResult> {
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
            let note = PurgeNote {
                ids: here.map(|found| found.memory.id).collect(),
                global: scope == StoreScope::Global,
                actor: self.actor.clone(),
                reason: reason.clone(),
                damaged_copies,
            };
            if note.ids.is_empty() {
                continue;
            }
            // Sessions of this project may quote memories of both stores.
            let place = if self.project.is_some() { StoreScope::Project } else { scope };
            let pending = self.pending(place);
            let bytes = serde_json::to_vec(&note)?;
            let claimed = pending
                .begin(&note.name(), &bytes)
                .map_err(|source| EngineError::Io { path: self.paths.database(place), source })?;
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
                let Ok(note) = serde_json::from_slice::<PurgeNote>(&claimed.bytes) else {
                    continue;
                };
                if self.store(note.scope()).is_none() {
                    continue;
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
        let store = self.store(note.scope());
        store.is_some_and(|store| store.read(&note.ids).is_ok_and(|there| !there.is_empty()))
    }

    /// Performs all steps of a purge from the start and removes its note. `place` is the store that
    /// holds the note.
    fn finish_purge(
        &mut self,
        place: StoreScope,
        note: &PurgeNote,
        purged: &mut PurgeResult,
    ) -> EngineResult<()> {
        let scope = note.scope();
        let quotations = quotations_of(&self.texts_of(note)?);
        step();
        if self.project.is_some() {
            self.flush_events()?;
        }
        purged.transcripts.extend(self.transcripts());
        let files = files::clean(&self.paths, &note.ids, &quotations);
        purged.quoted_in.extend(files.left);
        purged.cleaned.extend(files.cleaned);
        step();
        // While the rows still have the text: an interrupted purge looks for it again.
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
        purged.quoted_by.extend(self.quoting_memories(&quotations)?);
        step();
        // A backup may have been made since.
        self.purge_copies(note, &quotations, purged)?;
        for scope in [StoreScope::Project, StoreScope::Global] {
            if self.store(scope).is_some() && (scope == place || scope == note.scope()) {
                self.store_mut(scope)?.scrub()?;
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
        purged.quotations.extend(quotations);
        Ok(())
    }

    /// Returns the texts to search for: those of the memories, current and earlier.
    fn texts_of(&self, note: &PurgeNote) -> EngineResult<Vec<serde_json::Value>> {
        let Some(store) = self.store(note.scope()) else { return Ok(Vec::new()) };
        let mut texts = Vec::new();
        for memory in store.read(&note.ids)? {
            texts.push(memory.to_json());
            let query = ChangeQuery {
                memory: Some(memory.id),
                limit: usize::MAX,
                ..ChangeQuery::default()
            };
            for change in store.changes(&query)? {
                let items = change.items.into_iter().filter(|item| item.memory == memory.id);
                let sides = items.flat_map(|item| [item.before, item.after]).flatten();
                texts.extend(sides.map(serde_json::Value::Object));
            }
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
        let store = self.store_mut(StoreScope::Project)?;
        let mut transaction = store.begin(action)?;
        let erased = transaction.erase_quotes(quotations)?;
        transaction.commit()?;
        for id in &note.ids {
            store.blank_injections(id)?;
        }
        Ok(erased)
    }

    /// Deletes the memories and the quotations in their store.
    fn remove_rows(
        &mut self,
        note: &PurgeNote,
        quotations: &Quotations,
    ) -> EngineResult<Vec<ErasedRows>> {
        let mut action = self.action(ActionKind::Purge, note.reason.clone());
        action.actor = note.actor.clone();
        let store = self.store_mut(note.scope())?;
        let mut transaction = store.begin(action)?;
        for memory in transaction.read(&note.ids)? {
            transaction.remove(&memory)?;
            transaction.erase_history(&memory.id)?;
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
