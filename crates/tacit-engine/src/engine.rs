//! The service: open stores, a clock, a source of identifiers.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tacit_core::{Author, Clock, Config, IdSource, MemoryId, Reasoning};
use tacit_models::{Embedder, Generator};
use tacit_store::{Action, ActionKind, Store, StoreError};
use tacit_store_sqlite::{OpenMode, OpenOptions, Spool, SqliteStore};
use tacit_vectors::VectorIndex;
use tacit_work::Methodology;

use crate::error::{EngineError, EngineResult};
use crate::remember::redact_reason;

/// Which of the two stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreScope {
    /// The repository's own.
    Project,
    /// The user's, for all projects.
    Global,
}

impl StoreScope {
    /// The word for this shelf.
    pub fn as_str(self) -> &'static str {
        match self {
            StoreScope::Project => "project",
            StoreScope::Global => "global",
        }
    }
}

/// Where the stores are.
#[derive(Debug, Clone)]
pub struct StorePaths {
    /// The root of the project: the main worktree, or a plain directory.
    pub root: PathBuf,
    /// The directory of the project's store, which is private to the user: inside the directory of
    /// git, where nothing can be shipped to, or `.tacit` where there is no git.
    pub project: PathBuf,
    /// The directory of what a team commits, `.tacit` in the worktree: data of a stranger.
    pub shared: PathBuf,
    /// The directory of the user's store.
    pub global: PathBuf,
}

impl StorePaths {
    /// The name of the database in its directory.
    pub const DATABASE: &'static str = "memory.db";

    /// The directory of a shelf.
    pub fn directory(&self, shelf: StoreScope) -> &PathBuf {
        match shelf {
            StoreScope::Project => &self.project,
            StoreScope::Global => &self.global,
        }
    }

    /// The database of a shelf.
    pub fn database(&self, shelf: StoreScope) -> PathBuf {
        self.directory(shelf).join(StorePaths::DATABASE)
    }

    /// Whether any shelf has a file of vectors.
    pub fn have_vectors(&self) -> bool {
        [StoreScope::Project, StoreScope::Global].iter().any(|shelf| self.vectors(*shelf).is_dir())
    }

    /// The directory of the files of vectors of a shelf.
    pub(crate) fn vectors(&self, shelf: StoreScope) -> PathBuf {
        self.directory(shelf).join("vectors")
    }

    /// Where uses of memories wait to be counted.
    pub(crate) fn uses(&self, shelf: StoreScope) -> Spool {
        Spool::at(self.directory(shelf).join("uses"))
    }

    /// The spool of a shelf.
    pub fn spool(&self, shelf: StoreScope) -> Spool {
        Spool::at(self.directory(shelf).join("spool"))
    }
}

/// The speaker behind an engine. The write gate trusts this, never the fields of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Requester {
    /// A person, or the program itself.
    #[default]
    Person,
    /// An agent: what it says is kept as told by an agent, and it confirms nothing.
    Agent,
}

/// What a command needs the stores for; opening what is not needed would cost time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreAccess {
    /// Answering a question: reading both, or the project's alone if so configured.
    Recall,
    /// Reading both; either may be missing, but not both.
    ReadBoth,
    /// Reading one; the other is not looked at, whatever state it is in.
    Read(StoreScope),
    /// What happens in an agent's session: reading both, as for [`StoreAccess::Recall`], and writing to
    /// the log of the project's sessions.
    Session,
    /// Writing to memories that are already in either.
    WriteBoth,
    /// Writing to one; the user's store is created if it is not there.
    Write(StoreScope),
}

impl StoreAccess {
    /// Returns true if the project's store is not needed.
    pub fn only_global(self) -> bool {
        matches!(
            self,
            StoreAccess::Read(StoreScope::Global) | StoreAccess::Write(StoreScope::Global)
        )
    }
}

/// Who changes memories when nobody asked for it.
const ITSELF: &str = "tacit";

/// The service.
pub struct Engine<'a> {
    pub(crate) project: Option<Box<dyn Store>>,
    pub(crate) global: Option<Box<dyn Store>>,
    pub(crate) places: StorePaths,
    pub(crate) config: Config,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) ids: &'a dyn IdSource,
    pub(crate) actor: Author,
    pub(crate) voice: Requester,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    /// Whether the embedder only stands in for one that cannot be had now.
    pub(crate) stand_in: bool,
    pub(crate) generator: Option<Arc<dyn Generator>>,
    /// The files of vectors that were last searched: mapping one anew can take longer than searching
    /// it.
    pub(crate) mapped: RefCell<HashMap<PathBuf, VectorIndex>>,
    /// The active methodology, once it was asked for and could be read.
    pub(crate) methodology: OnceCell<Methodology>,
    /// Memories whose purge another process began and this one finished.
    pub(crate) resumed: Vec<MemoryId>,
}

impl<'a> Engine<'a> {
    /// Opens what is needed, and stores what waits in the spool.
    pub fn open(
        places: StorePaths,
        config: Config,
        needs: StoreAccess,
        clock: &'a dyn Clock,
        ids: &'a dyn IdSource,
        actor: Author,
    ) -> EngineResult<Engine<'a>> {
        let mut engine = Engine::closed(places, config, clock, ids, actor);
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
                    // The user's own are worth having, but not worth failing for.
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
                    // Something can still be left in the inbox.
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
        // A hook has no time for it.
        if needs != StoreAccess::Session {
            engine.resume_purges();
        }
        for shelf in [StoreScope::Project, StoreScope::Global] {
            if engine.store(shelf).is_some() && !engine.places.spool(shelf).is_empty() {
                // Whoever holds the lock now will let go; the next command tries again. One that
                // only reads has no reason to wait for that.
                let patient = matches!(needs, StoreAccess::WriteBoth | StoreAccess::Write(_));
                let _ = engine.drain_spool(shelf, patient);
            }
            if engine.store(shelf).is_some() {
                engine.count_uses(shelf, needs == StoreAccess::Recall);
            }
        }
        Ok(engine)
    }

    /// The service without its stores.
    pub(crate) fn closed(
        places: StorePaths,
        config: Config,
        clock: &'a dyn Clock,
        ids: &'a dyn IdSource,
        actor: Author,
    ) -> Engine<'a> {
        Engine {
            project: None,
            global: None,
            places,
            config,
            clock,
            ids,
            actor,
            voice: Requester::Person,
            embedder: None,
            stand_in: false,
            generator: None,
            mapped: RefCell::default(),
            methodology: OnceCell::new(),
            resumed: Vec::new(),
        }
    }

    /// Where the stores are.
    pub fn places(&self) -> &StorePaths {
        &self.places
    }

    /// An open store.
    pub fn store(&self, shelf: StoreScope) -> Option<&dyn Store> {
        match shelf {
            StoreScope::Project => self.project.as_deref(),
            StoreScope::Global => self.global.as_deref(),
        }
    }

    /// The shelves that are open, the project's first.
    pub fn shelves(&self) -> impl Iterator<Item = (StoreScope, &dyn Store)> {
        [StoreScope::Project, StoreScope::Global]
            .into_iter()
            .filter_map(|shelf| self.store(shelf).map(|store| (shelf, store)))
    }

    pub(crate) fn store_mut(&mut self, shelf: StoreScope) -> EngineResult<&mut Box<dyn Store>> {
        let not_initialised = self.not_initialised();
        match shelf {
            StoreScope::Project => self.project.as_mut(),
            StoreScope::Global => self.global.as_mut(),
        }
        .ok_or(not_initialised)
    }

    /// Sets who is speaking; a person, unless it is said.
    #[must_use]
    pub fn speaking_as(mut self, voice: Requester) -> Self {
        self.voice = voice;
        self
    }

    /// The configuration it was opened with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the speaker.
    pub fn voice(&self) -> Requester {
        self.voice
    }

    /// The same service, at work for nobody: what it changes from now on is its own doing.
    #[must_use]
    pub fn unasked(mut self) -> Self {
        self.actor = Author::new(ITSELF).unwrap_or(self.actor);
        self.voice = Requester::Person;
        self
    }

    /// An action that nobody asked for.
    pub(crate) fn machine_action(&self, kind: ActionKind, reason: &str) -> Action {
        let mut action = self.action(kind, Reasoning::new(reason).ok());
        action.actor = Author::new(ITSELF).unwrap_or(action.actor);
        action
    }

    pub(crate) fn action(&self, kind: ActionKind, reason: Option<Reasoning>) -> Action {
        let reason = reason.map(redact_reason);
        Action { kind, at: self.clock.now(), actor: self.actor.clone(), reason, reverts: None }
    }

    pub(crate) fn not_initialised(&self) -> EngineError {
        EngineError::NotInitialised { root: self.places.root.clone() }
    }

    /// What a shelf that is not there holds: nothing, if it is the user's, which comes to be with
    /// the first memory; a project's store has to be asked for.
    pub(crate) fn nothing_on<T: Default>(&self, shelf: StoreScope) -> EngineResult<T> {
        match shelf {
            StoreScope::Project => Err(self.not_initialised()),
            StoreScope::Global => Ok(T::default()),
        }
    }

    fn open_if_there(
        &self,
        shelf: StoreScope,
        access: OpenMode,
    ) -> EngineResult<Option<Box<dyn Store>>> {
        match self.open_store(shelf, access) {
            Ok(store) => Ok(Some(store)),
            Err(EngineError::Store(StoreError::Missing { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn open_store(&self, shelf: StoreScope, access: OpenMode) -> EngineResult<Box<dyn Store>> {
        let busy_timeout = Duration::from_millis(self.config.busy_timeout_ms);
        let options = OpenOptions { access, busy_timeout };
        Ok(Box::new(SqliteStore::open(&self.places.database(shelf), options)?))
    }

    /// Creates the project's store if it is not there; whether it was created.
    pub fn create_project(places: &StorePaths, config: &Config) -> EngineResult<bool> {
        let path = places.database(StoreScope::Project);
        let new = !path.exists();
        let busy_timeout = Duration::from_millis(config.busy_timeout_ms);
        SqliteStore::open(&path, OpenOptions { access: OpenMode::Create, busy_timeout })?;
        Ok(new)
    }
}
