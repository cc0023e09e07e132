//! `cargo xtask panel`: tests the interface of the panel, that the committed build is its own, and the real panel in a
//! browser.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::panel_api::check_api;
use crate::tools::CHROMIUM;
use crate::workspace::{Workspace, run};

/// Test the panel's interface, build it again, and use the real panel in Chromium.
///
/// Needs Node.js 20.19 or newer with npm, and Chromium (`CHROMIUM`), which is installed from Debian's packages if it is
/// missing. Fails if the build differs from `panel/dist` by a byte; the new build stays there, to be committed.
#[derive(Debug, clap::Args)]
pub(crate) struct Panel {
    /// Run only the steps in the browser whose names contain one of these words.
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Use the panel for this many minutes instead, and fail if its memory or the server's grows.
    #[arg(long, value_name = "MINUTES", conflicts_with = "words",
          value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) soak: Option<u32>,
}

impl Panel {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        match self.soak {
            Some(minutes) => soak(workspace, minutes),
            None if self.words.is_empty() => panel(workspace),
            None => in_browser(workspace, "run.mjs", &self.words),
        }
    }
}

/// Does all of it.
pub(crate) fn panel(workspace: &Workspace) -> Result<()> {
    let dist = workspace.root.join("panel/dist");
    npm(workspace, &["ci", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    npm(workspace, &["run", "check"])?;
    npm(workspace, &["test"])?;
    let committed = files(&dist)?;
    npm(workspace, &["run", "build"])?;
    let built = files(&dist)?;
    let differs = |path: &&PathBuf| committed.get(*path) != built.get(*path);
    if let Some(path) = committed.keys().chain(built.keys()).find(differs) {
        bail!("`{}` was not what the build makes; commit `panel/dist`", path.display());
    }
    npm(workspace, &["run", "sizes"])?;
    check_api(workspace)?;
    in_browser(workspace, "run.mjs", &[])
}

fn soak(workspace: &Workspace, minutes: u32) -> Result<()> {
    in_browser(workspace, "soak.mjs", &[minutes.to_string()])
}

fn npm(workspace: &Workspace, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    run(command.args(arguments).current_dir(workspace.root.join("panel/ui")))
}

/// Runs a script of `panel/ui/tests/real` with the built program.
fn in_browser(workspace: &Workspace, script: &str, arguments: &[String]) -> Result<()> {
    CHROMIUM.require()?;
    let ui = workspace.root.join("panel/ui");
    if !ui.join("node_modules").exists() {
        npm(workspace, &["ci", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    }
    run(&mut workspace.cargo(["build", "--locked", "--package", "tacit"]))?;
    let mut node = Command::new("node");
    node.arg(format!("tests/real/{script}")).arg(workspace.target()?.join("debug/tacit"));
    run(node.args(arguments).current_dir(ui))
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
