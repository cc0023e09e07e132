//! `tacit records draft`

use serde_json::{Value, json};
use tacit_app::records::{Drafter, RecordCapture, read_session};
use tacit_app::{AppError, AppResult};
use tacit_records::RecordCategory;

use super::{category, index_now};
use crate::app::CliApp;
use crate::render::visible;

/// Draft records from the transcript of a session.
///
/// Drafts use the words of the session; a draft with statements that are not in the session is
/// dropped, and so is one that a rule forbids. A draft that belongs to an existing record adds to it.
/// Drafts are written to a directory that only you can read, for `tacit records create CATEGORY
/// --draft NAME`; with `--save`, they are saved at once. With `--model`, the configured text model
/// drafts and verifies, and rules take over where it fails.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records draft session.jsonl
  tacit records draft session.jsonl --category decision --save
  tacit records draft session.jsonl --model --save
  tacit records draft - --json < session.jsonl")]
pub(crate) struct RecordsDraftArgs {
    /// The transcript of the session, one JSON object per line; `-` is standard input.
    #[arg(value_name = "TRANSCRIPT")]
    transcript: String,
    /// Only this category.
    #[arg(long, value_name = "CATEGORY", value_parser = category)]
    category: Option<RecordCategory>,
    /// Save the drafts as records.
    #[arg(long)]
    save: bool,
    /// Let the text model of `generation.provider` draft and verify.
    #[arg(long)]
    model: bool,
}

impl RecordsDraftArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let session = read_session(app, &self.transcript)?;
        let drafter = if self.model { Drafter::Model } else { Drafter::Rules };
        if self.model && !app.has_generator() {
            return Err(AppError::usage("no text model is configured").hint(
                "`tacit config explain generation.provider`; without `--model`, rules draft",
            ));
        }
        let done = RecordCapture { app, drafter, only_seen: false, save: self.save }
            .run(&session, self.category)?;
        let notes = if self.save { index_now(app) } else { Vec::new() };
        if app.json {
            let values = done.iter().map(|one| {
                json!({
                    "category": one.category.as_str(), "action": one.action.as_str(),
                    "result": one.what, "by": one.by, "note": one.note,
                })
            });
            return app.ui.json(&Value::Array(values.collect()));
        }
        if done.is_empty() {
            app.ui.line("Nothing in this session is worth a record.")?;
        }
        for one in &done {
            app.ui.line(visible(&format!("{} {}: {}", one.action, one.category, one.what)))?;
            if let Some(why) = &one.note {
                app.ui.line(visible(&format!("   note: by rules, because {why}")))?;
            }
        }
        for note in notes {
            app.ui.line(visible(&format!("note: {note}")))?;
        }
        Ok(())
    }
}
