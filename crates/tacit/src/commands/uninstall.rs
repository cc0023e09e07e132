//! `tacit uninstall`

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_core::ClientName;
use tacit_engine::StoreScope;

use crate::agents::{self, ClientSetup, Planned, SetupPart, Spot};
use crate::app::CliApp;

/// Remove Tacit from agent clients.
///
/// Every file is then as it was before, and a file that `tacit init` created is gone. Commands and
/// skills that you edited stay, as do files that are committed. Memories stay.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit uninstall                  from your files for this project
  tacit uninstall --global         from your files for all projects
  tacit uninstall --shared         from the files that are committed
  tacit uninstall --instructions   also the section in CLAUDE.md or AGENTS.md
  tacit uninstall --mcp            also the MCP server in a .mcp.json that is committed
  tacit uninstall --dry-run        show what would change")]
pub(crate) struct UninstallArgs {
    /// Only these clients.
    #[arg(long = "agent", value_name = "NAME", value_delimiter = ',', value_parser = agents::client_parser())]
    agents: Vec<ClientName>,
    /// Remove everything from your own files for all projects.
    #[arg(long, conflicts_with_all = ["shared", "instructions", "mcp"])]
    global: bool,
    /// Remove everything from the files that are committed.
    #[arg(long)]
    shared: bool,
    /// Also remove the section about the memory from the instructions of the clients.
    #[arg(long)]
    instructions: bool,
    /// Also remove the MCP server from a `.mcp.json` that is committed.
    #[arg(long)]
    mcp: bool,
    /// Show the changes without making them.
    #[arg(long)]
    dry_run: bool,
}

impl UninstallArgs {
    /// Removes the set-up of some clients.
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
        let mut setups = Vec::new();
        for client in &clients {
            let committed = self.mcp && client.name == ClientName::Claude;
            setups.push(ClientSetup::removal(app, client, place, committed)?);
        }
        let mut sections = Vec::new();
        if self.instructions {
            for name in agents::instruction_files(&clients) {
                sections.push(Planned::instructions(app, name, false)?);
            }
            sections.retain(Planned::changes);
        }
        if !self.dry_run {
            let files = setups.iter().flat_map(|setup| &setup.files);
            agents::apply_all(files.chain(&sections))?;
            for setup in &setups {
                setup.unhide(app)?;
            }
            if self.agents.is_empty() && !self.global {
                // Fails if it is not empty: then it has shared settings, requests or a store.
                let _ = fs::remove_dir(app.worktree().join(".tacit"));
            }
        }
        let left = clients.iter().flat_map(|client| Spot::all(app, client)).filter(|other| {
            let taken = setups.iter().any(|setup| setup.spot.path == other.path);
            !taken && other.count().is_ok_and(|number| number > 0)
        });
        let left: Vec<PathBuf> = left.map(|spot| spot.path).collect();
        let stores =
            [StoreScope::Project, StoreScope::Global].map(|scope| app.places.database(scope));
        let kept: Vec<PathBuf> = stores.into_iter().filter(|path| path.exists()).collect();
        let dry_run = self.dry_run;
        if app.json {
            let agents = setups.iter().filter(|setup| setup.changes());
            let agents: Vec<Value> = agents.map(|setup| self.setup_json(setup)).collect();
            let committed: Vec<&PathBuf> = setups.iter().flat_map(|s| &s.committed).collect();
            return app.ui.json(&json!({
                "dry_run": dry_run, "agents": agents,
                "instructions":
                    sections.iter().map(|it| it.to_json("removed", dry_run)).collect::<Vec<_>>(),
                "committed": committed, "hooks_left_in": left, "memories_kept_in": kept,
            }));
        }
        let would = if dry_run { "would be " } else { "" };
        if sections.is_empty() && !setups.iter().any(ClientSetup::changes) {
            app.ui.line("Nothing to remove.")?;
        }
        for setup in &setups {
            for (what, part) in setup.changed_parts() {
                let (title, file) = (setup.spot.client.title, part.path.display());
                app.ui.line(format!("{title}: {what} {would}removed from {file}"))?;
            }
        }
        for section in &sections {
            let file = section.path.display();
            app.ui.line(format!("The section about the memory {would}removed from {file}"))?;
        }
        if dry_run {
            let files = setups.iter().flat_map(|setup| &setup.files).chain(&sections);
            files.filter(|it| it.changes()).try_for_each(|it| app.ui.text(&it.diff()))?;
        }
        for path in setups.iter().flat_map(|setup| &setup.committed) {
            let file = path.display();
            app.ui.line(format!("{file} is committed and stays; `--shared` removes it"))?;
        }
        for path in left {
            app.ui.line(format!("Hooks are still in {}", path.display()))?;
        }
        for path in kept {
            app.ui.line(format!("Memories are kept, in {}", path.display()))?;
        }
        Ok(())
    }

    fn setup_json(&self, setup: &ClientSetup) -> Value {
        let path = |part: &Option<SetupPart>| {
            part.as_ref().filter(|part| part.changes).map(|part| part.path.clone())
        };
        let mut value = setup.spot.to_json("outcome", "removed");
        value["file"] = json!(path(&setup.hooks));
        value["mcp"] = json!(path(&setup.server));
        value["commands"] = json!(path(&setup.pages));
        if self.dry_run {
            value["diff"] = json!(setup.diff());
        }
        value
    }
}
