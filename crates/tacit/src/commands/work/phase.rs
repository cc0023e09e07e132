//! `tacit work phase`

use serde_json::json;
use tacit_app::AppResult;
use tacit_engine::{StoreAccess, StoreScope};

use crate::app::CliApp;
use crate::render::visible;

/// The word that ends a phase.
const NONE: &str = "none";

/// Show or declare the phase of the work.
///
/// The phase decides which types of memory come first. It is one of the active methodology's own
/// (`tacit work methodology show`), one of its stages, or define, implement, validate, refine,
/// explore or reflect. It holds on this branch until another is declared or its unit of work is
/// finished.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit work phase                  show it
  tacit work phase coding           declare it
  tacit work phase none             end it")]
pub(crate) struct PhaseArgs {
    /// The phase that begins; `none` ends the current one.
    phase: Option<String>,
}

impl PhaseArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let id = app.methodology()?.id().to_owned();
        let now = match self.phase.as_deref() {
            None => {
                let engine = app.engine(StoreAccess::Read(StoreScope::Project))?;
                engine.work(&app.here())?.phase
            }
            Some(word) => {
                let phase = match word {
                    NONE => None,
                    word => Some((word.to_owned(), app.phase(word)?)),
                };
                let by = app.reporter("phase");
                let mut engine = app.engine(StoreAccess::Write(StoreScope::Project))?;
                engine.report_phase(&by, phase.as_ref().map(|(own, it)| (own.as_str(), *it)))?;
                phase
            }
        };
        if app.json {
            let (own, universal) = now.unzip();
            let value = json!({"methodology": id, "phase": own, "universal": universal});
            return app.ui.json(&value);
        }
        app.ui.line(match now {
            None => "No phase is declared.".to_owned(),
            Some((own, universal)) if own == universal.as_str() => own,
            Some((own, universal)) => format!("{} ({universal})", visible(&own)),
        })
    }
}
