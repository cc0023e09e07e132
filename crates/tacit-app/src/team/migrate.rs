//! Moves the whole store of a project to a server and back.

use tacit_core::{ConfigKey, ConfigValue};
use tacit_engine::{CopyProgress, MoveReport, StoreMove, StoreScope};

use super::join::{TeamAccess, prepare_server};
use super::server::check_stored_url;
use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::{AppError, AppResult, ErrorCode};
use crate::settings::{self, ConfigLayer};

/// Copies the store of this machine with its history and sessions to a server, compares both, and makes
/// the server the project's store.
pub fn migrate_to_server(app: &App, url: &str) -> AppResult<MoveReport> {
    if app.places.is_in_team() {
        return Err(AppError::new(ErrorCode::Refused, "this project is already in a team")
            .hint("`tacit migrate --to local` brings its memories here first"));
    }
    check_stored_url(url)?;
    prepare_server(app, Some(url))?;
    let access = TeamAccess::of(app, Some(url))?;
    let mut waiting = |what: &str| app.watcher.note(&format!("waiting for {what}"));
    let _alone = app.places.stop_maintenance(StoreScope::Project, &access.config, &mut waiting)?;
    let mover = mover(app, &access);
    let report = mover.to_server(&access.project, &mut progress(app))?;
    if report.differences.is_empty() {
        let key = ConfigKey::find("database.url")?;
        settings::set(app, key, &ConfigValue::Text(url.to_owned()), ConfigLayer::Project)?;
        // Only now: without the note, an interrupted move could not be told from a foreign project.
        mover.forget()?;
    }
    Ok(report)
}

/// Copies the project's store on the server, with the sessions of this machine, into a database of this
/// machine, compares both, and leaves the team.
pub fn migrate_to_machine(app: &App) -> AppResult<MoveReport> {
    if !app.places.is_in_team() {
        return Err(AppError::new(
            ErrorCode::Refused,
            "the memories of this project are already on this machine",
        ));
    }
    let access = TeamAccess::of(app, None)?;
    super::status::push(app)?;
    let mut waiting = |what: &str| app.watcher.note(&format!("waiting for {what}"));
    let _alone = app.places.stop_maintenance(StoreScope::Project, &access.config, &mut waiting)?;
    let report = mover(app, &access).to_machine(&mut progress(app), &mut waiting)?;
    if report.differences.is_empty() {
        let key = ConfigKey::find("database.url")?;
        match settings::unset(app, key, ConfigLayer::Project) {
            Err(error) if error.code != ErrorCode::NotFound => return Err(error),
            _ => app.places.remove_team_state()?,
        }
    }
    Ok(report)
}

fn mover<'a>(app: &'a App, access: &'a TeamAccess) -> StoreMove<'a> {
    StoreMove {
        paths: &app.places,
        config: &access.config,
        server: &access.server,
        clock: app.environment.clock.as_ref(),
    }
}

fn progress(app: &App) -> impl FnMut(CopyProgress) {
    |progress| app.watcher.progress(ProgressKind::Rows, progress.done, progress.total)
}
