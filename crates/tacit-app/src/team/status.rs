//! The state of a project in a team, and the transfer of changes to and from the server.

use serde::Serialize;
use tacit_core::Timestamp;
use tacit_engine::{FollowReport, PreferencesReport, RefusedRequest, StoreAccess, StoreScope};
use tacit_store::{ChangeQuery, Filter, TeamRole};

use super::preferences::{PreferencesStatus, exchange_preferences, preferences_status};
use super::{not_in_team, require_team};
use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::AppResult;

/// The state of a project in a team.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TeamStatus {
    /// The address of the server.
    pub server: String,
    /// The identity of the project on the server.
    pub project: String,
    /// True if the server answers.
    pub reachable: bool,
    /// The reason why the server does not answer.
    pub failure: Option<String>,
    /// The name of the user on the server; `None` if it does not answer.
    pub member: Option<String>,
    /// The role of the user in the project.
    pub role: Option<TeamRole>,
    /// True if the user bypasses row-level security, and thus sees everything whatever the role.
    pub is_unbound: bool,
    /// The number of memories on the server, or in the copy if the server does not answer.
    pub memories: usize,
    /// The number of the last change that the copy on this machine includes.
    pub change: i64,
    /// The number of changes on the server after it; `None` if the server does not answer.
    pub behind: Option<usize>,
    /// The time at which the copy was last brought up to date.
    pub followed_at: Option<Timestamp>,
    /// The user's own memories on a server; `None` if they are on this machine alone.
    pub preferences: Option<PreferencesStatus>,
    /// The number of requests that wait on this machine for the server.
    pub waiting: usize,
    /// The number of requests that were refused or cannot be read, kept on this machine.
    pub refused: usize,
    /// The requests that the server refused, with the reasons.
    pub refusals: Vec<RefusedRequest>,
}

/// The result of delivering the requests that wait on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Delivery {
    /// The number of delivered requests.
    pub delivered: usize,
    /// The number of requests that still wait.
    pub waiting: usize,
    /// The number of requests that the server refused, kept on this machine.
    pub refused: usize,
}

/// Returns the state of this project in its team. Fails if the project is not in a team.
pub fn status(app: &App) -> AppResult<TeamStatus> {
    let state = app.places.team_state().ok_or_else(not_in_team)?;
    let engine =
        app.engine_as(StoreAccess::Read(StoreScope::Project), app.config().clone(), app.actor())?;
    let spool = app.places.spool(StoreScope::Project);
    let failure = engine.reach_team().err().map(|error| error.to_string());
    let membership = engine.membership()?;
    let change = engine.copied_upto()?.unwrap_or_default();
    let behind = match failure {
        None => {
            let after = Some(change);
            let query = ChangeQuery { after, without_items: true, ..ChangeQuery::default() };
            engine
                .store(StoreScope::Project)
                .map(|store| store.count_changes(&query))
                .transpose()?
        }
        Some(_) => None,
    };
    Ok(TeamStatus {
        server: state.server,
        project: state.project,
        reachable: failure.is_none(),
        failure,
        member: membership.as_ref().map(|membership| membership.name.clone()),
        role: membership.as_ref().map(|membership| membership.role),
        is_unbound: membership.is_some_and(|membership| membership.is_unbound),
        memories: engine.count(Some(StoreScope::Project), &Filter::everything())?,
        change,
        behind,
        followed_at: state.followed_at,
        preferences: preferences_status(app),
        waiting: spool.len().unwrap_or_default(),
        refused: spool.refused_count() + spool.quarantined_count(),
        refusals: app.places.refused_requests(),
    })
}

/// Brings this machine's copy up to date, and exchanges the user's own memories. Requests that wait for the
/// server are delivered first.
pub fn pull(app: &App) -> AppResult<(FollowReport, Option<PreferencesReport>)> {
    require_team(app)?;
    let mut engine = app.engine_for_write(StoreAccess::Write(StoreScope::Project))?;
    engine.reach_team()?;
    let total = engine.count(Some(StoreScope::Project), &Filter::everything())? as u64;
    let mut progress = |done: u64| {
        app.watcher.progress(ProgressKind::Memories, done.min(total), total);
    };
    let followed = engine.follow_team(&mut progress)?;
    Ok((followed, exchange_preferences(app)?))
}

/// Delivers the requests that wait on this machine, those that the server refused before included.
pub fn push(app: &App) -> AppResult<Delivery> {
    require_team(app)?;
    let spool = app.places.spool(StoreScope::Project);
    spool.retry_refused()?;
    let before = spool.len().unwrap_or_default() + spool.quarantined_count();
    let mut engine = app.engine_for_write(StoreAccess::Write(StoreScope::Project))?;
    engine.reach_team()?;
    // Opening the engine has delivered what it could; this tells what keeps the rest.
    engine.deliver()?;
    let (waiting, refused) = (spool.len().unwrap_or_default(), spool.refused_count());
    let left = waiting + refused + spool.quarantined_count();
    Ok(Delivery { delivered: before.saturating_sub(left), waiting, refused })
}
