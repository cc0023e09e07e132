//! `tacit share`

use serde_json::json;
use tacit_app::AppResult;
use tacit_app::records::{ShareRequest, preview, reference, share};
use tacit_core::Problem;
use tacit_records::RecordCategory;

use crate::app::CliApp;
use crate::render::visible;
use crate::ui::Tone;

/// Write a memory as a record to commit.
///
/// A record is a JSON file in `.claude/memory/` that your team reads in a pull request and that
/// everybody's recall finds. The category follows from the type: a decision becomes a decision, a
/// preference a preference, an error_pattern a runbook, a gotcha or requirement a constraint. From
/// then on the memory follows the record.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit share a1b2c3d4
  tacit share a1b2c3d4 --dry-run
  tacit share a1b2c3d4 --set context=\"writers block readers\"
  tacit share a1b2c3d4 --category tech_debt --set reason_deferred=\"no time before the release\"")]
pub(crate) struct ShareArgs {
    /// The id; an unambiguous beginning is enough.
    #[arg(value_name = "ID")]
    id: String,
    /// The category, instead of the one that follows from the type: session_summary, decision,
    /// runbook, constraint, tech_debt or preference.
    #[arg(long, value_name = "CATEGORY", value_parser = category)]
    category: Option<RecordCategory>,
    /// The title, which names the file.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// A field of the record (repeat for several, and for a list).
    #[arg(long = "set", value_name = "FIELD=TEXT", value_parser = field)]
    fields: Vec<(String, String)>,
    /// Print the record without writing it.
    #[arg(long)]
    dry_run: bool,
}

fn category(text: &str) -> Result<RecordCategory, String> {
    text.parse().map_err(|problem: Problem| problem.to_string())
}

fn field(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("write it as FIELD=TEXT".to_owned()),
    }
}

impl ShareArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let request = ShareRequest {
            id: &self.id,
            category: self.category,
            title: self.title.as_deref(),
            fields: &self.fields,
        };
        if self.dry_run {
            let record = preview(app, &request)?;
            let path = reference(&record);
            if app.json {
                let value = json!({"dry_run": true, "file": path, "record": record.to_json()});
                return app.ui.json(&value);
            }
            app.ui.line(format!("Would write {path}:"))?;
            return app.ui.line(visible(&format!("{:#}", record.to_json())));
        }
        let (stored, notes) = share(app, &request)?;
        let path = reference(&stored.record);
        if app.json {
            return app.ui.json(&json!({
                "dry_run": false, "file": path, "hash": stored.hash, "notes": notes,
                "record": stored.record.to_json(),
            }));
        }
        let shown = app.ui.paint(Tone::Id, &path);
        app.ui.line(format!("Shared: {} ({shown})", visible(&stored.record.title)))?;
        app.ui.lines(notes.iter().map(|note| format!("  note: {}", visible(note))))?;
        app.ui.line("Next: git add .claude/memory && git commit")
    }
}
