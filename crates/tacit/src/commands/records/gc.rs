//! `tacit records gc`

use serde_json::json;
use tacit_app::AppResult;
use tacit_app::records::{folder, lock_timeout};
use tacit_records::{RecordResult, expiry_reason, is_expired, is_removable};

use super::{index_now, load, settings};
use crate::app::CliApp;

/// Remove old records.
///
/// A retired record is removed after `records.grace_days`; a record that has not changed for
/// `records.CATEGORY.retention_days` is retired.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records gc --dry-run
  tacit records gc
  tacit records gc --archive")]
pub(crate) struct RecordsGcArgs {
    /// Archive records instead of removing them.
    #[arg(long)]
    archive: bool,
    /// Show the changes without making them.
    #[arg(long)]
    dry_run: bool,
}

impl RecordsGcArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let (folder, settings, now) = (folder(app), settings(app), app.now());
        let mut removed = Vec::new();
        let mut retired = Vec::new();
        if folder.root().exists() {
            let writer = folder.writer(&settings, now, lock_timeout(app))?;
            for record in load(app)?.records() {
                let path = record.path();
                if is_removable(&record, now, &settings) {
                    self.unless_dry(|| match self.archive {
                        true => {
                            writer.archive(&path, "Kept after the grace period", None).map(drop)
                        }
                        false => writer.remove(&record),
                    })?;
                    removed.push(path);
                } else if is_expired(&record, now, &settings) {
                    let reason = expiry_reason(record.category, &settings);
                    self.unless_dry(|| writer.retire(&path, &reason, None).map(drop))?;
                    retired.push(path);
                }
            }
        }
        let keep = app.config().records.archive_retired && !self.archive && !removed.is_empty();
        let notes = match self.dry_run {
            false => index_now(app),
            true if keep => vec![
                "`records.archive_retired` is set: `tacit records gc --archive` keeps them".into(),
            ],
            true => Vec::new(),
        };
        let kept = if self.archive { "archived" } else { "removed" };
        if app.json {
            return app.ui.json(&json!({
                kept: removed, "retired": retired, "dry_run": self.dry_run, "notes": notes,
            }));
        }
        if removed.is_empty() && retired.is_empty() {
            app.ui.line("Nothing to do.")?;
        }
        let word = match (self.dry_run, self.archive) {
            (true, true) => "Would be archived",
            (true, false) => "Would be removed",
            (false, true) => "Archived",
            (false, false) => "Removed",
        };
        app.ui.lines(removed.iter().map(|path| format!("{word}: {path}")))?;
        let word = if self.dry_run { "Would be retired" } else { "Retired" };
        app.ui.lines(retired.iter().map(|path| format!("{word}: {path}")))?;
        app.ui.lines(notes.iter().map(|note| format!("note: {note}")))
    }

    fn unless_dry(&self, act: impl FnOnce() -> RecordResult<()>) -> RecordResult<()> {
        if self.dry_run { Ok(()) } else { act() }
    }
}
