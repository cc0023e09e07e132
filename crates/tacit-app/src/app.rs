//! A use case's surroundings: the project it is about, what is configured, how to open the stores.

use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tacit_core::{Author, Config, Key, RepoPath, SessionId, Timestamp};
use tacit_engine::{
    ConfigOrigin, Engine, LoadedConfig, RecallRequest, Requester, StoreAccess, StorePaths,
    StoreScope,
};
use tacit_git::Repository;
use tacit_models::bundled::Model;
use tacit_models::detect::PROBE_TIMEOUT;
use tacit_models::detect::detect_here;
use tacit_models::{Ahead, Choice, Provider, Secret, Settings, TextKind, Tier, detect};

use crate::environment::{Environment, Override, Watcher};
use crate::error::{AppError, AppResult, Code};
use crate::project::{Obstacle, Project, tracked_in_inbox};

/// The name of a configuration file.
pub const CONFIG: &str = "config.toml";
/// Time a command waits for others to release a store that is to be moved.
const MOVE_PATIENCE: Duration = Duration::from_secs(5);
/// Time a hook waits for a server on this machine to answer a probe.
const HOOK_PROBE_TIMEOUT: Duration = Duration::from_millis(50);

/// A project with its configuration, as use cases see it.
pub struct App {
    /// The machine and the user.
    pub environment: Environment,
    /// The listener for notes, warnings and progress.
    pub watcher: Box<dyn Watcher>,
    /// The configuration, with where each value comes from.
    pub loaded: LoadedConfig,
    /// The problem with the configuration, if the command goes on with the defaults.
    pub config_problem: Option<AppError>,
    /// The folders of the stores.
    pub places: StorePaths,
    /// The repository, if there is one.
    pub repository: Option<Repository>,
    worktree: PathBuf,
    /// The reason why the memory of this place is not used, or cannot be there.
    pub obstacle: Option<Obstacle>,
    /// The current directory, from which paths in arguments start.
    pub directory: PathBuf,
    /// Git is asked for it, once.
    user: OnceLock<Author>,
}

impl App {
    /// Finds the project of a directory, moves a store that an earlier version left in its worktree,
    /// and reads the configuration. Where that is broken, the defaults hold if `bears_broken`.
    pub fn open(
        environment: Environment,
        directory: PathBuf,
        watcher: Box<dyn Watcher>,
        bears_broken: bool,
    ) -> AppResult<App> {
        let mut project = Project::at(&directory, &environment.data_home);
        let moved_from = project.adopt_old_store(MOVE_PATIENCE);
        let Project { places, repository, worktree, obstacle } = project;
        let usable = StorePaths {
            // Nothing in a folder that is not used is read.
            project: if obstacle.is_some() {
                places.shared.clone()
            } else {
                places.project.clone()
            },
            ..places.clone()
        };
        let (loaded, config_problem) = match load_config(&environment, &usable) {
            Ok(loaded) => (loaded, None),
            Err(problem) if bears_broken => (LoadedConfig::default(), Some(problem)),
            Err(problem) => return Err(problem),
        };
        if let Some(old) = moved_from {
            let (old, new) = (old.display(), places.project.display());
            watcher.note(&format!("moved the memory of this project from `{old}` to `{new}`"));
            for problem in &loaded.ignored {
                watcher.warn(problem);
            }
        }
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
        })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.loaded.config
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.environment.clock.now()
    }

    /// The configuration as it is now: a server lives for hours, and files change meanwhile.
    pub fn config_now(&self) -> AppResult<Config> {
        Ok(load_config(&self.environment, &self.places)?.config)
    }

    /// The session of the agent client that started us, if it told.
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

    /// Opens the stores for an author, by a configuration.
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
        let mut engine = Engine::open(self.places.clone(), config, needs, clock, ids, actor)?;
        take_inbox(&mut engine, self.worktree(), Haste::Command);
        let both =
            matches!(needs, StoreAccess::Recall | StoreAccess::ReadBoth | StoreAccess::WriteBoth);
        if both && engine.store(StoreScope::Project).is_none() {
            let root = self.places.root.display();
            self.watcher.note(&format!(
                "`{root}` has no memory yet, only your own is used; `tacit init` starts one there"
            ));
        }
        Ok(engine)
    }

    /// Opens the stores for somebody who tells or changes something: a person, or an agent if one
    /// runs this command.
    pub fn engine_to_tell(&self, needs: StoreAccess) -> AppResult<Engine<'_>> {
        Ok(self.engine(needs)?.on_behalf_of(self.voice()))
    }

    /// The speaker of this command, as the environment tells: a person or an agent.
    pub fn voice(&self) -> Requester {
        if self.environment.agent.is_some() { Requester::Agent } else { Requester::Person }
    }

    /// Refuses what only a person can do, if an agent runs this command.
    pub fn person_only(&self, what: &str) -> AppResult<()> {
        let Some(agent) = &self.environment.agent else { return Ok(()) };
        let message = format!(
            "only a person can {what}; this runs below `{}` (`{}` is set)",
            tacit_core::visible(&agent.name),
            agent.variable
        );
        Err(AppError::new(Code::Refused, message)
            .hint("run it in a terminal of your own, outside of the agent"))
    }

    /// Opens the stores with whoever embeds text, as configured. The bundled model costs nothing
    /// until it is asked.
    pub fn engine_with_meaning(&self, needs: StoreAccess) -> AppResult<Engine<'_>> {
        Ok(with_meaning(self.engine(needs)?, self.embedder()))
    }

    /// Opens the stores for a question, which is embedded meanwhile.
    pub fn engine_to_ask(&self, question: &RecallRequest) -> AppResult<Engine<'_>> {
        let choice = self.embedder().map(|choice| ahead(choice, &self.places, question));
        Ok(with_meaning(self.engine(StoreAccess::Recall)?, choice))
    }

    /// Returns the embedder, or `None` if embedding is turned off.
    pub fn embedder(&self) -> Option<Choice> {
        embedder(self.config(), &self.environment, Haste::Command)
    }

    /// Starts the long work that a command left behind, and does not wait for it.
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

    /// The user: as configured, else as git knows them, else as the system does.
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

    /// The root of the worktree we are in; of the project, outside git.
    pub fn worktree(&self) -> &Path {
        &self.worktree
    }

    /// A path as typed, as it is kept: relative to the root of the worktree we are in.
    pub fn repo_path(&self, typed: &str) -> AppResult<RepoPath> {
        let root = self.worktree();
        let outside = || {
            AppError::usage(format!("`{typed}` is outside the project at `{}`", root.display()))
                .hint("name a file of this project")
        };
        let inside = crate::inside(root, &self.directory, typed).ok_or_else(outside)?;
        if inside.as_os_str().is_empty() {
            return Err(AppError::usage(format!("`{typed}` is the project itself"))
                .hint("name a file or a directory in it, or leave it out"));
        }
        let text = inside.to_str().ok_or_else(|| {
            AppError::usage(format!("`{typed}` is not valid UTF-8, so it cannot be kept"))
        })?;
        RepoPath::new(text.replace('\\', "/"))
            .map_err(|problem| AppError::usage(format!("file {problem}")))
    }
}

/// Stores what agents in a sandbox left in the worktree. What cannot be stored now waits there.
pub fn take_inbox(engine: &mut Engine<'_>, worktree: &Path, haste: Haste) {
    if engine.paths().has_inbox() && engine.store(StoreScope::Project).is_some() {
        let most = if haste == Haste::Hook { 5 } else { 100 };
        let _ = engine.drain_inbox(most, || tracked_in_inbox(worktree));
    }
}

/// The patience of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Haste {
    /// A person does, for an answer.
    Command,
    /// An agent does, for permission to go on: what is not on this machine is not asked.
    Hook,
}

/// Chooses the embedder by the configuration; `None` if embedding is turned off.
pub fn embedder(config: &Config, environment: &Environment, haste: Haste) -> Option<Choice> {
    let provider = match config.embedding_provider.as_str() {
        "off" => return None,
        "auto" => Provider::Auto,
        "ollama" => Provider::Ollama,
        "openai" => Provider::OpenAi,
        _ => Provider::Bundled,
    };
    let settings = Settings {
        provider,
        ollama_base: config.ollama_url.clone(),
        ollama_model: config.ollama_model.clone(),
        openai_base: config.openai_url.clone(),
        openai_key: environment.openai_key.as_deref().and_then(Secret::new),
        openai_model: config.openai_model.clone(),
        ..Settings::default()
    };
    Some(match haste {
        Haste::Command => detect(&settings, PROBE_TIMEOUT),
        Haste::Hook => detect_here(&settings, HOOK_PROBE_TIMEOUT),
    })
}

/// Begins to embed a question, where it will be compared with anything and stays in this process.
pub fn ahead(choice: Choice, places: &StorePaths, question: &RecallRequest) -> Choice {
    match question.embedding_text() {
        Some(text) if choice.tier == Tier::Bundled && places.has_vectors() => {
            let embedder = Arc::new(Ahead::begin(choice.embedder, text, TextKind::Query));
            Model::load().page_in();
            Choice { embedder, ..choice }
        }
        _ => choice,
    }
}

/// An engine with whoever embeds text.
pub fn with_meaning<'e>(engine: Engine<'e>, choice: Option<Choice>) -> Engine<'e> {
    match choice {
        Some(choice) if choice.degraded.is_some() => engine.with_fallback_embedder(choice.embedder),
        Some(choice) => engine.with_embedder(choice.embedder),
        None => engine,
    }
}

/// Starts `tacit maintain` for a directory, and does not wait for it. Whoever lives longer than it
/// has to take note of its end.
pub fn start_maintenance(directory: &Path) -> Option<Child> {
    let program = std::env::current_exe().ok()?;
    #[expect(clippy::disallowed_methods, reason = "it is this program")]
    let mut maintain = Process::new(program);
    maintain
        .arg("-C")
        .arg(directory)
        .args(["maintain", "--quiet", "--background"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // Its own group: interrupting the command that started it does not interrupt it.
        maintain.process_group(0);
    }
    // What could not be started now is started by the next command.
    maintain.spawn().ok()
}

/// The user's file; over it the one that came with the repository, as far as it may go; then the
/// user's own for this project, which is where git cannot ship to; the environment over all.
pub fn load_config(environment: &Environment, places: &StorePaths) -> AppResult<LoadedConfig> {
    let mut loaded = LoadedConfig::default();
    loaded.add(&environment.config_home.join(CONFIG))?;
    loaded.add_shared(&places.shared.join(CONFIG));
    if places.shared != places.project {
        loaded.add(&places.project.join(CONFIG))?;
    }
    for Override { key, text, variable } in &environment.overrides {
        let value = Key::find(key).and_then(|key| key.parse(text)).map_err(|error| {
            let mut error = AppError::from(error);
            error.message = format!("in `${variable}`: {}", error.message);
            error
        })?;
        loaded.apply(key, &value, ConfigOrigin::Environment(variable.clone()))?;
    }
    Ok(loaded)
}

impl From<tacit_core::Problem> for AppError {
    fn from(problem: tacit_core::Problem) -> AppError {
        AppError::new(Code::Usage, problem.to_string())
    }
}
