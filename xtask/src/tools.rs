//! Cargo's companions, installed beside the build if the machine does not have them.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::workspace::{Workspace, run};

/// A subcommand of cargo that comes in a package of its own.
#[derive(Debug)]
pub(crate) struct Tool {
    /// What follows `cargo`.
    name: &'static str,
    /// Installed if there is none; whatever version the machine has is used as it is.
    version: &'static str,
    /// What else the installation needs.
    options: &'static [&'static str],
}

/// The test runner.
pub(crate) const NEXTEST: Tool = Tool { name: "nextest", version: "0.9.143", options: &[] };

/// The check of dependencies and licences.
pub(crate) const DENY: Tool =
    Tool { name: "deny", version: "0.20.2", options: &["--no-default-features"] };

impl Tool {
    /// Returns a command that runs the tool at the root of the repository, once it is there.
    pub(crate) fn command(&self, workspace: &Workspace) -> Result<Command> {
        if answers(&mut workspace.cargo([self.name, "--version"])) {
            return Ok(workspace.cargo([self.name]));
        }
        let package = format!("cargo-{}", self.name);
        let root = workspace.target()?.join("tools");
        let program = root.join("bin").join(format!("{package}{}", std::env::consts::EXE_SUFFIX));
        let tool = || {
            let mut command = Command::new(&program);
            command.arg(self.name).current_dir(&workspace.root);
            command
        };
        if !answers(tool().arg("--version")) {
            eprintln!("`cargo {}` is not installed; installing it beside the build", self.name);
            let mut install = workspace.cargo(["install", &package, "--locked"]);
            install.args(["--version", self.version]).args(self.options).arg("--root").arg(&root);
            run(&mut install)?;
        }
        Ok(tool())
    }
}

/// Returns true if a command can be run and succeeds.
pub(crate) fn answers(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
