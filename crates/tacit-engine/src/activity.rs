//! What agents did and were shown, and what may be shown to them unasked.

use serde::{Deserialize, Serialize};
use tacit_core::{
    FingerprintDigest, Memory, MemoryId, RepoPath, SessionId, Source, Timestamp, UniversalPhase,
};
use tacit_recall::{is_proven, standing};
use tacit_store::{
    ActionKind, ActivityBatch, CoChange, Event, EventQuery, FileAffinity, Filter, Injection,
    InjectionQuery, ListOrder, Note, Session, Store,
};
use tacit_store_sqlite::Spool;

use crate::engine::{Engine, StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::lookup::StoredMemory;
use crate::recall::RecallResult;

/// No record that waits is larger.
const LARGEST: u64 = 64 * 1024 * 1024;
/// How many of the newest, and of the last used, are compared when the best are looked for.
const COMPARED: usize = 60;
/// So many notes of showings are counted by whoever comes next.
const MANY_USES: usize = 64;

impl StorePaths {
    /// Keeps what happened for whoever opens the store next: opening it for one event alone would
    /// cost more than everything else about it.
    pub fn keep(&self, id: &MemoryId, record: &ActivityBatch) -> EngineResult<()> {
        let path = self.project.join("events");
        let fail = |source| EngineError::Io { path, source };
        let bytes = serde_json::to_vec(record).map_err(std::io::Error::other);
        bytes.and_then(|bytes| self.events().put_light(id, &bytes)).map_err(fail)
    }

    /// Where events wait that no process had the time to write.
    pub fn events(&self) -> Spool {
        Spool::at(self.project.join("events"))
    }
}

impl Engine<'_> {
    /// Writes what happened in a session of this project, and before it what was kept.
    pub fn record(&mut self, record: ActivityBatch) -> EngineResult<()> {
        self.settle(Some(record))
    }

    /// Takes something on, by a name that nobody has taken before; whether it was free.
    pub fn claim(&mut self, name: &str) -> EngineResult<bool> {
        let action = self.action(ActionKind::Remember, None);
        let mut transaction = self.store_mut(StoreScope::Project)?.begin(action)?;
        let free = transaction.claim_request(name)?;
        transaction.commit()?;
        Ok(free)
    }

    /// Writes what was kept, so that whoever looks at the log sees everything.
    pub fn settle_events(&mut self) -> EngineResult<()> {
        self.settle(None)
    }

    fn settle(&mut self, newest: Option<ActivityBatch>) -> EngineResult<()> {
        let spool = self.places.events();
        // One that cannot be read is set aside and told by `health`. Where there is no reading at all,
        // the newest is recorded nevertheless, and `tacit maintain` tells.
        let waiting = spool.entries_up_to(LARGEST, usize::MAX, |_| true).unwrap_or_default();
        let mut records = Vec::with_capacity(waiting.len() + 1);
        for entry in &waiting {
            match serde_json::from_slice::<ActivityBatch>(&entry.bytes) {
                Ok(record) => records.push(record),
                Err(_) => drop(spool.set_aside(entry)),
            }
        }
        records.extend(newest);
        if records.is_empty() {
            return Ok(());
        }
        let notes = self.notice(&records);
        if !notes.is_empty() {
            records.push(ActivityBatch { notes, ..ActivityBatch::default() });
        }
        self.store_mut(StoreScope::Project)?.record_all(&records)?;
        for entry in &waiting {
            // One that stays is known by its event the next time.
            let _ = spool.remove(entry);
        }
        Ok(())
    }

    /// A session of this project.
    pub fn session(&self, id: &SessionId) -> EngineResult<Option<Session>> {
        Ok(self.activity()?.session(id)?)
    }

    /// Events of this project, the newest first.
    pub fn events(&self, query: &EventQuery) -> EngineResult<Vec<Event>> {
        Ok(self.activity()?.events(query)?)
    }

    /// What was put before agents in this project, the newest first.
    pub fn injections(&self, query: &InjectionQuery) -> EngineResult<Vec<Injection>> {
        Ok(self.activity()?.injections(query)?)
    }

    /// What was noted in a session, about one of these files if there are any.
    pub fn notes(
        &self,
        session: &SessionId,
        files: &[RepoPath],
        limit: usize,
    ) -> EngineResult<Vec<Note>> {
        Ok(self.activity()?.notes(session, files, limit)?)
    }

    /// Sets what the history of the repository says about files that change together.
    pub fn tie_files(&mut self, ties: &[CoChange]) -> EngineResult<()> {
        let now = self.clock.now();
        Ok(self.store_mut(StoreScope::Project)?.tie_files(ties, now)?)
    }

    /// Files that sessions used together with one, the strongest first.
    pub fn used_with(
        &self,
        file: &RepoPath,
        limit: usize,
    ) -> EngineResult<Vec<(RepoPath, FileAffinity)>> {
        let Some(store) = self.store(StoreScope::Project) else { return Ok(Vec::new()) };
        let mut used = Vec::new();
        for other in store.linked_files(std::slice::from_ref(file), 0.0, limit)? {
            used.extend(store.tie(file, &other)?.map(|tie| (other, tie)));
        }
        Ok(used)
    }

    /// Removes events that are older than `before`.
    pub fn drop_events(&mut self, before: Timestamp) -> EngineResult<u64> {
        Ok(self.store_mut(StoreScope::Project)?.drop_events(before)?)
    }

    /// The memories that pass the filter and have proved true, those first that are most worth
    /// knowing in a phase.
    pub fn best(
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
        let most = found.iter().map(|found| found.memory.usage.access_count).max().unwrap_or(0);
        let now = self.clock.now();
        let weights = self.weights(phase);
        let worth = |found: &StoredMemory| standing(&found.memory, phase, &weights, most, now);
        found.sort_by(|a, b| {
            worth(b).total_cmp(&worth(a)).then_with(|| a.memory.id.cmp(&b.memory.id))
        });
        found.truncate(limit);
        Ok(found)
    }

    /// The memories learnt from the very same error that may be shown though nobody asked, those
    /// first that have proved true. What one session alone was seen to teach is worth telling here.
    pub fn learnt_from_error(
        &self,
        fingerprint: &FingerprintDigest,
        seen: &[MemoryId],
    ) -> EngineResult<Vec<StoredMemory>> {
        let fingerprint = Some(fingerprint.clone());
        let filter = Filter { fingerprint, stale: Some(false), ..Filter::default() };
        let mut found = self.list(None, &filter, ListOrder::Newest, COMPARED, 0)?;
        let is_seen_fix = |memory: &Memory| memory.body.origin.source == Source::ObserverInferred;
        found.retain(|StoredMemory { memory, .. }| {
            !seen.contains(&memory.id) && (is_proven(memory) || is_seen_fix(memory))
        });
        found.sort_by_key(|found| !is_proven(&found.memory));
        Ok(found)
    }

    /// Tags that many of the newest memories of this project have, the commonest first.
    pub fn frequent_tags(&self, among: u64, limit: usize) -> EngineResult<Vec<(String, u64)>> {
        Ok(self.activity()?.frequent_tags(among, limit)?)
    }

    /// Notes one more showing of each memory, to be counted by a command that has more time.
    pub fn count_shown(&self, shown: &[RecallResult]) {
        let now = self.clock.now();
        for shelf in [StoreScope::Project, StoreScope::Global] {
            let ids: Vec<MemoryId> = shown
                .iter()
                .filter(|recalled| recalled.found.shelf == shelf)
                .map(|recalled| recalled.found.memory.id)
                .collect();
            if !ids.is_empty()
                && let Ok(bytes) = serde_json::to_vec(&Uses { at: now, memories: ids })
            {
                // A missing count harms nobody; a failed recall would.
                let _ = self.places.uses(shelf).put_light(&self.ids.next_id(now), &bytes);
            }
        }
    }

    /// Counts the showings that were noted. Whoever only answers a question leaves that to others,
    /// unless there are too many.
    pub(crate) fn count_uses(&mut self, shelf: StoreScope, hurried: bool) {
        let spool = self.places.uses(shelf);
        let enough = if hurried { MANY_USES } else { 1 };
        if spool.len().is_ok_and(|noted| noted < enough) {
            return;
        }
        let Ok(entries) = spool.entries() else { return };
        let Ok(store) = self.store_mut(shelf) else { return };
        for entry in entries {
            if let Ok(uses) = serde_json::from_slice::<Uses>(&entry.bytes)
                && store.touch(&uses.memories, uses.at).is_err()
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

/// Showings of memories that are not counted yet.
#[derive(Serialize, Deserialize)]
struct Uses {
    at: Timestamp,
    memories: Vec<MemoryId>,
}
