//! `tacit records schema`

use tacit_app::AppResult;
use tacit_records::{RecordCategory, json_schema};

use super::category;
use crate::app::CliApp;

/// Print the JSON Schema of a category's records.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records schema decision
  tacit records schema runbook --json")]
pub(crate) struct RecordsSchemaArgs {
    /// The category.
    #[arg(value_name = "CATEGORY", value_parser = category)]
    category: RecordCategory,
}

impl RecordsSchemaArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let schema = json_schema(self.category);
        if app.json {
            return app.ui.json(&schema);
        }
        app.ui.line(format!("{schema:#}"))
    }
}
