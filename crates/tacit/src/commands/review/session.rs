//! `tacit review --session`

use serde_json::{Value, json};
use tacit_app::review::{SessionReview, card, last_session, session_review};
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_core::SessionId;
use tacit_engine::{Engine, StoreAccess, StoredMemory};

use super::list;
use crate::app::CliApp;
use crate::commands::{count, session};
use crate::render::{self, visible_line};
use crate::ui::Tone;

/// The most memories that are listed of what needs no review; all are counted.
const COLLAPSED: usize = 5;

/// Shows what a session used and taught; the last session if `typed` is empty.
pub(super) fn show(app: &CliApp, typed: &str) -> AppResult<()> {
    session::settle(app);
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let id = find(&engine, typed)?;
    let review = session_review(&engine, &id, app.now())?;
    if app.json {
        return app.ui.json(&to_json(&engine, &review)?);
    }
    print(app, &engine, &review)
}

fn find(engine: &Engine<'_>, typed: &str) -> AppResult<SessionId> {
    if !typed.is_empty() {
        let id = session::session(typed)?;
        if engine.session(&id)?.is_some() {
            return Ok(id);
        }
        let problem = format!("no session has the id `{}`", visible_line(typed));
        return Err(AppError::new(ErrorCode::NotFound, problem)
            .hint("`tacit session list` shows the last sessions"));
    }
    last_session(engine)?.ok_or_else(|| {
        AppError::new(ErrorCode::NotFound, "no session of an agent has been seen here")
            .hint("`tacit review` shows what waits")
    })
}

fn print(app: &CliApp, engine: &Engine<'_>, review: &SessionReview) -> AppResult<()> {
    let heading = |text: &str| app.ui.paint(Tone::Strong, text);
    let memory = |found: &StoredMemory| render::summary(&app.ui, found, app.now());
    app.ui.line(format!("Session {}", visible_line(review.session.as_str())))?;
    app.ui.line("")?;
    app.ui.line(heading("Applied: shown to the agent"))?;
    app.ui.lines(review.applied.iter().map(memory))?;
    if review.applied.is_empty() {
        app.ui.line("nothing")?;
    }
    app.ui.line("")?;
    app.ui.line(heading("New: review required"))?;
    for item in &review.new {
        list::print_item(app, engine, item)?;
    }
    if review.new.is_empty() {
        app.ui.line("nothing")?;
    }
    let total = review.auto_confirmed.len();
    app.ui.line("")?;
    app.ui.line(heading(&format!("Auto-confirmed: {}", count(total, "memory", "memories"))))?;
    app.ui.lines(review.auto_confirmed.iter().take(COLLAPSED).map(memory))?;
    if total > COLLAPSED {
        app.ui.line(format!("and {} more; --json lists all", total - COLLAPSED))?;
    }
    if !review.new.is_empty() {
        app.ui.line("")?;
        app.ui.line("`tacit review` asks about what waits.")?;
    }
    Ok(())
}

fn to_json(engine: &Engine<'_>, review: &SessionReview) -> AppResult<Value> {
    let new = review.new.iter().map(|item| Ok(list::to_json(&card(engine, item.clone())?)));
    Ok(json!({
        "session": review.session.as_str(),
        "applied": render::all_to_json(&review.applied),
        "new": new.collect::<AppResult<Vec<Value>>>()?,
        "auto_confirmed": render::all_to_json(&review.auto_confirmed),
    }))
}
