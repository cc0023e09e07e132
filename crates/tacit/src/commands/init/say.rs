//! Shows what `tacit init` does, and asks before it does it.

use std::path::PathBuf;

use tacit_agents::CLIENTS;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_core::ClientName;
use tacit_engine::StoreScope;

use super::{InitArgs, Plan};
use crate::agents::{ClientSetup, SetupPart, Spot, command_names};
use crate::app::CliApp;

impl InitArgs {
    /// Shows the plan and asks once, if there is a terminal and anything to ask about.
    pub(super) fn confirm(&self, app: &CliApp, plan: Option<&Plan>) -> AppResult<()> {
        let remark = if self.global { None } else { self.check_place(app)? };
        let plan = plan.filter(|plan| plan.changes());
        let may_ask = !app.json && app.ui.interactive && app.terminal.stdin_is_terminal;
        if self.yes || self.dry_run || !may_ask || (remark.is_none() && plan.is_none()) {
            return Ok(());
        }
        if let Some(remark) = remark {
            app.ui.line(remark)?;
        }
        if !self.global && !app.places.database(StoreScope::Project).exists() {
            self.say_store(app, true, true)?;
        }
        if let Some(plan) = plan {
            self.say(app, plan, &[], true)?;
        }
        match app.ui.ask("Set this up?")? {
            true => Ok(()),
            false => Err(AppError::new(ErrorCode::Refused, "nothing was set up")),
        }
    }

    /// Shows what was done, or would be.
    pub(super) fn say(
        &self,
        app: &CliApp,
        plan: &Plan,
        hidden: &[Option<PathBuf>],
        would: bool,
    ) -> AppResult<()> {
        if plan.clients.is_empty() && (!self.no_hooks || self.instructions) {
            let names: Vec<&str> = ClientName::ALL.iter().map(|name| name.as_str()).collect();
            let names = names.join(", ");
            app.ui.line(format!("No agent client was found; name one with --agent: {names}."))?;
        }
        for (index, setup) in plan.setups.iter().enumerate() {
            say_client(app, setup, would)?;
            if let Some(Some(exclude)) = hidden.get(index) {
                let files = setup.files.iter().filter(|file| file.changes()).count();
                let them = if files == 1 { "it" } else { "them" };
                app.ui.line(format!("  Git ignores {them}, through {}.", exclude.display()))?;
            }
            if let Some(advice) = setup.spot.client.advice.filter(|_| setup.hooks.is_some()) {
                app.ui.line(format!("  {advice}."))?;
            }
        }
        for spot in CLIENTS.iter().flat_map(|client| Spot::all(app, client)) {
            for tool in spot.foreign_tools() {
                let (file, clean) = (spot.path.display(), spot.clean_command());
                app.ui
                    .line(format!("Hooks of {tool} are still in {file}; `{clean}` removes them"))?;
            }
        }
        for planned in &plan.instructions {
            let file = planned.path.display();
            app.ui.line(match (planned.changes(), would) {
                (true, true) => format!("A section about the memory would be put into {file}"),
                (true, false) => format!("Put a section about the memory into {file}"),
                (false, _) => format!("The section about the memory is already in {file}"),
            })?;
        }
        for planned in plan.index.iter().filter(|planned| planned.changes()) {
            let file = planned.path.display();
            app.ui.line(match would {
                true => format!("For triggers, {file} would be written"),
                false => format!("For triggers: wrote {file}"),
            })?;
        }
        Ok(())
    }

    /// Shows where the store is.
    pub(super) fn say_store(&self, app: &CliApp, created: bool, would: bool) -> AppResult<()> {
        let shown = tacit_core::visible_line(&app.places.project.display().to_string());
        app.ui.line(match (created, would) {
            (true, false) => format!("Created {shown}, a memory for this project."),
            (true, true) => format!("Would create {shown}, a memory for this project."),
            (false, _) => format!("{shown} already exists."),
        })
    }
}

fn say_client(app: &CliApp, setup: &ClientSetup, would: bool) -> AppResult<()> {
    let title = setup.spot.client.title;
    let line = |what: &str, plural: bool, part: &SetupPart| {
        let file = part.path.display();
        let are = if plural { "are" } else { "is" };
        app.ui.line(match (part.changes, would) {
            (true, true) => format!("{title}: {what} would be set up in {file}"),
            (true, false) => format!("{title}: {what} set up in {file}"),
            (false, _) => format!("{title}: {what} {are} already in {file}"),
        })
    };
    if let Some(part) = &setup.hooks {
        line("hooks", true, part)?;
    }
    if let Some(part) = &setup.server {
        if setup.is_server_foreign {
            app.ui.line(format!(
                "{title}: {} has another server named `tacit`; it stays, and is not approved",
                part.path.display()
            ))?;
        } else {
            line("MCP server", false, part)?;
        }
    }
    if let Some(part) = setup.pages.as_ref().filter(|_| !setup.page_names.is_empty()) {
        line(&command_names(&setup.page_names), true, part)?;
    }
    for path in &setup.foreign {
        app.ui.line(format!(
            "  {} stays as it is: Tacit did not write it, or it was edited.",
            path.display()
        ))?;
    }
    Ok(())
}
