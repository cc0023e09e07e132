//! `tacit records list`

use clap::ValueEnum;
use serde_json::json;
use tacit_app::AppResult;
use tacit_app::records::folder;
use tacit_records::RecordCategory;

use super::{category, index_now, to_json};
use crate::app::CliApp;
use crate::render::visible;
use crate::ui::Tone;

/// List records, one per line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records list
  tacit records list decision --status all
  tacit records list --json")]
pub(crate) struct RecordsListArgs {
    /// Only this category.
    #[arg(value_name = "CATEGORY", value_parser = category)]
    category: Option<RecordCategory>,
    /// Only this status.
    #[arg(long, value_enum, default_value_t = StatusFilter::Active)]
    status: StatusFilter,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum StatusFilter {
    /// In use.
    Active,
    /// Taken out of use, to be removed.
    Retired,
    /// Taken out of use, and kept.
    Archived,
    /// Every record.
    All,
}

impl RecordsListArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let loaded = folder(app).load()?;
        index_now(app);
        let state = match self.status {
            StatusFilter::Active => Some("active"),
            StatusFilter::Retired => Some("retired"),
            StatusFilter::Archived => Some("archived"),
            StatusFilter::All => None,
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
