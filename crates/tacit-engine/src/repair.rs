//! Whether everything is whole, and mending what is not.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tacit_core::{Author, Clock, Config, IdSource};
use tacit_fs::{Lock, Wait};
use tacit_store::{ActionKind, Filter, ListOrder, ListQuery, StoreCheck, StoreError};
use tacit_store_sqlite::{
    DatabaseLock, DatabaseRepair, LostWrites, PendingWork, acknowledge_losses, log_of, losses,
};

use crate::engine::{Engine, StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::maintenance::FailedStep;
use crate::remember::index;

/// A repair waits so many times as long for others as a write does: 30 seconds, unless
/// `store.busy_timeout_ms` says otherwise.
const PATIENCE: u32 = 6;

/// The state of a shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreHealth {
    /// What a look at the database found.
    pub check: StoreCheck,
    /// How many requests wait in the spool.
    pub waiting: usize,
    /// How many requests were set aside because they could not be stored.
    pub set_aside: usize,
    /// Number of events that were set aside because they could not be read.
    pub lost_events: usize,
    /// Acknowledged writes that the database lost.
    pub lost: Option<LostWrites>,
    /// Number of purges that were begun and not finished.
    pub pending: usize,
    /// Notes of such purges that cannot be read, so that no command can finish them.
    pub unreadable_purges: Vec<PathBuf>,
    /// Steps of maintenance that failed and have not succeeded since.
    pub failed: Vec<FailedStep>,
}

/// What was saved from a damaged database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairReport {
    /// Where the damaged file is now.
    pub kept_at: PathBuf,
    /// Memories read from their rows.
    pub intact: usize,
    /// Memories told by the history.
    pub from_history: usize,
    /// Rows about anything else.
    pub rows: usize,
    /// Rows that were seen and could not be used, at least.
    pub unreadable: usize,
}

/// A damaged database that a repair replaced and kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedCopy {
    /// The database.
    pub path: PathBuf,
    /// Its log, if it has one.
    pub log: Option<PathBuf>,
    /// The size of both, in bytes.
    pub bytes: u64,
    /// Time of the last write, if the system keeps it.
    pub modified: Option<SystemTime>,
}

/// The damaged databases that repairs of a shelf replaced and that are still there, the oldest
/// first.
pub fn damaged_copies(places: &StorePaths, shelf: StoreScope) -> Vec<DamagedCopy> {
    let size = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
    tacit_store_sqlite::damaged_copies(&places.database(shelf))
        .into_iter()
        .map(|path| {
            let log = Some(log_of(&path)).filter(|log| log.exists());
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
    /// The lock that whoever maintains a shelf holds.
    pub fn maintenance_lock(&self, shelf: StoreScope) -> PathBuf {
        self.directory(shelf).join("maintain.lock")
    }

    /// The file that holds rows of a shelf that could not be read.
    pub fn quarantine(&self, shelf: StoreScope) -> PathBuf {
        self.directory(shelf).join("quarantine.jsonl")
    }

    /// Acknowledged writes that were found to be missing from a shelf.
    pub fn losses(&self, shelf: StoreScope) -> Option<LostWrites> {
        losses(&self.database(shelf))
    }

    /// Takes note of what is missing from a shelf, so that it is no longer told.
    pub fn acknowledge_losses(&self, shelf: StoreScope) -> EngineResult<()> {
        let path = self.database(shelf);
        acknowledge_losses(&path).map_err(|source| EngineError::Io { path, source })
    }

    /// Waits until no other process maintains a shelf, and keeps others from it. `waiting` is told
    /// once if there is one.
    pub fn stop_maintenance(
        &self,
        shelf: StoreScope,
        config: &Config,
        waiting: &mut dyn FnMut(&str),
    ) -> EngineResult<Lock> {
        let path = self.maintenance_lock(shelf);
        let fail = |source| EngineError::Io { path: path.clone(), source };
        if let Some(lock) = Lock::exclusive(&path, Wait::NONE).map_err(fail)? {
            return Ok(lock);
        }
        waiting("`tacit maintain`, which is at work in the background");
        let lock = Lock::exclusive(&path, Wait::AtMost(patience(config))).map_err(fail)?;
        lock.ok_or(EngineError::Store(StoreError::Busy))
    }
}

fn patience(config: &Config) -> Duration {
    Duration::from_millis(config.busy_timeout_ms) * PATIENCE
}

impl Engine<'_> {
    /// Looks at a shelf; thoroughly, or at what is quick to see.
    pub fn health(&self, shelf: StoreScope, thorough: bool) -> EngineResult<StoreHealth> {
        let store = self.store(shelf).ok_or_else(|| self.not_initialised())?;
        let spool = self.places.spool(shelf);
        Ok(StoreHealth {
            check: store.check(thorough)?,
            waiting: spool.len().unwrap_or(0),
            set_aside: spool.set_aside_count(),
            lost_events: match shelf {
                StoreScope::Project => self.places.events().set_aside_count(),
                StoreScope::Global => 0,
            },
            lost: self.places.losses(shelf),
            pending: PendingWork::of(&self.places.database(shelf)).count(),
            unreadable_purges: self.unreadable_purges(shelf)?,
            failed: self.places.failed_steps(shelf)?,
        })
    }

    /// Moves rows about sessions that cannot be read to [`StorePaths::quarantine`]. Returns how many
    /// there were.
    pub fn quarantine(&mut self, shelf: StoreScope) -> EngineResult<u64> {
        let (file, now) = (self.places.quarantine(shelf), self.clock.now());
        Ok(self.store_mut(shelf)?.quarantine(&file, now)?)
    }

    /// Makes every memory of a shelf findable again; how many there are.
    pub fn reindex(&mut self, shelf: StoreScope) -> EngineResult<usize> {
        const PAGE: usize = 200;
        let mut offset = 0;
        loop {
            let action = self.action(ActionKind::Edit, None);
            let store = self.store_mut(shelf)?;
            let query = ListQuery {
                filter: Filter::everything(),
                order: ListOrder::Oldest,
                limit: PAGE,
                offset,
            };
            let page = store.list(&query)?;
            // One page a transaction, so that no other process waits long.
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

    /// Replaces a damaged database with a new one that holds everything that can still be read.
    /// The damaged file is kept. The caller holds [`StorePaths::stop_maintenance`]; other processes that
    /// have the database open are waited for, of which `waiting` is told.
    pub fn repair(
        places: &StorePaths,
        shelf: StoreScope,
        config: &Config,
        clock: &dyn Clock,
        ids: &dyn IdSource,
        actor: Author,
        waiting: &mut dyn FnMut(&str),
    ) -> EngineResult<RepairReport> {
        let path = places.database(shelf);
        // Whoever still had the damaged file would go on writing into it.
        let alone = match DatabaseLock::alone(&path, Duration::ZERO) {
            Err(StoreError::Busy) => {
                waiting("other processes that use the store");
                DatabaseLock::alone(&path, patience(config))?
            }
            other => other?,
        };
        let repair = DatabaseRepair::begin(&path, alone)?;
        let (store, saved) = repair.salvage()?;
        let mut engine = Engine::closed(places.clone(), config.clone(), clock, ids, actor);
        match shelf {
            StoreScope::Project => engine.project = Some(Box::new(store)),
            StoreScope::Global => engine.global = Some(Box::new(store)),
        }
        let action = engine.action(ActionKind::Import, None);
        let mut transaction = engine.store_mut(shelf)?.begin(action)?;
        for memory in &saved.from_history {
            transaction.insert(memory)?;
        }
        transaction.commit()?;
        let memories = engine.reindex(shelf)?;
        drop(engine);
        let stamp = clock.now().to_string().replace([':', '.'], "-");
        let kept_at = repair.finish(memories, &stamp)?;
        Ok(RepairReport {
            kept_at,
            intact: saved.intact,
            from_history: saved.from_history.len(),
            rows: saved.rows,
            unreadable: saved.unreadable,
        })
    }
}
