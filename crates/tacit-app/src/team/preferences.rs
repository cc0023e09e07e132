//! The exchange of the user's own memories with a team's server, so that they follow the user to other
//! machines.

use serde::Serialize;
use tacit_core::{Config, Timestamp};
use tacit_engine::{PreferencesReport, PreferencesState, StoreAccess, StoreScope};
use tacit_store::{Filter, SharedStore, StoreError, TeamServer};
use tacit_store_postgres::{PostgresServer, ServerSettings, Timeouts, add_own_project};

use super::server::server_settings;
use crate::app::App;
use crate::error::AppResult;

/// The state of the user's own memories on a server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PreferencesStatus {
    /// The address of the server.
    pub server: String,
    /// The time of the last exchange.
    pub exchanged_at: Option<Timestamp>,
}

/// Returns the state of the user's own memories; `None` if they are on this machine alone.
pub(super) fn preferences_status(app: &App) -> Option<PreferencesStatus> {
    let state = app.places.preferences_state().filter(|_| app.config().database_preferences)?;
    Some(PreferencesStatus { server: state.server, exchanged_at: state.exchanged_at })
}

/// Exchanges the memories of the global store with the server of the team. Does nothing outside a team, if
/// the user does not want it, and if another server has them: what is personal is not spread over the
/// servers of several teams.
pub fn exchange_preferences(app: &App) -> AppResult<Option<PreferencesReport>> {
    if app.config().database_url.is_empty() || !app.places.is_in_team() {
        return Ok(None);
    }
    exchange_with(app, app.config())
}

/// Like [`exchange_preferences`], with the server of a configuration that is not in force yet.
pub(super) fn exchange_with(app: &App, config: &Config) -> AppResult<Option<PreferencesReport>> {
    if !config.database_preferences {
        return Ok(None);
    }
    let settings = server_settings(&app.environment, config)?;
    let address = settings.url().to_string();
    let known = app.places.preferences_state();
    if known.as_ref().is_some_and(|state| state.server != address) {
        return Ok(None);
    }
    let Some((mut server, state)) = open(app, &settings, known)? else { return Ok(None) };
    let mut engine = app.engine_for_write(StoreAccess::Write(StoreScope::Global))?;
    let exchanged = engine.exchange_preferences(server.as_mut(), state)?;
    drop((engine, server));
    if exchanged.removed > 0 {
        // Opening both stores removes what quotes memories that were purged on another machine.
        app.engine_for_write(StoreAccess::WriteBoth)?;
    }
    Ok(Some(exchanged))
}

/// Opens the user's own project. It is created with the first memory; `None` before.
fn open(
    app: &App,
    settings: &ServerSettings,
    known: Option<PreferencesState>,
) -> AppResult<Option<(Box<dyn SharedStore>, PreferencesState)>> {
    let timeouts = Timeouts::default();
    let open =
        |project: &str| PostgresServer::new(settings.clone(), project.to_owned(), timeouts).open();
    let new = |project: String| PreferencesState::new(settings.url().to_string(), project);
    let state = known.unwrap_or_else(|| new(format!("user:{}", settings.user())));
    match open(&state.project) {
        Ok(server) => return Ok(Some((server, state))),
        // Perhaps the database is a new one, or the user has another login than before.
        Err(StoreError::Missing { .. } | StoreError::Denied { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    if own_memories(app)? == 0 {
        return Ok(None);
    }
    let project = add_own_project(settings, timeouts)?;
    let server = open(&project)?;
    Ok(Some((server, new(project))))
}

/// Returns the number of memories in the global store.
fn own_memories(app: &App) -> AppResult<usize> {
    let engine = app.engine(StoreAccess::Read(StoreScope::Global))?;
    Ok(engine.count(Some(StoreScope::Global), &Filter::everything())?)
}
