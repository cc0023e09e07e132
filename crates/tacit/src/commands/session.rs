//! `tacit session`: the sessions of agents. One file per subcommand.

mod brief;
mod explain;
mod learn;
mod list;
mod state;

use clap::Subcommand;
use tacit_app::{AppError, AppResult};
use tacit_core::SessionId;
use tacit_engine::StoreAccess;

use crate::app::CliApp;

pub(super) use explain::explain;

/// Show sessions of agents and what was learnt.
///
/// `tacit maintain` learns from every session that is over; nothing needs to be run by hand. Fixes
/// count only if a check passed afterwards.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit session list                  the last sessions
  tacit session explain SESSION       every signal, its score, why it was kept or dropped
  tacit session state                 the unfinished work that the next session sees
  tacit session brief --task \"Add two-factor login\"
  tacit session learn                 learn from finished sessions now")]
pub(crate) struct SessionArgs {
    #[command(subcommand)]
    action: SessionAction,
}

#[derive(Debug, Subcommand)]
enum SessionAction {
    List(list::SessionListArgs),
    Explain(explain::SessionExplainArgs),
    Brief(brief::SessionBriefArgs),
    Learn(learn::SessionLearnArgs),
    State(state::SessionStateArgs),
}

impl SessionArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.action {
            SessionAction::List(args) => args.run(app),
            SessionAction::Explain(args) => args.run(app),
            SessionAction::Brief(args) => args.run(app),
            SessionAction::Learn(args) => args.run(app),
            SessionAction::State(args) => args.run(app),
        }
    }
}

/// Parses the identifier of a session.
pub(super) fn session(typed: &str) -> AppResult<SessionId> {
    let typed = tacit_redact::identifier(typed);
    typed.parse().map_err(|problem: tacit_core::Problem| AppError::usage(problem.to_string()))
}

/// Writes the events that wait beside the store, so that a list is complete. Events that cannot be
/// written now are written with the next event, and are missing from the list.
pub(super) fn settle(app: &CliApp) {
    // If the store cannot be opened, reading it reports why.
    let Ok(mut engine) = app.engine(StoreAccess::Session) else { return };
    if let Err(error) = engine.flush_events() {
        app.watcher.warn(&format!("the newest events may be missing: {error}"));
    }
}
