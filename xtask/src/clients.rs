//! `cargo xtask clients`: tests the MCP server with the official SDKs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::tools::answers;
use crate::workspace::{Workspace, run};

/// Drive the MCP server with the official SDKs for Python and TypeScript.
///
/// Both clients are installed beside the build, in the versions that are pinned in
/// `crates/tacit-mcp/tests/clients/`. Needs Python 3.11 or newer with pip or venv, and Node.js 20 or
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
    // Both are installed before either runs, so that anything missing is reported at once.
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

/// Prepares the client in Python.
fn python(sources: &Path, directory: &Path) -> Result<Command> {
    let (python, packages) = python_packages(sources, directory)?;
    let mut command = Command::new(python);
    command.env("PYTHONPATH", packages).arg(sources.join("client.py"));
    Ok(command)
}

/// Installs the packages that `requirements.txt` of a folder pins. Returns the interpreter, and the path
/// of the packages.
pub(crate) fn python_packages(sources: &Path, directory: &Path) -> Result<(&'static str, PathBuf)> {
    const NEEDED: &str =
        "install Python 3.11 or newer with pip (Debian: `apt install python3-pip`)";
    let Some(python) = ["python3", "python"].into_iter().find(|name| has(name, &["--version"]))
    else {
        bail!("`python3` is not installed; {NEEDED}");
    };
    let packages = directory.join("packages");
    install(sources, directory, &["requirements.txt"], || {
        // A Python without pip may be able to create an environment that has it.
        let pip = if has(python, &["-m", "pip", "--version"]) {
            PathBuf::from(python)
        } else {
            let environment = directory.join("environment");
            if !answers(Command::new(python).args(["-m", "venv"]).arg(&environment)) {
                bail!("`{python}` has neither pip nor venv; {NEEDED}");
            }
            environment.join(if cfg!(windows) { "Scripts" } else { "bin" }).join("python")
        };
        let mut command = Command::new(pip);
        // Conflicts with other packages of the machine do not matter.
        command.args(["-m", "pip", "install", "--quiet", "--no-warn-conflicts"]);
        command.args(["--root-user-action", "ignore", "--target"]).arg(&packages);
        run(command.arg("--requirement").arg(sources.join("requirements.txt")))
    })?;
    Ok((python, packages))
}

/// Prepares the client in JavaScript, beside the packages it imports, where Node looks for them.
fn node(sources: &Path, directory: &Path) -> Result<Command> {
    npm_packages(sources, directory)?;
    let script = directory.join("client.mjs");
    fs::copy(sources.join("client.mjs"), &script)
        .with_context(|| format!("cannot write `{}`", script.display()))?;
    let mut command = Command::new("node");
    command.arg(script);
    Ok(command)
}

/// Installs the npm packages that are pinned in a folder, without running their scripts.
pub(crate) fn npm_packages(sources: &Path, directory: &Path) -> Result<()> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    for name in ["node", npm] {
        if !has(name, &["--version"]) {
            bail!("`{name}` is not installed; install Node.js 20 or newer");
        }
    }
    install(sources, directory, &["package-lock.json", "package.json"], || {
        let mut command = Command::new(npm);
        run(command
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(directory))
    })
}

/// Installs the packages in the files, unless the same files were installed before.
fn install(
    sources: &Path,
    directory: &Path,
    files: &[&str],
    install: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let required: Vec<Vec<u8>> =
        files.iter().map(|file| fs::read(sources.join(file))).collect::<Result<_, _>>()?;
    let marker = directory.join("installed");
    let installed = files.iter().map(|file| fs::read(directory.join(file)).ok());
    if marker.exists() && installed.eq(required.iter().cloned().map(Some)) {
        return Ok(());
    }
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    fs::create_dir_all(directory)?;
    for (file, bytes) in files.iter().zip(required) {
        fs::write(directory.join(file), bytes)?;
    }
    install()?;
    // Written last, so that an interrupted installation is repeated.
    fs::write(marker, "")?;
    Ok(())
}

fn has(program: &str, arguments: &[&str]) -> bool {
    answers(Command::new(program).args(arguments))
}
