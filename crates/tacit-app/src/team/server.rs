//! The server of a team, from the configuration and the user's credentials.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tacit_core::Config;
use tacit_engine::StorePaths;
use tacit_fs::process::{self, RunError};
use tacit_models::generate::command::CommandLine;
use tacit_store::{ChangeId, Delta, SharedStore, StoreError, StoreResult, TeamServer};
use tacit_store_postgres::{
    Credentials, Password, PostgresServer, ServerSettings, ServerUrl, SettingsError, Timeouts,
};

use crate::environment::Environment;
use crate::error::{AppError, AppResult, ErrorCode};

/// The time that the program for the password may take.
const PASSWORD_TIME: Duration = Duration::from_secs(10);
/// The longest password, in bytes.
const PASSWORD_BYTES: u64 = 4 * 1024;

/// Returns the server that this project follows; `None` if the project is not in a team. The password is
/// looked up when a connection is made: hooks have no time for it, and commands that need no server no use.
pub fn team_server(
    environment: &Environment,
    config: &Config,
    places: &StorePaths,
) -> AppResult<Option<Arc<dyn TeamServer>>> {
    if config.database_url.is_empty() {
        return Ok(None);
    }
    let Some(state) = places.team_state() else { return Ok(None) };
    Ok(Some(Arc::new(ConfiguredServer {
        source: CredentialSource::of(environment, config)?,
        project: state.project,
        busy: Duration::from_millis(config.busy_timeout_ms),
        password: Mutex::default(),
    })))
}

/// Returns the server of `database.url` for a project with this name.
pub fn postgres_server(
    environment: &Environment,
    config: &Config,
    project: String,
) -> AppResult<PostgresServer> {
    let settings = server_settings(environment, config)?;
    let busy = Duration::from_millis(config.busy_timeout_ms);
    Ok(PostgresServer::new(settings, project, Timeouts { busy, ..Timeouts::default() }))
}

/// Returns the address of `database.url` with the user's credentials.
pub fn server_settings(environment: &Environment, config: &Config) -> AppResult<ServerSettings> {
    let source = CredentialSource::of(environment, config)?;
    let password = source.password(Instant::now() + PASSWORD_TIME).map_err(|problem| {
        AppError::new(ErrorCode::Refused, problem).hint(
            "run `database.password_command` by hand to see what is wrong, or put the password into your pgpass file",
        )
    })?;
    source.settings(password).map_err(|error| invalid(&error))
}

/// The address of a server, and where the user's credentials for it are looked up.
#[derive(Debug, Clone)]
struct CredentialSource {
    url: ServerUrl,
    user: Option<String>,
    /// The password of the environment.
    password: Option<Password>,
    /// The program that prints the password; empty if there is none.
    command: String,
    pgpass: PathBuf,
    home: PathBuf,
}

impl CredentialSource {
    fn of(environment: &Environment, config: &Config) -> AppResult<CredentialSource> {
        let url = ServerUrl::parse(&config.database_url).map_err(|error| invalid(&error))?;
        let variables = &environment.postgres;
        let home = environment.home.clone();
        Ok(CredentialSource {
            url,
            user: variables.user.clone().or_else(|| environment.user.clone()),
            password: variables.password.as_deref().map(Password::new),
            command: config.database_password_command.trim().to_owned(),
            pgpass: variables.pass_file.clone().unwrap_or_else(|| home.join(".pgpass")),
            home,
        })
    }

    /// Returns the password of the environment or of the user's program, if the address has none.
    fn password(&self, deadline: Instant) -> Result<Option<Password>, String> {
        match &self.password {
            _ if self.url.has_password() => Ok(None),
            Some(password) => Ok(Some(password.clone())),
            None if self.command.is_empty() => Ok(None),
            None => password_from(&self.command, &self.home, deadline).map(Some),
        }
    }

    /// Returns the settings of a connection. Without a password, it is looked up in the pgpass file.
    fn settings(&self, password: Option<Password>) -> Result<ServerSettings, SettingsError> {
        let (user, pgpass) = (self.user.clone(), Some(self.pgpass.clone()));
        ServerSettings::resolve(self.url.clone(), &Credentials { user, password, pgpass })
    }
}

/// The server of the configuration, for a project.
#[derive(Debug)]
struct ConfiguredServer {
    source: CredentialSource,
    project: String,
    busy: Duration,
    /// The password that the user's program printed: it is asked once, and again if the server refuses it.
    password: Mutex<Option<Password>>,
}

impl ConfiguredServer {
    fn password(&self) -> MutexGuard<'_, Option<Password>> {
        self.password.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn server(&self, deadline: Instant) -> StoreResult<PostgresServer> {
        let lacks = |detail| StoreError::NoPassword { server: self.address(), detail };
        let mut known = self.password();
        if known.is_none() {
            *known = self.source.password(deadline).map_err(lacks)?;
        }
        let settings = self.source.settings(known.clone());
        let settings = settings.map_err(|error| lacks(error.to_string()))?;
        let timeouts = Timeouts { busy: self.busy, ..Timeouts::default() };
        Ok(PostgresServer::new(settings, self.project.clone(), timeouts))
    }
}

impl TeamServer for ConfiguredServer {
    fn address(&self) -> String {
        self.source.url.to_string()
    }

    fn project(&self) -> &str {
        &self.project
    }

    fn open(&self) -> StoreResult<Box<dyn SharedStore>> {
        let was_known = self.password().is_some();
        match self.server(Instant::now() + PASSWORD_TIME)?.open() {
            // A process that runs for hours outlives passwords that expire.
            Err(StoreError::Denied { .. }) if was_known => {
                *self.password() = None;
                self.server(Instant::now() + PASSWORD_TIME)?.open()
            }
            opened => opened,
        }
    }

    fn delta(&self, after: ChangeId, limit: usize, deadline: Duration) -> StoreResult<Delta> {
        let until = Instant::now() + deadline;
        let server = self.server(until)?;
        server.delta(after, limit, until.saturating_duration_since(Instant::now()))
    }
}

/// Checks an address that is about to be written into a file.
pub fn check_stored_url(text: &str) -> AppResult<()> {
    if text.is_empty() {
        return Ok(());
    }
    let url = ServerUrl::parse(text).map_err(|error| invalid(&error))?;
    if !url.has_password() {
        return Ok(());
    }
    Err(AppError::usage("`database.url` must not contain a password in a file").hint(
        "leave it out, and put it into your pgpass file, PGPASSWORD, or `database.password_command`",
    ))
}

fn invalid(error: &SettingsError) -> AppError {
    AppError::usage(format!("`database.url` cannot be used: {error}"))
        .hint("see `tacit config explain database.url`")
}

/// Runs the user's program for the password. Its output is the password, without the end of the line.
fn password_from(command: &str, home: &Path, deadline: Instant) -> Result<Password, String> {
    let cannot = |why: String| format!("`database.password_command` {why}");
    let line =
        CommandLine::parse(command).map_err(|error| cannot(format!("is invalid: {error}")))?;
    #[expect(clippy::disallowed_methods, reason = "the user chose the program")]
    let mut program = Command::new(line.program());
    // Not run in the project, which may contain another program of the same name.
    program.args(line.arguments()).current_dir(home);
    let output = process::run(&mut program, &[], deadline, PASSWORD_BYTES).map_err(|error| {
        cannot(match error {
            RunError::Start(error) => format!("cannot be started: {error}"),
            RunError::Wait(error) => format!("failed while running: {error}"),
            RunError::TimedOut => "took too long".to_owned(),
            RunError::TooLong => "printed more than 4 kB".to_owned(),
        })
    })?;
    if !output.status.success() {
        // Its output may contain a part of the password.
        return Err(cannot(format!("failed ({})", output.status)));
    }
    let text = String::from_utf8(output.stdout)
        .map_err(|_| cannot("printed bytes that are not UTF-8".into()))?;
    let password = text.trim_end_matches(['\n', '\r']);
    if password.is_empty() {
        return Err(cannot("printed nothing".into()));
    }
    Ok(Password::new(password))
}
