//! Whether everything is whole, and mending what is not.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tacit_core::{Author, Clock, Config, IdSource};
use tacit_store::{ActionKind, Check, Filter, ListOrder, ListQuery};
use tacit_store_sqlite::{Presence, SqliteStore, salvage};

use crate::engine::{Engine, Places, Shelf};
use crate::error::{EngineError, EngineResult};
use crate::remember::index;

/// The state of a shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// What a look at the database found.
    pub check: Check,
    /// How many requests wait in the spool.
    pub waiting: usize,
    /// How many requests were set aside because they could not be stored.
    pub set_aside: usize,
}

/// What was saved from a damaged database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// Where the damaged file is now.
    pub kept_at: PathBuf,
    /// Memories read from their rows.
    pub intact: usize,
    /// Memories told by the history.
    pub from_history: usize,
}

impl Engine<'_> {
    /// Looks at a shelf; thoroughly, or at what is quick to see.
    pub fn health(&self, shelf: Shelf, thorough: bool) -> EngineResult<Health> {
        let store = self.store(shelf).ok_or_else(|| self.not_initialised())?;
        let spool = self.places.spool(shelf);
        Ok(Health {
            check: store.check(thorough)?,
            waiting: spool.len().unwrap_or(0),
            set_aside: spool.set_aside_count(),
        })
    }

    /// Makes every memory of a shelf findable again; how many there are.
    pub fn reindex(&mut self, shelf: Shelf) -> EngineResult<usize> {
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
    /// The damaged file is kept.
    pub fn repair(
        places: &Places,
        shelf: Shelf,
        config: &Config,
        clock: &dyn Clock,
        ids: &dyn IdSource,
        actor: Author,
    ) -> EngineResult<Repair> {
        let path = places.database(shelf);
        let fail = |source| EngineError::Io { path: path.clone(), source };
        // Whoever still had the damaged file would go on writing into it.
        let busy_timeout = Duration::from_millis(config.busy_timeout_ms);
        let alone = Presence::alone(&path, busy_timeout)?;
        let saved = salvage(&path);
        let stamp = clock.now().to_string().replace([':', '.'], "-");
        let name = |file: &str| places.directory(shelf).join(format!("{file}.damaged-{stamp}"));
        let kept_at = name(Places::DATABASE);
        fs::rename(&path, &kept_at).map_err(fail)?;
        for beside in ["memory.db-wal", "memory.db-shm"] {
            let from = places.directory(shelf).join(beside);
            if from.exists() {
                fs::rename(&from, name(beside)).map_err(fail)?;
            }
        }
        let store = SqliteStore::create_alone(&path, busy_timeout, alone)?;
        let mut engine = Engine {
            project: None,
            global: None,
            places: places.clone(),
            config: config.clone(),
            clock,
            ids,
            actor,
            voice: crate::engine::Voice::Person,
            embedder: None,
            stand_in: false,
            generator: None,
            mapped: std::cell::RefCell::default(),
            methodology: Default::default(),
        };
        match shelf {
            Shelf::Project => engine.project = Some(Box::new(store)),
            Shelf::Global => engine.global = Some(Box::new(store)),
        }
        let action = engine.action(ActionKind::Import, None);
        let mut transaction = engine.store_mut(shelf)?.begin(action)?;
        for memory in saved.intact.iter().chain(&saved.from_history) {
            transaction.insert(memory)?;
            index(transaction.as_mut(), memory)?;
        }
        transaction.commit()?;
        Ok(Repair { kept_at, intact: saved.intact.len(), from_history: saved.from_history.len() })
    }
}
