//! The program, once its arguments and its environment are read: what use cases need, and where
//! their answers are printed.

use std::ops::Deref;

use tacit_app::{AppError, AppResult, Code};
use tacit_engine::{StoreScope, StoredMemory};

use crate::cli::{Cli, Command};
use crate::environment::{self, Terminal};
use crate::notices;
use crate::render;
use crate::ui::{Spectator, Ui};

/// The program: a project for use cases, and a terminal for their answers.
pub(crate) struct App {
    app: tacit_app::App,
    pub(crate) json: bool,
    pub(crate) ui: Ui,
    pub(crate) terminal: Terminal,
}

impl Deref for App {
    type Target = tacit_app::App;

    fn deref(&self) -> &tacit_app::App {
        &self.app
    }
}

/// Runs the command.
pub(crate) fn run(cli: Cli) -> AppResult<()> {
    if let Command::Completions(completions) = &cli.command {
        return completions.run();
    }
    let app = App::new(&cli)?;
    tacit_fs::failpoint::reach("command", "run");
    let with_notices = notices::are_due(&cli.command);
    let ran = match cli.command {
        Command::Init(command) => command.run(&app),
        Command::Remember(command) => command.run(&app),
        Command::Recall(command) => command.run(&app),
        Command::Proactive(command) => command.run(&app),
        Command::Show(command) => command.run(&app),
        Command::List(command) => command.run(&app),
        Command::Edit(command) => command.run(&app),
        Command::Forget(command) => command.run(&app),
        Command::Restore(command) => command.run(&app),
        Command::Undo(command) => command.run(&app),
        Command::History(command) => command.run(&app),
        Command::Tag(command) => command.run(&app),
        Command::Link(command) => command.run(&app),
        Command::Export(command) => command.run(&app),
        Command::Import(command) => command.run(&app),
        Command::When(command) => command.run(&app),
        Command::How(command) => command.run(&app),
        Command::Triggers(command) => command.run(&app),
        Command::Records(command) => command.run(&app),
        Command::Report(command) => command.run(&app),
        Command::Context(command) => command.run(&app),
        Command::Methodology(command) => command.run(&app),
        Command::Phase(command) => command.run(&app),
        Command::Work(command) => command.run(&app),
        Command::Qa(command) => command.run(&app),
        Command::Observe(command) => command.run(&app),
        Command::Validate(command) => command.run(&app),
        Command::Verify(command) => command.run(&app),
        Command::Impact(command) => command.run(&app),
        Command::Deps(command) => command.run(&app),
        Command::Flow(command) => command.run(&app),
        Command::Cochange(command) => command.run(&app),
        Command::Locate(command) => command.run(&app),
        Command::Map(command) => command.run(&app),
        Command::Graph(command) => command.run(&app),
        Command::Config(command) => command.run(&app),
        Command::Status(command) => command.run(&app),
        Command::Stats(command) => command.run(&app),
        Command::Health(command) => command.run(&app),
        Command::Doctor(command) => command.run(&app),
        Command::Eval(command) => command.run(&app),
        Command::Hooks(command) => command.run(&app),
        Command::Uninstall(command) => command.run(&app),
        Command::Maintain(command) => command.run(&app),
        Command::Hook(command) => command.run(&app),
        Command::Ledger(command) => command.run(&app),
        // It takes the program over, and says nothing but the protocol on standard output.
        Command::Mcp(command) => return command.run(app),
        Command::Completions(_) => Ok(()),
    };
    let ran = ran.and_then(|()| app.ui.flush());
    // An error as JSON is alone on standard error.
    if with_notices && !(app.json && ran.is_err()) {
        notices::print(&app);
    }
    ran
}

impl App {
    fn new(cli: &Cli) -> AppResult<App> {
        if let Some(problem) = environment::problem() {
            return Err(AppError::usage(render::visible(&problem)).hint(
                "write a time as `2026-11-15T10:30:00Z`, a seed as `7`, or unset the variable",
            ));
        }
        let environment = environment::read();
        let directory = match (&cli.directory, &environment.directory) {
            (None, Ok(current)) => current.clone(),
            (None, Err(error)) => {
                let message = format!("the current directory cannot be used: {error}");
                return Err(AppError::new(Code::Failure, message)
                    .hint("change to a directory that is there, or name one with `-C`"));
            }
            (Some(given), _) => given.canonicalize().map_err(|error| {
                AppError::usage(format!("cannot work in `{}`: {error}", given.display()))
            })?,
        };
        let terminal = Terminal::read();
        let is_silent = cli.json || cli.command.is_quiet() || !terminal.stderr_is_terminal;
        let watcher = Box::new(Spectator::new(is_silent));
        let bears_broken = cli.command.bears_broken_config();
        let app = tacit_app::App::open(environment, directory, watcher, bears_broken)?;
        let ui = Ui::new(&terminal, app.config().color);
        Ok(App { app, json: cli.json, ui, terminal })
    }

    /// Prints memories that a command changed, with what became of them.
    pub(crate) fn tell_fate(&self, word: &str, changed: &[StoredMemory]) -> AppResult<()> {
        if self.json {
            return self.ui.json(&render::all_to_json(changed));
        }
        self.ui.lines(changed.iter().map(|found| render::fate(&self.ui, word, &found.memory)))
    }

    /// The use cases' part alone, for a door that takes the program over.
    pub(crate) fn into_inner(self) -> tacit_app::App {
        self.app
    }
}

/// Which of the two stores a command is about.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ShelfArg {
    /// Use your own memories, which are kept for all projects.
    #[arg(long)]
    pub(crate) global: bool,
}

impl ShelfArg {
    pub(crate) fn scope(self) -> StoreScope {
        if self.global { StoreScope::Global } else { StoreScope::Project }
    }
}
