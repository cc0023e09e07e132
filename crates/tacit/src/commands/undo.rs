//! `tacit undo`

use serde_json::json;
use tacit_app::AppResult;
use tacit_engine::StoreAccess;

use crate::app::{CliApp, StoreScopeArg};
use crate::commands::count;

/// Undo the last change, or a given one.
///
/// Each call goes one change further back. An undo is a change, too: `tacit undo NUMBER` with the
/// number of an undo redoes the change. In a team, only your own changes are undone unless you give a
/// number.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit undo
  tacit undo 42")]
pub(crate) struct UndoArgs {
    /// The number of the change, as `tacit history` shows it.
    #[arg(value_name = "CHANGE")]
    change: Option<i64>,
    #[command(flatten)]
    scope: StoreScopeArg,
}

impl UndoArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let scope = self.scope.scope();
        let mut engine = app.engine_for_write(StoreAccess::Write(scope))?;
        let undone = engine.undo(scope, self.change)?;
        drop(engine);
        let change = &undone.change;
        if app.json {
            let value = json!({
                "undone": change.id, "kind": change.action.kind, "by": undone.by,
                "memories": change.items.iter().map(|item| item.memory).collect::<Vec<_>>(),
            });
            return app.ui.json(&value);
        }
        let touched = count(change.items.len(), "memory", "memories");
        let line =
            format!("Undid change {} ({}, {touched})", change.id, change.action.kind.as_str());
        app.ui.line(line)?;
        if let Some(by) = undone.by
            && app.ui.interactive
        {
            app.ui.line(format!("`tacit undo {by}` redoes it"))?;
        }
        Ok(())
    }
}
