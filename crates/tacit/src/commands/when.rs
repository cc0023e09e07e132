//! `tacit when`, and what it shares with `tacit how`.

use serde_json::json;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_triggers::{Operator, ResolveError};

use crate::app::CliApp;

/// Print the decision for a situation.
///
/// Opens a section of the decision files by its trigger. The triggers are the `/when` lines of the
/// index; a few words of one are enough. A dot in front asks for a section by its heading, two dots
/// for a whole file. Prints the section, and the names of broader and related sections.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit when writing mock tests
  tacit when .Mock Patching         a section by its heading
  tacit when ..testing.md           a whole decision file")]
pub(crate) struct WhenArgs {
    /// The trigger, or `.Section Title`, or `..file.md`.
    #[arg(required = true, value_name = "TRIGGER")]
    query: Vec<String>,
}

impl WhenArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        answer(app, Operator::When, &self.query)
    }
}

/// Resolves a query and prints the section. It opens no store and loads no model.
pub(super) fn answer(app: &CliApp, operator: Operator, query: &[String]) -> AppResult<()> {
    let query = query.join(" ");
    let opened = tacit_app::triggers::open(app, app.config(), operator, &query)?;
    let found = opened.map_err(|error| refusal(app, &error))?;
    if app.json {
        let value = json!({
            "title": found.title, "file": found.path, "line": found.line,
            "content": String::from_utf8_lossy(&found.content),
            "broader": found.broader, "related": found.related,
        });
        return app.ui.json(&value);
    }
    app.ui.bytes(&found.render())
}

/// Renders a query that was not found in the words of the resolver. In JSON, the suggestions are
/// the hint.
fn refusal(app: &CliApp, error: &ResolveError) -> AppError {
    let refusal = AppError::verbatim(ErrorCode::NotFound, error.to_string());
    let suggestions = error.suggestions();
    if !app.json || suggestions.is_empty() {
        return refusal;
    }
    refusal.hint(suggestions.join("\n"))
}
