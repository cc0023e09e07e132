//! The state that commands share, and the dispatch of commands.

use std::ops::Deref;

use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_engine::{StoreScope, StoredMemory};

use crate::cli::{Cli, Command};
use crate::commands::status::StatusArgs;
use crate::environment::{self, Terminal};
use crate::notices;
use crate::render;
use crate::ui::{Spectator, Ui};

/// The opened project, and the terminal on which commands print their results.
pub(crate) struct CliApp {
    app: tacit_app::App,
    pub(crate) json: bool,
    pub(crate) ui: Ui,
    pub(crate) terminal: Terminal,
}

impl Deref for CliApp {
    type Target = tacit_app::App;

    fn deref(&self) -> &tacit_app::App {
        &self.app
    }
}

/// Runs the command; without one, shows the status.
pub(crate) fn run(mut cli: Cli) -> AppResult<()> {
    let command = cli.command.take().unwrap_or(Command::Status(StatusArgs::default()));
    if let Command::Completions(completions) = &command {
        return completions.run();
    }
    if let Command::Demo(demo) = &command {
        return demo.run(&environment::read(), cli.json);
    }
    let app = CliApp::new(&cli, &command)?;
    tacit_fs::failpoint::reach("command", "run");
    let with_notices = notices::are_due(&command);
    let tells_of_server = notices::tells_of_server(&command);
    let ran = match command {
        // The server owns the project and prints nothing but the protocol.
        Command::Mcp(args) => return args.run(app),
        command => dispatch(command, &app),
    };
    let ran = ran.and_then(|()| app.ui.flush());
    // A JSON error must be the only text on standard error.
    if !(app.json && ran.is_err()) {
        if let Some(note) = app.server_note(ran.as_ref().err()).filter(|_| !tells_of_server) {
            app.watcher.note(note);
        }
        if with_notices {
            notices::print(&app);
        }
    }
    ran
}

fn dispatch(command: Command, app: &CliApp) -> AppResult<()> {
    match command {
        Command::Init(args) => args.run(app),
        Command::Status(args) => args.run(app),
        Command::Remember(args) => args.run(app),
        Command::Recall(args) => args.run(app),
        Command::List(args) => args.run(app),
        Command::Show(args) => args.run(app),
        Command::Edit(args) => args.run(app),
        Command::Forget(args) => args.run(app),
        Command::Restore(args) => args.run(app),
        Command::Undo(args) => args.run(app),
        Command::History(args) => args.run(app),
        Command::Review(args) => args.run(app),
        Command::Flag(args) => args.run(app),
        Command::Panel(args) => args.run(app),
        Command::Open(args) => args.run(app),
        Command::Why(args) => args.run(app),
        Command::Learn(args) => args.run(app),
        Command::Code(args) => args.run(app),
        Command::When(args) => args.run(app),
        Command::How(args) => args.run(app),
        Command::Triggers(args) => args.run(app),
        Command::Records(args) => args.run(app),
        Command::Session(args) => args.run(app),
        Command::Work(args) => args.run(app),
        Command::Report(args) => args.run(app),
        Command::Team(args) => args.run(app),
        Command::Share(args) => args.run(app),
        Command::Migrate(args) => args.run(app),
        Command::Import(args) => args.run(app),
        Command::Export(args) => args.run(app),
        Command::Config(args) => args.run(app),
        Command::Doctor(args) => args.run(app),
        Command::Agents(args) => args.run(app),
        Command::Uninstall(args) => args.run(app),
        Command::Debug(args) => args.command.run(app),
        Command::Machine(command) => command.run(app),
        // `run` handles these itself.
        Command::Mcp(_) | Command::Completions(_) | Command::Demo(_) => Ok(()),
    }
}

impl CliApp {
    fn new(cli: &Cli, command: &Command) -> AppResult<CliApp> {
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
                return Err(AppError::new(ErrorCode::Failure, message)
                    .hint("change to an existing directory, or name one with `-C`"));
            }
            (Some(given), _) => given.canonicalize().map_err(|error| {
                AppError::usage(format!("cannot work in `{}`: {error}", given.display()))
            })?,
        };
        let terminal = Terminal::read();
        let is_silent = cli.json || command.is_quiet() || !terminal.stderr_is_terminal;
        let watcher = Box::new(Spectator::new(is_silent));
        let tolerant = command.tolerates_invalid_config();
        let app = tacit_app::App::open(environment, directory, watcher, tolerant)?;
        let ui = Ui::new(&terminal, app.config().color);
        Ok(CliApp { app, json: cli.json, ui, terminal })
    }

    /// Prints memories that a command changed, with a word for the change.
    pub(crate) fn print_changed(&self, word: &str, changed: &[StoredMemory]) -> AppResult<()> {
        if self.json {
            return self.ui.json(&render::all_to_json(changed));
        }
        self.ui
            .lines(changed.iter().map(|found| render::change_line(&self.ui, word, &found.memory)))
    }

    /// Returns the project without the terminal, for the MCP server.
    pub(crate) fn into_inner(self) -> tacit_app::App {
        self.app
    }
}

/// The flag that chooses the global store.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct StoreScopeArg {
    /// Use your own memories, which apply to all projects.
    #[arg(long)]
    pub(crate) global: bool,
}

impl StoreScopeArg {
    pub(crate) fn scope(self) -> StoreScope {
        if self.global { StoreScope::Global } else { StoreScope::Project }
    }
}
