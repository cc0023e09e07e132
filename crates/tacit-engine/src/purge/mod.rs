//! Removing memories for good: one promise, kept also by the process that comes after.
//!
//! A purge is noted beside the store before it begins (`tacit_store_sqlite::PendingWork`), and the note
//! is removed when nothing is left. If the process dies in between, the next one that opens the
//! store does all of it again; every step can be repeated. The note names memories and quotes
//! nothing: as long as their text has to be looked for, their rows are there to tell it.

mod files;
mod phrases;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tacit_core::{Author, MemoryId, Reasoning};
use tacit_fs::failpoint::step;
use tacit_store::{ActionKind, ChangeQuery};
use tacit_store_sqlite::{PendingWork, damaged_copies, log_of};

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::lookup::StoredMemory;
use phrases::phrases;

/// The result of a purge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PurgeResult {
    /// The memories that are gone, as they were.
    pub memories: Vec<StoredMemory>,
    /// True if other processes kept the last traces from being removed; the next command removes
    /// them.
    pub unfinished: bool,
    /// Files that quote a purged memory and are not ours to change.
    pub quoted_in: Vec<PathBuf>,
    /// Copies of damaged databases that may still hold it.
    pub damaged_copies: Vec<PathBuf>,
}

/// A purge that was begun.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct PurgeNote {
    ids: Vec<MemoryId>,
    /// True if the memories are in the user's own store.
    global: bool,
    actor: Author,
    reason: Option<Reasoning>,
    /// True if copies of damaged databases are removed too.
    damaged_copies: bool,
}

const NOTES: &str = "purge-";
/// The folder of [`PendingWork`] beside a database.
const PENDING: &str = "pending";

impl PurgeNote {
    fn shelf(&self) -> StoreScope {
        if self.global { StoreScope::Global } else { StoreScope::Project }
    }

    fn name(&self) -> String {
        format!("{NOTES}{}.json", self.ids.first().map(MemoryId::to_string).unwrap_or_default())
    }
}

impl Engine<'_> {
    /// Removes memories, everything the history says of them and everything that quotes them, for
    /// good. It is one change on each shelf. With `damaged_copies`, what repairs kept of damaged
    /// databases goes as well.
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
        for shelf in [StoreScope::Project, StoreScope::Global] {
            let here = found.iter().filter(|found| found.shelf == shelf);
            let note = PurgeNote {
                ids: here.map(|found| found.memory.id).collect(),
                global: shelf == StoreScope::Global,
                actor: self.actor.clone(),
                reason: reason.clone(),
                damaged_copies,
            };
            if note.ids.is_empty() {
                continue;
            }
            // Sessions of this project may quote memories of either shelf.
            let place = if self.project.is_some() { StoreScope::Project } else { shelf };
            let pending = self.pending(place);
            let bytes = serde_json::to_vec(&note)?;
            let claimed = pending
                .begin(&note.name(), &bytes)
                .map_err(|source| EngineError::Io { path: self.places.database(place), source })?;
            match self.finish_purge(place, &note, &mut purged) {
                Ok(()) => {}
                // Nothing was removed, and nobody was told that it would be.
                Err(error) if self.still_there(&note) => {
                    drop(claimed);
                    let _ = pending.done(&note.name());
                    let _ = self.pending(note.shelf()).done(&note.name());
                    return Err(error);
                }
                Err(error) if error.is_busy() => purged.unfinished = true,
                Err(error) => return Err(error),
            }
        }
        purged.memories = found;
        Ok(purged)
    }

    /// Memories whose purge another process began and this one finished when it opened the stores.
    pub fn resumed_purges(&self) -> &[MemoryId] {
        &self.resumed
    }

    /// Finishes purges that other processes began, as far as the stores are open. What cannot be
    /// done now is left to the next process.
    pub(crate) fn resume_purges(&mut self) {
        for place in [StoreScope::Project, StoreScope::Global] {
            if self.store(place).is_none() || self.pending(place).is_empty() {
                continue;
            }
            let pending = self.pending(place);
            for claimed in pending.claim(NOTES).unwrap_or_default() {
                // A note that cannot be read stays: it is all that is left of a promise. `health`
                // tells of it.
                let Ok(note) = serde_json::from_slice::<PurgeNote>(&claimed.bytes) else {
                    continue;
                };
                if self.store(note.shelf()).is_none() {
                    continue;
                }
                if self.finish_purge(place, &note, &mut PurgeResult::default()).is_ok() {
                    self.resumed.extend(note.ids);
                }
            }
            let _ = pending.tidy();
        }
    }

    /// Returns the notes of interrupted purges that cannot be read, so that nobody knows which
    /// memories were to go.
    pub(crate) fn unreadable_purges(&self, shelf: StoreScope) -> EngineResult<Vec<PathBuf>> {
        let claimed = self.pending(shelf).claim(NOTES);
        let claimed = claimed.map_err(|source| self.cannot_note(shelf, source))?;
        let unreadable = claimed
            .into_iter()
            .filter(|claimed| serde_json::from_slice::<PurgeNote>(&claimed.bytes).is_err());
        let folder = self.places.directory(shelf).join(PENDING);
        Ok(unreadable.map(|claimed| folder.join(claimed.name)).collect())
    }

    fn pending(&self, shelf: StoreScope) -> PendingWork {
        PendingWork::of(&self.places.database(shelf))
    }

    fn still_there(&self, note: &PurgeNote) -> bool {
        let store = self.store(note.shelf());
        store.is_some_and(|store| store.read(&note.ids).is_ok_and(|there| !there.is_empty()))
    }

    /// Does everything that a note asks for, from the beginning, and removes the note. `place` is
    /// where the note is.
    fn finish_purge(
        &mut self,
        place: StoreScope,
        note: &PurgeNote,
        purged: &mut PurgeResult,
    ) -> EngineResult<()> {
        let shelf = note.shelf();
        let phrases = self.phrases_of(note)?;
        step();
        if self.project.is_some() {
            self.settle_events()?;
        }
        purged.quoted_in.extend(files::clean(&self.places, &note.ids, &phrases));
        step();
        let mut _claimed = None;
        if shelf == StoreScope::Global && self.project.is_some() {
            self.erase_from_sessions(note, &phrases)?;
            // If this process dies from here on, also one in another project can finish it.
            let bytes = serde_json::to_vec(note)?;
            let begun = self.pending(StoreScope::Global).begin(&note.name(), &bytes);
            _claimed = Some(begun.map_err(|source| self.cannot_note(StoreScope::Global, source))?);
        }
        self.remove_rows(note, &phrases)?;
        step();
        for shelf in [StoreScope::Project, StoreScope::Global] {
            if self.store(shelf).is_some() && (shelf == place || shelf == note.shelf()) {
                self.store_mut(shelf)?.scrub()?;
            }
        }
        step();
        self.rebuild_vectors(shelf)?;
        files::clean_derived(&self.places)
            .map_err(|source| EngineError::Io { path: self.places.project.clone(), source })?;
        step();
        for shelf in [place, shelf] {
            let left = self.damaged_copies_of(shelf, note.damaged_copies)?;
            purged.damaged_copies.extend(left);
        }
        purged.damaged_copies.sort();
        purged.damaged_copies.dedup();
        step();
        for shelf in [shelf, place] {
            let done = self.pending(shelf).done(&note.name());
            done.map_err(|source| self.cannot_note(shelf, source))?;
        }
        Ok(())
    }

    /// Returns the texts to look for: those of the memories, now and earlier.
    fn phrases_of(&self, note: &PurgeNote) -> EngineResult<Vec<String>> {
        let Some(store) = self.store(note.shelf()) else { return Ok(Vec::new()) };
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
        Ok(phrases(&texts))
    }

    /// Removes rows of this project's sessions that are about memories of the other shelf.
    fn erase_from_sessions(&mut self, note: &PurgeNote, phrases: &[String]) -> EngineResult<()> {
        let action = self.action(ActionKind::Purge, None);
        let store = self.store_mut(StoreScope::Project)?;
        let mut transaction = store.begin(action)?;
        transaction.erase_quotes(phrases)?;
        transaction.commit()?;
        for id in &note.ids {
            store.forget_shown(id)?;
        }
        Ok(())
    }

    /// Removes the rows of the memories, and what quotes them in the same store.
    fn remove_rows(&mut self, note: &PurgeNote, phrases: &[String]) -> EngineResult<()> {
        let mut action = self.action(ActionKind::Purge, note.reason.clone());
        action.actor = note.actor.clone();
        let store = self.store_mut(note.shelf())?;
        let mut transaction = store.begin(action)?;
        for memory in transaction.read(&note.ids)? {
            transaction.remove(&memory)?;
            transaction.erase_history(&memory.id)?;
        }
        transaction.erase_quotes(phrases)?;
        transaction.commit()?;
        if !note.global {
            for id in &note.ids {
                store.forget_shown(id)?;
            }
        }
        Ok(())
    }

    /// The copies of damaged databases of a shelf that are left, having removed them if asked.
    fn damaged_copies_of(&self, shelf: StoreScope, remove: bool) -> EngineResult<Vec<PathBuf>> {
        let copies = damaged_copies(&self.places.database(shelf));
        if !remove {
            return Ok(copies);
        }
        for path in copies.iter().flat_map(|copy| [log_of(copy), copy.clone()]) {
            tacit_fs::remove(&path).map_err(|source| EngineError::Io { path, source })?;
        }
        Ok(Vec::new())
    }

    fn cannot_note(&self, shelf: StoreScope, source: std::io::Error) -> EngineError {
        EngineError::Io { path: self.places.directory(shelf).join(PENDING), source }
    }
}
