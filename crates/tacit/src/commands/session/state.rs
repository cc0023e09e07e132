//! `tacit session state`

use serde_json::json;
use tacit_app::AppResult;
use tacit_app::briefing::unfinished_work;
use tacit_app::human_time::ago;
use tacit_engine::{StoreAccess, StoreScope};

use super::settle;
use crate::app::CliApp;
use crate::commands::work;
use crate::render;
use crate::ui::Tone;

/// Show the unfinished work the next session sees.
///
/// Tacit keeps the state of a unit of work that a session left unfinished, and shows it to the next
/// session on the same unit or branch.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit session state
  tacit session state --json")]
pub(crate) struct SessionStateArgs {}

impl SessionStateArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        settle(app);
        let here = app.here();
        let engine = app.engine(StoreAccess::Read(StoreScope::Project))?;
        let current = engine.work(&here)?;
        let (branch, root) = (here.branch.as_deref(), app.worktree());
        let unfinished = unfinished_work(&engine, &current, branch, root, app.now())?;
        drop(engine);
        if app.json {
            let mut value = work::to_json(&current);
            value["branch"] = json!(here.branch);
            value["state"] = json!(unfinished.as_ref().map(|(found, _)| render::to_json(found)));
            value["text"] = json!(unfinished.as_ref().map(|(_, text)| text));
            return app.ui.json(&value);
        }
        let Some((found, text)) = unfinished else {
            return app.ui.line("No work was left unfinished here.");
        };
        let id = app.ui.paint(Tone::Id, &found.memory.id.short().to_string());
        let when = app.ui.paint(Tone::Dim, &ago(found.memory.updated_at, app.now()));
        app.ui.line(format!("{id}  {when}"))?;
        let width = app.ui.width().saturating_sub(2);
        let rows = render::visible(&text);
        let rows = rows.lines().flat_map(|line| render::wrap(line, width));
        app.ui.lines(rows.map(|row| if row.is_empty() { row } else { format!("  {row}") }))
    }
}
