//! The engine: open stores, a clock and a source of identifiers.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tacit_core::{Author, Clock, Config, IdSource, MemoryId, Reasoning, Usefulness};
use tacit_models::{Embedder, Generator};
use tacit_store::{
    Action, ActionKind, CopyStore, JudgedCommit, Membership, Store, StoreError, TeamServer,
};
use tacit_store_sqlite::{OpenMode, OpenOptions, SqliteStore};
use tacit_vectors::VectorIndex;
use tacit_work::Methodology;

use crate::error::{EngineError, EngineResult};
use crate::remember::redact_reason;
use crate::spool::Spool;
use crate::team::{ServerLink, TeamState, TeamStore};

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

/// The directories of the stores, and the server of the team.
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
    /// The server on which a team shares the memories of this project; `None` if they are on this
    /// machine alone.
    pub server: Option<Arc<dyn TeamServer>>,
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

/// The store of a project.
pub(crate) enum ProjectStore {
    /// A database on this machine.
    Own(Box<dyn Store>),
    /// The server of a team, with this machine's copy.
    Team(Box<TeamStore>),
}

impl ProjectStore {
    pub(crate) fn team(local: Box<dyn CopyStore>, server: ServerLink) -> ProjectStore {
        ProjectStore::Team(Box::new(TeamStore { local, server }))
    }

    fn get(&self) -> &dyn Store {
        match self {
            ProjectStore::Own(store) => store.as_ref(),
            ProjectStore::Team(store) => store.as_ref(),
        }
    }

    pub(crate) fn get_mut(&mut self) -> &mut (dyn Store + 'static) {
        match self {
            ProjectStore::Own(store) => store.as_mut(),
            ProjectStore::Team(store) => store.as_mut(),
        }
    }
}

/// Returns `None` instead of the error of a missing database.
fn if_there<T>(opened: EngineResult<T>) -> EngineResult<Option<T>> {
    match opened {
        Ok(store) => Ok(Some(store)),
        Err(EngineError::Store(StoreError::Missing { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The service that all front ends use.
pub struct Engine<'a> {
    pub(crate) project: Option<ProjectStore>,
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
                engine.project = engine.open_project(access)?;
                let only_project = needs == StoreAccess::Recall && !engine.config.recall_global;
                if !only_project || engine.project.is_none() {
                    engine.global = engine.open_if_there(StoreScope::Global, access)?;
                }
                if engine.project.is_none() && engine.global.is_none() {
                    return Err(engine.not_initialised());
                }
            }
            StoreAccess::Session => {
                engine.project = engine.open_project(OpenMode::Brief)?;
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
                engine.project = engine.open_project(OpenMode::Read)?;
            }
            StoreAccess::Read(StoreScope::Global) => {
                engine.global = engine.open_if_there(StoreScope::Global, OpenMode::Read)?;
            }
            StoreAccess::Write(StoreScope::Project) => {
                engine.project = match engine.open_project(OpenMode::Write) {
                    // A read-only store still allows requests to be left in the inbox.
                    Err(error) if error.is_read_only() => {
                        engine.open_project(OpenMode::Read).map_err(|_| error)?
                    }
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
            let delivers = scope == StoreScope::Global || engine.delivers();
            if !delivers {
                continue;
            }
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
            StoreScope::Project => self.project.as_ref().map(ProjectStore::get),
            StoreScope::Global => self.global.as_deref(),
        }
    }

    /// Returns the database of a store on this machine, if it is open: in a team, the copy.
    pub(crate) fn own_store(&self, scope: StoreScope) -> Option<&dyn Store> {
        match (&self.project, scope) {
            (Some(ProjectStore::Team(team)), StoreScope::Project) => Some(team.local.as_ref()),
            _ => self.store(scope),
        }
    }

    /// Like [`Engine::own_store`], to write to it.
    pub(crate) fn own_store_mut(
        &mut self,
        scope: StoreScope,
    ) -> EngineResult<&mut (dyn Store + 'static)> {
        if scope == StoreScope::Global || !self.is_in_team() {
            return self.store_mut(scope);
        }
        let not_initialised = self.not_initialised();
        self.team_mut().map(|team| team.local.as_mut() as &mut dyn Store).ok_or(not_initialised)
    }

    /// Returns the open stores, the project store first.
    pub fn stores(&self) -> impl Iterator<Item = (StoreScope, &dyn Store)> {
        [StoreScope::Project, StoreScope::Global]
            .into_iter()
            .filter_map(|scope| self.store(scope).map(|store| (scope, store)))
    }

    pub(crate) fn store_mut(
        &mut self,
        scope: StoreScope,
    ) -> EngineResult<&mut (dyn Store + 'static)> {
        let not_initialised = self.not_initialised();
        match scope {
            StoreScope::Project => self.project.as_mut().map(ProjectStore::get_mut),
            StoreScope::Global => self.global.as_deref_mut(),
        }
        .ok_or(not_initialised)
    }

    /// Returns the store of the team, if the project has one.
    pub(crate) fn team_mut(&mut self) -> Option<&mut TeamStore> {
        match &mut self.project {
            Some(ProjectStore::Team(team)) => Some(team),
            Some(ProjectStore::Own(_)) | None => None,
        }
    }

    /// Returns true if the project's memories are on the server of a team.
    pub fn is_in_team(&self) -> bool {
        matches!(self.project, Some(ProjectStore::Team(_)))
    }

    /// Returns who the user is in the team; `None` outside one, and while its server does not answer.
    pub fn membership(&self) -> EngineResult<Option<Membership>> {
        match &self.project {
            Some(ProjectStore::Team(team)) => match &team.server {
                ServerLink::Open(server) => Ok(Some(server.membership()?)),
                ServerLink::Deferred | ServerLink::Closed(_) => Ok(None),
            },
            Some(ProjectStore::Own(_)) | None => Ok(None),
        }
    }

    /// Returns the commit whose checkout was last compared with the memories of the team.
    pub fn judged_commit(&self) -> EngineResult<Option<JudgedCommit>> {
        match &self.project {
            Some(ProjectStore::Team(team)) => match &team.server {
                ServerLink::Open(server) => Ok(server.judged_commit()?),
                ServerLink::Deferred | ServerLink::Closed(_) => Ok(None),
            },
            Some(ProjectStore::Own(_)) | None => Ok(None),
        }
    }

    /// Notes the commit whose checkout is about to be compared with the memories of the team.
    pub fn set_judged_commit(&mut self, commit: String) -> EngineResult<()> {
        let at = self.clock.now();
        let Some(team) = self.team_mut() else { return Ok(()) };
        Ok(team.writable()?.set_judged_commit(&JudgedCommit { commit, at })?)
    }

    /// Returns an error if the server of the team does not answer.
    pub fn reach_team(&self) -> EngineResult<()> {
        match &self.project {
            Some(ProjectStore::Team(team)) => match &team.server {
                closed @ ServerLink::Closed(_) => Err(closed.error().into()),
                ServerLink::Open(_) | ServerLink::Deferred => Ok(()),
            },
            Some(ProjectStore::Own(_)) | None => Ok(()),
        }
    }

    /// Stores the requests that wait beside the project's store. Opening does so, too, but ignores what
    /// keeps them waiting.
    pub fn deliver(&mut self) -> EngineResult<usize> {
        self.drain_spool(StoreScope::Project, true)
    }

    /// Returns true if requests that wait beside the project's store can be stored now.
    fn delivers(&self) -> bool {
        match &self.project {
            Some(ProjectStore::Team(team)) => matches!(team.server, ServerLink::Open(_)),
            Some(ProjectStore::Own(_)) | None => true,
        }
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

    /// Opens the project's store: in a team, the server with this machine's copy. Hooks, which open
    /// it briefly, take the copy alone.
    fn open_project(&self, access: OpenMode) -> EngineResult<Option<ProjectStore>> {
        if self.paths.read_team_state()?.is_none() {
            let own = self.open_if_there(StoreScope::Project, access)?;
            // The project may have entered a team before the store was open; from then on it cannot.
            if self.paths.read_team_state()?.is_none() {
                return Ok(own.map(ProjectStore::Own));
            }
        }
        let Some(local) = self.open_copy(access)? else { return Ok(None) };
        let Some(state) = self.settle_move(local.as_ref())? else {
            return Ok(Some(ProjectStore::Own(local)));
        };
        if access == OpenMode::Brief {
            return Ok(Some(ProjectStore::team(local, ServerLink::Deferred)));
        }
        let link = self.connect(&state);
        let failure = match &link {
            ServerLink::Closed(error) => Some(error.to_string()),
            ServerLink::Open(_) | ServerLink::Deferred => None,
        };
        self.paths.note_server(self.clock.now(), failure);
        Ok(Some(ProjectStore::team(local, link)))
    }

    /// Opens the store as a copy. Answers and sessions of other commands are written into it even by readers,
    /// unless an agent's sandbox forbids it.
    fn open_copy(&self, access: OpenMode) -> EngineResult<Option<Box<dyn CopyStore>>> {
        let wanted = if access == OpenMode::Brief { OpenMode::Brief } else { OpenMode::Write };
        let opened = match self.open_database(StoreScope::Project, wanted) {
            Err(error) if error.is_read_only() && access == OpenMode::Read => {
                self.open_database(StoreScope::Project, access)
            }
            opened => opened,
        };
        Ok(if_there(opened)?.map(|store| Box::new(store) as Box<dyn CopyStore>))
    }

    /// Connects to the server that the copy follows.
    fn connect(&self, state: &TeamState) -> ServerLink {
        let disconnected = |detail: &str| {
            let (server, detail) = (state.server.clone(), detail.to_owned());
            ServerLink::Closed(StoreError::NotConnected { server, detail })
        };
        if state.moving {
            return disconnected("a command that joins it or moves its memories has not finished");
        }
        match &self.paths.server {
            None => disconnected("`database.url` is not set; set it with `tacit config set`"),
            // The numbers of changes on another server say nothing about this copy.
            Some(server) if server.address() != state.server => disconnected(&format!(
                "`database.url` is another server, `{}`; set it back, or run `tacit team leave`, then `tacit team join`",
                server.address()
            )),
            Some(server) => server.open().map_or_else(ServerLink::Closed, ServerLink::Open),
        }
    }

    fn open_if_there(
        &self,
        scope: StoreScope,
        access: OpenMode,
    ) -> EngineResult<Option<Box<dyn Store>>> {
        if_there(self.open_store(scope, access))
    }

    fn open_store(&self, scope: StoreScope, access: OpenMode) -> EngineResult<Box<dyn Store>> {
        Ok(Box::new(self.open_database(scope, access)?))
    }

    pub(crate) fn open_database(
        &self,
        scope: StoreScope,
        access: OpenMode,
    ) -> EngineResult<SqliteStore> {
        let busy_timeout = Duration::from_millis(self.config.busy_timeout_ms);
        let options = OpenOptions { access, busy_timeout };
        Ok(SqliteStore::open(&self.paths.database(scope), options)?)
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
