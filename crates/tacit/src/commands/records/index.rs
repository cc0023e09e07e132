//! `tacit records index`

use serde_json::json;
use tacit_app::files::sync;
use tacit_app::{AppError, AppResult};
use tacit_engine::{StoreAccess, StoreScope};

use super::notes;
use crate::app::CliApp;
use crate::commands::count;
use crate::render::visible;

/// Update `index.md` and the database from the files.
///
/// Every command about records does this for files that have changed; this one reads all of them
/// again. Run it after a pull.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records index
  tacit records index --json")]
pub(crate) struct RecordsIndexArgs {}

impl RecordsIndexArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        // Fails with a hint if there is no database.
        app.engine(StoreAccess::Write(StoreScope::Project)).map(drop)?;
        let synced = sync(app, true)?;
        if app.json {
            let problems: Vec<_> = synced
                .problems
                .iter()
                .map(|p| json!({"path": p.path, "code": p.error.code(), "error": p.error.to_string()}))
                .collect();
            app.ui.json(&json!({
                "indexed": synced.indexed, "sections": synced.sections, "rules": synced.rules,
                "removed": synced.removed, "problems": problems,
            }))?;
        } else {
            let indexed = count(synced.indexed.len(), "record", "records");
            let sections = match synced.sections.len() {
                0 => String::new(),
                number => {
                    format!(" and {} of decision files", count(number, "section", "sections"))
                }
            };
            app.ui.line(format!("Indexed {indexed}{sections}."))?;
            app.ui.lines(synced.removed.iter().map(|path| format!("Out of use: {path}")))?;
            app.ui.lines(notes(&synced).iter().map(|note| visible(note)))?;
        }
        if synced.problems.is_empty() { Ok(()) } else { Err(AppError::already_printed()) }
    }
}
