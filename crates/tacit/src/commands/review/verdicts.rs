//! `tacit review confirm` and `tacit review reject`

use tacit_app::review::{REJECTED, drop_waiting};
use tacit_app::{AppResult, code};
use tacit_engine::{ForgetMode, StoreAccess, StoreScope};

use crate::app::CliApp;
use crate::field_args::reason;

/// Confirm that memories hold.
///
/// Confirmed memories are verified, and linked to the current code. If one no longer holds, change it
/// with `tacit edit`, flag it, or reject it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit review confirm a1b2c3d4
  tacit review confirm a1b2c3d4 --reason \"only renamed a variable\"")]
pub(super) struct ConfirmArgs {
    /// The ids; an unambiguous beginning is enough.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// The reason, for the history.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl ConfirmArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        app.person_only("confirm a memory")?;
        let reason = self.reason.map(reason).transpose()?;
        let mut engine = app.engine(StoreAccess::WriteBoth)?;
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let verified = engine.verify(&ids, reason)?;
        if engine.store(StoreScope::Project).is_some() {
            code::link_memories(app, &mut engine)?;
        }
        drop(engine);
        drop_waiting(&app.places);
        app.print_changed("Verified", &verified)
    }
}

/// Reject memories: take them out of use.
///
/// The same as `tacit forget`: a rejected memory is no longer recalled, and `tacit restore` or
/// `tacit undo` brings it back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit review reject a1b2c3d4
  tacit review reject a1b2c3d4 e5f6a7b8 --reason \"true of one machine only\"")]
pub(super) struct RejectArgs {
    /// The ids; an unambiguous beginning is enough.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// The reason, for the history.
    #[arg(long, short, value_name = "TEXT", default_value = REJECTED)]
    reason: String,
}

impl RejectArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let reason = reason(self.reason)?;
        let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let rejected = engine.forget_all(&ids, ForgetMode::Retire, reason)?;
        drop(engine);
        drop_waiting(&app.places);
        app.print_changed("Rejected", &rejected)
    }
}
