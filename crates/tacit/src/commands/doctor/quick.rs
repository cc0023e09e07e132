//! `tacit doctor --quick`

use serde_json::{Value, json};
use tacit_app::{AppError, AppResult};
use tacit_engine::StoreAccess;

use crate::app::CliApp;
use crate::commands::{
    failed_step, lost, pending, refused, set_aside, set_aside_events, unindexed, unreadable,
    waiting,
};
use crate::render::visible;
use crate::ui::Tone;

/// Checks the stores without reading every page. Fails if something is wrong.
pub(super) fn check(app: &CliApp) -> AppResult<()> {
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let mut stores = Vec::new();
    for (scope, _) in engine.stores() {
        stores.push((scope, engine.health(scope, false)?));
    }
    drop(engine);
    let well = stores.iter().all(|(_, health)| {
        health.check.problems.is_empty()
            && health.check.unindexed == 0
            && health.quarantined == 0
            && health.refused == 0
            && health.quarantined_events == 0
            && health.lost_writes.is_none()
            && health.pending_purges == 0
            && health.check.unreadable.is_empty()
            && health.failed_steps.is_empty()
    });
    if app.json {
        let values: Vec<Value> = stores
            .iter()
            .map(|(scope, health)| {
                json!({
                    "store": scope.as_str(), "problems": health.check.problems,
                    "unindexed": health.check.unindexed, "waiting": health.spooled,
                    "set_aside": health.quarantined,
                    "refused": health.refused,
                    "set_aside_events": health.quarantined_events,
                    "lost_memories": health.lost_writes.map_or(0, |lost| lost.memories),
                    "lost_changes": health.lost_writes.map_or(0, |lost| lost.changes),
                    "unfinished_purges": health.pending_purges,
                    "unreadable_rows": health.check.unreadable,
                    "failed_steps": health.failed_steps,
                })
            })
            .collect();
        app.ui.json(&json!({"healthy": well, "stores": values}))?;
    } else {
        for (scope, health) in &stores {
            let mut findings = health.check.problems.clone();
            if let Some(losses) = &health.lost_writes {
                findings.push(lost(losses));
            }
            if health.pending_purges > 0 {
                findings.push(pending(health));
            }
            if health.check.unindexed > 0 {
                findings.push(unindexed(health.check.unindexed));
            }
            if !health.check.unreadable.is_empty() {
                let rows = unreadable(&health.check.unreadable);
                findings.push(format!("{rows}; `tacit doctor --fix` moves them out"));
            }
            for failed in &health.failed_steps {
                let step = visible(&failed_step(failed, app.now()));
                findings.push(format!("{step}; `tacit maintain` tries again"));
            }
            if health.spooled > 0 {
                findings.push(waiting(health.spooled));
            }
            if health.quarantined_events > 0 {
                findings.push(set_aside_events(health.quarantined_events));
            }
            if health.refused > 0 {
                findings.push(refused(health.refused));
            }
            if health.quarantined > 0 {
                findings.push(set_aside(health.quarantined));
            }
            let state = if findings.is_empty() {
                app.ui.paint(Tone::Good, "healthy")
            } else {
                app.ui.paint(Tone::Warn, &findings.join("; "))
            };
            app.ui.line(format!("{:<8} {state}", scope.as_str()))?;
        }
    }
    app.ui.flush()?;
    if well { Ok(()) } else { Err(AppError::already_printed()) }
}
