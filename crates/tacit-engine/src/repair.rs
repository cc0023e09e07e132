//! Health checks and repairs of stores.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tacit_core::{Author, Clock, Config, IdSource};
use tacit_fs::{Lock, Wait};
use tacit_store::{ActionKind, Filter, ListOrder, ListQuery, StoreCheck, StoreError};
use tacit_store_sqlite::{
    DatabaseRepair, LostWrites, PendingWork, acknowledge_lost_writes, lost_writes, wal_of,
};

use crate::backup::exclusive;
use crate::engine::{Engine, ProjectStore, StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::maintenance::FailedStep;
use crate::remember::index;

/// The factor by which a repair waits longer than a write (`timeouts.store_ms`): 30 seconds by
/// default.
const PATIENCE: u32 = 6;

/// The health of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreHealth {
    /// The result of the database check.
    pub check: StoreCheck,
    /// The number of spooled requests.
    pub spooled: usize,
    /// The number of requests that were quarantined because they could not be stored.
    pub quarantined: usize,
    /// The number of requests that the server of a team refused.
    pub refused: usize,
    /// The number of events that were quarantined because they could not be read.
    pub quarantined_events: usize,
    /// Acknowledged writes that the database lost.
    pub lost_writes: Option<LostWrites>,
    /// The number of unfinished purges.
    pub pending_purges: usize,
    /// Unreadable notes of purges, which no command can finish.
    pub unreadable_purges: Vec<PathBuf>,
    /// Maintenance steps that failed and have not succeeded since.
    pub failed_steps: Vec<FailedStep>,
}

/// The result of a repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairReport {
    /// The new path of the damaged file.
    pub damaged_copy: PathBuf,
    /// Memories read from their rows.
    pub intact: usize,
    /// Memories rebuilt from the history.
    pub from_history: usize,
    /// Other rows that were saved.
    pub rows: usize,
    /// Rows that were found and could not be used, at least.
    pub unreadable: usize,
}

/// A damaged database that a repair kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedCopy {
    /// The path of the database.
    pub path: PathBuf,
    /// The write-ahead log, if any.
    pub log: Option<PathBuf>,
    /// The size of both, in bytes.
    pub bytes: u64,
    /// The time of the last write, if known.
    pub modified: Option<SystemTime>,
}

/// Returns the damaged databases that repairs of a store kept, oldest first.
pub fn damaged_copies(paths: &StorePaths, scope: StoreScope) -> Vec<DamagedCopy> {
    let size = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
    tacit_store_sqlite::damaged_copies(&paths.database(scope))
        .into_iter()
        .map(|path| {
            let log = Some(wal_of(&path)).filter(|log| log.exists());
            DamagedCopy {
                bytes: size(&path) + log.as_deref().map_or(0, size),
                modified: path.metadata().and_then(|meta| meta.modified()).ok(),
                path,
                log,
            }
        })
        .collect()
}

impl StorePaths {
    /// Returns the path of the lock that `tacit maintain` holds.
    pub fn maintenance_lock(&self, scope: StoreScope) -> PathBuf {
        self.directory(scope).join("maintain.lock")
    }

    /// Returns the file of quarantined rows.
    pub fn quarantine(&self, scope: StoreScope) -> PathBuf {
        self.directory(scope).join("quarantine.jsonl")
    }

    /// Returns the acknowledged writes that a store lost.
    pub fn lost_writes(&self, scope: StoreScope) -> Option<LostWrites> {
        lost_writes(&self.database(scope))
    }

    /// Acknowledges lost writes, so that they are no longer reported.
    pub fn acknowledge_lost_writes(&self, scope: StoreScope) -> EngineResult<()> {
        let path = self.database(scope);
        acknowledge_lost_writes(&path).map_err(|source| EngineError::Io { path, source })
    }

    /// Waits until no other process maintains a store, and keeps others from starting. Calls
    /// `waiting` once if it has to wait.
    pub fn stop_maintenance(
        &self,
        scope: StoreScope,
        config: &Config,
        waiting: &mut dyn FnMut(&str),
    ) -> EngineResult<Lock> {
        let path = self.maintenance_lock(scope);
        let fail = |source| EngineError::Io { path: path.clone(), source };
        if let Some(lock) = Lock::exclusive(&path, Wait::NONE).map_err(fail)? {
            return Ok(lock);
        }
        waiting("`tacit maintain`, which is at work in the background");
        let lock = Lock::exclusive(&path, Wait::AtMost(patience(config))).map_err(fail)?;
        lock.ok_or(EngineError::Store(StoreError::Busy))
    }
}

pub(crate) fn patience(config: &Config) -> Duration {
    Duration::from_millis(config.busy_timeout_ms) * PATIENCE
}

impl Engine<'_> {
    /// Checks a store; a thorough check reads everything.
    pub fn health(&self, scope: StoreScope, thorough: bool) -> EngineResult<StoreHealth> {
        let store = self.store(scope).ok_or_else(|| self.not_initialised())?;
        let spool = self.paths.spool(scope);
        Ok(StoreHealth {
            check: store.check(thorough)?,
            spooled: spool.len().unwrap_or(0),
            quarantined: spool.quarantined_count(),
            refused: spool.refused_count(),
            quarantined_events: match scope {
                StoreScope::Project => self.paths.event_spool().quarantined_count(),
                StoreScope::Global => 0,
            },
            lost_writes: self.paths.lost_writes(scope),
            pending_purges: PendingWork::of(&self.paths.database(scope)).count(),
            unreadable_purges: self.unreadable_purges(scope)?,
            failed_steps: self.paths.failed_steps(scope)?,
        })
    }

    /// Moves unreadable rows about sessions to [`StorePaths::quarantine`]. Returns their number.
    pub fn quarantine(&mut self, scope: StoreScope) -> EngineResult<u64> {
        let (file, now) = (self.paths.quarantine(scope), self.clock.now());
        Ok(self.store_mut(scope)?.quarantine(&file, now)?)
    }

    /// Queues memories without vectors for embedding. Returns their number.
    pub fn queue_missing_vectors(&mut self, scope: StoreScope) -> EngineResult<u64> {
        Ok(self.store_mut(scope)?.queue_missing_vectors()?)
    }

    /// Indexes every memory of a store again. Returns their number.
    pub fn reindex(&mut self, scope: StoreScope) -> EngineResult<usize> {
        const PAGE: usize = 200;
        let mut offset = 0;
        loop {
            let action = self.action(ActionKind::Edit, None);
            let store = self.store_mut(scope)?;
            let query = ListQuery {
                filter: Filter::everything(),
                order: ListOrder::Oldest,
                limit: PAGE,
                offset,
            };
            let page = store.list(&query)?;
            // One page per transaction, so that no other process waits long.
            let mut transaction = store.begin(action)?;
            for memory in &page {
                index(transaction.as_mut(), memory)?;
            }
            transaction.commit()?;
            offset += page.len();
            if page.len() < PAGE {
                return Ok(offset);
            }
        }
    }

    /// Replaces a damaged database with a new one that holds everything still readable. The damaged
    /// file is kept. The caller holds [`StorePaths::stop_maintenance`]. Waits for other processes
    /// that have the database open, and calls `waiting` if so.
    pub fn repair(
        paths: &StorePaths,
        scope: StoreScope,
        config: &Config,
        clock: &dyn Clock,
        ids: &dyn IdSource,
        actor: Author,
        waiting: &mut dyn FnMut(&str),
    ) -> EngineResult<RepairReport> {
        let path = paths.database(scope);
        // A process that still had the damaged file open would keep writing to it.
        let alone = exclusive(&path, config, waiting)?;
        let repair = DatabaseRepair::begin(&path, alone)?;
        let (store, saved) = repair.salvage()?;
        let mut engine = Engine::closed(paths.clone(), config.clone(), clock, ids, actor);
        match scope {
            StoreScope::Project => engine.project = Some(ProjectStore::Own(Box::new(store))),
            StoreScope::Global => engine.global = Some(Box::new(store)),
        }
        let action = engine.action(ActionKind::Import, None);
        let mut transaction = engine.store_mut(scope)?.begin(action)?;
        for memory in &saved.from_history {
            transaction.insert(memory)?;
        }
        transaction.commit()?;
        let memories = engine.reindex(scope)?;
        // Rows that could be copied may still make no sense.
        let quarantined = usize::try_from(engine.quarantine(scope)?).unwrap_or(usize::MAX);
        drop(engine);
        let stamp = clock.now().to_string().replace([':', '.'], "-");
        let kept_at = repair.finish(memories, &stamp)?;
        Ok(RepairReport {
            damaged_copy: kept_at,
            intact: saved.intact,
            from_history: saved.from_history.len(),
            rows: saved.rows,
            unreadable: saved.unreadable.saturating_add(quarantined),
        })
    }
}
