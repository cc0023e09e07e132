//! `tacit records show`

use tacit_app::AppResult;
use tacit_app::records::folder;
use tacit_records::content_text;

use super::{index_now, to_json};
use crate::app::CliApp;
use crate::render::visible;
use crate::ui::Tone;

/// Show a record, with the hash that an update checks.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records show use-wal-mode
  tacit records show decisions/use-wal-mode --json")]
pub(crate) struct RecordsShowArgs {
    /// The name of the record, or the path of its file.
    #[arg(value_name = "NAME")]
    name: String,
}

impl RecordsShowArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let stored = folder(app).find(&self.name)?;
        index_now(app);
        if app.json {
            return app.ui.json(&to_json(&stored));
        }
        let record = &stored.record;
        let title = app.ui.paint(Tone::Strong, &visible(&record.title));
        app.ui.line(title)?;
        app.ui.line(format!(
            "{} · {} · {} · updated {} times, last {}",
            record.category,
            record.path(),
            record.status.as_str(),
            record.times_updated,
            visible(record.updated_at.as_str()),
        ))?;
        app.ui.line(visible(&format!("tags: {}", record.tags.join(", "))))?;
        if !record.related_files.is_empty() {
            app.ui.line(visible(&format!("files: {}", record.related_files.join(", "))))?;
        }
        app.ui.line(format!("hash: {}", stored.hash))?;
        app.ui.line("")?;
        app.ui.line(visible(&content_text(record)))?;
        app.ui.lines(
            record
                .changes
                .iter()
                .map(|change| visible(&format!("changed {}: {}", change.date(), change.summary()))),
        )
    }
}
