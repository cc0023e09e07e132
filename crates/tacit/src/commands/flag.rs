//! `tacit flag`, and `tacit review flag`

use clap::ArgGroup;
use serde_json::json;
use tacit_app::review::drop_waiting;
use tacit_app::verdict::{Judged, Verdict};
use tacit_app::{AppError, AppResult};
use tacit_core::Review;
use tacit_core::log::MemoryVerdict;
use tacit_engine::StoreAccess;

use crate::app::CliApp;
use crate::render;

/// Flag a wrong, outdated or duplicate memory.
///
/// The id is the one in the lines that agents are shown: `[gotcha a1b2c3d4 · verified]`. From now on,
/// hooks do not show the memory, also in sessions that are running, and it waits for `tacit review`,
/// until you change, confirm or forget it. Agents do the same with the tool `memory_feedback`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit flag a1b2c3d4 --wrong --note \"the pool closes itself\"
  tacit flag a1b2c3d4 --outdated
  tacit flag a1b2c3d4 --duplicate-of e5f6a7b8")]
#[command(group(ArgGroup::new("verdict").required(true).args(["wrong", "outdated", "duplicate_of"])))]
pub(crate) struct FlagArgs {
    /// The id; an unambiguous beginning is enough.
    #[arg(value_name = "ID")]
    id: String,
    /// The memory misleads; its confidence is halved.
    #[arg(long)]
    wrong: bool,
    /// The memory no longer holds.
    #[arg(long)]
    outdated: bool,
    /// The memory says the same as this one, which supersedes it.
    #[arg(long, value_name = "ID")]
    duplicate_of: Option<String>,
    /// The truth instead, for the history.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

impl FlagArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let verdict = match &self.duplicate_of {
            Some(other) => Verdict::DuplicateOf(other),
            None if self.wrong => Verdict::Plain(MemoryVerdict::Wrong),
            None => Verdict::Plain(MemoryVerdict::Outdated),
        };
        let reason = verdict.reason(self.note.as_deref(), app.voice());
        let reason = reason.map_err(|problem| AppError::usage(format!("--note {problem}")))?;
        let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
        let judged = verdict.apply(&mut engine, &self.id, reason, Review::Needed, app.now())?;
        let Judged { found, .. } = judged;
        drop(engine);
        drop_waiting(&app.places);
        if app.json {
            let mut value = render::to_json(&found);
            value["verdict"] = json!(match verdict {
                Verdict::Plain(verdict) => verdict.as_str(),
                Verdict::DuplicateOf(_) => "duplicate",
            });
            return app.ui.json(&value);
        }
        app.ui.line(render::change_line(&app.ui, "Flagged", &found.memory))
    }
}
