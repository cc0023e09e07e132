//! `tacit triggers list`

use serde_json::{Value, json};
use tacit_app::AppResult;

use super::indexed;
use crate::app::CliApp;
use crate::render::visible;
use crate::ui::Tone;

/// List the entries of the index, by file.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit triggers list
  tacit triggers list testing.md
  tacit triggers list --json")]
pub(crate) struct TriggersListArgs {
    /// Only files with this in their path.
    #[arg(value_name = "FILE")]
    file: Option<String>,
}

impl TriggersListArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let corpus = indexed(app)?;
        let wanted = self.file.unwrap_or_default();
        let entries = || corpus.entries().filter(|(_, entry)| entry.section.contains(&wanted));
        if app.json {
            let values = entries().map(|(index, entry)| {
                json!({
                    "operator": entry.operator, "trigger": entry.trigger,
                    "extra_triggers": entry.extra_triggers, "file": entry.section,
                    "index": corpus.indexes[index].path, "line": entry.line_number,
                })
            });
            return app.ui.json(&Value::Array(values.collect()));
        }
        if entries().next().is_none() {
            return app.ui.line("No entries.");
        }
        let mut section = "";
        for (_, entry) in entries() {
            if entry.section != section {
                if !section.is_empty() {
                    app.ui.line("")?;
                }
                section = &entry.section;
                let heading = app.ui.paint(Tone::Strong, &visible(section));
                app.ui.line(heading)?;
            }
            app.ui.line(format!("  {}", visible(&entry.to_string())))?;
        }
        Ok(())
    }
}
