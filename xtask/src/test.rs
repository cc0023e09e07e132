//! `cargo xtask test`: runs the tests.

use anyhow::Result;

use crate::clients::clients;
#[cfg(unix)]
use crate::postgres;
use crate::release::panics;
use crate::tools::{NEXTEST, TMUX};
use crate::workspace::{Workspace, run};

/// Run every test, then the examples in the documentation, the tests of panics with the panic
/// strategy of a release, and the MCP clients.
///
/// With names or options, only the matching tests.
#[derive(Debug, clap::Args)]
pub(crate) struct Test {
    /// Arguments for nextest: names to filter by, or its options.
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,
}

impl Test {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        TMUX.require()?;
        nextest(workspace, &self.arguments)?;
        if !self.arguments.is_empty() {
            return Ok(());
        }
        doc_tests(workspace, &[])?;
        panics(workspace)?;
        clients(workspace)
    }
}

/// Runs the tests of the whole workspace, with a PostgreSQL server for those that need one.
pub(crate) fn nextest<S: AsRef<str>>(workspace: &Workspace, arguments: &[S]) -> Result<()> {
    let mut command = NEXTEST.command(workspace)?;
    command.args(["run", "--workspace"]).args(arguments.iter().map(AsRef::as_ref));
    #[cfg(unix)]
    let server = postgres::unless_named(workspace)?;
    #[cfg(unix)]
    if let Some(server) = &server {
        command.env(postgres::VARIABLE, server.url());
    }
    run(&mut command)
}

/// Runs the examples in the documentation, which nextest cannot.
pub(crate) fn doc_tests(workspace: &Workspace, arguments: &[&str]) -> Result<()> {
    run(workspace.cargo(["test", "--doc", "--workspace"]).args(arguments))
}
