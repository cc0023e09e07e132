//! `tacit triggers stats`

use serde_json::json;
use tacit_app::AppResult;
use tacit_models::bundled::BundledModel;
use tacit_triggers::stats::stats;

use super::indexed;
use crate::app::CliApp;
use crate::render::visible;
use crate::ui::Tone;

/// Count the tokens that the index costs in every session.
///
/// Tokens are those of the bundled model's tokenizer; agents count a little differently. A section
/// that costs no more than its entry is better loaded in every session.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit triggers stats
  tacit triggers stats --json")]
pub(crate) struct TriggersStatsArgs {}

impl TriggersStatsArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let corpus = indexed(app)?;
        let model = BundledModel::load();
        let stats = stats(&corpus, &|text| model.token_count(text));
        if app.json {
            return app.ui.json(&json!(stats));
        }
        let percent = 100 * stats.tokens / stats.budget.max(1);
        let over = if stats.tokens > stats.budget { ", which is too many" } else { "" };
        for (name, value) in [
            ("entries", format!("{} (/when {}, /how {})", stats.entries, stats.when, stats.how)),
            ("extras", stats.extra_triggers.to_string()),
            ("files", stats.files.to_string()),
            ("tokens", format!("{} of {} ({percent} %){over}", stats.tokens, stats.budget)),
        ] {
            let name = app.ui.paint(Tone::Dim, &format!("{name:<8}"));
            app.ui.line(format!("{name} {value}"))?;
        }
        if !stats.promotions.is_empty() {
            app.ui.line("")?;
            app.ui.line("Short enough to be loaded always:")?;
        }
        app.ui.lines(stats.promotions.iter().map(|promotion| {
            format!(
                "  {}  {}:{}  {} tokens, its entry {}",
                visible(&promotion.entry),
                visible(&promotion.file),
                promotion.line,
                promotion.content_tokens,
                promotion.entry_tokens
            )
        }))
    }
}
