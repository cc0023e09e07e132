//! The project that a use case works on: its configuration, its paths, and how to open its stores.

use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tacit_core::{Author, Config, RepoPath, SessionId, Timestamp};
use tacit_engine::{
    Engine, LoadedConfig, RecallRequest, Requester, Spool, StoreAccess, StorePaths, StoreScope,
};
use tacit_git::Repository;
use tacit_models::bundled::BundledModel;
use tacit_models::detect::PROBE_TIMEOUT;
use tacit_models::detect::detect_local;
use tacit_models::{
    EmbedderChoice, EmbedderSettings, PrefetchedEmbedding, Provider, Secret, TextKind, Tier, detect,
};
use tacit_store::TeamServer;

use crate::environment::{ConfigOverride, Environment, Watcher};
use crate::error::{AppError, AppResult, ErrorCode};
use crate::project::{Obstacle, Project, tracked_in_inbox};
use crate::team::{check_stored_url, team_server};

/// The name of a configuration file.
pub const CONFIG_FILE: &str = "config.toml";
/// The time a command waits for other processes to release a store that has to be moved.
const MOVE_TIMEOUT: Duration = Duration::from_secs(5);
/// The time a hook waits for a local embedding server to answer a probe.
const HOOK_PROBE_TIMEOUT: Duration = Duration::from_millis(50);

/// A project with its configuration, as use cases see it.
pub struct App {
    /// The machine and the user.
    pub environment: Environment,
    /// The listener for notes, warnings and progress.
    pub watcher: Box<dyn Watcher>,
    /// The configuration, with the origin of each value.
    pub loaded: LoadedConfig,
    /// The error in the configuration, if the command continues with the defaults.
    pub config_problem: Option<AppError>,
    /// The paths of the stores.
    pub places: StorePaths,
    /// The repository, if there is one.
    pub repository: Option<Repository>,
    worktree: PathBuf,
    /// The reason why the project store cannot be used.
    pub obstacle: Option<Obstacle>,
    /// The current directory, which paths in arguments are relative to.
    pub directory: PathBuf,
    /// The user's name, looked up on first use: asking git starts a process.
    user: OnceLock<Author>,
    /// Set once the user was told that the file of the methodology is broken.
    pub(crate) warned_of_methodology: OnceLock<()>,
    /// Set once the team's server did not answer.
    server_failure: OnceLock<ServerFailure>,
}

/// A server of a team that did not answer.
struct ServerFailure {
    /// The error.
    error: String,
    /// The error, and what happens instead.
    note: String,
}

impl App {
    /// Finds the project of a directory, moves a store that an earlier version left in its
    /// worktree, and reads the configuration. If that is invalid and `tolerate_invalid_config` is
    /// set, the defaults apply.
    pub fn open(
        environment: Environment,
        directory: PathBuf,
        watcher: Box<dyn Watcher>,
        tolerate_invalid_config: bool,
    ) -> AppResult<App> {
        let mut project = Project::at(&directory, &environment.data_home);
        let moved_from = project.move_old_store(MOVE_TIMEOUT);
        let Project { places, repository, worktree, obstacle } = project;
        let usable = StorePaths {
            // A store that must not be used must not configure anything either.
            project: if obstacle.is_some() {
                places.shared.clone()
            } else {
                places.project.clone()
            },
            ..places.clone()
        };
        let (loaded, config_problem) = match load_config(&environment, &usable) {
            Ok(loaded) => (loaded, None),
            Err(problem) if tolerate_invalid_config => (LoadedConfig::default(), Some(problem)),
            Err(problem) => return Err(problem),
        };
        if let Some(old) = moved_from {
            let (old, new) = (old.display(), places.project.display());
            watcher.note(&format!("moved the memory of this project from `{old}` to `{new}`"));
            for problem in &loaded.ignored {
                watcher.warn(problem);
            }
        }
        let mut config_problem = config_problem;
        let places = match team_server(&environment, &loaded.config, &places) {
            Ok(server) => StorePaths { server, ..places },
            Err(problem) if tolerate_invalid_config => {
                config_problem.get_or_insert(problem);
                places
            }
            Err(problem) => return Err(problem),
        };
        Ok(App {
            environment,
            watcher,
            loaded,
            config_problem,
            places,
            repository,
            worktree,
            obstacle,
            directory,
            user: OnceLock::new(),
            warned_of_methodology: OnceLock::new(),
            server_failure: OnceLock::new(),
        })
    }

    /// Returns a note that the team's server did not answer, unless `error`, which is reported, says so.
    pub fn server_note(&self, error: Option<&AppError>) -> Option<&str> {
        let failure = self.server_failure.get()?;
        let is_told = error.is_some_and(|error| error.message.contains(&failure.error));
        (!is_told).then_some(failure.note.as_str())
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.loaded.config
    }

    /// Returns the current time.
    pub fn now(&self) -> Timestamp {
        self.environment.clock.now()
    }

    /// Reads the configuration again: an MCP server runs for hours, and files change meanwhile.
    pub fn config_now(&self) -> AppResult<Config> {
        Ok(load_config(&self.environment, &self.places)?.config)
    }

    /// The session of the agent client that started this process, if the client names it.
    pub fn session(&self) -> Option<SessionId> {
        self.environment.agent_session.as_deref().and_then(|id| id.parse().ok())
    }

    /// Opens the stores a command needs.
    pub fn engine(&self, needs: StoreAccess) -> AppResult<Engine<'_>> {
        // Only a write has an author, and asking git for a name takes a process.
        let actor = match needs {
            StoreAccess::Recall
            | StoreAccess::ReadBoth
            | StoreAccess::Read(_)
            | StoreAccess::Session => Author::new("reader")?,
            StoreAccess::WriteBoth | StoreAccess::Write(_) => self.actor(),
        };
        self.engine_as(needs, self.config().clone(), actor)
    }

    /// Opens the stores with this configuration; changes are attributed to `actor`.
    pub fn engine_as(
        &self,
        needs: StoreAccess,
        config: Config,
        actor: Author,
    ) -> AppResult<Engine<'_>> {
        if let Some(obstacle) = self.obstacle.as_ref().filter(|_| !needs.only_global()) {
            return Err(obstacle.into());
        }
        let (clock, ids) = (self.environment.clock.as_ref(), self.environment.ids.as_ref());
        let spool = self.places.is_in_team().then(|| self.places.spool(StoreScope::Project));
        let refused = spool.as_ref().map_or(0, Spool::refused_count);
        let places = self.places_now(&config)?;
        let mut engine = Engine::open(places, config, needs, clock, ids, actor)?;
        if let Err(error) = engine.reach_team() {
            // A server that refuses is not one to wait for.
            let waits = if error.is_busy() { ", and new memories are queued here" } else { "" };
            let note = format!("{error}; using this machine's copy{waits}");
            self.server_failure.get_or_init(|| ServerFailure { error: error.to_string(), note });
        }
        let refused = spool.map_or(0, |spool| spool.refused_count()).saturating_sub(refused);
        if refused > 0 {
            let requests = if refused == 1 { "a request" } else { "requests" };
            self.watcher.note(&format!(
                "the team's server refused {requests} that waited; `tacit team status` shows why"
            ));
        }
        take_inbox(&mut engine, self.worktree(), Caller::Command);
        let both =
            matches!(needs, StoreAccess::Recall | StoreAccess::ReadBoth | StoreAccess::WriteBoth);
        if both && engine.store(StoreScope::Project).is_none() {
            let root = self.places.root.display();
            self.watcher.note(&format!(
                "`{root}` has no project store, so only your global store is used; `tacit init` creates one"
            ));
        }
        Ok(engine)
    }

    /// Returns the paths of the stores with the server of the team as it is now: an MCP server runs for hours,
    /// and the project may join a team or leave it meanwhile.
    fn places_now(&self, config: &Config) -> AppResult<StorePaths> {
        if self.config_problem.is_some() {
            return Ok(self.places.clone());
        }
        let server = team_server(&self.environment, config, &self.places)?;
        let known = |new: &Arc<dyn TeamServer>| {
            let same = |old: &&Arc<dyn TeamServer>| {
                (old.address(), old.project()) == (new.address(), new.project())
            };
            // It knows the password already.
            self.places.server.as_ref().filter(same).cloned()
        };
        let server = server.map(|new| known(&new).unwrap_or(new));
        Ok(StorePaths { server, ..self.places.clone() })
    }

    /// Opens the stores for a change by the user, or by the agent that runs this command.
    pub fn engine_for_write(&self, needs: StoreAccess) -> AppResult<Engine<'_>> {
        Ok(self.engine(needs)?.on_behalf_of(self.voice()))
    }

    /// Returns who runs this command: the user or an agent.
    pub fn voice(&self) -> Requester {
        if self.environment.agent.is_some() { Requester::Agent } else { Requester::Person }
    }

    /// Returns an error if an agent runs this command. `what` completes "only a person can …".
    pub fn person_only(&self, what: &str) -> AppResult<()> {
        let Some(agent) = &self.environment.agent else { return Ok(()) };
        let message = format!(
            "only a person can {what}, but `{}` runs this command (`{}` is set)",
            tacit_core::visible(&agent.name),
            agent.variable
        );
        Err(AppError::new(ErrorCode::Refused, message)
            .hint("run it in a terminal outside the agent"))
    }

    /// Opens the stores with the configured embedder. The bundled model is loaded on first use.
    pub fn engine_with_embedder(&self, needs: StoreAccess) -> AppResult<Engine<'_>> {
        Ok(attach_embedder(self.engine(needs)?, self.embedder()))
    }

    /// Opens the stores for a query and embeds it meanwhile.
    pub fn engine_for_query(&self, query: &RecallRequest) -> AppResult<Engine<'_>> {
        let choice = self.embedder().map(|choice| start_embedding(choice, &self.places, query));
        Ok(attach_embedder(self.engine(StoreAccess::Recall)?, choice))
    }

    /// Returns the embedder, or `None` if embedding is turned off.
    pub fn embedder(&self) -> Option<EmbedderChoice> {
        embedder(self.config(), &self.environment, Caller::Command)
    }

    /// Starts `tacit maintain` in the background, unless the configuration turns that off.
    pub fn maintain_in_background(&self) {
        if !self.config().maintain_auto || self.config().embedding_provider == "off" {
            return;
        }
        start_maintenance(&self.directory);
    }

    /// The author of changes: the agent that runs this command, or the user.
    pub fn actor(&self) -> Author {
        let agent = self.environment.agent.as_ref();
        agent.and_then(|agent| Author::new(agent.name.as_str()).ok()).unwrap_or_else(|| self.user())
    }

    /// Returns the user's name from the configuration, else from git, else from the system.
    pub fn user(&self) -> Author {
        let name = || {
            let configured = Some(self.config().user_name.clone()).filter(|name| !name.is_empty());
            let worktree = self.repository.as_ref().map(|repository| repository.worktree.as_path());
            configured
                .or_else(|| tacit_git::user_name(worktree))
                .or_else(|| self.environment.user.clone())
                .and_then(|name| Author::new(name).ok())
                .or_else(|| Author::new("unknown").ok())
                .unwrap_or_else(|| unreachable!("`unknown` is a name"))
        };
        self.user.get_or_init(name).clone()
    }

    /// The root of the current worktree; outside git, of the project.
    pub fn worktree(&self) -> &Path {
        &self.worktree
    }

    /// Converts a path as typed to one relative to the root of the current worktree.
    pub fn repo_path(&self, typed: &str) -> AppResult<RepoPath> {
        let root = self.worktree();
        let outside = || {
            AppError::usage(format!("`{typed}` is outside the project at `{}`", root.display()))
                .hint("name a file of this project")
        };
        let inside = crate::path_in_project(root, &self.directory, typed).ok_or_else(outside)?;
        if inside.as_os_str().is_empty() {
            return Err(AppError::usage(format!("`{typed}` is the project itself"))
                .hint("name a file or a directory in it, or leave it out"));
        }
        let text = inside
            .to_str()
            .ok_or_else(|| AppError::usage(format!("`{typed}` is not valid UTF-8")))?;
        RepoPath::new(text.replace('\\', "/"))
            .map_err(|problem| AppError::usage(format!("file {problem}")))
    }
}

/// Stores what sandboxed agents left in the worktree's inbox. Entries that cannot be stored now
/// stay there.
pub fn take_inbox(engine: &mut Engine<'_>, worktree: &Path, caller: Caller) {
    if engine.paths().has_inbox() && engine.store(StoreScope::Project).is_some() {
        let limit = if caller == Caller::Hook { 5 } else { 100 };
        let _ = engine.drain_inbox(limit, || tracked_in_inbox(worktree));
    }
}

/// The kind of caller, which decides how long it can wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A command: a person or agent waits for its output.
    Command,
    /// A hook: the agent is blocked until it returns, so no remote server is asked.
    Hook,
}

/// Chooses the configured embedder; `None` if embedding is turned off.
pub fn embedder(
    config: &Config,
    environment: &Environment,
    caller: Caller,
) -> Option<EmbedderChoice> {
    let provider = match config.embedding_provider.as_str() {
        "off" => return None,
        "auto" => Provider::Auto,
        "ollama" => Provider::Ollama,
        "openai" => Provider::OpenAi,
        _ => Provider::Bundled,
    };
    let settings = EmbedderSettings {
        provider,
        ollama_base: config.ollama_url.clone(),
        ollama_model: config.ollama_model.clone(),
        openai_base: config.openai_url.clone(),
        openai_key: environment.openai_key.as_deref().and_then(Secret::new),
        openai_model: config.openai_model.clone(),
        ..EmbedderSettings::default()
    };
    Some(match caller {
        Caller::Command => detect(&settings, PROBE_TIMEOUT),
        Caller::Hook => detect_local(&settings, HOOK_PROBE_TIMEOUT),
    })
}

/// Starts to embed the query on another thread, if the bundled model is used and there are vectors
/// to compare it with.
pub fn start_embedding(
    choice: EmbedderChoice,
    places: &StorePaths,
    query: &RecallRequest,
) -> EmbedderChoice {
    match query.embedding_text() {
        Some(text) if choice.tier == Tier::Bundled && places.has_vectors() => {
            let embedder =
                Arc::new(PrefetchedEmbedding::start(choice.embedder, text, TextKind::Query));
            BundledModel::load().page_in();
            EmbedderChoice { embedder, ..choice }
        }
        _ => choice,
    }
}

/// Gives the engine the chosen embedder.
pub fn attach_embedder<'e>(engine: Engine<'e>, choice: Option<EmbedderChoice>) -> Engine<'e> {
    match choice {
        Some(choice) if choice.degraded.is_some() => {
            engine.with_fallback_embedder(choice.embedder, choice.takes_over)
        }
        Some(choice) => engine.with_embedder(choice.embedder),
        None => engine,
    }
}

/// The program that starts another one with a lower priority; not looked up on the path, which a
/// project may have changed.
const NICE: &str = "/usr/bin/nice";

/// Starts `tacit maintain` for a directory without waiting for it, with a low priority where the
/// system has a program for that. A long-running caller must wait for the child in the end, or it
/// stays as a zombie.
pub fn start_maintenance(directory: &Path) -> Option<Child> {
    let program = std::env::current_exe().ok()?;
    let has_nice = cfg!(unix) && Path::new(NICE).is_file();
    let first = if has_nice { Path::new(NICE) } else { program.as_path() };
    #[expect(clippy::disallowed_methods, reason = "it is this program, or starts it")]
    let mut maintain = Process::new(first);
    if has_nice {
        maintain.args(["-n", "10"]).arg(&program);
    }
    maintain
        .arg("-C")
        .arg(directory)
        .args(["maintain", "--quiet", "--background"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Ctrl-C on the command must not stop it.
    tacit_fs::platform::own_process_group(&mut maintain);
    // If it cannot be started now, the next command tries again.
    maintain.spawn().ok()
}

/// Loads the configuration. Later sources override earlier ones: the user's file, the file in the
/// repository (only the keys that a repository may set), the user's file for this project, which
/// git does not track, and environment variables.
pub fn load_config(environment: &Environment, places: &StorePaths) -> AppResult<LoadedConfig> {
    let mut loaded = LoadedConfig::default();
    loaded.add(&environment.config_home.join(CONFIG_FILE))?;
    loaded.add_shared(&places.shared.join(CONFIG_FILE));
    if places.shared != places.project {
        loaded.add(&places.project.join(CONFIG_FILE))?;
    }
    check_stored_url(&loaded.config.database_url)?;
    for ConfigOverride { key, text, variable } in &environment.overrides {
        loaded.add_variable(variable, *key, text).map_err(|error| {
            let mut error = AppError::from(error);
            error.message = format!("in `${variable}`: {}", error.message);
            error
        })?;
    }
    Ok(loaded)
}

impl From<tacit_core::Problem> for AppError {
    fn from(problem: tacit_core::Problem) -> AppError {
        AppError::new(ErrorCode::Usage, problem.to_string())
    }
}
