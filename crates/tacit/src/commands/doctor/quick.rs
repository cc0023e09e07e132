//! `tacit doctor --quick`

use serde_json::{Value, json};
use tacit_app::{AppError, AppResult};
use tacit_engine::StoreAccess;

use crate::app::App;
use crate::commands::{
    failed_step, lost, pending, set_aside, set_aside_events, unindexed, unreadable, waiting,
};
use crate::render::visible;
use crate::ui::Tone;

/// Checks the stores without reading every page. Fails if something is wrong.
pub(super) fn check(app: &App) -> AppResult<()> {
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let mut shelves = Vec::new();
    for (shelf, _) in engine.shelves() {
        shelves.push((shelf, engine.health(shelf, false)?));
    }
    drop(engine);
    let well = shelves.iter().all(|(_, health)| {
        health.check.problems.is_empty()
            && health.check.unindexed == 0
            && health.set_aside == 0
            && health.lost_events == 0
            && health.lost.is_none()
            && health.pending == 0
            && health.check.unreadable.is_empty()
            && health.failed.is_empty()
    });
    if app.json {
        let values: Vec<Value> = shelves
            .iter()
            .map(|(shelf, health)| {
                json!({
                    "shelf": shelf.as_str(), "problems": health.check.problems,
                    "unindexed": health.check.unindexed, "waiting": health.waiting,
                    "set_aside": health.set_aside,
                    "set_aside_events": health.lost_events,
                    "lost_memories": health.lost.map_or(0, |lost| lost.memories),
                    "lost_changes": health.lost.map_or(0, |lost| lost.changes),
                    "unfinished_purges": health.pending,
                    "unreadable_rows": health.check.unreadable,
                    "failed_steps": health.failed,
                })
            })
            .collect();
        app.ui.json(&json!({"healthy": well, "stores": values}))?;
    } else {
        for (shelf, health) in &shelves {
            let mut findings = health.check.problems.clone();
            if let Some(losses) = &health.lost {
                findings.push(lost(losses));
            }
            if health.pending > 0 {
                findings.push(pending(health));
            }
            if health.check.unindexed > 0 {
                findings.push(unindexed(health.check.unindexed));
            }
            if !health.check.unreadable.is_empty() {
                let rows = unreadable(&health.check.unreadable);
                findings.push(format!("{rows}; `tacit doctor --fix` moves them out"));
            }
            for failed in &health.failed {
                let step = visible(&failed_step(failed, app.now()));
                findings.push(format!("{step}; `tacit maintain` tries again"));
            }
            if health.waiting > 0 {
                findings.push(waiting(health.waiting));
            }
            if health.lost_events > 0 {
                findings.push(set_aside_events(health.lost_events));
            }
            if health.set_aside > 0 {
                findings.push(set_aside(health.set_aside));
            }
            let state = if findings.is_empty() {
                app.ui.paint(Tone::Good, "healthy")
            } else {
                app.ui.paint(Tone::Warn, &findings.join("; "))
            };
            app.ui.line(format!("{:<8} {state}", shelf.as_str()))?;
        }
    }
    app.ui.flush()?;
    if well { Ok(()) } else { Err(AppError::already_printed()) }
}
