//! `tacit team init`, `join` and `leave`

use serde_json::json;
use tacit_app::team::{self, Joined, Left, LocalMemories};
use tacit_app::{AppError, AppResult};
use tacit_store::TeamRole;

use crate::app::CliApp;
use crate::commands::of;
use crate::ui::Tone;

/// The server, and the treatment of the memories on this machine.
#[derive(Debug, clap::Args)]
pub(super) struct JoinArgs {
    /// The address of the database, without a password.
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// Share the memories of this machine with the team.
    #[arg(long, conflicts_with = "set_aside")]
    share: bool,
    /// Keep the memories of this machine in a backup only.
    #[arg(long)]
    set_aside: bool,
}

impl JoinArgs {
    /// Returns the user's decision. Fails if there is none, unless this machine has no memories.
    fn decision(&self, app: &CliApp) -> AppResult<LocalMemories> {
        if self.share {
            return Ok(LocalMemories::Share);
        }
        if self.set_aside {
            return Ok(LocalMemories::SetAside);
        }
        match team::local_memories(app)? {
            0 => Ok(LocalMemories::SetAside),
            count => {
                let memories = of(count as u64, "memory", "memories");
                let message = format!("this machine already has {memories} of this project");
                Err(AppError::usage(message).hint(
                    "add `--share` to give them to the team, or `--set-aside` to keep them only in a backup",
                ))
            }
        }
    }
}

pub(super) fn init(app: &CliApp, args: &JoinArgs) -> AppResult<()> {
    let in_team = team::is_in_team(app)?;
    let local = if in_team { LocalMemories::SetAside } else { args.decision(app)? };
    let changed = team::prepare_server(app, args.url.as_deref())?;
    if in_team {
        if app.json {
            return app.ui.json(&json!({"upgraded": changed}));
        }
        let said = if changed { "Upgraded the schema" } else { "The schema is current" };
        return app.ui.line(said);
    }
    let joined = team::join(app, args.url.as_deref(), local)?;
    say_joined(app, &joined)?;
    if app.json || joined.role != TeamRole::Curator {
        return Ok(());
    }
    let next =
        "Next: add each teammate with `tacit team add NAME`; they then run `tacit team join`";
    app.ui.line(app.ui.paint(Tone::Dim, next))
}

pub(super) fn join(app: &CliApp, args: &JoinArgs) -> AppResult<()> {
    let local = args.decision(app)?;
    say_joined(app, &team::join(app, args.url.as_deref(), local)?)
}

fn say_joined(app: &CliApp, joined: &Joined) -> AppResult<()> {
    if app.json {
        return app.ui.json(&json!(joined));
    }
    let Joined { server, project, member, role, .. } = joined;
    app.ui.line(format!("Joined {project} on {server} as {member}, {role}"))?;
    let memories = of(joined.memories as u64, "memory", "memories");
    let shared = match joined.shared {
        0 => String::new(),
        shared => format!(", {shared} of them from this machine"),
    };
    app.ui.line(format!("The team has {memories}{shared}"))?;
    super::status::say_exchanged(app, joined.preferences)?;
    if let Some(backup) = &joined.backup {
        let what = if joined.set_aside > 0 { "Set aside" } else { "Backup of the earlier store" };
        let shown = backup.display();
        app.ui.line(app.ui.paint(Tone::Dim, &format!("{what}: `{shown}`")))?;
    }
    Ok(())
}

pub(super) fn leave(app: &CliApp) -> AppResult<()> {
    let Left { waiting, incomplete } = team::leave(app)?;
    if app.json {
        return app.ui.json(&json!({"left": true, "waiting": waiting, "incomplete": incomplete}));
    }
    app.ui.line("Left the team. The copy on this machine is now the project's own store.")?;
    if let Some(reason) = incomplete {
        let note = format!("It may lack recent changes of the team: {reason}");
        app.ui.line(app.ui.paint(Tone::Warn, &note))?;
    }
    if waiting > 0 {
        app.ui.line(format!("Undelivered requests that stay on this machine: {waiting}"))?;
    }
    Ok(())
}
