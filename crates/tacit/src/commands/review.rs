//! `tacit review`: the queue of memories that wait for a person, and verdicts about them.

mod flag;
mod list;

use clap::Subcommand;
use tacit_app::AppResult;
use tacit_app::code;
use tacit_engine::{StoreAccess, StoreScope};

use super::validate::CheckArgs;
use crate::app::CliApp;
use crate::field_args::reason;

/// List memories that wait for review.
///
/// The queue has memories that were flagged, that contradict each other, whose code has changed,
/// that may replace another, and that no person has confirmed yet; in this order. A memory that names
/// a symbol is compared with the code, by `tacit maintain` and here. When the symbol changes, hooks
/// no longer show the memory.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  tacit review                             what waits, the most important first
  tacit review confirm a1b2c3d4            it is right
  tacit review flag a1b2c3d4 --outdated    it no longer holds
  tacit review fail --summary 'the login page is empty'"
)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    action: Option<ReviewAction>,
    #[command(flatten)]
    list: list::ReviewListArgs,
}

#[derive(Debug, Subcommand)]
enum ReviewAction {
    Confirm(ConfirmArgs),
    Flag(flag::FlagArgs),
    /// Report that the work of a session passed a check.
    ///
    /// Notes of a session become memories when its work passes. Tacit recognises the checks that
    /// agents run themselves (tests, builds, linters); this is for others.
    #[command(after_help = "Examples:
  tacit review pass                                     the session at work here
  tacit review pass --work-unit spec_042/subtask_3

`tacit work qa` reads detailed results of QA.")]
    Pass(CheckArgs),
    /// Report that the work of a session failed a check.
    ///
    /// Tacit learns nothing from work that failed.
    #[command(after_help = "Examples:
  tacit review fail --summary 'the login page is empty'")]
    Fail(CheckArgs),
}

impl ReviewArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.action {
            None => self.list.run(app),
            Some(ReviewAction::Confirm(args)) => args.run(app),
            Some(ReviewAction::Flag(args)) => args.run(app),
            Some(ReviewAction::Pass(check)) => check.report(app, true),
            Some(ReviewAction::Fail(check)) => check.report(app, false),
        }
    }
}

/// Confirm that memories hold.
///
/// Confirmed memories are verified, and linked to the current code. If one no longer holds, change it
/// with `tacit edit`, flag it, or forget it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit review confirm a1b2c3d4
  tacit review confirm a1b2c3d4 --reason \"only renamed a variable\"")]
struct ConfirmArgs {
    /// The ids; an unambiguous beginning is enough.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// The reason, for the history.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl ConfirmArgs {
    fn run(self, app: &CliApp) -> AppResult<()> {
        app.person_only("confirm a memory")?;
        let reason = self.reason.map(reason).transpose()?;
        let mut engine = app.engine(StoreAccess::WriteBoth)?;
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let verified = engine.verify(&ids, reason)?;
        if engine.store(StoreScope::Project).is_some() {
            code::link_memories(app, &mut engine)?;
        }
        drop(engine);
        app.print_changed("Verified", &verified)
    }
}
