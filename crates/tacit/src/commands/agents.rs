//! `tacit agents`: the hooks in the settings of agent clients.

use clap::Subcommand;
use serde_json::{Value, json};
use tacit_agents::install::{Owner, find_inline};
use tacit_agents::{CLIENTS, InstallScope};
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_core::ClientName;

use crate::agents::{self, ClientSetup, Planned, Spot, place_word};
use crate::app::CliApp;
use crate::commands::init::InitArgs;
use crate::commands::uninstall::UninstallArgs;
use crate::ui::Tone;

/// Show and update the hooks of agents.
///
/// Without a subcommand, lists them. `tacit init` sets up every client that it finds.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit agents                     where hooks are set up, and whether they are current
  tacit agents add codex           set up one client
  tacit agents remove codex
  tacit agents upgrade --dry-run   after a new version, or when the program has moved
  tacit agents clean --yes         remove what other memory tools left")]
pub(crate) struct AgentsArgs {
    #[command(subcommand)]
    action: Option<AgentsAction>,
}

#[derive(Debug, Subcommand)]
enum AgentsAction {
    /// List clients and settings files, and whether their hooks are current.
    #[command(after_help = "Examples:
  tacit agents list
  tacit agents list --json")]
    List,
    /// Set up a client, as `tacit init --agent` does.
    #[command(after_help = "Examples:
  tacit agents add codex
  tacit agents add claude --global --dry-run")]
    Add(ClientPlaceArgs),
    /// Remove the set-up of a client, as `tacit uninstall --agent` does.
    #[command(after_help = "Examples:
  tacit agents remove codex
  tacit agents remove claude --global --dry-run")]
    Remove(ClientPlaceArgs),
    /// Replace hooks and commands of an older form, or of a program that has moved.
    #[command(after_help = "Examples:
  tacit agents upgrade
  tacit agents upgrade --agent claude --dry-run")]
    Upgrade {
        /// Only this client (repeat for several).
        #[arg(long = "agent", value_name = "NAME", value_parser = agents::client_parser())]
        agents: Vec<ClientName>,
        /// Show the changes without making them.
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove what other memory tools left: their hooks, and blocks in skills and commands.
    ///
    /// Removes hooks of wt-memory and claude-mem from settings, and blocks between `wt-memory` comments,
    /// which tell agents to maintain a memory by hand. Shows the lines first, and asks; without a
    /// terminal, it removes nothing unless you pass `--yes`.
    #[command(after_help = "Examples:
  tacit agents clean
  tacit agents clean --dry-run
  tacit agents clean --global --yes")]
    Clean {
        /// Clean your own settings, skills and commands, not those of this project.
        #[arg(long)]
        global: bool,
        /// Remove the lines without asking.
        #[arg(long)]
        yes: bool,
        /// Show the lines, and do not ask.
        #[arg(long, conflicts_with = "yes")]
        dry_run: bool,
    },
}

/// A client and the settings that are changed.
#[derive(Debug, clap::Args)]
struct ClientPlaceArgs {
    /// The client (several are possible).
    #[arg(value_name = "CLIENT", required = true, value_parser = agents::client_parser())]
    clients: Vec<ClientName>,
    /// Change your own settings, for all projects.
    #[arg(long, conflicts_with = "shared")]
    global: bool,
    /// Change the settings that are committed.
    #[arg(long)]
    shared: bool,
    /// Show the changes without making them.
    #[arg(long)]
    dry_run: bool,
}

impl AgentsArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.action.unwrap_or(AgentsAction::List) {
            AgentsAction::List => list(app),
            AgentsAction::Add(args) => {
                InitArgs::for_clients(args.clients, args.global, args.shared, args.dry_run).run(app)
            }
            AgentsAction::Remove(args) => {
                UninstallArgs::for_clients(args.clients, args.global, args.shared, args.dry_run)
                    .run(app)
            }
            AgentsAction::Upgrade { agents, dry_run } => upgrade(app, &agents, dry_run),
            AgentsAction::Clean { global, yes, dry_run } => clean(app, global, yes, dry_run),
        }
    }
}

/// The state of the set-up of a client in a place.
enum HookState {
    None,
    Current,
    /// Current, but the user has yet to review some in the client.
    Unreviewed,
    Outdated(Box<ClientSetup>),
    UnreadableFile(AppError),
}

impl HookState {
    fn of(app: &CliApp, spot: &Spot) -> HookState {
        let look = || match spot.count()? {
            0 => Ok(HookState::None),
            _ => {
                let setup = ClientSetup::upgrade(app, spot)?;
                Ok(if setup.changes() {
                    HookState::Outdated(Box::new(setup))
                } else if spot.review(app)?.open() > 0 {
                    HookState::Unreviewed
                } else {
                    HookState::Current
                })
            }
        };
        look().unwrap_or_else(HookState::UnreadableFile)
    }

    fn as_str(&self) -> &'static str {
        match self {
            HookState::None => "none",
            HookState::Current => "current",
            HookState::Unreviewed => "unreviewed",
            HookState::Outdated(_) => "outdated",
            HookState::UnreadableFile(_) => "unreadable",
        }
    }
}

fn list(app: &CliApp) -> AppResult<()> {
    let spots: Vec<(Spot, HookState)> = CLIENTS
        .iter()
        .flat_map(|client| Spot::all(app, client))
        .map(|spot| {
            let state = HookState::of(app, &spot);
            (spot, state)
        })
        .collect();
    if app.json {
        let values = spots.iter().map(|(spot, state)| {
            let mut value = spot.to_json("state", state.as_str());
            value["problem"] = match state {
                HookState::UnreadableFile(error) => json!(error.message),
                _ => Value::Null,
            };
            value
        });
        return app.ui.json(&values.collect());
    }
    for (spot, state) in &spots {
        let tone = match state {
            HookState::None => Tone::Dim,
            HookState::Current => Tone::Good,
            HookState::Unreviewed | HookState::Outdated(_) | HookState::UnreadableFile(_) => {
                Tone::Warn
            }
        };
        let word = app.ui.paint(tone, &format!("{:<10}", state.as_str()));
        let (name, place) = (spot.client.name, place_word(spot.place));
        app.ui.line(format!("{name:<8}  {place:<7}  {word}  {}", spot.path.display()))?;
    }
    for (_, state) in &spots {
        if let HookState::UnreadableFile(error) = state {
            app.ui.line(error.message.as_str())?;
        }
    }
    for (spot, _) in spots.iter().filter(|(_, state)| matches!(state, HookState::Unreviewed)) {
        let (title, name) = (spot.client.title, spot.client.name);
        let line = format!(
            "{title} does not run unreviewed hooks: start `{name}` here and choose 2 with Enter."
        );
        app.ui.line(line)?;
    }
    if spots.iter().any(|(_, state)| matches!(state, HookState::Outdated(_))) {
        app.ui.line("`tacit agents upgrade` brings outdated hooks up to date.")?;
    }
    Ok(())
}

fn upgrade(app: &CliApp, names: &[ClientName], dry_run: bool) -> AppResult<()> {
    let mut current = 0;
    let mut outdated = Vec::new();
    for spot in agents::named_or_all(names).into_iter().flat_map(|c| Spot::all(app, c)) {
        match HookState::of(app, &spot) {
            HookState::None => {}
            HookState::Current | HookState::Unreviewed => current += 1,
            HookState::Outdated(setup) => outdated.push(setup),
            HookState::UnreadableFile(error) => return Err(error),
        }
    }
    if !dry_run {
        agents::apply_all(outdated.iter().flat_map(|setup| &setup.files))?;
    }
    if app.json {
        let value = |setup: &ClientSetup| {
            let mut value = setup.spot.to_json("outcome", "upgraded");
            if dry_run {
                value["diff"] = json!(setup.diff());
            }
            value
        };
        let agents: Vec<Value> = outdated.iter().map(|setup| value(setup)).collect();
        let value = json!({"dry_run": dry_run, "agents": agents, "current": current});
        return app.ui.json(&value);
    }
    let did = if dry_run { "would be upgraded" } else { "upgraded" };
    for setup in &outdated {
        for (what, part) in setup.changed_parts() {
            let (title, file) = (setup.spot.client.title, part.path.display());
            app.ui.line(format!("{title}: {what} {did} in {file}"))?;
        }
        if dry_run {
            app.ui.text(&setup.diff())?;
        }
    }
    if outdated.is_empty() {
        app.ui.line(match current {
            0 => "No hooks are set up; `tacit init` does that.",
            _ => "All hooks are current.",
        })?;
    }
    Ok(())
}

fn clean(app: &CliApp, global: bool, yes: bool, dry_run: bool) -> AppResult<()> {
    let (owner, root) = if global {
        (Owner::User, app.environment.home.clone())
    } else {
        (Owner::Project, app.worktree().to_owned())
    };
    let found = find_inline(&root).map_err(|error| {
        let message = format!("cannot read the skills in `{}`: {error}", root.display());
        AppError::new(ErrorCode::Failure, message).hint("check the permissions of the files in it")
    })?;
    let mut planned = Vec::new();
    for spot in CLIENTS.iter().flat_map(|client| Spot::all(app, client)) {
        if (spot.place == InstallScope::User) == global && !spot.foreign_tools().is_empty() {
            planned.push(spot.plan_foreign_out()?);
        }
    }
    let mut problems = Vec::new();
    for file in found {
        match file.change {
            Ok(change) => {
                planned.push(Planned { owner, root: root.clone(), path: file.path, change });
            }
            Err(problem) => problems.push((file.path, problem)),
        }
    }
    if app.json {
        if yes {
            agents::apply_all(planned.iter())?;
        }
        let files = planned.iter().map(|it| json!({"file": it.path, "diff": it.diff()}));
        let problems_json = problems
            .iter()
            .map(|(path, problem)| json!({"file": path, "problem": problem.to_string()}));
        let files: Vec<Value> = files.chain(problems_json).collect();
        app.ui.json(&json!({"applied": yes, "files": files}))?;
    } else {
        for it in &planned {
            app.ui.text(&it.diff())?;
        }
        let may_ask = app.ui.interactive && app.terminal.stdin_is_terminal && !dry_run;
        let agreed =
            yes || (!planned.is_empty() && may_ask && app.ui.ask("Remove these lines?")?);
        if agreed {
            agents::apply_all(planned.iter())?;
            for it in &planned {
                app.ui.line(format!("Cleaned {}", it.path.display()))?;
            }
        } else if !planned.is_empty() && app.ui.interactive {
            app.ui.line("Nothing was changed; add --yes to remove these lines.")?;
        }
        for (path, problem) in &problems {
            app.ui.line(format!("Left alone: {}, {problem}", path.display()))?;
        }
        if planned.is_empty() && problems.is_empty() {
            app.ui.line("No other memory tool left anything here.")?;
        }
    }
    app.ui.flush()?;
    if problems.is_empty() { Ok(()) } else { Err(AppError::already_printed()) }
}
