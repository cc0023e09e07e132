//! `tacit records list`

use clap::ValueEnum;
use serde_json::json;
use tacit_app::AppResult;
use tacit_app::records::folder;
use tacit_records::RecordCategory;

use super::{category, index_now, to_json};
use crate::app::App;
use crate::render::visible;
use crate::ui::Tone;

/// List records, one a line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records list
  tacit records list decision --status all
  tacit records list --json")]
pub(crate) struct RecordsListArgs {
    /// Only those of this category.
    #[arg(value_name = "CATEGORY", value_parser = category)]
    category: Option<RecordCategory>,
    /// Only those in this state.
    #[arg(long, value_enum, default_value_t = Wanted::Active)]
    status: Wanted,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Wanted {
    /// Those in use.
    Active,
    /// Those that were retired.
    Retired,
    /// Those that are kept in the archive.
    Archived,
    /// All of them.
    All,
}

impl RecordsListArgs {
    pub(super) fn run(self, app: &App) -> AppResult<()> {
        let loaded = folder(app).load()?;
        index_now(app);
        let state = match self.status {
            Wanted::Active => Some("active"),
            Wanted::Retired => Some("retired"),
            Wanted::Archived => Some("archived"),
            Wanted::All => None,
        };
        let listed: Vec<_> = loaded
            .stored
            .iter()
            .filter(|stored| self.category.is_none_or(|wanted| stored.record.category == wanted))
            .filter(|stored| state.is_none_or(|state| stored.record.status.as_str() == state))
            .collect();
        if app.json {
            let records: Vec<_> = listed.iter().map(|stored| to_json(stored)).collect();
            let problems: Vec<_> = loaded
                .problems
                .iter()
                .map(|p| json!({"path": p.path, "code": p.error.code(), "error": p.error.to_string()}))
                .collect();
            return app.ui.json(&json!({"records": records, "problems": problems}));
        }
        if listed.is_empty() {
            app.ui.line("No records.")?;
        }
        for stored in listed {
            let record = &stored.record;
            let path = app.ui.paint(Tone::Id, &record.path());
            let state = match record.status.as_str() {
                "active" => String::new(),
                other => format!(" [{other}]"),
            };
            app.ui.line(format!("{path}  {}{state}", visible(&record.title)))?;
        }
        for problem in &loaded.problems {
            let text = format!("{}: {}: {}", problem.path, problem.error.code(), problem.error);
            let text = app.ui.paint(Tone::Warn, &visible(&text));
            app.ui.line(text)?;
        }
        Ok(())
    }
}
