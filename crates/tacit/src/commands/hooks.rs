//! `tacit hooks`

use clap::Subcommand;
use serde_json::{Value, json};
use tacit_agents::CLIENTS;
use tacit_agents::install::{Owner, find_inline};
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_core::ClientName;

use crate::agents::{self, Planned, Spot, place_word};
use crate::app::App;
use crate::ui::Tone;

/// See the hooks in the settings of agents, and keep them current.
///
/// `tacit init` sets hooks up and `tacit uninstall` takes them out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit hooks list
  tacit hooks upgrade --dry-run        after a new version, or when the program has moved
  tacit hooks clean-inline             show what would be removed
  tacit hooks clean-inline --yes       remove it")]
pub(crate) struct Hooks {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// For each client and place, whether hooks are set up and current.
    #[command(after_help = "Examples:
  tacit hooks list
  tacit hooks list --json")]
    List,
    /// Replace hooks of an older form, or for a program that has moved, wherever they are set up.
    #[command(after_help = "Examples:
  tacit hooks upgrade")]
    Upgrade {
        /// Only of this client (repeat for several).
        #[arg(long = "agent", value_name = "NAME", value_parser = agents::client_parser())]
        agents: Vec<ClientName>,
        /// Show what would change, and change nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove blocks between `wt-memory` comments from skills and commands.
    ///
    /// They tell agents to look after a memory by hand, which hooks do by themselves. Shows what
    /// would be removed; `--yes` removes it.
    #[command(after_help = "Examples:
  tacit hooks clean-inline
  tacit hooks clean-inline --yes")]
    CleanInline {
        /// In your own skills and commands, not in those of this project.
        #[arg(long)]
        global: bool,
        /// Yes, remove them.
        #[arg(long)]
        yes: bool,
    },
}

impl Hooks {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        match self.action {
            Action::List => list(app),
            Action::Upgrade { agents, dry_run } => upgrade(app, &agents, dry_run),
            Action::CleanInline { global, yes } => clean_inline(app, global, yes),
        }
    }
}

/// The state of the hooks in a file.
enum State {
    None,
    Current,
    Outdated(Planned),
    UnreadableFile(AppError),
}

impl State {
    fn of(app: &App, spot: &Spot) -> State {
        let look = || match spot.count()? {
            0 => Ok(State::None),
            _ => {
                let planned = spot.plan_in(&agents::program(app, spot.place)?)?;
                Ok(if planned.changes() { State::Outdated(planned) } else { State::Current })
            }
        };
        look().unwrap_or_else(State::UnreadableFile)
    }

    fn as_str(&self) -> &'static str {
        match self {
            State::None => "none",
            State::Current => "current",
            State::Outdated(_) => "outdated",
            State::UnreadableFile(_) => "unreadable",
        }
    }
}

fn list(app: &App) -> AppResult<()> {
    let spots: Vec<(Spot, State)> = CLIENTS
        .iter()
        .flat_map(|client| Spot::all(app, client))
        .map(|spot| {
            let state = State::of(app, &spot);
            (spot, state)
        })
        .collect();
    if app.json {
        let values = spots.iter().map(|(spot, state)| {
            let mut value = spot.to_json("state", state.as_str());
            value["problem"] = match state {
                State::UnreadableFile(error) => json!(error.message),
                _ => Value::Null,
            };
            value
        });
        return app.ui.json(&values.collect());
    }
    for (spot, state) in &spots {
        let tone = match state {
            State::None => Tone::Dim,
            State::Current => Tone::Good,
            State::Outdated(_) | State::UnreadableFile(_) => Tone::Warn,
        };
        let word = app.ui.paint(tone, &format!("{:<10}", state.as_str()));
        let (name, place) = (spot.client.name, place_word(spot.place));
        app.ui.line(format!("{name:<8}  {place:<7}  {word}  {}", spot.path.display()))?;
    }
    for (_, state) in &spots {
        if let State::UnreadableFile(error) = state {
            app.ui.line(error.message.as_str())?;
        }
    }
    if spots.iter().any(|(_, state)| matches!(state, State::Outdated(_))) {
        app.ui.line("`tacit hooks upgrade` brings outdated hooks up to date.")?;
    }
    Ok(())
}

fn upgrade(app: &App, names: &[ClientName], dry_run: bool) -> AppResult<()> {
    let mut current = 0;
    let mut outdated = Vec::new();
    for spot in agents::named_or_all(names).into_iter().flat_map(|c| Spot::all(app, c)) {
        match State::of(app, &spot) {
            State::None => {}
            State::Current => current += 1,
            State::Outdated(planned) => outdated.push((spot, planned)),
            State::UnreadableFile(error) => return Err(error),
        }
    }
    if !dry_run {
        agents::apply_all(outdated.iter().map(|(_, planned)| planned))?;
    }
    if app.json {
        let value = |(spot, planned): &(Spot, Planned)| {
            planned.with_diff(spot.to_json("outcome", "upgraded"), dry_run)
        };
        let agents: Vec<Value> = outdated.iter().map(value).collect();
        let value = json!({"dry_run": dry_run, "agents": agents, "current": current});
        return app.ui.json(&value);
    }
    let did = if dry_run { "would be upgraded" } else { "upgraded" };
    for (spot, planned) in &outdated {
        let (title, file) = (spot.client.title, spot.path.display());
        planned.say(app, format!("{title}: hooks {did} in {file}"), dry_run)?;
    }
    if outdated.is_empty() {
        app.ui.line(match current {
            0 => "No hooks are set up; `tacit init` does that.",
            _ => "All hooks are current.",
        })?;
    }
    Ok(())
}

fn clean_inline(app: &App, global: bool, yes: bool) -> AppResult<()> {
    let (owner, root) = if global {
        (Owner::User, app.environment.home.clone())
    } else {
        (Owner::Project, app.worktree().to_owned())
    };
    let found = find_inline(&root).map_err(|error| {
        let message = format!("cannot look through the skills in `{}`: {error}", root.display());
        AppError::new(ErrorCode::Failure, message).hint("check the permissions of what is in there")
    })?;
    let mut planned = Vec::new();
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
        if yes {
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
            app.ui.line("There are no such blocks.")?;
        }
    }
    app.ui.flush()?;
    if problems.is_empty() { Ok(()) } else { Err(AppError::already_printed()) }
}
