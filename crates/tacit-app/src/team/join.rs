//! Joining a team, leaving it, and setting up its server.

use serde::Serialize;
use tacit_core::{Config, ConfigKey, ConfigValue, Memory};
use tacit_engine::{
    Engine, ImportLine, ImportOutcome, ImportTrust, PreferencesReport, StoreAccess, StorePaths,
    StoreScope, TeamState, empty_copy,
};
use tacit_store::{Filter, SharedStore, StoreError, TeamRole, TeamServer};
use tacit_store_postgres::{PostgresServer, Timeouts, add_project, install};

use super::identity::project_identity;
use super::not_in_team;
use super::preferences::exchange_with;
use super::server::{check_stored_url, postgres_server, server_settings};
use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::{AppError, AppResult, ErrorCode};
use crate::settings::{self, ConfigLayer};

/// The key with the address of the server.
const URL: &str = "database.url";

/// The treatment of the memories that this machine has of a project when it joins a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalMemories {
    /// Share them with the team.
    Share,
    /// Keep them in a backup only.
    SetAside,
}

/// The result of joining a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Joined {
    /// The address of the server.
    pub server: String,
    /// The identity of the project on the server.
    pub project: String,
    /// The name of the user on the server.
    pub member: String,
    /// The role of the user in the project.
    pub role: TeamRole,
    /// The number of memories of this machine that are new to the team.
    pub shared: usize,
    /// The number of memories of this machine that are only in the backup.
    pub set_aside: usize,
    /// The backup of the store as it was; `None` if it had no memories.
    pub backup: Option<std::path::PathBuf>,
    /// The number of memories of the team.
    pub memories: usize,
    /// The exchange of the user's own memories; `None` if they stay on this machine.
    pub preferences: Option<PreferencesReport>,
}

/// A server and the project on it, before the configuration names them.
pub(super) struct TeamAccess {
    pub(super) config: Config,
    pub(super) project: String,
    pub(super) server: PostgresServer,
}

impl TeamAccess {
    /// Finds the server of an address, or of the configuration.
    pub(super) fn of(app: &App, url: Option<&str>) -> AppResult<TeamAccess> {
        app.person_only("connect a project to a server")?;
        let mut config = app.config().clone();
        if let Some(url) = url {
            config.database_url = url.to_owned();
        }
        if config.database_url.is_empty() {
            return Err(AppError::usage("no server is configured")
                .hint("name it: `tacit team join postgres://YOU@HOST/DATABASE`"));
        }
        let project = project_identity(app)?;
        let server = postgres_server(&app.environment, &config, project.clone())?;
        Ok(TeamAccess { config, project, server })
    }

    /// Opens the shared store.
    pub(super) fn open(&self) -> AppResult<Box<dyn SharedStore>> {
        self.server.open().map_err(|error| match error {
            StoreError::Missing { .. } => {
                let address = self.server.address();
                let project = &self.project;
                AppError::new(
                    ErrorCode::NotInitialised,
                    format!("`{address}` has no project `{project}`"),
                )
                .hint("its first member creates it with `tacit team init`")
            }
            StoreError::Denied { .. } => AppError::from(error).hint(
                "check your name and password; a curator adds you with `tacit team add NAME`",
            ),
            error => error.into(),
        })
    }
}

/// Creates or upgrades the schema on the server, and the project with the user as its curator. Returns
/// true if the schema was created or upgraded.
pub fn prepare_server(app: &App, url: Option<&str>) -> AppResult<bool> {
    let access = TeamAccess::of(app, url)?;
    let settings = server_settings(&app.environment, &access.config)?;
    let timeouts = Timeouts::default();
    let before = install(&settings, timeouts).map_err(|error| match error {
        StoreError::Denied { .. } => AppError::from(error).hint(
            "the first run of `tacit team init` on a server needs a login that may create roles, a schema and the extension `vector`",
        ),
        error => error.into(),
    })?;
    let name = access.project.rsplit('/').next().unwrap_or(&access.project);
    add_project(&settings, timeouts, &access.project, name)?;
    Ok(before < tacit_store_postgres::LATEST)
}

/// Returns the number of memories that this machine has of the project, if it is not in a team yet. The
/// descriptions of modules do not count: Tacit wrote them, and writes them again.
pub fn local_memories(app: &App) -> AppResult<usize> {
    if app.places.is_in_team() {
        return Ok(0);
    }
    Ok(own_memories(app)?.iter().filter(|memory| !memory.is_module_card()).count())
}

/// Makes the server the store of this project, and this machine's store its copy. Can be repeated if
/// it was interrupted.
pub fn join(app: &App, url: Option<&str>, local: LocalMemories) -> AppResult<Joined> {
    if app.places.is_in_team() {
        let message = "this project is already in a team";
        return Err(AppError::new(ErrorCode::Refused, message).hint(
            "`tacit team status` shows which; run `tacit team leave` before joining another",
        ));
    }
    if let Some(url) = url {
        check_stored_url(url)?;
    }
    let access = TeamAccess::of(app, url)?;
    let membership = access.open()?.membership()?;
    if membership.is_unbound {
        app.watcher.warn(&format!(
            "`{}` is a superuser or has the rights of `tacit_owner`: it bypasses row-level security and sees \
             everyone's private memories; join with an ordinary login",
            membership.name
        ));
    }
    let own = own_memories(app)?;
    let sharing = local == LocalMemories::Share && !own.is_empty();
    if sharing && membership.role < TeamRole::Contributor {
        let message = format!("`{}` is a reader of this project and cannot share", membership.name);
        return Err(AppError::new(ErrorCode::Refused, message)
            .hint("use `--set-aside`, or ask a curator for the role `contributor`"));
    }
    let places = &app.places;
    let mut waiting = |what: &str| app.watcher.note(&format!("waiting for {what}"));
    let _alone = places.stop_maintenance(StoreScope::Project, &access.config, &mut waiting)?;
    let backup = match own.is_empty() {
        true => None,
        false => Some(places.back_up_now(StoreScope::Project, app.now())?),
    };
    let state = TeamState::new(access.server.address(), access.project.clone());
    places.save_team_state(&state)?;
    let joined = enter(app, &access, &state, if sharing { own.clone() } else { Vec::new() });
    let (shared, memories) = joined.inspect_err(|_| {
        // Without the state, the project is in no team, and what is left in this machine's store is its own.
        let _ = places.remove_team_state();
    })?;
    if let Some(url) = url {
        let key = ConfigKey::find(URL)?;
        settings::set(app, key, &ConfigValue::Text(url.to_owned()), ConfigLayer::Project)?;
    }
    let preferences = exchange_with(app, &access.config).unwrap_or_else(|error| {
        app.watcher.warn(&format!("your own memories were not exchanged: {}", error.message));
        None
    });
    Ok(Joined {
        server: access.server.address(),
        project: access.project,
        member: membership.name,
        role: membership.role,
        shared,
        set_aside: if sharing { 0 } else { own.len() },
        backup,
        memories,
        preferences,
    })
}

/// Stores the memories to share on the server, empties this machine's store, and fills it from the
/// server. Returns the number of shared memories, and the number of all memories of the team.
fn enter(
    app: &App,
    access: &TeamAccess,
    state: &TeamState,
    share: Vec<Memory>,
) -> AppResult<(usize, usize)> {
    let server: std::sync::Arc<dyn TeamServer> = std::sync::Arc::new(access.server.clone());
    let paths = StorePaths { server: Some(server), ..app.places.clone() };
    let (clock, ids) = (app.environment.clock.as_ref(), app.environment.ids.as_ref());
    let (needs, config) = (StoreAccess::Write(StoreScope::Project), access.config.clone());
    let mut engine = Engine::open(paths.clone(), config, needs, clock, ids, app.actor())?;
    // A reader may join, but not write, not even nothing.
    let shared = if share.is_empty() { 0 } else { import(&mut engine, share)? };
    empty_copy(&paths, &access.config, state, clock, &app.actor())?;
    let total = engine.count(Some(StoreScope::Project), &Filter::everything())?;
    engine.follow_team(&mut |done| {
        app.watcher.progress(ProgressKind::Memories, done.min(total as u64), total as u64);
    })?;
    Ok((shared, total))
}

/// Stores memories on the server. Returns the number of those that were new.
fn import(engine: &mut Engine<'_>, share: Vec<Memory>) -> AppResult<usize> {
    let lines = share.into_iter().enumerate().map(|(index, memory)| {
        (index + 1, ImportTrust::Trusted, ImportLine::Memory(Box::new(memory)))
    });
    let plan = engine.import(StoreScope::Project, lines.collect(), false)?;
    let new = [ImportOutcome::Stored, ImportOutcome::Updated];
    Ok(plan.items.iter().filter(|outcome| new.contains(outcome)).count())
}

fn own_memories(app: &App) -> AppResult<Vec<Memory>> {
    let engine = app.engine(StoreAccess::Read(StoreScope::Project))?;
    let mut own = Vec::new();
    engine.export(StoreScope::Project, &Filter::everything(), |memory| {
        own.push(memory.clone());
        Ok(())
    })?;
    Ok(own)
}

/// Makes this machine's copy the project's own store. Returns the number of requests that were not
/// delivered and will be stored here.
pub fn leave(app: &App) -> AppResult<usize> {
    app.person_only("leave a team")?;
    let Some(_) = app.places.team_state() else {
        return Err(not_in_team());
    };
    // What the server refused is stored on this machine, too.
    let spool = app.places.spool(StoreScope::Project);
    spool.retry_refused()?;
    let waiting = spool.len().unwrap_or_default();
    app.places.remove_team_state()?;
    let key = ConfigKey::find(URL)?;
    // The key may be set for all projects, or by an environment variable.
    if let Err(error) = settings::unset(app, key, ConfigLayer::Project)
        && error.code != ErrorCode::NotFound
    {
        return Err(error);
    }
    Ok(waiting)
}
