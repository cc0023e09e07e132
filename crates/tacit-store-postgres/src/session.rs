//! Setting up of connections and sessions.

use std::future::Future;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::Config;

use crate::settings::{ServerSettings, SslMode, Timeouts};

/// The name under which servers list our connections.
const APPLICATION: &str = "tacit";
/// The time for which the server keeps the open transaction of an idle client, in milliseconds.
const IDLE_TRANSACTION: u64 = 60_000;

/// The runtime of a connection. Unlike tokio's, it does not wait on its end for running tasks, such as a DNS
/// lookup without an answer.
pub(crate) struct Reactor(Option<Runtime>);

impl Reactor {
    pub(crate) fn new() -> std::io::Result<Reactor> {
        Builder::new_current_thread().enable_all().build().map(|runtime| Reactor(Some(runtime)))
    }

    pub(crate) fn block_on<F: Future>(&self, future: F) -> Option<F::Output> {
        self.0.as_ref().map(|runtime| runtime.block_on(future))
    }
}

impl Drop for Reactor {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Returns the parameters of a connection.
pub(crate) fn config(settings: &ServerSettings, connect: Duration) -> Config {
    let url = &settings.url;
    let mut config = Config::new();
    config
        .application_name(APPLICATION)
        .user(&settings.user)
        .dbname(settings.database())
        .host(&url.host)
        .port(url.port)
        .connect_timeout(connect)
        .keepalives_idle(Duration::from_secs(30))
        .ssl_mode(match url.ssl_mode() {
            SslMode::Disable => tokio_postgres::config::SslMode::Disable,
            SslMode::Prefer => tokio_postgres::config::SslMode::Prefer,
            SslMode::Require | SslMode::VerifyFull => tokio_postgres::config::SslMode::Require,
        });
    if let Some(password) = &settings.password {
        config.password(password.reveal());
    }
    config
}

/// Returns the expressions that set up a session: its limits, and where names are looked up. Only the owner
/// can create anything there; the schema of the extension may be one in which others can.
pub(crate) fn session_settings(timeouts: Timeouts) -> String {
    format!(
        "pg_catalog.set_config('statement_timeout', '{}', false),
         pg_catalog.set_config('lock_timeout', '{}', false),
         pg_catalog.set_config('idle_in_transaction_session_timeout', '{IDLE_TRANSACTION}', false),
         pg_catalog.set_config('search_path', 'tacit, pg_temp', false)",
        timeouts.statement.as_millis().max(1),
        timeouts.busy.as_millis().max(1),
    )
}
