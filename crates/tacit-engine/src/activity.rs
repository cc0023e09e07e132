//! Session activity, and the memories that hooks may show.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tacit_core::{FingerprintDigest, MemoryId, RepoPath, SessionId, Timestamp, UniversalPhase};
use tacit_recall::{baseline_score, is_proven};
use tacit_store::{
    ActionKind, ActivityBatch, CoChange, Event, EventQuery, FileAffinity, Filter, Injection,
    InjectionQuery, ListOrder, Note, Session, Store,
};

use crate::candidates::MIN_LINK_WEIGHT;
use crate::engine::{Engine, StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::lookup::StoredMemory;
use crate::recall::RecallResult;
use crate::spool::Spool;

/// The largest spooled batch, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;
/// The most spooled batches that are written in one transaction, and the most in all while an agent
/// waits.
pub(crate) const BATCHES: usize = 200;
/// The number of newest and of last used memories that are compared for the top ones.
const COMPARED: usize = 60;
/// The number of use notes from which on even recall counts them.
const MANY_USES: usize = 64;

impl StorePaths {
    /// Spools a batch for the next process that opens the store: opening it for a single event
    /// would dominate the cost of a hook.
    pub fn spool_batch(&self, id: &MemoryId, record: &ActivityBatch) -> EngineResult<()> {
        let path = self.project.join("events");
        let fail = |source| EngineError::Io { path, source };
        let bytes = serde_json::to_vec(record).map_err(std::io::Error::other);
        bytes.and_then(|bytes| self.event_spool().put_unsynced(id, &bytes)).map_err(fail)
    }

    /// Returns the spool of events that are not written yet.
    pub fn event_spool(&self) -> Spool {
        Spool::at(self.project.join("events"))
    }
}

impl Engine<'_> {
    /// Writes a batch after the spooled ones.
    pub fn record(&mut self, record: ActivityBatch) -> EngineResult<()> {
        self.settle(Some(record))
    }

    /// Claims a name once. Returns false if it was claimed before.
    pub fn claim(&mut self, name: &str) -> EngineResult<bool> {
        let action = self.action(ActionKind::Remember, None);
        let mut transaction = self.store_mut(StoreScope::Project)?.begin(action)?;
        let free = transaction.claim_request(name)?;
        transaction.commit()?;
        Ok(free)
    }

    /// Writes the spooled batches, so that readers of the log see everything.
    pub fn flush_events(&mut self) -> EngineResult<()> {
        self.settle(None)
    }

    /// Writes a bounded number of the spooled batches from now on, because an agent waits. A batch
    /// that would overtake others is spooled behind them; `tacit maintain` writes them all.
    #[must_use]
    pub fn in_a_hurry(mut self) -> Self {
        self.batches_left = Some(BATCHES);
        self
    }

    /// Writes the spooled batches in order, then the newest one.
    fn settle(&mut self, newest: Option<ActivityBatch>) -> EngineResult<()> {
        let spool = self.paths.event_spool();
        loop {
            let most = self.batches_left.map_or(BATCHES, |left| left.min(BATCHES));
            // If the spool cannot be read at all, the new batch is written anyway and
            // `tacit maintain` reports it.
            let is_last = spool.len().unwrap_or_default() <= most;
            if !is_last && most == 0 {
                let id = self.ids.next_id(self.clock.now());
                return newest.map_or(Ok(()), |newest| self.paths.spool_batch(&id, &newest));
            }
            let waiting = spool.entries_up_to(LARGEST, most, |_| true).unwrap_or_default();
            let is_last = is_last || waiting.is_empty();
            let mut records = Vec::with_capacity(waiting.len() + 1);
            for entry in &waiting {
                match serde_json::from_slice::<ActivityBatch>(&entry.bytes) {
                    Ok(record) => records.push(record),
                    // Reported by `health`.
                    Err(_) => drop(spool.quarantine(entry)),
                }
            }
            if is_last {
                records.extend(newest);
                self.write_batches(records)?;
                // A batch that remains is recognised by its events next time.
                waiting.iter().for_each(|entry| drop(spool.remove(entry)));
                return Ok(());
            }
            self.write_batches(records)?;
            for entry in &waiting {
                let path = self.paths.project.join("events");
                spool.remove(entry).map_err(|source| EngineError::Io { path, source })?;
            }
            if let Some(left) = &mut self.batches_left {
                *left = left.saturating_sub(waiting.len());
            }
        }
    }

    fn write_batches(&mut self, mut records: Vec<ActivityBatch>) -> EngineResult<()> {
        if records.is_empty() {
            return Ok(());
        }
        let notes = self.infer_notes(&records);
        if !notes.is_empty() {
            records.push(ActivityBatch { notes, ..ActivityBatch::default() });
        }
        Ok(self.store_mut(StoreScope::Project)?.record_all(&records)?)
    }

    /// Returns a session of this project.
    pub fn session(&self, id: &SessionId) -> EngineResult<Option<Session>> {
        Ok(self.activity()?.session(id)?)
    }

    /// Returns events of this project, newest first.
    pub fn events(&self, query: &EventQuery) -> EngineResult<Vec<Event>> {
        Ok(self.activity()?.events(query)?)
    }

    /// Returns the number of events that match a query, regardless of its limit.
    pub fn count_events(&self, query: &EventQuery) -> EngineResult<usize> {
        Ok(self.activity()?.count_events(query)?)
    }

    /// Returns injections in this project, newest first.
    pub fn injections(&self, query: &InjectionQuery) -> EngineResult<Vec<Injection>> {
        Ok(self.activity()?.injections(query)?)
    }

    /// Returns how often hooks showed each memory in this project, or each of these.
    pub fn injection_counts(
        &self,
        only: Option<&[MemoryId]>,
    ) -> EngineResult<BTreeMap<MemoryId, u64>> {
        let Some(store) = self.store(StoreScope::Project) else { return Ok(BTreeMap::new()) };
        Ok(store.injection_counts(only)?.into_iter().collect())
    }

    /// Returns the notes of a session, only those about one of the files if any are given.
    pub fn notes(
        &self,
        session: &SessionId,
        files: &[RepoPath],
        limit: usize,
    ) -> EngineResult<Vec<Note>> {
        Ok(self.activity()?.notes(session, files, limit)?)
    }

    /// Replaces the co-changes from the git history.
    pub fn set_co_changes(&mut self, ties: &[CoChange]) -> EngineResult<()> {
        let now = self.clock.now();
        Ok(self.store_mut(StoreScope::Project)?.set_co_changes(ties, now)?)
    }

    /// Returns files that sessions used together with this one, strongest first.
    pub fn co_used_files(
        &self,
        file: &RepoPath,
        limit: usize,
    ) -> EngineResult<Vec<(RepoPath, FileAffinity)>> {
        let Some(store) = self.store(StoreScope::Project) else { return Ok(Vec::new()) };
        let mut used = Vec::new();
        for other in store.linked_files(std::slice::from_ref(file), 0.0, limit)? {
            used.extend(store.file_affinity(file, &other)?.map(|tie| (other, tie)));
        }
        Ok(used)
    }

    /// Returns files that are used or changed together with one of these, strongest first.
    pub fn linked_files(&self, files: &[RepoPath], limit: usize) -> EngineResult<Vec<RepoPath>> {
        let Some(store) = self.store(StoreScope::Project).filter(|_| !files.is_empty()) else {
            return Ok(Vec::new());
        };
        Ok(store.linked_files(files, MIN_LINK_WEIGHT, limit)?)
    }

    /// Deletes events older than `before`.
    pub fn delete_events(&mut self, before: Timestamp) -> EngineResult<u64> {
        Ok(self.store_mut(StoreScope::Project)?.delete_events(before)?)
    }

    /// Returns the proven memories that pass the filter, most useful in a phase first.
    pub fn top_memories(
        &self,
        only: Option<StoreScope>,
        filter: &Filter,
        phase: Option<UniversalPhase>,
        limit: usize,
    ) -> EngineResult<Vec<StoredMemory>> {
        let filter = Filter { stale: Some(false), ..filter.clone() };
        let mut found = self.list(only, &filter, ListOrder::Newest, COMPARED, 0)?;
        for used in self.list(only, &filter, ListOrder::Used, COMPARED, 0)? {
            if found.iter().all(|known| known.memory.id != used.memory.id) {
                found.push(used);
            }
        }
        found.retain(|found| is_proven(&found.memory));
        let mut found = self.without_superseded(found)?;
        let most = found.iter().map(|found| found.memory.usage.access_count).max().unwrap_or(0);
        let now = self.clock.now();
        let weights = self.weights(phase);
        let worth = |found: &StoredMemory| {
            let uses = self.uses_of(found.memory.id);
            baseline_score(&found.memory, &uses, phase, &weights, most, now)
        };
        found.sort_by(|a, b| {
            worth(b).total_cmp(&worth(a)).then_with(|| a.memory.id.cmp(&b.memory.id))
        });
        found.truncate(limit);
        Ok(found)
    }

    /// Returns memories of the same error that may be shown proactively, proven ones first. A fix
    /// that was observed once qualifies.
    pub fn memories_of_error(
        &self,
        fingerprint: &FingerprintDigest,
        seen: &[MemoryId],
    ) -> EngineResult<Vec<StoredMemory>> {
        let fingerprint = Some(fingerprint.clone());
        let filter = Filter { fingerprint, stale: Some(false), ..Filter::default() };
        let mut found = self.list(None, &filter, ListOrder::Newest, COMPARED, 0)?;
        found.retain(|found| !seen.contains(&found.memory.id) && found.is_observed_or_proven());
        found.sort_by_key(|found| !is_proven(&found.memory));
        self.without_superseded(found)
    }

    /// Returns the most frequent tags among the newest memories.
    pub fn frequent_tags(&self, among: u64, limit: usize) -> EngineResult<Vec<(String, u64)>> {
        Ok(self.activity()?.frequent_tags(among, limit)?)
    }

    /// Notes a use of each memory, to be counted by a command that has time.
    pub fn note_uses(&self, shown: &[RecallResult]) {
        let now = self.clock.now();
        for scope in [StoreScope::Project, StoreScope::Global] {
            let ids: Vec<MemoryId> = shown
                .iter()
                .filter(|recalled| recalled.found.store == scope)
                .map(|recalled| recalled.found.memory.id)
                .collect();
            if !ids.is_empty()
                && let Ok(bytes) = serde_json::to_vec(&Uses { at: now, memories: ids })
            {
                // A lost count does no harm; a failed recall would.
                let _ = self.paths.use_spool(scope).put_unsynced(&self.ids.next_id(now), &bytes);
            }
        }
    }

    /// Counts the noted uses. If `hurried`, only when there are many.
    pub(crate) fn flush_uses(&mut self, scope: StoreScope, hurried: bool) {
        let spool = self.paths.use_spool(scope);
        let enough = if hurried { MANY_USES } else { 1 };
        if spool.len().is_ok_and(|noted| noted < enough) {
            return;
        }
        let Ok(entries) = spool.entries() else { return };
        let Ok(store) = self.store_mut(scope) else { return };
        for entry in entries {
            if let Ok(uses) = serde_json::from_slice::<Uses>(&entry.bytes)
                && store.record_access(&uses.memories, uses.at).is_err()
            {
                return;
            }
            let _ = spool.remove(&entry);
        }
    }

    fn activity(&self) -> EngineResult<&dyn Store> {
        self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())
    }
}

/// Uses of memories that are not counted yet.
#[derive(Serialize, Deserialize)]
struct Uses {
    at: Timestamp,
    memories: Vec<MemoryId>,
}
