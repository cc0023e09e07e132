//! `cargo xtask panel`: tests the interface of the panel, and that the committed build is its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, run};

/// Test the panel's interface, build it again, and walk through the real panel in Chromium.
///
/// Needs Node.js 20.19 or newer with npm, and Chromium (`CHROMIUM`, by default `/usr/bin/chromium`). Fails if the build
/// differs from `panel/dist` by a byte; the new build stays there, to be committed.
#[derive(Debug, clap::Args)]
pub(crate) struct Panel {}

impl Panel {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        panel(workspace)
    }
}

fn panel(workspace: &Workspace) -> Result<()> {
    let ui = workspace.root.join("panel/ui");
    let dist = workspace.root.join("panel/dist");
    let npm = |arguments: &[&str]| {
        let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
        run(command.args(arguments).current_dir(&ui))
    };
    npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    npm(&["run", "check"])?;
    npm(&["test"])?;
    let committed = files(&dist)?;
    npm(&["run", "build"])?;
    let built = files(&dist)?;
    let differs = |path: &&PathBuf| committed.get(*path) != built.get(*path);
    if let Some(path) = committed.keys().chain(built.keys()).find(differs) {
        bail!("`{}` was not what the build makes; commit `panel/dist`", path.display());
    }
    npm(&["run", "sizes"])?;
    run(&mut workspace.cargo(["build", "--locked", "--package", "tacit"]))?;
    let tacit = workspace.target()?.join("debug").join("tacit");
    run(Command::new("node").arg("tests/real-server.mjs").arg(tacit).current_dir(&ui))
}

/// Reads a folder with everything below it.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let entries =
        folder.read_dir().with_context(|| format!("cannot read `{}`", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            let bytes = fs::read(&path)?;
            found.insert(path, bytes);
        }
    }
    Ok(found)
}
