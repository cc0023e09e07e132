//! `tacit records triage`

use serde_json::{Map, Value, json};
use tacit_records::RecordCategory;
use tacit_records::files::write_private;
use tacit_records::triage::{context_text, triggered};

use super::settings;
use crate::app::App;
use crate::error::CliResult;
use crate::records::{private_directory, read_session};

/// Say which records a session is worth.
///
/// For each category that is, an excerpt of the session is written to a directory that only you
/// can read. What an agent acts on stands between `<triage_data>` marks; `--json` prints that
/// alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records triage session.jsonl
  tacit records triage - --json < session.jsonl
  tacit records triage session.jsonl --no-files")]
pub(crate) struct Triage {
    /// The transcript of the session, one JSON object a line; `-` is standard input.
    #[arg(value_name = "TRANSCRIPT")]
    transcript: String,
    /// Write no excerpts.
    #[arg(long)]
    no_files: bool,
}

impl Triage {
    pub(super) fn run(self, app: &mut App) -> CliResult<()> {
        let (session, settings) = (read_session(app, &self.transcript)?, settings(app));
        let found = triggered(&session, &settings);
        let mut categories = Vec::new();
        let mut problems = Vec::new();
        for one in &found {
            let mut entry = json!({"category": one.category.as_str(), "score": one.score});
            if !self.no_files {
                let name = format!("context-{}.txt", one.category);
                let text = context_text(&session, one, &settings);
                match write_private(&private_directory(app), &name, text.as_bytes()) {
                    Ok(path) => entry["context_file"] = json!(path),
                    // Without an excerpt, whoever drafts passes the category over.
                    Err(error) => {
                        problems.push(format!("no excerpt for {}: {error}", one.category));
                    }
                }
            }
            categories.push(entry);
        }
        let models: Map<String, Value> = RecordCategory::ALL
            .iter()
            .map(|category| (category.to_string(), json!(settings.of(*category).model)))
            .collect();
        let records = &app.config().records;
        let data = json!({
            "categories": categories,
            "parallel": {
                "enabled": records.parallel, "category_models": models,
                "default_model": records.default_model,
                "verification_model": records.verification_model,
            },
        });
        if app.json {
            return Ok(app.ui.json(&data)?);
        }
        if found.is_empty() {
            return Ok(app.ui.line("Nothing in this session is worth a record.")?);
        }
        for one in &found {
            let name = one.category.as_str().to_uppercase();
            app.ui.line(format!("{name} ({:.2})", one.score))?;
        }
        for problem in problems {
            app.ui.line(format!("note: {problem}"))?;
        }
        app.ui.line(format!("\n<triage_data>\n{data:#}\n</triage_data>"))?;
        Ok(())
    }
}
