//! Backups on request. Those of each day are a step of `tacit maintain`.

use tacit_engine::{BackupFile, EngineError, StoreScope};
use tacit_store::StoreError;

use crate::app::App;
use crate::error::{AppError, AppResult, ErrorCode};

/// Makes a backup of a store, even if there is a recent one. Waits for maintenance that is running.
pub fn back_up(app: &App, scope: StoreScope) -> AppResult<BackupFile> {
    let name = scope.as_str();
    if !app.places.database(scope).exists() {
        return Err(AppError::new(ErrorCode::NotFound, format!("there is no {name} memory yet")));
    }
    let mut waiting = |whom: &str| app.watcher.note(&format!("{name}: waiting for {whom}"));
    let _maintenance = app.places.stop_maintenance(scope, app.config(), &mut waiting)?;
    let path = app.places.back_up_now(scope, app.now())?;
    let mut backups = app.places.list_backups(scope).into_iter();
    let made = backups.find(|backup| backup.path == path);
    // It was deleted right after it was made.
    made.ok_or_else(|| EngineError::Store(StoreError::Missing { path }).into())
}
