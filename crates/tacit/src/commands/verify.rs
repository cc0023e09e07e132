//! `tacit verify`

use tacit_app::code;
use tacit_app::graph;
use tacit_app::{AppError, AppResult};
use tacit_engine::{StoreAccess, StoreScope, StoredMemory};
use tacit_store::{Filter, ListOrder};

use crate::app::App;
use crate::commands::count;
use crate::field_args::reason;
use crate::render;

/// Number of memories read at once.
const PAGE: usize = 200;

/// Say that memories still hold although the code they are about changed.
///
/// A memory that names a symbol is compared with it, by `tacit maintain` and here. When the symbol
/// changes or goes, the memory is no longer shown unasked, and marked `verify` where it is: it may
/// still hold. Without ids, lists those memories and what changed. With ids, you vouch for them:
/// they are compared with the code as it is now. If one no longer holds, change it with `tacit
/// edit`, or forget it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit verify                  what should be compared with the code
  tacit verify a1b2c3d4         it still holds
  tacit verify a1b2c3d4 --reason \"only renamed a variable\"")]
pub(crate) struct Verify {
    /// The ids; the beginning of one is enough where it is clear.
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Why, for the history.
    #[arg(long, value_name = "TEXT", requires = "ids")]
    reason: Option<String>,
}

impl Verify {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        if self.ids.is_empty() {
            return list(app);
        }
        app.person_only("confirm a memory")?;
        let reason = self.reason.map(reason).transpose()?;
        let mut engine = app.engine(StoreAccess::WriteBoth)?;
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let verified = engine.verify(&ids, reason)?;
        if engine.store(StoreScope::Project).is_some() {
            code::link(app, &mut engine)?;
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
    graph::refresh_known(app, false)?;
    let mut engine = app.engine(StoreAccess::Write(StoreScope::Project))?;
    // Names first: what only moved is not gone.
    code::follow(app, &mut engine, false)?;
    code::link(app, &mut engine).map(drop)
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
            stale.retain(|found| found.memory.body.trust.stale_reason().is_some());
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
        "{what} to verify: `tacit verify ID` if it still holds, else `tacit edit ID` or `tacit forget ID`."
    ))?;
    Ok(())
}
