//! `cargo xtask eval`: how well recall ranks, on folders of questions whose answers are known; how
//! right the edges of the code graph are; how well it is told what changes together, and which files a
//! task is about.
//!
//! A system under evaluation sees documents and queries; the judgements are read afterwards, only
//! to score what it returned.

mod cochange;
mod dataset;
mod imports;
mod locate;
mod metrics;
mod recall;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Subcommand;

use crate::workspace::Workspace;

/// Score how well recall ranks, how right the code graph is, how well co-change is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Eval {
    #[command(subcommand)]
    pub(crate) which: Which,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Which {
    Recall(recall::Recall),
    Cochange(cochange::Cochange),
    Imports(imports::Imports),
    Locate(locate::Locate),
}

/// What a system returned: for each query, documents, the best first.
pub(crate) type Run = BTreeMap<String, Vec<String>>;

impl Eval {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        match self.which {
            Which::Recall(recall) => recall.run(workspace),
            Which::Cochange(cochange) => cochange.run(),
            Which::Imports(imports) => imports.run(workspace),
            Which::Locate(locate) => locate.run(workspace),
        }
    }
}

/// Returns the folders given, else those of the sets to develop on, if this machine has them.
fn folders(workspace: &Workspace, given: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
    if !given.is_empty() {
        return Ok(given);
    }
    let shared = workspace.root.join("..").join("shared").join("eval");
    let Ok(entries) = std::fs::read_dir(&shared) else {
        println!("No folder was given, and there are none in `{}`.", shared.display());
        return Ok(Vec::new());
    };
    let mut folders = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.join("queries.jsonl").exists() {
            folders.push(path);
        }
    }
    folders.sort();
    if folders.is_empty() {
        println!("No folder was given, and there are none in `{}`.", shared.display());
    }
    Ok(folders)
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}
