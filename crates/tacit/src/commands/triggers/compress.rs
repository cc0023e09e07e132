//! `tacit triggers compress`

use serde_json::json;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_triggers::compress::compress;

use crate::app::CliApp;
use crate::commands::triggers::corpus;
use crate::render::visible;

/// The column of the remarks.
const COLUMN: usize = 23;

/// Find the shortest trigger that matches only one heading.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit triggers compress \"How to Encode Paths\"
  tacit triggers compress When Writing Mock Tests --json")]
pub(crate) struct TriggersCompressArgs {
    /// The heading, which need not exist yet.
    #[arg(required = true, value_name = "HEADING")]
    heading: Vec<String>,
}

impl TriggersCompressArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let corpus = corpus(app, app.config())?;
        let found = compress(&corpus, &self.heading.join(" "));
        if app.json {
            app.ui.json(&json!(found))?;
        } else {
            let line = |query: &str, remark: String| {
                app.ui.line(format!("{:<COLUMN$}# {}", format!("{query} "), visible(&remark)))
            };
            if let Some(unique) = &found.unique {
                let words = unique.split_whitespace().count();
                line(unique, format!("unique, {words} words"))?;
            }
            for miss in &found.near_misses {
                let mut others: Vec<String> =
                    miss.also_matches.iter().take(3).map(|title| format!("\"{title}\"")).collect();
                if miss.also_matches.len() > others.len() {
                    others.push(format!("{} more", miss.also_matches.len() - others.len()));
                }
                line(&miss.query, format!("ambiguous (also matches {})", others.join(", ")))?;
            }
        }
        app.ui.flush()?;
        if found.unique.is_some() {
            return Ok(());
        }
        let message = format!("no trigger matches only `{}`", found.heading);
        Err(AppError::new(ErrorCode::Refused, message)
            .hint("rename the heading, or one of those that match as well"))
    }
}
