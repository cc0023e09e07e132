//! Moves the whole store of a project to a server and back.

use tacit_engine::{CopyProgress, MoveReport, StoreMove, StoreScope};

use super::is_in_team;
use super::join::{TeamAccess, forget_url, prepare_server, set_url};
use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::{AppError, AppResult, ErrorCode};

/// Copies the store of this machine with its history and sessions to a server, compares both, and makes
/// the server the project's store.
pub fn migrate_to_server(app: &App, url: &str) -> AppResult<MoveReport> {
    if is_in_team(app)? {
        return Err(AppError::new(ErrorCode::Refused, "this project is already in a team")
            .hint("`tacit migrate --to local` brings its memories here first"));
    }
    prepare_server(app, Some(url))?;
    let access = TeamAccess::of(app, Some(url))?;
    let mut waiting = |what: &str| app.watcher.note(&format!("waiting for {what}"));
    let _alone = app.places.stop_maintenance(StoreScope::Project, &access.config, &mut waiting)?;
    // Before the store becomes a copy, which would be of no use without the address.
    set_url(app, url)?;
    let mover = mover(app, &access);
    let moved = mover.to_server(&mut progress(app), &mut waiting);
    if moved.as_ref().is_ok_and(|report| report.differences.is_empty()) {
        // Until here, the note told an interrupted move from a foreign project.
        mover.forget()?;
        app.places.end_move()?;
    } else {
        forget_url(app)?;
    }
    Ok(moved?)
}

/// Copies the project's store on the server, with the sessions of this machine, into a database of this
/// machine, compares both, and leaves the team.
pub fn migrate_to_machine(app: &App) -> AppResult<MoveReport> {
    if !is_in_team(app)? {
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
        forget_url(app)?;
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
