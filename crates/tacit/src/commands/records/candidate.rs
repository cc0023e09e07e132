//! `tacit records candidate`

use tacit_app::AppResult;
use tacit_app::records::best_record;
use tacit_records::{CandidateQuery, LIFECYCLE_EVENTS, RecordCategory, select_candidate};

use super::{category, index_now, load, settings};
use crate::app::CliApp;
use crate::render::visible;

/// Find the record that new information belongs to.
///
/// `vetoes` are absolute. `pre_action` is clear without looking at the candidate; `structural_cud` is
/// what the records allow: CREATE, UPDATE, UPDATE_OR_DELETE or NOOP.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records candidate --category decision --new-info \"we chose WAL mode for readers\"
  tacit records candidate --category tech_debt --new-info \"parser copies\" \\
    --lifecycle-event resolved --json")]
pub(crate) struct RecordsCandidateArgs {
    /// The category.
    #[arg(long, value_name = "CATEGORY", value_parser = category)]
    category: RecordCategory,
    /// The new information, in a sentence or two.
    #[arg(long, value_name = "TEXT")]
    new_info: String,
    /// The event in the life of its subject.
    #[arg(long, value_name = "EVENT", value_parser = LIFECYCLE_EVENTS)]
    lifecycle_event: Option<String>,
    /// A person asks, so that `auto_capture` does not matter.
    #[arg(long)]
    by_hand: bool,
}

impl RecordsCandidateArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        index_now(app);
        let records = load(app)?.records();
        let best = best_record(app, self.category, &self.new_info, &records);
        let question = CandidateQuery {
            category: self.category,
            new_info: &self.new_info,
            automatic: !self.by_hand,
            event: self.lifecycle_event.as_deref(),
        };
        let selection = select_candidate(&question, &records, best, &settings(app), app.now());
        if app.json {
            return app.ui.json(&selection.to_json());
        }
        app.ui.lines(selection.vetoes.iter().map(|veto| visible(&format!("veto: {veto}"))))?;
        let json = selection.to_json();
        app.ui.line(format!("pre_action: {}", json["pre_action"].as_str().unwrap_or("none")))?;
        app.ui.line(format!(
            "structural_cud: {}",
            json["structural_cud"].as_str().unwrap_or_default()
        ))?;
        if let Some((record, score)) = &selection.candidate {
            let line = format!("candidate: {}  {} ({score:.2})", record.path(), record.title);
            app.ui.line(visible(&line))?;
        }
        Ok(())
    }
}
