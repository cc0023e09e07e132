//! `tacit maintain --dry-run`: the changes that the next run would make to memories.

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::maintain::{MaintenancePreview, preview};
use tacit_core::LifeStep;
use tacit_engine::{PlannedConfidence, PlannedLife, StoreScope};

use crate::app::CliApp;
use crate::commands::count;
use crate::render;
use crate::ui::Tone;

/// The width of the column of steps.
const STEP: usize = 11;

pub(super) fn print(app: &CliApp) -> AppResult<()> {
    let mut stores = Vec::new();
    for scope in [StoreScope::Project, StoreScope::Global] {
        if app.places.database(scope).exists() {
            stores.push((scope, preview(app, scope)?));
        }
    }
    if app.json {
        let values = stores.iter().map(|(scope, planned)| to_json(*scope, planned));
        return app.ui.json(&values.collect());
    }
    for (scope, planned) in &stores {
        let number = planned.life.len() + planned.confidences.len();
        let what = match number {
            0 => "no memory would change".to_owned(),
            number => format!("{} would change", count(number, "memory", "memories")),
        };
        app.ui.line(format!("{}: {what}", scope.as_str()))?;
        for PlannedLife { found, step } in &planned.life {
            print_one(app, word(step), &render::summary(&app.ui, found, app.now()), step.reason())?;
        }
        for one in &planned.confidences {
            let body = &one.found.memory.body;
            let (from, to) = (body.effective_confidence().value(), target(one));
            let why = format!("its confidence would go from {from:.2} to {to:.2}");
            let summary = render::summary(&app.ui, &one.found, app.now());
            print_one(app, "confidence", &summary, &why)?;
        }
    }
    Ok(())
}

fn print_one(app: &CliApp, word: &str, summary: &str, why: &str) -> AppResult<()> {
    app.ui
        .line(format!("  {} {summary}", app.ui.paint(Tone::Strong, &format!("{word:<STEP$}"))))?;
    let why = render::visible(why);
    app.ui.line(format!("  {:STEP$} {}", "", app.ui.paint(Tone::Dim, &why)))
}

fn word(step: &LifeStep) -> &'static str {
    match step {
        LifeStep::MarkStale(..) => "mark stale",
        LifeStep::Refresh(_) => "mark fresh",
        step => step.as_str(),
    }
}

fn target(planned: &PlannedConfidence) -> f64 {
    planned.derived.unwrap_or(planned.found.memory.body.confidence).value()
}

fn to_json(scope: StoreScope, planned: &MaintenancePreview) -> Value {
    let steps = planned.life.iter().map(|PlannedLife { found, step }| {
        let memory = &found.memory;
        json!({
            "step": step.as_str(), "reason": step.reason(), "id": memory.id,
            "short_id": memory.id.short().to_string(), "headline": memory.headline(),
        })
    });
    let confidences = planned.confidences.iter().map(|one| {
        let memory = &one.found.memory;
        json!({
            "id": memory.id, "short_id": memory.id.short().to_string(),
            "headline": memory.headline(), "to": target(one),
            "from": memory.body.effective_confidence().value(),
        })
    });
    json!({
        "store": scope.as_str(), "steps": steps.collect::<Vec<_>>(),
        "confidences": confidences.collect::<Vec<_>>(),
    })
}
