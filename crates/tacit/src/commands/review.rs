//! `tacit review`

use clap::Subcommand;
use tacit_app::code;
use tacit_app::graph;
use tacit_app::{AppError, AppResult};
use tacit_engine::{StoreAccess, StoreScope, StoredMemory};
use tacit_store::{Filter, ListOrder};

use super::validate::CheckArgs;
use crate::app::App;
use crate::commands::count;
use crate::field_args::reason;
use crate::render;

/// Number of memories read at once.
const PAGE: usize = 200;

/// List what waits for a person to check.
///
/// A memory that names a symbol is compared with the code, by `tacit maintain` and here. When the
/// symbol changes or goes, hooks no longer show the memory, and it is marked `verify`.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  tacit review                    what waits, the most important first
  tacit review confirm a1b2c3d4   it still holds
  tacit review fail --summary 'the login page is empty'"
)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    action: Option<ReviewAction>,
    /// List only memories about code that has changed since.
    #[arg(long)]
    stale: bool,
}

#[derive(Debug, Subcommand)]
enum ReviewAction {
    /// Confirm that memories hold.
    ///
    /// You vouch for them: they are verified, and compared with the code as it is now. If one no
    /// longer holds, change it with `tacit edit`, or forget it.
    #[command(after_help = "Examples:
  tacit review confirm a1b2c3d4
  tacit review confirm a1b2c3d4 --reason \"only renamed a variable\"")]
    Confirm(ConfirmArgs),
    /// Report that the work of a session passed a check that Tacit cannot see.
    ///
    /// Notes of a session become memories when its work passes. Tacit recognises the checks that
    /// agents run themselves (tests, builds, linters).
    #[command(after_help = "Examples:
  tacit review pass                                     the session at work here
  tacit review pass --work-unit spec_042/subtask_3

`tacit work qa` reads detailed results of QA.")]
    Pass(CheckArgs),
    /// Report that the work of a session failed a check that Tacit cannot see.
    ///
    /// Nothing is learnt from work that failed.
    #[command(after_help = "Examples:
  tacit review fail --summary 'the login page is empty'")]
    Fail(CheckArgs),
}

#[derive(Debug, clap::Args)]
struct ConfirmArgs {
    /// The ids; an unambiguous beginning is enough.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// The reason, for the history.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl ReviewArgs {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        match self.action {
            None => list(app),
            Some(ReviewAction::Confirm(args)) => args.run(app),
            Some(ReviewAction::Pass(check)) => check.report(app, true),
            Some(ReviewAction::Fail(check)) => check.report(app, false),
        }
    }
}

impl ConfirmArgs {
    fn run(self, app: &App) -> AppResult<()> {
        app.person_only("confirm a memory")?;
        let reason = self.reason.map(reason).transpose()?;
        let mut engine = app.engine(StoreAccess::WriteBoth)?;
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let verified = engine.verify(&ids, reason)?;
        if engine.store(StoreScope::Project).is_some() {
            code::link_memories(app, &mut engine)?;
        }
        drop(engine);
        app.tell_fate("Verified", &verified)
    }
}

/// Compares memories with the code as it is, if there is a graph of it.
fn compare(app: &App) -> AppResult<()> {
    if !app.places.database(StoreScope::Project).exists() || !graph::main_codebase(app).exists() {
        return Ok(());
    }
    graph::refresh_existing(app, false)?;
    let mut engine = app.engine(StoreAccess::Write(StoreScope::Project))?;
    // Names first: what only moved is not gone.
    code::follow_renames(app, &mut engine, false)?;
    code::link_memories(app, &mut engine).map(drop)
}

/// Returns every memory that is in doubt, those first that changed last.
fn doubted(app: &App) -> AppResult<Vec<StoredMemory>> {
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let filter = Filter { stale: Some(true), ..Filter::default() };
    let mut stale = Vec::new();
    loop {
        let page = engine.list(None, &filter, ListOrder::Changed, PAGE, stale.len())?;
        let last = page.len() < PAGE;
        stale.extend(page);
        if last {
            stale.retain(|found| found.memory.body.trust.doubt().is_some());
            return Ok(stale);
        }
    }
}

fn list(app: &App) -> AppResult<()> {
    // Where it cannot be done now, what was found before is listed.
    let compared = compare(app).map_err(|error| {
        let problem = format!("memories could not be compared with the code: {}", error.message);
        AppError::new(error.code, problem)
            .hint("the list is of the last comparison; `tacit doctor` looks for the cause")
    });
    let doubted = doubted(app)?;
    if app.json {
        app.ui.json(&render::all_to_json(&doubted))?;
    } else if !doubted.is_empty() {
        print(app, &doubted)?;
    } else if compared.is_ok() {
        app.ui.line("Nothing has to be verified.")?;
    }
    app.ui.flush()?;
    compared
}

fn print(app: &App, doubted: &[StoredMemory]) -> AppResult<()> {
    let now = app.now();
    for found in doubted {
        app.ui.lines(render::answer(&app.ui, found, now))?;
    }
    let what = count(doubted.len(), "memory", "memories");
    app.ui.line("")?;
    app.ui.line(format!(
        "{what} to verify: `tacit review confirm ID` if it still holds, else `tacit edit ID` or `tacit forget ID`."
    ))?;
    Ok(())
}
