//! `tacit restore --backup` and `--backups`

use std::io::Write;

use serde_json::{Value, json};
use tacit_app::human_time::ago;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_engine::{BackupFile, StoreScope};

use crate::app::CliApp;
use crate::commands::of;

/// Lists the backups of both stores, newest first.
pub(super) fn list(app: &CliApp) -> AppResult<()> {
    let scopes = [StoreScope::Project, StoreScope::Global];
    let backups: Vec<(StoreScope, BackupFile)> = scopes
        .into_iter()
        .flat_map(|scope| app.places.list_backups(scope).into_iter().map(move |it| (scope, it)))
        .collect();
    if app.json {
        let values = backups.iter().map(|(scope, backup)| to_json(*scope, backup));
        return app.ui.json(&Value::Array(values.collect()));
    }
    if backups.is_empty() {
        return app.ui.line("No backups. `tacit maintain` makes one a day.");
    }
    for (scope, backup) in &backups {
        let BackupFile { name, at, bytes, .. } = backup;
        let (kilobytes, age) = (bytes.div_ceil(1024), ago(*at, app.now()));
        app.ui.line(format!("{:<8} {name:<37} {kilobytes:>8} kB  {age}", scope.as_str()))?;
    }
    Ok(())
}

pub(crate) fn to_json(scope: StoreScope, backup: &BackupFile) -> Value {
    json!({
        "store": scope.as_str(), "name": backup.name, "at": backup.at, "bytes": backup.bytes,
        "path": backup.path, "requested": backup.is_requested(), "replaced": backup.number.is_none(),
    })
}

/// Replaces a store's database with a backup.
pub(super) fn restore(app: &CliApp, scope: StoreScope, name: &str) -> AppResult<()> {
    app.person_only("restore a backup")?;
    let Some(backup) = app.places.find_backup(scope, name) else {
        let message = format!("the {} store has no backup `{name}`", scope.as_str());
        return Err(AppError::new(ErrorCode::NotFound, message)
            .hint("`tacit restore --backups` lists the backups"));
    };
    // The command waits even if the message cannot be printed.
    let mut waiting = |whom: &str| {
        let _ = writeln!(std::io::stderr(), "{}: waiting for {whom}", scope.as_str());
    };
    let _maintenance = app.places.stop_maintenance(scope, app.config(), &mut waiting)?;
    let done = app.places.restore_backup(scope, backup, app.config(), app.now(), &mut waiting)?;
    if app.json {
        let value = json!({
            "backup": to_json(scope, &done.backup), "memories": done.memories,
            "replaced": done.replaced,
        });
        return app.ui.json(&value);
    }
    let memories = of(done.memories, "memory", "memories");
    app.ui.line(format!("Restored {}: {memories}", done.backup.name))?;
    let Some(replaced) = done.replaced else { return Ok(()) };
    app.ui.line(format!("The database before is `{}`", replaced.display()))?;
    let file = replaced.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let flag = if scope == StoreScope::Global { " --global" } else { "" };
    match file.split_once("replaced-") {
        Some((_, stamp)) => {
            app.ui.line(format!("Undo: tacit restore --backup replaced-{stamp}{flag}"))
        }
        None => app.ui.line("It was damaged, so it is kept with its log"),
    }
}
