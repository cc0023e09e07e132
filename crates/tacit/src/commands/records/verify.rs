//! `tacit records verify`

use std::path::PathBuf;

use serde_json::json;
use tacit_app::records::{private_directory, read_limited, save_draft};
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_records::triage::{DraftVerdict, MAX_CONTEXT, verify};
use tacit_records::{RecordCategory, new_record};

use super::category;
use super::input::{InputArg, read_object};
use crate::app::CliApp;
use crate::render::visible;

/// Check a draft against its excerpt.
///
/// The draft must have the form of its category, and most words of each of its statements must be in
/// the excerpt. A draft that passes can still be wrong; one that does not pass must not be saved.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records verify decision --context context-decision.txt --draft draft-decision-4711.json
  tacit records verify decision --context context-decision.txt --keep < draft.json")]
pub(crate) struct RecordsVerifyArgs {
    /// The category.
    #[arg(value_name = "CATEGORY", value_parser = category)]
    category: RecordCategory,
    /// The excerpt, as `tacit records triage` wrote it.
    #[arg(long, value_name = "FILE")]
    context: PathBuf,
    /// Keep the draft, if it passes, for `--draft` of other commands.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    input: InputArg,
}

impl RecordsVerifyArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        // A bare name is that of an excerpt in the private directory.
        let name = self.context.file_name().filter(|name| *name == self.context.as_os_str());
        let private = name.map(|name| private_directory(app).join(name));
        let path = private.filter(|path| path.exists());
        let path = path.unwrap_or_else(|| app.directory.join(&self.context));
        let excerpt = read_limited(&path)?;
        let excerpt = &excerpt[..excerpt.floor_char_boundary(MAX_CONTEXT)];
        let draft = read_object(app, &self.input)?;
        new_record(self.category, None, draft.clone(), app.now())?;
        if let DraftVerdict::Block(unsupported) = verify(&draft, excerpt) {
            let message = format!("BLOCK: not in the excerpt: {}", unsupported.join("; "));
            return Err(AppError::new(ErrorCode::Refused, message)
                .hint("write only what the excerpt says, or leave the record out"));
        }
        let kept = self.keep.then(|| save_draft(app, self.category, draft)).transpose()?;
        if app.json {
            return app.ui.json(&json!({"verdict": "PASS", "draft": kept}));
        }
        match kept {
            Some(name) => app.ui.line(visible(&format!("PASS: {name}"))),
            None => app.ui.line("PASS"),
        }
    }
}
