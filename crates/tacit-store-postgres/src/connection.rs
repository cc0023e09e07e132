//! A connection with deadlines, and transactions on it.

use std::cell::Cell;
use std::future::Future;
use std::task::Poll;
use std::time::Duration;

use tacit_store::{StoreError, StoreResult};
use tokio::time::timeout;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Row};

use crate::error::{explain, late};
use crate::session::{Reactor, config};
use crate::settings::{ServerSettings, SslMode, Timeouts};
use crate::tls;

/// The margin by which the client waits longer than the server, so that the server's own limit is
/// reported.
const GRACE: Duration = Duration::from_millis(500);
/// The time that the client waits for slow statements.
const LONG: Duration = Duration::from_secs(60 * 60);

/// Starts a transaction whose statements see what others have committed, whatever the login's default is: a
/// writer must see what the one that it waited for has written.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// A parameter with its type, so that a statement takes one round trip.
pub(crate) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// A connection to a server.
///
/// The runtime belongs to the connection and has no thread: it works while a statement is waited for. So a
/// connection must not be used by the code of another async runtime.
pub(crate) struct Connection {
    client: Client,
    runtime: Reactor,
    server: String,
    patience: Cell<Duration>,
    timeouts: Timeouts,
    /// True once an answer is missing: what it belongs to is unknown.
    broken: Cell<bool>,
    /// True if a statement of the open transaction failed, so that it cannot be committed.
    failed: Cell<bool>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}

/// The lock of a transaction. Writers of one project wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriterLock {
    /// Waits for the lock of a project as long as the timeouts allow.
    Wait(i64),
    /// Fails at once if the lock of a project is taken.
    Try(i64),
    /// Takes no lock.
    None,
}

impl Connection {
    /// Connects within the timeout, which covers everything up to the server's first answer.
    pub(crate) fn open(settings: &ServerSettings, timeouts: Timeouts) -> StoreResult<Connection> {
        let server = settings.url.to_string();
        let unprepared = |detail: String| StoreError::Denied { server: server.clone(), detail };
        let runtime = Reactor::new().map_err(|error| unprepared(error.to_string()))?;
        let connect = settings.url.connect_timeout.unwrap_or(timeouts.connect);
        let connect = connect.min(timeouts.connect);
        let config = config(settings, connect);
        let client = runtime.block_on(async {
            let connected = async {
                if settings.url.ssl_mode() == SslMode::Disable || settings.url.is_socket() {
                    let (client, driver) =
                        config.connect(NoTls).await.map_err(|error| explain(&server, &error))?;
                    drop(tokio::spawn(driver));
                    return Ok(client);
                }
                let tls = tls::connector(&settings.url).map_err(|error| StoreError::Untrusted {
                    server: server.clone(),
                    detail: error.to_string(),
                })?;
                let (client, driver) =
                    config.connect(tls).await.map_err(|error| explain(&server, &error))?;
                drop(tokio::spawn(driver));
                Ok(client)
            };
            timeout(connect, connected).await.unwrap_or_else(|_| Err(late(&server)))
        });
        let client = client.unwrap_or_else(|| Err(late(&server)))?;
        Ok(Connection {
            client,
            runtime,
            server,
            patience: Cell::new(timeouts.statement.saturating_add(GRACE)),
            timeouts,
            broken: Cell::new(false),
            failed: Cell::new(false),
        })
    }

    /// Returns the address of the server, without user and password.
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// Sets how long to wait for each of the following answers.
    pub(crate) fn set_patience(&self, patience: Duration) {
        self.patience.set(patience);
    }

    /// Returns the rows of a statement.
    pub(crate) fn rows(&self, sql: &str, parameters: &[Parameter<'_>]) -> StoreResult<Vec<Row>> {
        self.wait(self.client.query_typed(sql, parameters))
    }

    /// Returns the rows of two statements that are sent together.
    pub(crate) fn rows_of_two(
        &self,
        first: (&str, &[Parameter<'_>]),
        second: (&str, &[Parameter<'_>]),
    ) -> StoreResult<(Vec<Row>, Vec<Row>)> {
        self.wait(async {
            tokio::try_join!(
                self.client.query_typed(first.0, first.1),
                self.client.query_typed(second.0, second.1)
            )
        })
    }

    /// Returns the first row of a statement that always has one.
    pub(crate) fn row(&self, sql: &str, parameters: &[Parameter<'_>]) -> StoreResult<Row> {
        let rows = self.rows(sql, parameters)?;
        rows.into_iter().next().ok_or_else(|| StoreError::Failed {
            path: self.server.clone().into(),
            detail: "a statement returned no row".into(),
        })
    }

    /// Runs a statement. Returns the number of rows it changed.
    pub(crate) fn execute(&self, sql: &str, parameters: &[Parameter<'_>]) -> StoreResult<u64> {
        self.wait(self.client.execute_typed(sql, parameters))
    }

    /// Runs statements in order, in one round trip: none waits for the answer to another. Meant for a
    /// transaction, in which the first that fails makes all later ones fail.
    pub(crate) fn execute_all(&self, statements: &[(&str, Vec<Parameter<'_>>)]) -> StoreResult<()> {
        self.wait(async {
            let mut waiting: Vec<_> = statements
                .iter()
                .map(|(sql, parameters)| Box::pin(self.client.execute_typed(sql, parameters)))
                .collect();
            // The first poll of each sends it, so all are sent before the first answer is there.
            std::future::poll_fn(|context| {
                let mut at = 0;
                while let Some(answer) = waiting.get_mut(at) {
                    match answer.as_mut().poll(context) {
                        Poll::Pending => at += 1,
                        Poll::Ready(Ok(_)) => drop(waiting.remove(at)),
                        Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    }
                }
                if waiting.is_empty() { Poll::Ready(Ok(())) } else { Poll::Pending }
            })
            .await
        })
    }

    /// Runs statements without parameters in one round trip.
    pub(crate) fn batch(&self, sql: &str) -> StoreResult<()> {
        self.wait(self.client.batch_execute(sql))
    }

    /// Reads a column.
    pub(crate) fn get<'r, T: tokio_postgres::types::FromSql<'r>>(
        &self,
        row: &'r Row,
        column: usize,
    ) -> StoreResult<T> {
        row.try_get(column).map_err(|error| explain(&self.server, &error))
    }

    /// Starts a transaction with the lock of a project. It is rolled back unless it is committed.
    pub(crate) fn begin(&self, lock: WriterLock) -> StoreResult<OpenTransaction<'_>> {
        self.failed.set(false);
        let open = OpenTransaction { connection: self, ended: false };
        match lock {
            WriterLock::None => self.batch(BEGIN)?,
            // Only contributors can lock the row, so nobody else keeps them waiting.
            WriterLock::Wait(project) => self.batch(&format!(
                "{BEGIN}; SET LOCAL lock_timeout = {};
                 SELECT 1 FROM tacit.counters WHERE project = {project} FOR UPDATE",
                self.timeouts.busy.as_millis().max(1)
            ))?,
            WriterLock::Try(project) => {
                self.batch(BEGIN)?;
                let sql = "SELECT 1 FROM tacit.counters WHERE project = $1 FOR UPDATE SKIP LOCKED";
                if self.rows(sql, &[(&project, Type::INT8)])?.is_empty() {
                    return Err(StoreError::Busy);
                }
            }
        }
        Ok(open)
    }

    /// Runs `work` in a transaction.
    pub(crate) fn transaction<T>(
        &self,
        lock: WriterLock,
        work: impl FnOnce(&Connection) -> StoreResult<T>,
    ) -> StoreResult<T> {
        let open = self.begin(lock)?;
        let value = work(self)?;
        open.commit()?;
        Ok(value)
    }

    /// Like [`Connection::transaction`], for statements that may take long, such as making an index.
    pub(crate) fn long_transaction<T>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T>,
    ) -> StoreResult<T> {
        let patience = self.patience.replace(LONG);
        let done = self.transaction(WriterLock::None, |connection| {
            connection.batch("SET LOCAL statement_timeout = 0")?;
            work(connection)
        });
        self.patience.set(patience);
        done
    }

    /// Waits for an answer, but not longer than the deadline.
    fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> StoreResult<T> {
        if self.broken.get() || self.client.is_closed() {
            let detail = "the connection was closed".to_owned();
            return Err(StoreError::Unreachable { server: self.server.clone(), detail });
        }
        let patience = self.patience.get();
        let answered = self.runtime.block_on(async { timeout(patience, answer).await });
        let result = match answered {
            Some(Ok(result)) => result.map_err(|error| explain(&self.server, &error)),
            Some(Err(_)) | None => {
                self.broken.set(true);
                Err(late(&self.server))
            }
        };
        if result.is_err() {
            self.failed.set(true);
        }
        result
    }
}

/// A transaction that is rolled back unless it is committed.
pub(crate) struct OpenTransaction<'a> {
    connection: &'a Connection,
    ended: bool,
}

impl OpenTransaction<'_> {
    /// Commits. Fails if one of the statements failed, because the server would roll back silently.
    pub(crate) fn commit(mut self) -> StoreResult<()> {
        if self.connection.failed.get() {
            return Err(StoreError::Failed {
                path: self.connection.server.clone().into(),
                detail: "a statement of the transaction failed".into(),
            });
        }
        self.connection.batch("COMMIT")?;
        self.ended = true;
        Ok(())
    }
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        // Without an answer, the server rolls back when it notices that the connection is gone.
        if !self.ended && self.connection.batch("ROLLBACK").is_err() {
            self.connection.broken.set(true);
        }
    }
}
