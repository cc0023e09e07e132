//! The engine: open stores, a clock and a source of identifiers.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tacit_core::{Author, Clock, Config, IdSource, MemoryId, Reasoning, Usefulness};
use tacit_models::{Embedder, Generator};
use tacit_store::{Action, ActionKind, Store, StoreError};
use tacit_store_sqlite::{OpenMode, OpenOptions, Spool, SqliteStore};
use tacit_vectors::VectorIndex;
use tacit_work::Methodology;

use crate::error::{EngineError, EngineResult};
use crate::remember::redact_reason;

/// One of the two stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreScope {
    /// The store of the repository.
    Project,
    /// The user's store, for all projects.
    Global,
}

impl StoreScope {
    /// Returns the word for this store.
    pub fn as_str(self) -> &'static str {
        match self {
            StoreScope::Project => "project",
            StoreScope::Global => "global",
        }
    }
}

/// The directories of the stores.
#[derive(Debug, Clone)]
pub struct StorePaths {
    /// The root of the project: the main worktree, or a plain directory.
    pub root: PathBuf,
    /// The directory of the project store, private to the user: inside git's directory, where
    /// nothing can be committed, or `.tacit` without git.
    pub project: PathBuf,
    /// The directory of committed files, `.tacit` in the worktree. Its contents are untrusted.
    pub shared: PathBuf,
    /// The directory of the global store.
    pub global: PathBuf,
}

impl StorePaths {
    /// The file name of the database.
    pub const DATABASE: &'static str = "memory.db";

    /// Returns the directory of a store.
    pub fn directory(&self, scope: StoreScope) -> &PathBuf {
        match scope {
            StoreScope::Project => &self.project,
            StoreScope::Global => &self.global,
        }
    }

    /// Returns the path of a store's database.
    pub fn database(&self, scope: StoreScope) -> PathBuf {
        self.directory(scope).join(StorePaths::DATABASE)
    }

    /// Returns true if any store has vector files.
    pub fn has_vectors(&self) -> bool {
        [StoreScope::Project, StoreScope::Global].iter().any(|scope| self.vectors(*scope).is_dir())
    }

    /// Returns the directory of a store's vector files.
    pub(crate) fn vectors(&self, scope: StoreScope) -> PathBuf {
        self.directory(scope).join("vectors")
    }

    /// Returns the spool of uses that are not counted yet.
    pub(crate) fn use_spool(&self, scope: StoreScope) -> Spool {
        Spool::at(self.directory(scope).join("uses"))
    }

    /// Returns the spool of requests that are not stored yet.
    pub fn spool(&self, scope: StoreScope) -> Spool {
        Spool::at(self.directory(scope).join("spool"))
    }
}

/// The origin of the requests to an engine. The write gate trusts this and never the fields of a
/// draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Requester {
    /// A person, or Tacit itself.
    #[default]
    Person,
    /// An agent. Its memories are marked as an agent's claims, and it cannot confirm any.
    Agent,
}

/// The stores that a command needs, and how. Opening others would cost time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreAccess {
    /// Reads both stores for recall, or only the project store if configured.
    Recall,
    /// Reads both stores; one of them may be missing.
    ReadBoth,
    /// Reads one store and ignores the other, whatever its state.
    Read(StoreScope),
    /// Reads both stores as [`StoreAccess::Recall`] does, and writes the session log of the project
    /// store.
    Session,
    /// Writes to existing memories of both stores.
    WriteBoth,
    /// Writes to one store. The global store is created if it is missing.
    Write(StoreScope),
}

impl StoreAccess {
    /// Returns true if the project store is not needed.
    pub fn only_global(self) -> bool {
        matches!(
            self,
            StoreAccess::Read(StoreScope::Global) | StoreAccess::Write(StoreScope::Global)
        )
    }
}

/// The author of changes that Tacit makes on its own.
const ITSELF: &str = "tacit";

/// The service that all front ends use.
pub struct Engine<'a> {
    pub(crate) project: Option<Box<dyn Store>>,
    pub(crate) global: Option<Box<dyn Store>>,
    pub(crate) paths: StorePaths,
    pub(crate) config: Config,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) ids: &'a dyn IdSource,
    pub(crate) actor: Author,
    pub(crate) requester: Requester,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    /// True if the embedder only replaces a configured one that is unavailable.
    pub(crate) embedder_is_fallback: bool,
    /// True if the fallback may become the active model.
    pub(crate) fallback_takes_over: bool,
    pub(crate) generator: Option<Arc<dyn Generator>>,
    /// The vector files of the last searches: mapping one again can take longer than searching it.
    pub(crate) mapped: RefCell<HashMap<PathBuf, VectorIndex>>,
    /// The active methodology, loaded on first use.
    pub(crate) methodology: OnceCell<Methodology>,
    /// The uses of memories, loaded when they are first needed.
    pub(crate) uses: OnceCell<BTreeMap<MemoryId, Usefulness>>,
    /// The spooled batches of events that may still be written; all of them without a number.
    pub(crate) batches_left: Option<usize>,
    /// Memories whose purge another process started and this one finished.
    pub(crate) resumed_purges: Vec<MemoryId>,
}

impl<'a> Engine<'a> {
    /// Opens the needed stores and stores the spooled requests.
    pub fn open(
        paths: StorePaths,
        config: Config,
        needs: StoreAccess,
        clock: &'a dyn Clock,
        ids: &'a dyn IdSource,
        actor: Author,
    ) -> EngineResult<Engine<'a>> {
        let mut engine = Engine::closed(paths, config, clock, ids, actor);
        match needs {
            StoreAccess::Recall | StoreAccess::ReadBoth | StoreAccess::WriteBoth => {
                let access =
                    if needs == StoreAccess::WriteBoth { OpenMode::Write } else { OpenMode::Read };
                engine.project = engine.open_if_there(StoreScope::Project, access)?;
                let only_project = needs == StoreAccess::Recall && !engine.config.recall_global;
                if !only_project || engine.project.is_none() {
                    engine.global = engine.open_if_there(StoreScope::Global, access)?;
                }
                if engine.project.is_none() && engine.global.is_none() {
                    return Err(engine.not_initialised());
                }
            }
            StoreAccess::Session => {
                engine.project = engine.open_if_there(StoreScope::Project, OpenMode::Brief)?;
                if engine.project.is_none() {
                    return Err(engine.not_initialised());
                }
                if engine.config.recall_global {
                    // Recall works without the global store, so its errors are ignored.
                    engine.global = engine
                        .open_if_there(StoreScope::Global, OpenMode::Read)
                        .unwrap_or_default();
                }
            }
            StoreAccess::Read(StoreScope::Project) => {
                engine.project = engine.open_if_there(StoreScope::Project, OpenMode::Read)?;
            }
            StoreAccess::Read(StoreScope::Global) => {
                engine.global = engine.open_if_there(StoreScope::Global, OpenMode::Read)?;
            }
            StoreAccess::Write(StoreScope::Project) => {
                engine.project = match engine.open_if_there(StoreScope::Project, OpenMode::Write) {
                    // A read-only store still allows requests to be left in the inbox.
                    Err(error) if error.is_read_only() => engine
                        .open_if_there(StoreScope::Project, OpenMode::Read)
                        .map_err(|_| error)?,
                    opened => opened?,
                };
                if engine.project.is_none() {
                    return Err(engine.not_initialised());
                }
            }
            StoreAccess::Write(StoreScope::Global) => {
                engine.global = Some(engine.open_store(StoreScope::Global, OpenMode::Create)?);
            }
        }
        // Hooks have no time for purges.
        if needs != StoreAccess::Session {
            engine.resume_purges();
        }
        for scope in [StoreScope::Project, StoreScope::Global] {
            if engine.store(scope).is_some() && !engine.paths.spool(scope).is_empty() {
                // Another process may hold the lock; the next command tries again. Commands that
                // only read do not wait for it.
                let patient = matches!(needs, StoreAccess::WriteBoth | StoreAccess::Write(_));
                let _ = engine.drain_spool(scope, patient);
            }
            if engine.store(scope).is_some() {
                engine.flush_uses(scope, needs == StoreAccess::Recall);
            }
        }
        Ok(engine)
    }

    /// Creates an engine without open stores.
    pub(crate) fn closed(
        paths: StorePaths,
        config: Config,
        clock: &'a dyn Clock,
        ids: &'a dyn IdSource,
        actor: Author,
    ) -> Engine<'a> {
        Engine {
            project: None,
            global: None,
            paths,
            config,
            clock,
            ids,
            actor,
            requester: Requester::Person,
            embedder: None,
            embedder_is_fallback: false,
            fallback_takes_over: false,
            generator: None,
            mapped: RefCell::default(),
            methodology: OnceCell::new(),
            uses: OnceCell::new(),
            batches_left: None,
            resumed_purges: Vec::new(),
        }
    }

    /// Returns the directories of the stores.
    pub fn paths(&self) -> &StorePaths {
        &self.paths
    }

    /// Returns a store if it is open.
    pub fn store(&self, scope: StoreScope) -> Option<&dyn Store> {
        match scope {
            StoreScope::Project => self.project.as_deref(),
            StoreScope::Global => self.global.as_deref(),
        }
    }

    /// Returns the open stores, the project store first.
    pub fn stores(&self) -> impl Iterator<Item = (StoreScope, &dyn Store)> {
        [StoreScope::Project, StoreScope::Global]
            .into_iter()
            .filter_map(|scope| self.store(scope).map(|store| (scope, store)))
    }

    pub(crate) fn store_mut(&mut self, scope: StoreScope) -> EngineResult<&mut Box<dyn Store>> {
        let not_initialised = self.not_initialised();
        match scope {
            StoreScope::Project => self.project.as_mut(),
            StoreScope::Global => self.global.as_mut(),
        }
        .ok_or(not_initialised)
    }

    /// Sets the origin of the requests; the default is a person.
    #[must_use]
    pub fn on_behalf_of(mut self, requester: Requester) -> Self {
        self.requester = requester;
        self
    }

    /// Returns the configuration of this engine.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the origin of the requests.
    pub fn requester(&self) -> Requester {
        self.requester
    }

    /// Attributes further changes to Tacit itself instead of the user.
    #[must_use]
    pub fn as_tacit(mut self) -> Self {
        self.actor = Author::new(ITSELF).unwrap_or(self.actor);
        self.requester = Requester::Person;
        self
    }

    /// Returns true if changes are made by Tacit itself.
    pub(crate) fn is_tacit(&self) -> bool {
        self.actor.as_str() == ITSELF && self.requester == Requester::Person
    }

    /// Returns true if an author is Tacit itself.
    pub(crate) fn is_tacits(actor: &Author) -> bool {
        actor.as_str() == ITSELF
    }

    /// Creates an action of Tacit itself.
    pub(crate) fn tacit_action(&self, kind: ActionKind, reason: &str) -> Action {
        let mut action = self.action(kind, Reasoning::new(reason).ok());
        action.actor = Author::new(ITSELF).unwrap_or(action.actor);
        action
    }

    pub(crate) fn action(&self, kind: ActionKind, reason: Option<Reasoning>) -> Action {
        let reason = reason.map(redact_reason);
        Action { kind, at: self.clock.now(), actor: self.actor.clone(), reason, reverts: None }
    }

    pub(crate) fn not_initialised(&self) -> EngineError {
        EngineError::NotInitialised { root: self.paths.root.clone() }
    }

    /// Returns the result for a store that is not open: empty for the global store, which is
    /// created with its first memory, and an error for the project store, which must be
    /// initialised.
    pub(crate) fn missing_store<T: Default>(&self, scope: StoreScope) -> EngineResult<T> {
        match scope {
            StoreScope::Project => Err(self.not_initialised()),
            StoreScope::Global => Ok(T::default()),
        }
    }

    fn open_if_there(
        &self,
        scope: StoreScope,
        access: OpenMode,
    ) -> EngineResult<Option<Box<dyn Store>>> {
        match self.open_store(scope, access) {
            Ok(store) => Ok(Some(store)),
            Err(EngineError::Store(StoreError::Missing { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn open_store(&self, scope: StoreScope, access: OpenMode) -> EngineResult<Box<dyn Store>> {
        let busy_timeout = Duration::from_millis(self.config.busy_timeout_ms);
        let options = OpenOptions { access, busy_timeout };
        Ok(Box::new(SqliteStore::open(&self.paths.database(scope), options)?))
    }

    /// Creates the project store if it is missing. Returns true if it was created.
    pub fn create_project(paths: &StorePaths, config: &Config) -> EngineResult<bool> {
        let path = paths.database(StoreScope::Project);
        let new = !path.exists();
        let busy_timeout = Duration::from_millis(config.busy_timeout_ms);
        SqliteStore::open(&path, OpenOptions { access: OpenMode::Create, busy_timeout })?;
        Ok(new)
    }
}
