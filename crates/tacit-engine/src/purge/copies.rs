//! Copies of a store's database that a purge must reach: backups, replaced and damaged databases.

use std::path::PathBuf;

use tacit_core::{MemoryId, Quotations};
use tacit_fs::{Lock, Wait};
use tacit_store::{ActionKind, ErasedRows};
use tacit_store_sqlite::{damaged_copies, purge_backup, remove_unfinished, wal_of};

use super::{PurgeNote, PurgeResult};
use crate::backup::copies_of;
use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::life::each_memory;
use crate::team::remove_unfinished_move;

impl PurgeResult {
    /// Adds up what several steps found.
    pub(super) fn tidy(&mut self) {
        let lists = [
            &mut self.cleaned,
            &mut self.quoted_in,
            &mut self.backups_cleaned,
            &mut self.backups_removed,
            &mut self.transcripts,
        ];
        for list in lists {
            list.sort();
            list.dedup();
        }
        self.quoted_by.sort_unstable();
        self.quoted_by.dedup();
        let mut erased: Vec<ErasedRows> = Vec::new();
        for one in self.erased.drain(..) {
            match erased.iter_mut().find(|known| known.table == one.table) {
                Some(known) => known.rows += one.rows,
                None => erased.push(one),
            }
        }
        self.erased = erased;
    }
}

impl Engine<'_> {
    /// Rewrites the backups and replaced databases of both stores without the memories. If a person
    /// asked for the purge, one that cannot be rewritten is deleted.
    pub(super) fn purge_copies(
        &self,
        note: &PurgeNote,
        quotations: &Quotations,
        purged: &mut PurgeResult,
    ) -> EngineResult<()> {
        let mut action = self.action(ActionKind::Purge, note.reason.clone());
        action.actor = note.actor.clone();
        let is_asked_for = !Engine::is_tacits(&note.actor);
        for scope in [StoreScope::Project, StoreScope::Global] {
            if self.store(scope).is_none() {
                continue;
            }
            // Keeps maintenance from making a backup meanwhile. If it is at work already, the copies
            // are looked at once more after the rows are gone.
            let lock = self.paths.maintenance_lock(scope);
            let lock = Lock::exclusive(&lock, Wait::NONE);
            // A move that is at work keeps the lock, and its database.
            if scope == StoreScope::Project && matches!(lock, Ok(Some(_))) {
                remove_unfinished_move(&self.paths)?;
            }
            remove_unfinished(&self.paths.backups(scope))?;
            remove_unfinished(self.paths.directory(scope))?;
            for path in copies_of(&self.paths, scope) {
                match purge_backup(&path, &note.ids, quotations, &action) {
                    Ok(None) => {}
                    Ok(Some(_)) => purged.backups_cleaned.push(path),
                    // A backup is worth more than a memory that has only had its time.
                    Err(_) if !is_asked_for => {}
                    Err(_) => {
                        tacit_fs::remove(&path)
                            .map_err(|source| EngineError::Io { path: path.clone(), source })?;
                        purged.backups_removed.push(path);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the remaining copies of a store's damaged databases, after deleting them if
    /// `remove`.
    pub(super) fn damaged_copies_of(
        &self,
        scope: StoreScope,
        remove: bool,
    ) -> EngineResult<Vec<PathBuf>> {
        let copies = damaged_copies(&self.paths.database(scope));
        if !remove {
            return Ok(copies);
        }
        for path in copies.iter().flat_map(|copy| [wal_of(copy), copy.clone()]) {
            tacit_fs::remove(&path).map_err(|source| EngineError::Io { path, source })?;
        }
        Ok(Vec::new())
    }

    /// Returns the transcripts that sessions of this project named.
    pub(super) fn transcripts(&self) -> Vec<PathBuf> {
        let store = self.store(StoreScope::Project);
        let named = store.and_then(|store| store.transcripts().ok()).unwrap_or_default();
        named.into_iter().map(PathBuf::from).collect()
    }

    /// Returns the memories of the open stores that quote a purged one.
    pub(super) fn quoting_memories(&self, quotations: &Quotations) -> EngineResult<Vec<MemoryId>> {
        let mut quoting = Vec::new();
        if quotations.is_empty() {
            return Ok(quoting);
        }
        for (_, store) in self.stores() {
            each_memory(store, |memory| {
                if quotations.are_in(&memory.to_json().to_string()) {
                    quoting.push(memory.id);
                }
                Ok(())
            })?;
        }
        Ok(quoting)
    }
}
