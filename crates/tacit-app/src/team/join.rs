//! Joining a team, leaving it, and setting up its server.

use serde::Serialize;
use tacit_core::{Config, ConfigKey, ConfigValue, Memory};
use tacit_engine::{
    Engine, ImportLine, ImportOutcome, ImportTrust, PreferencesReport, StoreAccess, StoreScope,
};
use tacit_store::{Filter, SharedStore, StoreError, TeamRole, TeamServer};
use tacit_store_postgres::{PostgresServer, Timeouts, add_project, install};

use super::identity::project_identity;
use super::preferences::exchange_with;
use super::server::{check_stored_url, postgres_server, server_settings};
use super::{is_in_team, not_in_team};
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
        // A project keeps the name under which it joined, whatever has become of its remote since.
        let joined = app.places.team_state().filter(|state| !state.moving && url.is_none());
        let project = match joined {
            Some(state) => state.project,
            None => project_identity(app)?,
        };
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
    if let Some(url) = url {
        check_stored_url(url)?;
    }
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
    if is_in_team(app)? {
        return Ok(0);
    }
    Ok(own_memories(app)?.iter().filter(|memory| !memory.is_module_card()).count())
}

/// Makes the server the store of this project, and this machine's store its copy. Can be repeated if
/// it was interrupted: until the copy is complete, this machine's store is what it was.
pub fn join(app: &App, url: Option<&str>, local: LocalMemories) -> AppResult<Joined> {
    if is_in_team(app)? {
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
    if local == LocalMemories::Share
        && membership.role < TeamRole::Contributor
        && !own_memories(app)?.is_empty()
    {
        let message = format!("`{}` is a reader of this project and cannot share", membership.name);
        return Err(AppError::new(ErrorCode::Refused, message)
            .hint("use `--set-aside`, or ask a curator for the role `contributor`"));
    }
    let mut waiting = |what: &str| app.watcher.note(&format!("waiting for {what}"));
    let _alone = app.places.stop_maintenance(StoreScope::Project, &access.config, &mut waiting)?;
    let mut engine = Engine::begin_joining(
        app.places.clone(),
        access.config.clone(),
        &access.server,
        app.environment.clock.as_ref(),
        app.environment.ids.as_ref(),
        app.actor(),
        &mut waiting,
    )?;
    let entered = enter(app, &mut engine, url, local);
    // Once the copy is complete, the project is in the team, even if vectors or links are still missing.
    let is_copy = engine.copied_upto()?.is_some();
    drop(engine);
    let entered = match entered {
        Err(error) if !is_copy => {
            app.places.leave_team(&access.config, &mut waiting)?;
            if url.is_some() {
                forget_url(app)?;
            }
            return Err(error);
        }
        entered => entered,
    };
    app.places.end_move()?;
    app.places.forget_move()?;
    let entered = entered?;
    let preferences = exchange_with(app, &access.config).unwrap_or_else(|error| {
        app.watcher.warn(&format!("your own memories were not exchanged: {}", error.message));
        None
    });
    Ok(Joined {
        server: access.server.address(),
        project: access.project,
        member: membership.name,
        role: membership.role,
        shared: entered.shared,
        set_aside: entered.set_aside,
        backup: entered.backup,
        memories: entered.memories,
        preferences,
    })
}

/// The memories before and after joining.
struct Entered {
    shared: usize,
    set_aside: usize,
    backup: Option<std::path::PathBuf>,
    memories: usize,
}

/// Stores the memories to share on the server, writes the server's address into the configuration, and fills
/// this machine's store from the server.
fn enter(
    app: &App,
    engine: &mut Engine<'_>,
    url: Option<&str>,
    local: LocalMemories,
) -> AppResult<Entered> {
    let own = engine.memories_here()?;
    let backup = match own.is_empty() {
        true => None,
        false => Some(app.places.back_up_now(StoreScope::Project, app.now())?),
    };
    let count = own.len();
    let (shared, set_aside) = match local {
        // A reader may join, but not write, not even nothing.
        LocalMemories::Share if count > 0 => (import(engine, own)?, 0),
        LocalMemories::Share | LocalMemories::SetAside => (0, count),
    };
    // Before the store becomes a copy, which would be of no use without the address.
    if let Some(url) = url {
        set_url(app, url)?;
    }
    let memories = engine.count(Some(StoreScope::Project), &Filter::everything())?;
    let total = memories as u64;
    engine.follow_team(&mut |done| {
        app.watcher.progress(ProgressKind::Memories, done.min(total), total);
    })?;
    Ok(Entered { shared, set_aside, backup, memories })
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

/// The result of leaving a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The number of requests that were not delivered and will be stored on this machine.
    pub waiting: usize,
    /// The reason why the copy may lack changes of the server; `None` if it is complete.
    pub incomplete: Option<String>,
}

/// Makes this machine's copy the project's own store, after bringing it up to date if the server answers.
pub fn leave(app: &App) -> AppResult<Left> {
    app.person_only("leave a team")?;
    if app.places.team_state().is_none() {
        return Err(not_in_team());
    }
    let mut waiting = |what: &str| app.watcher.note(&format!("waiting for {what}"));
    let _alone = app.places.stop_maintenance(StoreScope::Project, app.config(), &mut waiting)?;
    let followed = app
        .engine(StoreAccess::Write(StoreScope::Project))
        .and_then(|mut engine| Ok(engine.follow_team(&mut |_| ())?));
    let incomplete = followed.err().map(|error| error.message);
    // What the server refused is stored on this machine, too.
    let spool = app.places.spool(StoreScope::Project);
    spool.retry_refused()?;
    let waiting_requests = spool.len().unwrap_or_default();
    app.places.leave_team(app.config(), &mut waiting)?;
    app.places.forget_move()?;
    forget_url(app)?;
    Ok(Left { waiting: waiting_requests, incomplete })
}

/// Writes the address of the server into the configuration of the project.
pub(super) fn set_url(app: &App, url: &str) -> AppResult<()> {
    let value = ConfigValue::Text(url.to_owned());
    settings::set(app, ConfigKey::find(URL)?, &value, ConfigLayer::Project).map(drop)
}

/// Removes the address of the server from the configuration of the project. It may be set for all projects, or
/// by an environment variable, and stays there.
pub(super) fn forget_url(app: &App) -> AppResult<()> {
    match settings::unset(app, ConfigKey::find(URL)?, ConfigLayer::Project) {
        Err(error) if error.code != ErrorCode::NotFound => Err(error),
        _ => Ok(()),
    }
}
