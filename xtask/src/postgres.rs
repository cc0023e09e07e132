//! `cargo xtask postgres`: a PostgreSQL server for tests and benchmarks.

mod directory;
mod programs;
mod server;

use anyhow::Result;

pub(crate) use crate::postgres::server::LocalServer;
use crate::workspace::Workspace;

/// The variable that tells tests the URL of a superuser; `tacit_testkit::postgres` reads it.
pub(crate) const VARIABLE: &str = "TACIT_TEST_POSTGRES";

/// Run a PostgreSQL server for tests until Ctrl-C.
///
/// PostgreSQL 18 with pgvector is installed beside the build, in the version that is pinned in
/// `xtask/src/postgres/requirements.txt`. It listens on a free port of this machine only, runs as `nobody` if you are
/// root, does not sync, and leaves nothing behind. Needs Python 3.11 or newer with pip or venv. `cargo xtask test`
/// starts its own server unless `TACIT_TEST_POSTGRES` names one.
#[derive(Debug, clap::Args)]
pub(crate) struct Postgres {}

impl Postgres {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let mut server = LocalServer::for_tests(workspace)?;
        println!(
            "PostgreSQL runs until Ctrl-C. In another terminal:

  export {VARIABLE}={}
  cargo nextest run -p tacit-store-postgres",
            server.url()
        );
        server.wait()
    }
}

/// Starts a server for tests, unless the developer has named one.
#[expect(clippy::disallowed_methods, reason = "the developer's environment may name a server")]
pub(crate) fn unless_named(workspace: &Workspace) -> Result<Option<LocalServer>> {
    match std::env::var_os(VARIABLE) {
        Some(_) => Ok(None),
        None => LocalServer::for_tests(workspace).map(Some),
    }
}
