//! Programs that tests need, installed if the machine does not have them: cargo subcommands beside the build, others from
//! Debian's packages.

use std::ffi::OsString;
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

/// A program of the system. It is no cargo package, so it cannot be installed beside the build.
#[derive(Debug)]
pub(crate) struct SystemTool {
    /// The program, which is also the name of its package.
    name: &'static str,
    /// The argument that makes it print its version.
    version: &'static str,
    /// The variable that names another program to use instead.
    variable: Option<&'static str>,
    /// The tests that need it.
    purpose: &'static str,
}

/// The terminal in which full-screen commands are tested.
pub(crate) const TMUX: SystemTool = SystemTool {
    name: "tmux",
    version: "-V",
    variable: None,
    purpose: "the tests of full-screen commands run in it",
};

/// The browser in which the panel is tested.
pub(crate) const CHROMIUM: SystemTool = SystemTool {
    name: "chromium",
    version: "--version",
    variable: Some("CHROMIUM"),
    purpose: "the panel is tested in it; `CHROMIUM` names another one",
};

impl SystemTool {
    /// Installs the program from Debian's packages if it is missing.
    #[expect(
        clippy::disallowed_methods,
        reason = "the developer's environment names another program"
    )]
    pub(crate) fn require(&self) -> Result<()> {
        let chosen = self.variable.and_then(std::env::var_os);
        let program: OsString = chosen.unwrap_or_else(|| self.name.into());
        let is_there = || answers(Command::new(&program).arg(self.version));
        for installer in [&["apt-get"][..], &["sudo", "-n", "apt-get"]] {
            if is_there() {
                return Ok(());
            }
            eprintln!("`{}` is not installed; trying `{}`", self.name, installer.join(" "));
            for arguments in
                [&["update"][..], &["install", "--yes", "--no-install-recommends", self.name]]
            {
                answers(Command::new(installer[0]).args(&installer[1..]).args(arguments));
            }
        }
        if is_there() {
            return Ok(());
        }
        bail!("`{0}` is not installed; {1} (Debian: `apt install {0}`)", self.name, self.purpose)
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
