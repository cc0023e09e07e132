//! `tacit init`

mod modules;
mod offers;
mod place;
mod say;

use serde_json::{Map, Value, json};
use tacit_agents::{Client, InstallScope};
use tacit_app::AppResult;
use tacit_app::files::{FollowedRules, followed_rules};
use tacit_core::{ClientName, visible_line};
use tacit_engine::{Engine, StoreScope};
use tacit_triggers::install::consumption_header;

use crate::agents::{self, ClientParts, ClientSetup, Planned, SetupPart};
use crate::app::CliApp;
use crate::commands::import::discover::has_rules;
use modules::{ModuleScan, scan_modules};
use offers::{OfferOutcome, make_offers};
use place::{create_private, create_shared};

/// Start a memory here and set up agents.
///
/// Creates a store in git's own directory (`.git/tacit`), where all worktrees share it and git can
/// neither ship nor clean it. Outside git it is `.tacit` in this directory. Inside git `.tacit` is
/// created empty: settings that a team shares go there, and requests of agents in a sandbox.
///
/// Then sets up the agent clients that it finds, in your own files for this project, which are not
/// committed: hooks, the MCP server, and the commands `/remember`, `/when`, `/how` and `/memory`. It
/// shows what it will do and asks once; without a terminal it does not ask. Everything else in the
/// files stays as it is, and `tacit uninstall` removes all of it again. Running it again changes
/// nothing.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "Examples:
  tacit init
  tacit init --dry-run             show what would change
  tacit init --yes                 without asking
  tacit init --agent claude        this client, whether or not it is found
  tacit init --hooks-only          no MCP server, commands or skills
  tacit init --no-hooks            the memory alone
  tacit init --global              set up clients for all your projects
  tacit init --shared              set up clients in the files that are committed
  tacit init --mcp                 the MCP server in the file that is committed
  tacit init --triggers            also the index of triggers
  tacit init --no-scan             without scanning the code
  tacit init --learn               also learn from what the project had before
  tacit init --track               let git see the files that are written")]
pub(crate) struct InitArgs {
    /// Set up these clients, found or not, and no others.
    #[arg(long = "agent", value_name = "NAME", value_delimiter = ',', value_parser = agents::client_parser())]
    agents: Vec<ClientName>,
    /// Set up hooks, but no MCP server, commands or skills.
    #[arg(long, conflicts_with = "no_hooks")]
    hooks_only: bool,
    /// Leave agent clients alone.
    #[arg(long, conflicts_with_all = ["global", "shared"])]
    no_hooks: bool,
    /// Set up clients for all your projects, in your own files; no memory is created here.
    #[arg(long, conflicts_with_all = ["shared", "instructions", "mcp", "track"])]
    global: bool,
    /// Set up clients in the files that are committed, for everybody who works on the project.
    #[arg(long)]
    shared: bool,
    /// Also add a section about the memory to the instructions of the clients, such as CLAUDE.md.
    #[arg(long)]
    instructions: bool,
    /// Set up the MCP server for everybody who works on the project, in `.mcp.json`, which Claude Code
    /// reads. Commit the file; everybody who uses it needs `tacit` on their PATH.
    #[arg(long)]
    mcp: bool,
    /// Also write the index of triggers, for `/when` and `/how`. This is the default in projects with a
    /// directory of decisions.
    #[arg(long, conflicts_with = "global")]
    triggers: bool,
    /// Do not scan the modules of the project. By default, the first run scans projects that are not
    /// too large; `tacit code map --remember` scans at any time.
    #[arg(long)]
    no_scan: bool,
    /// Also learn from what the project had before its memory, such as its commits, without asking.
    #[arg(long, conflicts_with_all = ["no_learn", "global", "dry_run"])]
    learn: bool,
    /// Do not offer to learn from what the project had before its memory.
    #[arg(long)]
    no_learn: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Do not tell git to ignore the files that are written.
    #[arg(long)]
    track: bool,
    /// Do not ask for confirmation.
    #[arg(long, short)]
    yes: bool,
}

/// The steps for all clients.
struct Plan {
    clients: Vec<&'static Client>,
    setups: Vec<ClientSetup>,
    instructions: Vec<Planned>,
    /// The index of triggers.
    index: Option<Planned>,
}

impl Plan {
    /// Returns the changes to all files.
    fn files(&self) -> impl Iterator<Item = &Planned> + Clone {
        let clients = self.setups.iter().flat_map(|setup| &setup.files);
        clients.chain(&self.instructions).chain(&self.index)
    }

    fn changes(&self) -> bool {
        self.files().any(Planned::changes)
    }
}

impl InitArgs {
    /// Sets up only some clients.
    pub(super) fn for_clients(
        agents: Vec<ClientName>,
        global: bool,
        shared: bool,
        dry_run: bool,
    ) -> InitArgs {
        InitArgs {
            agents,
            global,
            shared,
            dry_run,
            no_scan: true,
            no_learn: true,
            ..InitArgs::default()
        }
    }

    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let mut report = Map::new();
        let mut created = false;
        // The store is made even if the files of a client cannot be changed.
        let plan = self.plan(app);
        self.confirm(app, plan.as_ref().ok())?;
        if !self.global {
            created = self.store(app, &mut report)?;
        }
        let plan = plan?;
        let mut hidden = Vec::new();
        if !self.dry_run {
            agents::apply_all(plan.files())?;
            for setup in plan.setups.iter().filter(|_| !self.track) {
                hidden.push(setup.hide(app)?);
            }
        }
        let scanned =
            if created && !self.no_scan { scan_modules(app)? } else { ModuleScan::Nothing };
        let mut followed = FollowedRules::default();
        if created && !self.dry_run {
            // A fresh clone knows what the team committed before the first prompt. What cannot be
            // indexed now is reported by the commands about it.
            let _ = tacit_app::files::sync(app, false);
            followed = followed_rules(app);
        }
        // What was offered once is not offered again.
        let is_offered = !self.global && !self.dry_run && !self.no_learn && (created || self.learn);
        let offers = if is_offered { make_offers(app, self.learn, self.yes)? } else { Vec::new() };
        if created && !self.dry_run {
            // Reads the commits, so that co-changes are known from the first answer on.
            app.maintain_in_background();
        }
        if app.json {
            let agents: Value = plan.setups.iter().map(|setup| self.setup_json(setup)).collect();
            let put = |planned: &Planned| planned.to_json(outcome(planned.changes()), self.dry_run);
            let fields = [
                ("modules", scanned.to_json()),
                ("rules", json!({"count": followed.rules, "files": followed.files})),
                ("dry_run", json!(self.dry_run)),
                ("agents", agents),
                ("instructions", plan.instructions.iter().map(put).collect()),
                ("triggers", plan.index.iter().map(put).collect()),
            ];
            report.extend(fields.map(|(name, value)| (name.to_owned(), value)));
            if !offers.is_empty() {
                let offers = offers.iter().map(OfferOutcome::to_json).collect();
                report.insert("learn".to_owned(), offers);
            }
            return app.ui.json(&Value::Object(report));
        }
        self.say(app, &plan, &hidden, self.dry_run)?;
        if self.dry_run {
            plan.files().filter(|it| it.changes()).try_for_each(|it| app.ui.text(&it.diff()))?;
        }
        if let Some(line) = scanned.in_words() {
            app.ui.line(line)?;
        }
        if let Some(rules) = followed.in_words() {
            let rules = visible_line(&rules);
            app.ui.line(format!("Follows {rules}; `tacit list --source file` shows them."))?;
        }
        for line in offers.iter().filter_map(OfferOutcome::in_words) {
            app.ui.line(line)?;
        }
        let undo = self.undo(app, created, &plan);
        if !(app.ui.interactive || created || !undo.is_empty()) {
            return Ok(());
        }
        let mut next: Vec<String> = Vec::new();
        if !self.global && !app.config().rules_follow && has_rules(app) {
            next.push("tacit import".to_owned());
        }
        next.extend(offers.iter().filter_map(OfferOutcome::next));
        let always = [
            "tacit remember \"what you want the next agent to know\"",
            "tacit recall WORDS",
            "tacit status",
        ];
        next.extend(always.map(str::to_owned));
        app.ui.line("")?;
        app.ui.lines(beside("Next:", &next))?;
        app.ui.lines(beside("Undo:", &undo))
    }

    /// Returns the commands that undo the set-up.
    fn undo(&self, app: &CliApp, created: bool, plan: &Plan) -> Vec<String> {
        let mut undo = Vec::new();
        if !self.dry_run && plan.changes() {
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
        self.say_store(app, created, self.dry_run)?;
        Ok(created && !self.dry_run)
    }

    fn plan(&self, app: &CliApp) -> AppResult<Plan> {
        let place = agents::place(self.global, self.shared);
        let folders = agents::folders(app);
        let mut clients = agents::named_or_all(&self.agents);
        if self.agents.is_empty() {
            let project = if self.global { folders.home } else { folders.project };
            clients.retain(|client| {
                let moved = folders.claude_home.is_some_and(|folder| folder.exists());
                client.is_present(folders.home, project)
                    || moved && client.name == ClientName::Claude
            });
        }
        let mut setups = Vec::new();
        if !self.no_hooks && !clients.is_empty() {
            let all = !self.hooks_only;
            let program = agents::program(app, place)?;
            for client in &clients {
                let shared = self.mcp && client.name == ClientName::Claude;
                let parts = ClientParts { hooks: true, server: all && !shared, pages: all };
                setups.push(ClientSetup::install(app, client, place, parts, &program)?);
            }
        }
        if self.mcp {
            let place = InstallScope::Shared;
            let parts = ClientParts { hooks: false, server: true, pages: false };
            let program = agents::program(app, place)?;
            let claude = Client::named(ClientName::Claude);
            setups.push(ClientSetup::install(app, claude, place, parts, &program)?);
        }
        let mut instructions = Vec::new();
        if self.instructions {
            for name in agents::instruction_files(&clients) {
                instructions.push(Planned::instructions(app, name, true)?);
            }
        }
        Ok(Plan { clients, setups, instructions, index: self.trigger_index(app)? })
    }

    /// Plans the index of triggers, if there are decisions or the user asks for it.
    fn trigger_index(&self, app: &CliApp) -> AppResult<Option<Planned>> {
        let layout = tacit_app::triggers::layout(app, app.config());
        let there = layout.decisions.iter().any(|name| layout.root.join(name).is_dir());
        let (Some(index), Some(decisions)) = (layout.indexes.first(), layout.decisions.first())
        else {
            return Ok(None);
        };
        if self.global || !(there || self.triggers) {
            return Ok(None);
        }
        Planned::new_file(app, index, &consumption_header(decisions)).map(Some)
    }

    fn setup_json(&self, setup: &ClientSetup) -> Value {
        let word = |part: &SetupPart| match part.elsewhere {
            true => "elsewhere",
            false => outcome(part.changes),
        };
        let part = |part: &SetupPart| json!({"file": part.path, "outcome": word(part)});
        let (client, hooks) = (setup.spot.client, setup.hooks.as_ref());
        let mut value = json!({
            "agent": client.name.as_str(), "title": client.title,
            "place": agents::place_word(setup.spot.place), "file": hooks.map(|it| &it.path),
            "outcome": hooks.map(word), "mcp": setup.server.as_ref().map(part),
            "commands": setup.pages.as_ref().map(part), "kept": setup.foreign,
            "advice": client.advice,
        });
        if self.dry_run {
            value["diff"] = json!(setup.diff());
        }
        value
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
