//! `tacit list --tags`

use serde_json::json;
use tacit_app::AppResult;
use tacit_engine::StoreAccess;

use crate::app::CliApp;
use crate::render;

/// Prints every tag in use with the number of memories that have it.
pub(super) fn list_tags(app: &CliApp) -> AppResult<()> {
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let mut tags: Vec<(String, u64)> = Vec::new();
    for (_, store) in engine.stores() {
        for (tag, count) in store.stats()?.tags {
            match tags.iter_mut().find(|(known, _)| *known == tag) {
                Some((_, sum)) => *sum += count,
                None => tags.push((tag, count)),
            }
        }
    }
    drop(engine);
    tags.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    if app.json {
        let values: Vec<_> =
            tags.iter().map(|(tag, count)| json!({"tag": tag, "count": count})).collect();
        return app.ui.json(&json!(values));
    }
    if tags.is_empty() {
        return app.ui.line("No tags.");
    }
    app.ui.lines(tags.iter().map(|(tag, count)| format!("{count:>5}  {}", render::visible(tag))))
}
