//! What every command has at hand: where it is, what is configured, how to open the stores.

use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tacit_core::{Author, Clock, Config, Key, RepoPath, Timestamp};
use tacit_engine::{ConfigOrigin, Engine, LoadedConfig, Needs, Places, Recall, Shelf, Voice};
use tacit_git::Repository;
use tacit_models::bundled::Model;
use tacit_models::detect::PROBE_TIMEOUT;
use tacit_models::detect::detect_here;
use tacit_models::{Ahead, Choice, Provider, Secret, Settings, TextKind, Tier, detect};

use crate::cli::{Cli, Command};
use crate::environment::{Environment, RandomIds, SystemClock};
use crate::error::{CliError, CliResult, Code};
use crate::notices;
use crate::project::{Obstacle, Project, tracked_in_inbox};
use crate::ui::Ui;

/// The name of a configuration file.
pub(crate) const CONFIG: &str = "config.toml";
/// Time a command waits for others to release a store that is to be moved.
const MOVE_PATIENCE: Duration = Duration::from_secs(5);
/// How long a hook waits for a server on this machine to show that it is there.
const HOOK_PROBE_TIMEOUT: Duration = Duration::from_millis(50);

/// The program, once its arguments and its environment are read.
pub(crate) struct App {
    pub(crate) environment: Environment,
    pub(crate) json: bool,
    pub(crate) ui: Ui,
    pub(crate) loaded: LoadedConfig,
    /// Why the configuration could not be read, where the command goes on with the defaults.
    pub(crate) config_problem: Option<CliError>,
    pub(crate) places: Places,
    pub(crate) repository: Option<Repository>,
    worktree: PathBuf,
    /// The reason why the memory of this place is not used, or cannot be there.
    pub(crate) obstacle: Option<Obstacle>,
    /// Where we are, which is where paths in arguments start.
    pub(crate) directory: PathBuf,
    pub(crate) clock: SystemClock,
    pub(crate) ids: RandomIds,
}

/// Runs the command.
pub(crate) fn run(cli: Cli, environment: Environment) -> CliResult<()> {
    if let Command::Completions(completions) = &cli.command {
        return completions.run();
    }
    let mut app = App::new(&cli, environment)?;
    tacit_fs::failpoint::reach("command", "run");
    let with_notices = notices::are_due(&cli.command);
    let ran = match cli.command {
        Command::Init(command) => command.run(&mut app),
        Command::Remember(command) => command.run(&mut app),
        Command::Recall(command) => command.run(&mut app),
        Command::Proactive(command) => command.run(&mut app),
        Command::Show(command) => command.run(&mut app),
        Command::List(command) => command.run(&mut app),
        Command::Edit(command) => command.run(&mut app),
        Command::Forget(command) => command.run(&mut app),
        Command::Restore(command) => command.run(&mut app),
        Command::Undo(command) => command.run(&mut app),
        Command::History(command) => command.run(&mut app),
        Command::Tag(command) => command.run(&mut app),
        Command::Link(command) => command.run(&mut app),
        Command::Export(command) => command.run(&mut app),
        Command::Import(command) => command.run(&mut app),
        Command::When(command) => command.run(&mut app),
        Command::How(command) => command.run(&mut app),
        Command::Triggers(command) => command.run(&mut app),
        Command::Records(command) => command.run(&mut app),
        Command::Report(command) => command.run(&mut app),
        Command::Context(command) => command.run(&mut app),
        Command::Methodology(command) => command.run(&mut app),
        Command::Phase(command) => command.run(&mut app),
        Command::Work(command) => command.run(&mut app),
        Command::Qa(command) => command.run(&mut app),
        Command::Observe(command) => command.run(&mut app),
        Command::Validate(command) => command.run(&mut app),
        Command::Verify(command) => command.run(&mut app),
        Command::Impact(command) => command.run(&mut app),
        Command::Deps(command) => command.run(&mut app),
        Command::Flow(command) => command.run(&mut app),
        Command::Cochange(command) => command.run(&mut app),
        Command::Locate(command) => command.run(&mut app),
        Command::Map(command) => command.run(&mut app),
        Command::Graph(command) => command.run(&mut app),
        Command::Config(command) => command.run(&mut app),
        Command::Status(command) => command.run(&mut app),
        Command::Stats(command) => command.run(&mut app),
        Command::Health(command) => command.run(&mut app),
        Command::Doctor(command) => command.run(&mut app),
        Command::Eval(command) => command.run(&mut app),
        Command::Hooks(command) => command.run(&mut app),
        Command::Uninstall(command) => command.run(&mut app),
        Command::Maintain(command) => command.run(&mut app),
        Command::Hook(command) => command.run(&mut app),
        Command::Ledger(command) => command.run(&mut app),
        // It takes the program over, and says nothing but the protocol on standard output.
        Command::Mcp(command) => return command.run(app),
        Command::Completions(_) => Ok(()),
    };
    let ran = ran.and_then(|()| Ok(app.ui.flush()?));
    // An error as JSON is alone on standard error.
    if with_notices && !(app.json && ran.is_err()) {
        notices::print(&app);
    }
    ran
}

impl App {
    fn new(cli: &Cli, environment: Environment) -> CliResult<App> {
        if let Some(problem) = environment.problem() {
            return Err(CliError::usage(crate::render::visible(&problem)).hint(
                "write a time as `2026-11-15T10:30:00Z`, a seed as `7`, or unset the variable",
            ));
        }
        let directory = match (&cli.directory, &environment.directory) {
            (None, Ok(current)) => current.clone(),
            (None, Err(error)) => {
                let message = format!("the current directory cannot be used: {error}");
                return Err(CliError::new(Code::Failure, message)
                    .hint("change to a directory that is there, or name one with `-C`"));
            }
            (Some(given), _) => given.canonicalize().map_err(|error| {
                CliError::usage(format!("cannot work in `{}`: {error}", given.display()))
            })?,
        };
        let mut project = Project::at(&directory, &environment.data_home);
        let moved_from = project.adopt_old_store(MOVE_PATIENCE);
        let Project { places, repository, worktree, obstacle } = project;
        let usable = Places {
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
            // These two are what one turns to when the configuration is broken.
            Err(problem) if cli.command.bears_broken_config() => {
                (LoadedConfig::default(), Some(problem))
            }
            Err(problem) => return Err(problem),
        };
        let ui = Ui::new(&environment, loaded.config.color);
        if let Some(old) = moved_from {
            let (old, new) = (old.display(), places.project.display());
            ui.note(&format!("moved the memory of this project from `{old}` to `{new}`"));
            for problem in &loaded.ignored {
                ui.warn(problem);
            }
        }
        let (clock, ids) = (environment.clock(), environment.ids());
        Ok(App {
            json: cli.json,
            environment,
            ui,
            loaded,
            config_problem,
            places,
            repository,
            worktree,
            obstacle,
            directory,
            clock,
            ids,
        })
    }

    pub(crate) fn config(&self) -> &Config {
        &self.loaded.config
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Opens the stores a command needs.
    pub(crate) fn engine(&self, needs: Needs) -> CliResult<Engine<'_>> {
        // Only a write has an author, and asking git for a name takes a process.
        let actor = match needs {
            Needs::Recall | Needs::ReadBoth | Needs::Read(_) | Needs::Session => {
                Author::new("reader")?
            }
            Needs::WriteBoth | Needs::Write(_) => self.actor(),
        };
        if let Some(obstacle) = self.obstacle.as_ref().filter(|_| !needs.only_global()) {
            return Err(obstacle.into());
        }
        let mut engine = Engine::open(
            self.places.clone(),
            self.config().clone(),
            needs,
            &self.clock,
            &self.ids,
            actor,
        )?;
        take_inbox(&mut engine, self.worktree(), Haste::Command);
        let both = matches!(needs, Needs::Recall | Needs::ReadBoth | Needs::WriteBoth);
        if both && engine.store(Shelf::Project).is_none() {
            let root = self.places.root.display();
            self.ui.note(&format!(
                "`{root}` has no memory yet, only your own is used; `tacit init` starts one there"
            ));
        }
        Ok(engine)
    }

    /// Opens the stores for somebody who tells or changes something: a person, or an agent if one
    /// runs this command.
    pub(crate) fn engine_to_tell(&self, needs: Needs) -> CliResult<Engine<'_>> {
        Ok(self.engine(needs)?.speaking_as(self.voice()))
    }

    /// The speaker of this command, as the environment tells: a person or an agent.
    pub(crate) fn voice(&self) -> Voice {
        if self.environment.agent.is_some() { Voice::Agent } else { Voice::Person }
    }

    /// Refuses what only a person can do, if an agent runs this command.
    pub(crate) fn person_only(&self, what: &str) -> CliResult<()> {
        let Some(agent) = &self.environment.agent else { return Ok(()) };
        let message = format!(
            "only a person can {what}; this runs below `{}` (`{}` is set)",
            crate::render::visible(&agent.name),
            agent.variable
        );
        Err(CliError::new(Code::Refused, message)
            .hint("run it in a terminal of your own, outside of the agent"))
    }

    /// Opens the stores with whoever embeds text, as configured. The bundled model costs nothing
    /// until it is asked.
    pub(crate) fn engine_with_meaning(&self, needs: Needs) -> CliResult<Engine<'_>> {
        Ok(with_meaning(self.engine(needs)?, self.embedder()))
    }

    /// Opens the stores for a question, which is embedded meanwhile.
    pub(crate) fn engine_to_ask(&self, question: &Recall) -> CliResult<Engine<'_>> {
        let choice = self.embedder().map(|choice| ahead(choice, &self.places, question));
        Ok(with_meaning(self.engine(Needs::Recall)?, choice))
    }

    /// Whoever embeds text; none if that is turned off.
    pub(crate) fn embedder(&self) -> Option<Choice> {
        embedder(self.config(), &self.environment, Haste::Command)
    }

    /// Starts the long work that a command left behind, and does not wait for it.
    pub(crate) fn maintain_in_background(&self) {
        if !self.config().maintain_auto || self.config().embedding_provider == "off" {
            return;
        }
        start_maintenance(&self.directory);
    }

    /// The author of changes: the agent that runs this command, or the user.
    pub(crate) fn actor(&self) -> Author {
        let agent = self.environment.agent.as_ref();
        agent.and_then(|agent| Author::new(agent.name.as_str()).ok()).unwrap_or_else(|| self.user())
    }

    /// The user: as configured, else as git knows them, else as the system does.
    pub(crate) fn user(&self) -> Author {
        let configured = Some(self.config().user_name.clone()).filter(|name| !name.is_empty());
        let worktree = self.repository.as_ref().map(|repository| repository.worktree.as_path());
        let git = || tacit_git::user_name(worktree);
        configured
            .or_else(git)
            .or_else(|| self.environment.user.clone())
            .and_then(|name| Author::new(name).ok())
            .or_else(|| Author::new("unknown").ok())
            .unwrap_or_else(|| unreachable!("`unknown` is a name"))
    }

    /// The root of the worktree we are in; of the project, outside git.
    pub(crate) fn worktree(&self) -> &Path {
        &self.worktree
    }

    /// A path as typed, as it is kept: relative to the root of the worktree we are in.
    pub(crate) fn repo_path(&self, typed: &str) -> CliResult<RepoPath> {
        let root = self.worktree();
        let outside = || {
            CliError::usage(format!("`{typed}` is outside the project at `{}`", root.display()))
                .hint("name a file of this project")
        };
        let inside = tacit_agents::inside(root, &self.directory, typed).ok_or_else(outside)?;
        if inside.as_os_str().is_empty() {
            return Err(CliError::usage(format!("`{typed}` is the project itself"))
                .hint("name a file or a directory in it, or leave the flag out"));
        }
        let text = inside.to_str().ok_or_else(|| {
            CliError::usage(format!("`{typed}` is not valid UTF-8, so it cannot be kept"))
        })?;
        RepoPath::new(text.replace('\\', "/"))
            .map_err(|problem| CliError::usage(format!("file {problem}")))
    }
}

/// Stores what agents in a sandbox left in the worktree. What cannot be stored now waits there.
pub(crate) fn take_inbox(engine: &mut Engine<'_>, worktree: &Path, haste: Haste) {
    if engine.places().has_inbox() && engine.store(Shelf::Project).is_some() {
        let most = if haste == Haste::Hook { 5 } else { 100 };
        let _ = engine.take_inbox(most, || tracked_in_inbox(worktree));
    }
}

/// How long somebody can wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Haste {
    /// A person does, for an answer.
    Command,
    /// An agent does, for permission to go on: what is not on this machine is not asked.
    Hook,
}

/// Whoever embeds text, as configured; none if that is turned off.
pub(crate) fn embedder(config: &Config, environment: &Environment, haste: Haste) -> Option<Choice> {
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
pub(crate) fn ahead(choice: Choice, places: &Places, question: &Recall) -> Choice {
    match question.embedded() {
        Some(text) if choice.tier == Tier::Bundled && places.have_vectors() => {
            let embedder = Arc::new(Ahead::begin(choice.embedder, text, TextKind::Query));
            Model::load().page_in();
            Choice { embedder, ..choice }
        }
        _ => choice,
    }
}

/// An engine with whoever embeds text.
pub(crate) fn with_meaning<'e>(engine: Engine<'e>, choice: Option<Choice>) -> Engine<'e> {
    match choice {
        Some(choice) if choice.degraded.is_some() => engine.with_stand_in(choice.embedder),
        Some(choice) => engine.with_embedder(choice.embedder),
        None => engine,
    }
}

/// Starts `tacit maintain` for a directory, and does not wait for it. Whoever lives longer than it
/// has to take note of its end.
pub(crate) fn start_maintenance(directory: &Path) -> Option<Child> {
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
pub(crate) fn load_config(environment: &Environment, places: &Places) -> CliResult<LoadedConfig> {
    let mut loaded = LoadedConfig::default();
    loaded.add(&environment.config_home.join(CONFIG))?;
    loaded.add_shared(&places.shared.join(CONFIG));
    if places.shared != places.project {
        loaded.add(&places.project.join(CONFIG))?;
    }
    for (name, text, variable) in environment.config() {
        let value = Key::find(name).and_then(|key| key.parse(text)).map_err(|error| {
            let mut error = CliError::from(error);
            error.message = format!("in `${variable}`: {}", error.message);
            error
        })?;
        loaded.apply(name, &value, ConfigOrigin::Environment(variable.to_owned()))?;
    }
    Ok(loaded)
}

/// Which of the two stores a command is about.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ShelfArg {
    /// Use your own memories, which are kept for all projects.
    #[arg(long)]
    pub(crate) global: bool,
}

impl ShelfArg {
    pub(crate) fn shelf(self) -> Shelf {
        if self.global { Shelf::Global } else { Shelf::Project }
    }
}

impl From<tacit_core::Problem> for CliError {
    fn from(problem: tacit_core::Problem) -> CliError {
        CliError::new(Code::Usage, problem.to_string())
    }
}
