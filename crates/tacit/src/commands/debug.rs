//! `tacit debug`: commands for machines and developers. All of them also work without `debug`,
//! because installed hooks call them that way.

use clap::Subcommand;
use tacit_app::AppResult;

use super::{eval, ledger, maintain, validate};
use crate::app::CliApp;
use crate::hook::HookArgs;

/// Run a command for machines and developers.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit debug hook --debug claude < event.json
  tacit debug maintain
  tacit debug ledger --since 1d

All of them also work without `debug`.")]
pub(crate) struct DebugArgs {
    #[command(subcommand)]
    pub(crate) command: MachineCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MachineCommand {
    Hook(HookArgs),
    Maintain(maintain::MaintainArgs),
    Validate(validate::ValidateArgs),
    Ledger(ledger::LedgerArgs),
    Eval(eval::EvalArgs),
}

impl MachineCommand {
    /// Returns true if progress and warnings should not be shown.
    pub(crate) fn is_quiet(&self) -> bool {
        matches!(self, MachineCommand::Maintain(args) if args.is_quiet())
    }

    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self {
            MachineCommand::Hook(args) => args.run(app),
            MachineCommand::Maintain(args) => args.run(app),
            MachineCommand::Validate(args) => args.run(app),
            MachineCommand::Ledger(args) => args.run(app),
            MachineCommand::Eval(args) => args.run(app),
        }
    }
}
