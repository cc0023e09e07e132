//! `tacit records search`

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_records::files::StoredRecord;
use tacit_records::{RecordCategory, overlap};

use super::{category, index_now, load, to_json};
use crate::app::CliApp;
use crate::commands::footer;
use crate::filter_args::at_least_one;
use crate::render::visible;
use crate::ui::Tone;

/// Search records by words.
///
/// `tacit recall` searches all memories; this searches only the files.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records search WAL mode
  tacit records search locked database --category runbook
  tacit records search importer --all --json")]
pub(crate) struct RecordsSearchArgs {
    /// The query.
    #[arg(value_name = "WORD", required = true)]
    words: Vec<String>,
    /// Only this category.
    #[arg(long, value_name = "CATEGORY", value_parser = category)]
    category: Option<RecordCategory>,
    /// Include records that are out of use.
    #[arg(long)]
    all: bool,
    /// Largest number of results.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one)]
    limit: Option<usize>,
}

impl RecordsSearchArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let loaded = load(app)?;
        index_now(app);
        let question = self.words.join(" ");
        let mut found: Vec<(&StoredRecord, f64)> = loaded
            .stored
            .iter()
            .filter(|s| self.category.is_none_or(|wanted| s.record.category == wanted))
            .filter(|s| self.all || s.record.status.is_active())
            .map(|stored| (stored, overlap(&question, &stored.record)))
            .filter(|(_, score)| *score > 0.0)
            .collect();
        // The best first; of equals, the last changed.
        found.sort_by(|(a, x), (b, y)| {
            y.total_cmp(x).then_with(|| b.record.updated_at.at().cmp(&a.record.updated_at.at()))
        });
        let total = found.len();
        found.truncate(self.limit.unwrap_or(app.config().records.max_inject as usize));
        if app.json {
            let values = found.iter().map(|(stored, score)| {
                let mut value = to_json(stored);
                value["score"] = json!((score * 1000.0).round() / 1000.0);
                value
            });
            return app.ui.json(&Value::Array(values.collect()));
        }
        if found.is_empty() {
            return app.ui.line("No records.");
        }
        for (stored, _) in &found {
            let path = app.ui.paint(Tone::Id, &stored.record.path());
            app.ui.line(format!("{path}  {}", visible(&stored.record.title)))?;
        }
        app.ui.footer(footer(0, found.len(), total))
    }
}
