//! Tests of panics with the panic strategy of a release.

use anyhow::Result;

use crate::tools::NEXTEST;
use crate::workspace::{Workspace, run};

/// Builds the program with the panic strategy of a release and runs the tests of panics with it.
/// Debug builds always unwind, so tests of them prove nothing about a release.
pub(crate) fn panics(workspace: &Workspace) -> Result<()> {
    let profile = "release-check";
    let build = ["build", "--locked", "--package", "tacit", "--features", "failpoints"];
    run(workspace.cargo(build).args(["--profile", profile]))?;
    let binary = format!("tacit{}", std::env::consts::EXE_SUFFIX);
    let binary = workspace.target()?.join(profile).join(binary);
    let mut tests = NEXTEST.command(workspace)?;
    tests.args(["run", "--locked", "--package", "tacit", "--test", "process", "panics::"]);
    run(tests.env("TACIT_RELEASE_BINARY", binary))
}
