//! The list of `tacit review`, and its JSON.

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::review::{ReviewCard, ReviewItem, ReviewQueue, ReviewTally, card};
use tacit_core::visible_line;
use tacit_engine::{Engine, StoreAccess};

use crate::app::CliApp;
use crate::commands::{count, footer};
use crate::render;
use crate::ui::Tone;

/// The number of memories to list, unless another one is given.
pub(super) const LIMIT: usize = 20;

/// Prints the beginning of the queue, or all of it as JSON.
pub(super) fn print(app: &CliApp, queue: &ReviewQueue, limit: usize) -> AppResult<()> {
    let engine = app.engine(StoreAccess::ReadBoth)?;
    if app.json {
        let cards = queue.items.iter().map(|item| Ok(to_json(&card(&engine, item.clone())?)));
        let values: Vec<Value> = cards.collect::<AppResult<_>>()?;
        return app.ui.json(&Value::Array(values));
    }
    for item in queue.items.iter().take(limit) {
        print_item(app, &engine, item)?;
    }
    let total = queue.items.len();
    app.ui.footer(footer(0, total.min(limit), total))?;
    app.ui.line("")?;
    print_counts(app, total, queue.auto_confirmed)?;
    app.ui.lines([
        "  tacit review confirm ID       it is right",
        "  tacit review reject ID        it is of no use",
        "  tacit flag ID --outdated      or --wrong, --duplicate-of ID",
        "  tacit edit ID                 correct it",
    ])
}

/// Prints a memory of the queue, and why it waits.
pub(super) fn print_item(app: &CliApp, engine: &Engine<'_>, item: &ReviewItem) -> AppResult<()> {
    let width = app.ui.width().saturating_sub(2);
    app.ui.line(render::summary(&app.ui, &item.found, app.now()))?;
    let why = visible_line(&item.why(engine)?);
    let rows = render::wrap(&why, width);
    app.ui.lines(rows.map(|row| format!("  {}", app.ui.paint(Tone::Warn, &row))))
}

/// Says that nothing waits.
pub(super) fn print_nothing(app: &CliApp, queue: &ReviewQueue) -> AppResult<()> {
    app.ui.line("Nothing to review.")?;
    match queue.auto_confirmed {
        0 => Ok(()),
        number => app.ui.line(needless(number)),
    }
}

fn print_counts(app: &CliApp, waiting: usize, auto_confirmed: usize) -> AppResult<()> {
    let waiting = count(waiting, "memory waits", "memories wait");
    app.ui.line(format!("{waiting} for review."))?;
    match auto_confirmed {
        0 => Ok(()),
        number => app.ui.line(needless(number)),
    }
}

/// Describes memories that nobody confirmed and that need no review.
fn needless(number: usize) -> String {
    let what = count(number, "other needs", "others need");
    format!("{what} none: certain and used, or noted from a commit.")
}

/// Says what came of a review.
pub(super) fn print_tally(app: &CliApp, tally: ReviewTally, waiting: usize) -> AppResult<()> {
    let parts =
        [(tally.confirmed, "confirmed"), (tally.rejected, "rejected"), (tally.flagged, "flagged")];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    if parts.is_empty() {
        app.ui.line("Nothing was decided.")?;
    } else {
        app.ui.line(format!("{}; `tacit undo` undoes the last change.", parts.join(", ")))?;
    }
    match waiting {
        0 => app.ui.line("Nothing to review."),
        waiting => {
            let what = count(waiting, "memory waits", "memories wait");
            app.ui.line(format!("{what} for review."))
        }
    }
}

/// Renders a memory of the queue with its evidence.
pub(super) fn to_json(card: &ReviewCard) -> Value {
    let ReviewCard { item, why, phase, evidence, .. } = card;
    let mut value = render::to_json(&item.found);
    value["review_reason"] = json!(item.reason.as_str());
    value["review_others"] = json!(item.reason.others());
    value["review_why"] = json!(why);
    value["review_value"] = json!(item.value);
    value["shown"] = json!(item.shown);
    value["evidence"] = json!({
        "commands": evidence.commands, "error": evidence.error, "changes": evidence.changes,
        "commit": evidence.commit, "reasoning": evidence.reasoning, "phase": phase,
    });
    value
}
