//! `tacit observe`: what agents did, and what is concluded from it. One file per subcommand.

mod explain;
mod run;
mod sessions;

use clap::Subcommand;
use tacit_app::{AppError, AppResult};
use tacit_core::SessionId;
use tacit_engine::StoreAccess;

use crate::app::App;

/// What agents did in sessions, and what is concluded from it.
///
/// `tacit maintain` looks at every session that is over; nothing needs to be run by hand. Nothing is
/// concluded from work that failed or was never checked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit observe sessions              the last sessions, and what became of them
  tacit observe explain SESSION       every signal, its score, why it was kept or dropped
  tacit observe run                   look at sessions now")]
pub(crate) struct Observe {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Sessions(sessions::Sessions),
    Explain(explain::Explain),
    Run(run::Run),
}

impl Observe {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        match self.what {
            What::Sessions(command) => command.run(app),
            What::Explain(command) => command.run(app),
            What::Run(command) => command.run(app),
        }
    }
}

/// A session as it was typed.
pub(crate) fn session(typed: &str) -> AppResult<SessionId> {
    let typed = tacit_redact::identifier(typed);
    typed.parse().map_err(|problem: tacit_core::Problem| AppError::usage(problem.to_string()))
}

/// Writes the events that wait beside the store, so that whoever looks sees everything. What cannot
/// be written now is written by the next event, and is missing from what is shown.
pub(crate) fn settle(app: &App) {
    // Why a store cannot be opened is told by whoever reads it.
    let Ok(mut engine) = app.engine(StoreAccess::Session) else { return };
    if let Err(error) = engine.flush_events() {
        app.watcher.warn(&format!("the newest events may be missing: {error}"));
    }
}
