//! `tacit status --stats`

use serde_json::{Map, Value, json};
use tacit_app::AppResult;
use tacit_app::review::review_queue;
use tacit_engine::StoreAccess;
use tacit_store::{ModelState, StoreStats};

use crate::app::CliApp;
use crate::render;
use crate::ui::Tone;

/// Prints the number of memories by type, source, scope and tag, and the size of the stores.
pub(super) fn print_stats(app: &CliApp) -> AppResult<()> {
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let queue = review_queue(&engine, app.now())?.items;
    let mut stores = Vec::new();
    for (scope, store) in engine.stores() {
        let models = store.models()?;
        let to_review = queue.iter().filter(|item| item.found.store == scope).count();
        let database = engine.paths().database(scope);
        stores.push((scope, database, store.stats()?, to_review, models));
    }
    drop(engine);
    if app.json {
        let values: Map<String, Value> = stores
            .iter()
            .map(|(scope, path, stats, to_review, models)| {
                let models: Vec<Value> = models.iter().map(model_json).collect();
                let counts = to_json(stats, *to_review);
                let value = json!({"database": path, "counts": counts, "models": models});
                (scope.as_str().to_owned(), value)
            })
            .collect();
        return app.ui.json(&Value::Object(values));
    }
    for (index, (scope, path, stats, to_review, models)) in stores.iter().enumerate() {
        if index > 0 {
            app.ui.line("")?;
        }
        let heading = app.ui.paint(Tone::Strong, scope.as_str());
        app.ui.line(format!("{heading}  {}", path.display()))?;
        print(app, stats, *to_review)?;
        let name = app.ui.paint(Tone::Dim, &format!("{:<10}", "vectors"));
        app.ui.line(format!("  {name} {}", in_words(models)))?;
    }
    Ok(())
}

fn print(app: &CliApp, stats: &StoreStats, to_review: usize) -> AppResult<()> {
    let joined = |counts: &[(String, u64)]| {
        let parts: Vec<String> = counts
            .iter()
            .map(|(name, count)| format!("{} {count}", render::visible(name)))
            .collect();
        if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
    };
    let total: u64 = stats.by_status.iter().map(|(_, count)| count).sum();
    for (name, value) in [
        ("memories", if total == 0 { "none".into() } else { joined(&stats.by_status) }),
        ("types", joined(&stats.by_type)),
        ("sources", joined(&stats.by_source)),
        ("scopes", joined(&stats.by_scope)),
        ("tags", joined(&stats.tags[..stats.tags.len().min(10)])),
        ("to review", to_review.to_string()),
        ("stale", stats.stale.to_string()),
        ("changes", stats.changes.to_string()),
        ("size", size(stats.bytes)),
    ] {
        let name = app.ui.paint(Tone::Dim, &format!("{name:<10}"));
        app.ui.line(format!("  {name} {value}"))?;
    }
    Ok(())
}

/// Describes the embedding models and how many memories wait for them.
fn in_words(models: &[ModelState]) -> String {
    let one = |state: &ModelState| {
        let name = render::visible(&state.model.name);
        let waiting = match state.pending {
            0 => "every memory is embedded".to_owned(),
            1 => "1 memory waits".to_owned(),
            many => format!("{many} memories wait"),
        };
        let active = if state.active { "" } else { ", not in use yet" };
        format!("{name}: {waiting}{active}")
    };
    if models.is_empty() {
        return "none; `tacit maintain` makes them".into();
    }
    models.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn model_json(state: &ModelState) -> Value {
    json!({
        "name": state.model.name, "dimensions": state.model.dims, "active": state.active,
        "waiting": state.pending,
    })
}

fn to_json(stats: &StoreStats, to_review: usize) -> Value {
    let map = |counts: &[(String, u64)]| -> Value {
        counts
            .iter()
            .map(|(name, count)| (name.clone(), json!(count)))
            .collect::<Map<_, _>>()
            .into()
    };
    json!({
        "by_status": map(&stats.by_status), "by_type": map(&stats.by_type),
        "by_source": map(&stats.by_source), "by_scope": map(&stats.by_scope),
        "tags": map(&stats.tags), "needs_review": to_review,
        "stale": stats.stale, "changes": stats.changes, "bytes": stats.bytes,
    })
}

fn size(bytes: u64) -> String {
    const KIB: f64 = 1024.0;
    match bytes as f64 / KIB {
        kib if kib < KIB => format!("{kib:.0} KiB"),
        kib => format!("{:.1} MiB", kib / KIB),
    }
}
