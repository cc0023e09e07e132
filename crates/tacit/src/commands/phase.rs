//! `tacit phase`

use serde_json::json;
use tacit_app::AppResult;
use tacit_engine::{StoreAccess, StoreScope};

use crate::app::App;
use crate::render::visible;

/// The word that ends a phase.
const NONE: &str = "none";

/// The phase of work: see it, or say which it is.
///
/// A phase decides which types of memory come first. It is one of the active methodology's own
/// (`tacit methodology show`), one of its stages, or define, implement, validate, refine, explore
/// or reflect. It holds on this branch until another is declared or its unit of work is finished.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit phase                  which it is
  tacit phase coding
  tacit phase none             none any more")]
pub(crate) struct Phase {
    /// The phase that begins; `none` ends the one it is.
    phase: Option<String>,
}

impl Phase {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
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
