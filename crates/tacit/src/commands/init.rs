//! `tacit init`

mod modules;
mod place;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tacit_agents::{Client, InstallScope};
use tacit_app::AppResult;
use tacit_core::{ClientName, visible_line};
use tacit_engine::{Engine, StoreScope};
use tacit_triggers::install::{ExistingFile, install_files};

use crate::agents::{self, Planned, Spot};
use crate::app::CliApp;
use crate::commands::import::discover::has_rules;
use modules::{ModuleScan, scan_modules};
use place::{create_private, create_shared};

/// Start a memory here and set up agents.
///
/// Creates a store in git's own directory (`.git/tacit`), where all worktrees share it and git can
/// neither ship nor clean it. Outside git it is `.tacit` in this directory. Inside git `.tacit` is
/// created empty: settings that a team shares go there, and requests of agents in a sandbox.
///
/// Then adds hooks to the settings of the agent clients that it finds: your own settings for this
/// project, which are not committed. Other settings are not changed, and `tacit uninstall` removes
/// the hooks again. Running it again changes nothing.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "Examples:
  tacit init
  tacit init --dry-run             show what would change
  tacit init --agent claude        this client, whether or not it is found
  tacit init --global              hooks for all your projects
  tacit init --shared              hooks in the settings that are committed
  tacit init --no-hooks            the memory alone
  tacit init --no-scan             without scanning the code
  tacit init --mcp                 also the MCP server, for everybody who works on the project
  tacit init --triggers            also the skills /when and /how
  tacit init --track               let git see the settings that are written")]
pub(crate) struct InitArgs {
    /// Set up these clients, found or not, and no others.
    #[arg(long = "agent", value_name = "NAME", value_delimiter = ',', value_parser = agents::client_parser())]
    agents: Vec<ClientName>,
    /// Set up no hooks.
    #[arg(long, conflicts_with_all = ["global", "shared"])]
    no_hooks: bool,
    /// Put hooks into your own settings, for all projects; no memory is created here.
    #[arg(long, conflicts_with_all = ["shared", "instructions", "mcp", "track"])]
    global: bool,
    /// Put hooks into the settings that are committed, for everybody who works on the project.
    #[arg(long)]
    shared: bool,
    /// Also add a section about the memory to the instructions of the clients, such as CLAUDE.md.
    #[arg(long)]
    instructions: bool,
    /// Also add the MCP server to `.mcp.json`, which Claude Code reads. Commit the file; everybody who
    /// uses it needs `tacit` on their PATH.
    #[arg(long)]
    mcp: bool,
    /// Also write the skills `/when` and `/how` and the index of triggers. This is the default in
    /// projects with a directory of decisions.
    #[arg(long, conflicts_with = "global")]
    triggers: bool,
    /// Do not scan the modules of the project. By default, the first run scans projects that are not
    /// too large; `tacit code map --remember` scans at any time.
    #[arg(long)]
    no_scan: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Do not tell git to ignore the settings that are written.
    #[arg(long)]
    track: bool,
    /// Do not ask for confirmation in an empty folder or in your home folder.
    #[arg(long, short)]
    yes: bool,
}

/// The steps for one client.
struct Setup {
    spot: Spot,
    planned: Option<Planned>,
    /// Another file that has its hooks already.
    elsewhere: Option<Spot>,
    /// The exclude file through which git ignores the settings now.
    hidden: Option<PathBuf>,
}

/// The steps for all clients.
struct Plan {
    clients: Vec<&'static Client>,
    setups: Vec<Setup>,
    instructions: Vec<Planned>,
    server: Option<Planned>,
    triggers: Vec<Planned>,
}

impl InitArgs {
    /// Sets up only some clients.
    pub(super) fn for_clients(
        agents: Vec<ClientName>,
        global: bool,
        shared: bool,
        dry_run: bool,
    ) -> InitArgs {
        InitArgs { agents, global, shared, dry_run, no_scan: true, ..InitArgs::default() }
    }

    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let mut report = Map::new();
        let mut created = false;
        if !self.global {
            created = self.store(app, &mut report)?;
        }
        let mut plan = self.plan(app)?;
        if !self.dry_run {
            let hooks = plan.setups.iter().filter_map(|setup| setup.planned.as_ref());
            let files = plan.instructions.iter().chain(&plan.server).chain(&plan.triggers);
            agents::apply_all(hooks.chain(files))?;
            for setup in plan.setups.iter_mut().filter(|_| !self.track) {
                if let Some(planned) = setup.planned.as_ref().filter(|planned| planned.changes()) {
                    setup.hidden = agents::hide(app, &setup.spot, planned)?;
                }
            }
        }
        let scanned =
            if created && !self.no_scan { scan_modules(app)? } else { ModuleScan::Nothing };
        if created && !self.dry_run {
            // A fresh clone knows what the team committed before the first prompt. What cannot be
            // indexed now is reported by the commands about it.
            let _ = tacit_app::files::sync(app, false);
            // Reads the commits, so that co-changes are known from the first answer on.
            app.maintain_in_background();
        }
        if app.json {
            let agents: Value = plan.setups.iter().map(|setup| self.hooks_json(setup)).collect();
            let put = |planned: &Planned| planned.to_json(outcome(planned.changes()), self.dry_run);
            let fields = [
                ("modules", scanned.to_json()),
                ("dry_run", json!(self.dry_run)),
                ("agents", agents),
                ("instructions", plan.instructions.iter().map(put).collect()),
                ("mcp", json!(plan.server.as_ref().map(put))),
                ("triggers", plan.triggers.iter().map(put).collect()),
            ];
            report.extend(fields.map(|(name, value)| (name.to_owned(), value)));
            return app.ui.json(&Value::Object(report));
        }
        self.say(app, &plan)?;
        if let Some(line) = scanned.in_words() {
            app.ui.line(line)?;
        }
        let undo = self.undo(app, created, &plan);
        if !(app.ui.interactive || created || !undo.is_empty()) {
            return Ok(());
        }
        let mut next = vec![
            "tacit remember \"what you want the next agent to know\"",
            "tacit recall WORDS",
            "tacit status",
        ];
        if !self.global && has_rules(app) {
            next.insert(0, "tacit import");
        }
        app.ui.line("")?;
        app.ui.lines(beside("Next:", &next))?;
        app.ui.lines(beside("Undo:", &undo))
    }

    /// Returns the commands that undo the set-up.
    fn undo(&self, app: &CliApp, created: bool, plan: &Plan) -> Vec<String> {
        let mut undo = Vec::new();
        let hooks = plan.setups.iter().filter_map(|setup| setup.planned.as_ref());
        let mut files = hooks.chain(&plan.instructions).chain(&plan.server).chain(&plan.triggers);
        if !self.dry_run && files.any(Planned::changes) {
            let flags = [
                (self.global, " --global"),
                (self.shared, " --shared"),
                (self.instructions, " --instructions"),
                (self.mcp, " --mcp"),
            ];
            let flags = flags.iter().filter(|(is_given, _)| *is_given).map(|(_, flag)| *flag);
            // Clients that were set up before keep their hooks.
            let clients: Vec<&str> = self.agents.iter().map(|name| name.as_str()).collect();
            let clients = match clients.is_empty() {
                true => String::new(),
                false => format!(" --agent {}", clients.join(",")),
            };
            undo.push(format!("tacit uninstall{clients}{}", flags.collect::<String>()));
        }
        if created {
            let directory = visible_line(&app.places.project.display().to_string());
            let is_plain = |c: char| c.is_alphanumeric() || "/._-+@".contains(c);
            let quoted = match directory.chars().all(is_plain) {
                true => directory,
                false => format!("'{}'", directory.replace('\'', "'\\''")),
            };
            undo.push(format!("rm -r {quoted}"));
        }
        undo
    }

    /// Creates the store and reports it, at once or in `report`. Returns true if it is new.
    fn store(&self, app: &CliApp, report: &mut Map<String, Value>) -> AppResult<bool> {
        self.check_place(app)?;
        let directory = app.places.project.clone();
        let database = app.places.database(StoreScope::Project);
        let created = if self.dry_run {
            !database.exists()
        } else {
            create_private(&directory)?;
            let created = Engine::create_project(&app.places, app.config())?;
            if created {
                create_shared(app.worktree());
            }
            created
        };
        if app.json {
            let fields = [
                ("directory", json!(directory)),
                ("database", json!(database)),
                ("created", json!(created)),
            ];
            report.extend(fields.map(|(name, value)| (name.to_owned(), value)));
            return Ok(created && !self.dry_run);
        }
        let shown = visible_line(&directory.display().to_string());
        app.ui.line(match (created, self.dry_run) {
            (true, false) => format!("Created {shown}, a memory for this project."),
            (true, true) => format!("Would create {shown}, a memory for this project."),
            (false, _) => format!("{shown} already exists."),
        })?;
        Ok(created && !self.dry_run)
    }

    fn plan(&self, app: &CliApp) -> AppResult<Plan> {
        let place = agents::place(self.global, self.shared);
        let home = &app.environment.home;
        let project = if self.global { home } else { app.worktree() };
        let mut clients = agents::named_or_all(&self.agents);
        if self.agents.is_empty() {
            clients.retain(|client| {
                let moved = app.environment.claude_home.as_deref().is_some_and(Path::exists);
                client.is_present(home, project) || moved && client.name == ClientName::Claude
            });
        }
        let mut setups = Vec::new();
        if !self.no_hooks && !clients.is_empty() {
            let program = agents::program(app, place)?;
            for client in &clients {
                setups.push(setup(app, client, place, &program)?);
            }
        }
        let mut instructions = Vec::new();
        if self.instructions {
            for name in agents::instruction_files(&clients) {
                instructions.push(Planned::instructions(app, name, true)?);
            }
        }
        let triggers = self.trigger_files(app)?;
        let server = self.mcp.then(|| Planned::server(app, true)).transpose()?;
        Ok(Plan { clients, setups, instructions, server, triggers })
    }

    /// Returns the files that let agents use triggers, if there are decisions or the user asks for them.
    fn trigger_files(&self, app: &CliApp) -> AppResult<Vec<Planned>> {
        let layout = tacit_app::triggers::layout(app, app.config());
        let there = layout.decisions.iter().any(|name| layout.root.join(name).is_dir());
        let (Some(index), Some(decisions)) = (layout.indexes.first(), layout.decisions.first())
        else {
            return Ok(Vec::new());
        };
        if self.global || !(there || self.triggers) {
            return Ok(Vec::new());
        }
        install_files(index, decisions)
            .iter()
            .map(|file| {
                let keep = file.existing == ExistingFile::Keep;
                Planned::file(app, &file.path, &file.contents, keep)
            })
            .collect()
    }

    fn say(&self, app: &CliApp, plan: &Plan) -> AppResult<()> {
        if plan.clients.is_empty() && (!self.no_hooks || self.instructions) {
            let names: Vec<&str> = ClientName::ALL.iter().map(|name| name.as_str()).collect();
            let names = names.join(", ");
            app.ui.line(format!("No agent client was found; name one with --agent: {names}."))?;
        }
        for setup in &plan.setups {
            let (title, file) = (setup.spot.client.title, setup.spot.path.display());
            app.ui.line(match (&setup.elsewhere, &setup.planned) {
                (Some(other), _) => {
                    format!("{title}: hooks are already in {}", other.path.display())
                }
                (_, Some(planned)) if planned.changes() && self.dry_run => {
                    format!("{title}: hooks would be set up in {file}")
                }
                (_, Some(planned)) if planned.changes() => {
                    format!("{title}: hooks set up in {file}")
                }
                _ => format!("{title}: hooks are already in {file}"),
            })?;
            if let Some(exclude) = &setup.hidden {
                app.ui.line(format!("  Git ignores it, through {}.", exclude.display()))?;
            }
            if let Some(advice) = setup.spot.client.advice {
                app.ui.line(format!("  {advice}."))?;
            }
            if let Some(planned) = setup.planned.as_ref().filter(|_| self.dry_run) {
                app.ui.text(&planned.diff())?;
            }
        }
        let server = plan.server.iter().map(|planned| ("The", "the", "MCP server", planned));
        let sections =
            plan.instructions.iter().map(|it| ("A", "a", "section about the memory", it));
        for (start, article, what, planned) in server.chain(sections) {
            let file = planned.path.display();
            let line = match (planned.changes(), self.dry_run) {
                (true, true) => format!("{start} {what} would be put into {file}"),
                (true, false) => format!("Put {article} {what} into {file}"),
                (false, _) => format!("The {what} is already in {file}"),
            };
            planned.say(app, line, self.dry_run)?;
        }
        for planned in plan.triggers.iter().filter(|planned| planned.changes()) {
            let file = planned.path.display();
            let line = if self.dry_run {
                format!("For triggers, {file} would be written")
            } else {
                format!("For triggers: wrote {file}")
            };
            planned.say(app, line, self.dry_run)?;
        }
        Ok(())
    }

    fn hooks_json(&self, setup: &Setup) -> Value {
        let (spot, word) = match &setup.elsewhere {
            Some(other) => (other, "elsewhere"),
            None => (&setup.spot, outcome(setup.planned.as_ref().is_some_and(Planned::changes))),
        };
        let mut value = spot.to_json("outcome", word);
        value["advice"] = json!(setup.spot.client.advice);
        match &setup.planned {
            Some(planned) => planned.with_diff(value, self.dry_run),
            None => value,
        }
    }
}

/// Puts a heading in front of the first line, and indents the others.
fn beside(heading: &str, lines: &[impl AsRef<str>]) -> Vec<String> {
    let headings = std::iter::once(heading).chain(std::iter::repeat(""));
    let rows = headings.zip(lines);
    rows.map(|(heading, line)| format!("{heading:<5} {}", line.as_ref())).collect()
}

/// Returns the JSON word for a file that was changed or was already set up.
fn outcome(changes: bool) -> &'static str {
    if changes { "set_up" } else { "already" }
}

/// Plans the hooks of one client. In a project, a client that has hooks from another file gets none:
/// it would run both.
fn setup(
    app: &CliApp,
    client: &'static Client,
    place: InstallScope,
    program: &str,
) -> AppResult<Setup> {
    let spot = Spot::new(app, client, place);
    let elsewhere = if place == InstallScope::Project && spot.count()? == 0 {
        // Other settings files that cannot be read do not matter here.
        let mut others = Spot::all(app, client).into_iter();
        others.find(|other| other.count().is_ok_and(|number| number > 0))
    } else {
        None
    };
    let planned = match elsewhere {
        Some(_) => None,
        None => Some(spot.plan_in(program)?),
    };
    Ok(Setup { spot, planned, elsewhere, hidden: None })
}
