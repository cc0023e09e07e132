//! `tacit uninstall`

use std::path::PathBuf;

use serde_json::{Value, json};
use tacit_agents::InstallScope;
use tacit_app::AppResult;
use tacit_core::ClientName;
use tacit_engine::StoreScope;
use tacit_triggers::install::{ExistingFile, install_files};

use crate::agents::{self, Planned, Spot};
use crate::app::CliApp;

/// Remove the hooks from agents.
///
/// Every settings file is then as it was before, and a file that `tacit init` created is gone.
/// Memories stay.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit uninstall                  from your settings for this project
  tacit uninstall --global         from your settings for all projects
  tacit uninstall --shared         from the settings that are committed
  tacit uninstall --instructions   also the section in CLAUDE.md or AGENTS.md
  tacit uninstall --mcp            also the MCP server in .mcp.json
  tacit uninstall --dry-run        show what would change")]
pub(crate) struct UninstallArgs {
    /// Only these clients.
    #[arg(long = "agent", value_name = "NAME", value_delimiter = ',', value_parser = agents::client_parser())]
    agents: Vec<ClientName>,
    /// Remove the hooks from your own settings for all projects.
    #[arg(long, conflicts_with_all = ["shared", "instructions", "mcp"])]
    global: bool,
    /// Remove the hooks from the settings that are committed.
    #[arg(long)]
    shared: bool,
    /// Also remove the section about the memory from the instructions of the clients.
    #[arg(long)]
    instructions: bool,
    /// Also remove the MCP server from `.mcp.json`.
    #[arg(long)]
    mcp: bool,
    /// Show the changes without making them.
    #[arg(long)]
    dry_run: bool,
}

impl UninstallArgs {
    /// Removes only the hooks of some clients.
    pub(super) fn for_clients(
        agents: Vec<ClientName>,
        global: bool,
        shared: bool,
        dry_run: bool,
    ) -> UninstallArgs {
        UninstallArgs { agents, global, shared, dry_run, instructions: false, mcp: false }
    }

    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let place = agents::place(self.global, self.shared);
        let clients = agents::named_or_all(&self.agents);
        let mut hooks = Vec::new();
        for client in &clients {
            let spot = Spot::new(app, client, place);
            let planned = spot.plan_out()?;
            if planned.changes() {
                hooks.push((spot, planned));
            }
        }
        let mut sections = Vec::new();
        if self.instructions {
            for name in agents::instruction_files(&clients) {
                sections.push(Planned::instructions(app, name, false)?);
            }
            sections.retain(Planned::changes);
        }
        let server = self.mcp.then(|| Planned::server(app, false)).transpose()?;
        let server = server.filter(Planned::changes);
        let mut skills = Vec::new();
        // The skills are files of Claude Code; other clients do not read them.
        let is_claude = clients.iter().any(|client| client.name == ClientName::Claude);
        if place == InstallScope::Project && is_claude {
            for file in install_files("", "").iter().filter(|f| f.existing == ExistingFile::Replace)
            {
                skills.push(Planned::file_removal(app, &file.path, &file.contents)?);
            }
            skills.retain(Planned::changes);
        }
        if !self.dry_run {
            let out = hooks.iter().map(|(_, planned)| planned);
            agents::apply_all(out.chain(&sections).chain(&server).chain(&skills))?;
            for (spot, _) in &hooks {
                agents::unhide(app, spot)?;
            }
        }
        let left = clients.iter().flat_map(|client| Spot::all(app, client)).filter(|other| {
            let taken = hooks.iter().any(|(spot, _)| spot.path == other.path);
            !taken && other.count().is_ok_and(|number| number > 0)
        });
        let left: Vec<PathBuf> = left.map(|spot| spot.path).collect();
        let stores =
            [StoreScope::Project, StoreScope::Global].map(|scope| app.places.database(scope));
        let kept: Vec<PathBuf> = stores.into_iter().filter(|path| path.exists()).collect();
        let dry_run = self.dry_run;
        if app.json {
            let agents = hooks
                .iter()
                .map(|(spot, planned)| {
                    planned.with_diff(spot.to_json("outcome", "removed"), dry_run)
                })
                .collect::<Vec<Value>>();
            let removed = |planned: &Planned| planned.to_json("removed", dry_run);
            return app.ui.json(&json!({
                "dry_run": dry_run, "agents": agents,
                "instructions": sections.iter().map(removed).collect::<Vec<_>>(),
                "mcp": server.as_ref().map(removed),
                "skills": skills.iter().map(|skill| &skill.path).collect::<Vec<_>>(),
                "hooks_left_in": left, "memories_kept_in": kept,
            }));
        }
        let would = if dry_run { "would be " } else { "" };
        let hooks = hooks.iter().map(|(spot, it)| (format!("{}: hooks", spot.client.title), it));
        let sections = sections.iter().map(|it| ("The section about the memory".to_owned(), it));
        let server = server.iter().map(|it| ("The MCP server".to_owned(), it));
        let taken: Vec<(String, &Planned)> = hooks.chain(sections).chain(server).collect();
        if taken.is_empty() && skills.is_empty() {
            app.ui.line("Nothing to remove.")?;
        }
        for (what, planned) in taken {
            let file = planned.path.display();
            planned.say(app, format!("{what} {would}removed from {file}"), dry_run)?;
        }
        for skill in &skills {
            app.ui.line(format!("{} {would}removed", skill.path.display()))?;
        }
        for path in left {
            app.ui.line(format!("Hooks are still in {}", path.display()))?;
        }
        for path in kept {
            app.ui.line(format!("Memories are kept, in {}", path.display()))?;
        }
        Ok(())
    }
}
