//! `tacit status --health`

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::health::{HealthReason, Remedy, health};
use tacit_app::jobs::JobKind;
use tacit_engine::StoreAccess;

use crate::app::CliApp;
use crate::ui::Tone;

/// Prints the score, and what lowers it with the command that fixes it.
pub(super) fn print_health(app: &CliApp) -> AppResult<()> {
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let measured = health(app, &engine)?;
    drop(engine);
    if app.json {
        let reasons: Vec<Value> = measured.reasons.iter().map(to_json).collect();
        return app.ui.json(&json!({"score": measured.score, "reasons": reasons}));
    }
    let score = app.ui.paint(Tone::Strong, &measured.score.to_string());
    app.ui.line(format!("{score} of 100"))?;
    for reason in &measured.reasons {
        let points = app.ui.paint(Tone::Warn, &format!("{:>5}", format!("-{}", reason.points)));
        let fixed_by = app.ui.paint(Tone::Dim, command(&reason.remedy));
        app.ui.line(format!("{points}  {}: {fixed_by}", reason.text))?;
    }
    Ok(())
}

fn to_json(reason: &HealthReason) -> Value {
    let HealthReason { id, points, count, remedy, .. } = reason;
    json!({"id": id, "points": points, "count": count, "command": command(remedy)})
}

/// Returns the command that does what the panel offers.
fn command(remedy: &Remedy) -> &'static str {
    match remedy {
        Remedy::Review => "tacit review",
        Remedy::StaleMemories => "tacit review --stale",
        Remedy::Modules => "tacit code map --remember",
        Remedy::Job(JobKind::Index) => "tacit code index",
        Remedy::Job(JobKind::Scan) => "tacit code map --remember",
        Remedy::Job(JobKind::Compare) => "tacit review --stale",
        Remedy::Job(JobKind::Maintain | JobKind::Reindex) => "tacit maintain",
        Remedy::Command(command) => command,
    }
}
