//! `tacit forget`

mod prune_args;
mod purged;

use serde_json::json;
use tacit_app::prune::{PruneRule, apply, plan};
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_core::{MemoryId, StatusKind};
use tacit_engine::{Engine, ForgetMode, PurgeResult, StoreAccess, StoredMemory};
use tacit_store::{Filter, ListOrder};

use crate::app::{CliApp, StoreScopeArg};
use crate::commands::count;
use crate::field_args::reason;
use crate::filter_args::FilterArgs;
use crate::render;
use prune_args::PruneArgs;

/// The most memories of a preview that are listed; all are counted.
const SHOWN: usize = 20;

/// Take memories out of use.
///
/// A forgotten memory is no longer recalled; `tacit restore` brings it back. `--purge` deletes it
/// for good, with its history and everything that quotes it in logs, sessions, queues and backups,
/// and then searches every file of the stores for what is left. Several memories are one change, which
/// `tacit undo` undoes as one.
///
/// Instead of ids, filters choose the memories of this project, or your own with `--global`. They
/// are listed first, and nothing is forgotten before you agree: at the terminal, or by `--yes`.
/// Without either, the command ends with exit code 7.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit forget a1b2c3d4 --reason \"no longer true since the rewrite\"
  tacit forget a1b2c3d4 --archive
  tacit forget --type dead_end --before 2026-01-01
  tacit forget --tag importer --dry-run
  tacit forget --missing-files --dry-run
  tacit forget --unused-below 0.2
  tacit forget a1b2c3d4 --purge --yes")]
pub(crate) struct ForgetArgs {
    /// The ids; the beginning of one is enough where it is clear.
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// The reason, for the history.
    #[arg(long, short, value_name = "TEXT", default_value = "forgotten by hand")]
    reason: String,
    /// Archive the memory: keep it for good, out of use.
    #[arg(long, conflicts_with = "purge")]
    archive: bool,
    /// Delete the memory and its history. This cannot be undone.
    #[arg(long)]
    purge: bool,
    /// Do not ask. A purge needs it.
    #[arg(long, short)]
    yes: bool,
    /// Show what would be forgotten, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// With `--purge`: also delete the damaged databases that `tacit doctor --fix` replaced, which
    /// may still contain it.
    #[arg(long, requires = "purge")]
    damaged_copies: bool,
    #[command(flatten)]
    rule: PruneArgs,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    scope: StoreScopeArg,
}

impl ForgetArgs {
    pub(crate) fn run(mut self, app: &CliApp) -> AppResult<()> {
        let reason = reason(std::mem::take(&mut self.reason))?;
        if let Some(rule) = self.rule.rule() {
            return self.prune(app, &rule);
        }
        self.check_selection()?;
        if self.purge && !self.dry_run {
            app.person_only("purge a memory")?;
        }
        let is_chosen_by_id = !self.ids.is_empty();
        if is_chosen_by_id && self.purge && !self.yes && !self.dry_run {
            return Err(AppError::usage("a purge removes memories for good; nothing was done")
                .hint("add `--yes` if you mean it; without `--purge`, `tacit restore` can help"));
        }
        if self.dry_run || !is_chosen_by_id {
            let chosen = self.choose(app)?;
            if self.dry_run || chosen.is_empty() {
                return self.preview(app, &chosen);
            }
            if !self.yes && !self.ask(app, &chosen)? {
                return app.ui.line("Nothing was done.");
            }
            self.ids = chosen.iter().map(|found| found.memory.id.to_string()).collect();
        }
        let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
        if self.purge {
            let (resumed, ids) = resumed(&engine, &self.ids);
            let purged = match ids.as_slice() {
                [] => PurgeResult::default(),
                ids => engine.purge(ids, reason, self.damaged_copies)?,
            };
            drop(engine);
            return purged::report(app, &resumed, &purged);
        }
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let done = engine.forget_all(&ids, self.mode(), reason)?;
        drop(engine);
        app.print_changed(if self.archive { "Archived" } else { "Forgot" }, &done)
    }

    /// Takes what a rule matches out of use, in both stores.
    fn prune(mut self, app: &CliApp, rule: &PruneRule) -> AppResult<()> {
        if !self.ids.is_empty() || !self.filter.is_empty() || self.purge {
            return Err(AppError::usage(
                "a rule cannot be combined with ids, filters or `--purge`",
            )
            .hint("leave them out; nothing was done"));
        }
        self.archive = rule.mode() == ForgetMode::Archive;
        let engine = app.engine(StoreAccess::ReadBoth)?;
        let planned = plan(app, &engine, rule)?;
        drop(engine);
        let chosen: Vec<StoredMemory> = planned.iter().map(|one| one.found.clone()).collect();
        if self.dry_run || chosen.is_empty() {
            return self.preview(app, &chosen);
        }
        if !self.yes && !self.ask(app, &chosen)? {
            return app.ui.line("Nothing was done.");
        }
        let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
        let done = apply(&mut engine, rule, &planned)?;
        drop(engine);
        app.print_changed(if self.archive { "Archived" } else { "Forgot" }, &done)
    }

    /// Refuses ids together with filters, because it is unclear what that would mean.
    fn check_selection(&self) -> AppResult<()> {
        match (self.ids.is_empty(), self.filter.is_empty()) {
            (true, true) => Err(AppError::usage("no memories were named").hint(
                "name their ids, as `tacit list` shows them, or choose with a filter such as \
                 `--type`, `--tag` or `--before`",
            )),
            (false, false) => Err(AppError::usage("ids and filters cannot be used together")
                .hint("name the memories, or choose them with filters")),
            _ => Ok(()),
        }
    }

    fn mode(&self) -> ForgetMode {
        if self.archive { ForgetMode::Archive } else { ForgetMode::Retire }
    }

    /// Finds the memories to forget.
    fn choose(&self, app: &CliApp) -> AppResult<Vec<StoredMemory>> {
        if !self.ids.is_empty() {
            let engine = app.engine(StoreAccess::ReadBoth)?;
            return self.ids.iter().map(|id| Ok(engine.find(id)?)).collect();
        }
        let scope = self.scope.scope();
        let filter = Filter { statistics: true, ..self.filter.filter(app)? };
        let engine = app.engine(StoreAccess::Read(scope))?;
        let mut chosen = engine.list(Some(scope), &filter, ListOrder::Newest, usize::MAX, 0)?;
        // A filter such as `--status all` also finds memories that are forgotten already.
        let target = if self.archive { StatusKind::Archived } else { StatusKind::Retired };
        chosen.retain(|found| self.purge || found.memory.status.kind() != target);
        Ok(chosen)
    }

    /// Shows the chosen memories and asks for confirmation. Fails without a terminal and with
    /// `--json`.
    fn ask(&self, app: &CliApp, chosen: &[StoredMemory]) -> AppResult<bool> {
        self.preview(app, chosen)?;
        if app.json || !app.terminal.stdin_is_terminal || !app.ui.interactive {
            app.ui.flush()?;
            let message = "nothing was done: there is no terminal to ask on";
            return Err(AppError::new(ErrorCode::Refused, message).hint("add `--yes` to go ahead"));
        }
        let verb = match (self.purge, self.archive) {
            (true, _) => "Purge",
            (_, true) => "Archive",
            _ => "Forget",
        };
        let number = chosen.len();
        let these = if number == 1 { "it".into() } else { format!("all {number}") };
        app.ui.ask(&format!("{verb} {these}?"))
    }

    /// Lists the memories that would be forgotten.
    fn preview(&self, app: &CliApp, chosen: &[StoredMemory]) -> AppResult<()> {
        if app.json {
            let (number, memories) = (chosen.len(), render::all_to_json(chosen));
            return app.ui.json(&json!({"dry_run": true, "count": number, "memories": memories}));
        }
        if chosen.is_empty() {
            return app.ui.line("No memories match.");
        }
        let verb = match (self.purge, self.archive) {
            (true, _) => "removed for good",
            (_, true) => "archived",
            _ => "forgotten",
        };
        let number = count(chosen.len(), "memory", "memories");
        app.ui.line(format!("{number} would be {verb}:"))?;
        let now = app.now();
        let shown = chosen.iter().take(SHOWN);
        app.ui.lines(shown.map(|found| render::summary(&app.ui, found, now)))?;
        if chosen.len() > SHOWN {
            let more = chosen.len() - SHOWN;
            app.ui
                .line(format!("and {more} more; `tacit list` with the same filters shows all"))?;
        }
        Ok(())
    }
}

/// Splits the ids into memories that are still to be purged and memories whose interrupted purge
/// was finished when the store was opened.
fn resumed<'a>(engine: &Engine<'_>, ids: &'a [String]) -> (Vec<MemoryId>, Vec<&'a str>) {
    let (mut resumed, mut others) = (Vec::new(), Vec::new());
    for id in ids {
        let meant = engine.resumed_purges().iter().find(|purged| {
            purged.to_string() == *id || purged.short().to_string().starts_with(id.as_str())
        });
        match meant {
            Some(purged) if engine.find(id).is_err() => resumed.push(*purged),
            _ => others.push(id.as_str()),
        }
    }
    (resumed, others)
}
