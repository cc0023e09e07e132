//! Cargo subcommands, installed beside the build if the machine does not have them.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::workspace::{Workspace, run};

/// A cargo subcommand from its own package.
#[derive(Debug)]
pub(crate) struct Tool {
    /// The name of the subcommand.
    name: &'static str,
    /// The version to install; an installed version is used whatever it is.
    version: &'static str,
    /// Further options of the installation.
    options: &'static [&'static str],
}

/// The test runner.
pub(crate) const NEXTEST: Tool = Tool { name: "nextest", version: "0.9.143", options: &[] };

/// The check of dependencies and licences.
pub(crate) const DENY: Tool =
    Tool { name: "deny", version: "0.20.2", options: &["--no-default-features"] };

impl Tool {
    /// Returns a command that runs the tool at the root of the repository, installing it if
    /// necessary.
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

/// Installs the terminal in which full-screen commands are tested, from Debian's packages, if it is
/// missing. It is no cargo package, so it cannot be installed beside the build.
pub(crate) fn require_tmux() -> Result<()> {
    let is_there = || answers(Command::new("tmux").arg("-V"));
    for installer in [&["apt-get"][..], &["sudo", "-n", "apt-get"]] {
        if is_there() {
            return Ok(());
        }
        eprintln!("`tmux` is not installed; trying `{}`", installer.join(" "));
        for arguments in [&["update"][..], &["install", "--yes", "tmux"]] {
            answers(Command::new(installer[0]).args(&installer[1..]).args(arguments));
        }
    }
    if is_there() {
        return Ok(());
    }
    bail!(
        "`tmux` is not installed; the tests of full-screen commands run in it (Debian: `apt install \
         tmux`)"
    )
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
