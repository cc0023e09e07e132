//! `cargo xtask clients`: the MCP server as clients that others wrote see it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::tools::answers;
use crate::workspace::{Workspace, run};

/// Drive the MCP server with the official SDKs for Python and TypeScript.
///
/// Both are installed beside the build, in the versions that are pinned in
/// `crates/tacit-mcp/tests/clients/`. Needs Python 3.10 or newer with pip or venv, and Node.js 20 or
/// newer with npm.
#[derive(Debug, clap::Args)]
pub(crate) struct Clients {}

impl Clients {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        clients(workspace)
    }
}

/// Runs the clients, one after the other.
pub(crate) fn clients(workspace: &Workspace) -> Result<()> {
    let sources = workspace.root.join("crates/tacit-mcp/tests/clients");
    let target = workspace.target()?;
    // Both are put in place before either runs: what is missing is said at once.
    let mut commands = [
        python(&sources, &target.join("clients/python"))?,
        node(&sources, &target.join("clients/node"))?,
    ];
    run(&mut workspace.cargo(["build", "--locked", "--package", "tacit"]))?;
    let tacit = target.join("debug").join(format!("tacit{}", std::env::consts::EXE_SUFFIX));
    for command in &mut commands {
        run(command.arg(&tacit).arg(sources.join("story.json")))?;
    }
    Ok(())
}

/// Returns the client in Python.
fn python(sources: &Path, place: &Path) -> Result<Command> {
    const NEEDED: &str =
        "install Python 3.10 or newer with pip (Debian: `apt install python3-pip`)";
    let Some(python) = ["python3", "python"].into_iter().find(|name| has(name, &["--version"]))
    else {
        bail!("there is no `python3` to run a client with; {NEEDED}");
    };
    let packages = place.join("packages");
    install(sources, place, &["requirements.txt"], || {
        // Of a Python without pip, an environment of its own may have one.
        let pip = if has(python, &["-m", "pip", "--version"]) {
            PathBuf::from(python)
        } else {
            let environment = place.join("environment");
            if !answers(Command::new(python).args(["-m", "venv"]).arg(&environment)) {
                bail!("`{python}` has neither pip nor venv; {NEEDED}");
            }
            environment.join(if cfg!(windows) { "Scripts" } else { "bin" }).join("python")
        };
        let mut command = Command::new(pip);
        // What else the machine's Python has is of no concern here.
        command.args(["-m", "pip", "install", "--quiet", "--no-warn-conflicts"]);
        command.args(["--root-user-action", "ignore", "--target"]).arg(&packages);
        run(command.arg("--requirement").arg(sources.join("requirements.txt")))
    })?;
    let mut command = Command::new(python);
    command.env("PYTHONPATH", packages).arg(sources.join("client.py"));
    Ok(command)
}

/// Returns the client in JavaScript, beside the packages it imports, where Node looks for them.
fn node(sources: &Path, place: &Path) -> Result<Command> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    for name in ["node", npm] {
        if !has(name, &["--version"]) {
            bail!("there is no `{name}` to run a client with; install Node.js 20 or newer");
        }
    }
    install(sources, place, &["package-lock.json", "package.json"], || {
        let mut command = Command::new(npm);
        run(command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(place))
    })?;
    let script = place.join("client.mjs");
    fs::copy(sources.join("client.mjs"), &script)
        .with_context(|| format!("cannot write `{}`", script.display()))?;
    let mut command = Command::new("node");
    command.arg(script);
    Ok(command)
}

/// Installs what files name, unless it was installed for the same files before.
fn install(
    sources: &Path,
    place: &Path,
    files: &[&str],
    install: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let wanted: Vec<Vec<u8>> =
        files.iter().map(|file| fs::read(sources.join(file))).collect::<Result<_, _>>()?;
    let done = place.join("installed");
    let there = files.iter().map(|file| fs::read(place.join(file)).ok());
    if done.exists() && there.eq(wanted.iter().cloned().map(Some)) {
        return Ok(());
    }
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    fs::create_dir_all(place)?;
    for (file, bytes) in files.iter().zip(wanted) {
        fs::write(place.join(file), bytes)?;
    }
    install()?;
    // Last: an installation that was broken off is begun anew.
    fs::write(done, "")?;
    Ok(())
}

fn has(program: &str, arguments: &[&str]) -> bool {
    answers(Command::new(program).args(arguments))
}
