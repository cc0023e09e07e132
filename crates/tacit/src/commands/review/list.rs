//! The list of `tacit review`.

use serde_json::{Value, json};
use tacit_app::review::{
    ReviewItem, ReviewReason, compare_with_code, is_about_changed_code, review_queue,
};
use tacit_app::{AppError, AppResult};
use tacit_core::{MemoryId, visible_line};
use tacit_engine::{Engine, StoreAccess};
use tacit_store::ChangeQuery;

use crate::app::CliApp;
use crate::commands::{count, footer};
use crate::filter_args::at_least_one;
use crate::render;
use crate::ui::Tone;

/// The part of the queue to list.
#[derive(Debug, clap::Args)]
pub(super) struct ReviewListArgs {
    /// List only memories whose code has changed.
    #[arg(long)]
    stale: bool,
    /// Largest number of memories to list.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one,
          default_value_t = 20)]
    limit: usize,
}

impl ReviewListArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        // If the comparison fails, the list has the results of the last one.
        let compared = compare_with_code(app).map_err(|error| {
            let problem =
                format!("memories could not be compared with the code: {}", error.message);
            AppError::new(error.code, problem)
                .hint("the list is of the last comparison; `tacit doctor` looks for the cause")
        });
        let engine = app.engine(StoreAccess::ReadBoth)?;
        let mut queue = review_queue(&engine)?;
        if self.stale {
            queue.retain(|item| is_about_changed_code(&item.found.memory));
        }
        if app.json {
            let values: Vec<Value> = queue.iter().map(to_json).collect();
            app.ui.json(&Value::Array(values))?;
        } else if !queue.is_empty() {
            self.print(app, &engine, &queue)?;
        } else if compared.is_ok() {
            app.ui.line("Nothing waits for review.")?;
        }
        drop(engine);
        app.ui.flush()?;
        compared
    }

    fn print(&self, app: &CliApp, engine: &Engine<'_>, queue: &[ReviewItem]) -> AppResult<()> {
        let now = app.now();
        let width = app.ui.width().saturating_sub(2);
        for item in queue.iter().take(self.limit) {
            app.ui.line(render::summary(&app.ui, &item.found, now))?;
            let reason = visible_line(&in_words(engine, item)?);
            let rows = render::wrap(&reason, width);
            app.ui.lines(rows.map(|row| format!("  {}", app.ui.paint(Tone::Warn, &row))))?;
        }
        let total = queue.len();
        app.ui.footer(footer(0, total.min(self.limit), total))?;
        app.ui.line("")?;
        let waiting = count(total, "memory waits", "memories wait");
        app.ui.line(format!("{waiting} for review."))?;
        app.ui.lines([
            "  tacit review confirm ID           it is right",
            "  tacit review flag ID --outdated   or --wrong, --duplicate-of ID",
            "  tacit edit ID, tacit forget ID    correct it, or take it out of use",
        ])
    }
}

/// Describes why a memory waits.
fn in_words(engine: &Engine<'_>, item: &ReviewItem) -> AppResult<String> {
    let memory = &item.found.memory;
    let ids = |ids: &[MemoryId]| {
        ids.iter().map(|id| id.short().to_string()).collect::<Vec<_>>().join(", ")
    };
    Ok(match &item.reason {
        ReviewReason::Flagged => {
            let query = ChangeQuery { memory: Some(memory.id), limit: 1, ..ChangeQuery::default() };
            let last = engine.history(item.found.store, &query)?.pop();
            let reason = last.and_then(|change| change.action.reason);
            reason.map_or_else(|| "flagged".to_owned(), |reason| format!("flagged: {reason}"))
        }
        ReviewReason::Conflict(others) => format!("conflicts with {}", ids(others)),
        ReviewReason::CodeChanged => {
            let doubt = memory.body.trust.stale_why.as_ref().map(ToString::to_string);
            format!("the code changed: {}", doubt.unwrap_or_default())
        }
        ReviewReason::Replaces(others) => format!("may replace {}", ids(others)),
        ReviewReason::Unconfirmed => match memory.body.origin.source {
            source if source.is_claim() => memory.trust_label().to_owned(),
            _ => "learnt by Tacit, not confirmed".to_owned(),
        },
    })
}

fn to_json(item: &ReviewItem) -> Value {
    let mut value = render::to_json(&item.found);
    value["review_reason"] = json!(item.reason.as_str());
    value["review_others"] = json!(item.reason.others());
    value
}
