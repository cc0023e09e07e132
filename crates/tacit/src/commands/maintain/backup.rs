//! `tacit maintain --backup`

use serde_json::Value;
use tacit_app::AppResult;
use tacit_app::backup::back_up;
use tacit_engine::StoreScope;

use crate::app::CliApp;
use crate::commands::restore::backup_to_json;

/// Backs up each store that there is.
pub(super) fn run(app: &CliApp) -> AppResult<()> {
    let mut made = Vec::new();
    for scope in [StoreScope::Project, StoreScope::Global] {
        if app.places.database(scope).exists() {
            made.push((scope, back_up(app, scope)?));
        }
    }
    if app.json {
        let values = made.iter().map(|(scope, backup)| backup_to_json(*scope, backup));
        return app.ui.json(&Value::Array(values.collect()));
    }
    if made.is_empty() {
        return app.ui.line("There is no store to back up yet.");
    }
    for (scope, backup) in &made {
        let (kilobytes, name) = (backup.bytes.div_ceil(1024), &backup.name);
        app.ui.line(format!("{}: backed up as {name} ({kilobytes} kB)", scope.as_str()))?;
    }
    app.ui.line("Restore with `tacit restore --backup NAME`. Kept until you delete it.")
}
