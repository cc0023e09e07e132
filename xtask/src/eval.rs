//! `cargo xtask eval`: evaluates the ranking of recall, what hooks show for prompts, the edges of the code graph, co-change and
//! the locating of files for a task, on data sets with known answers.
//!
//! The evaluated system sees only documents and queries; the judgements are read afterwards to
//! score its results.

mod cochange;
mod dataset;
mod imports;
mod locate;
mod metrics;
mod prompts;
mod recall;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Subcommand;

use crate::workspace::Workspace;

/// Score recall, prompts, the code graph, co-change and locate.
#[derive(Debug, clap::Args)]
pub(crate) struct Eval {
    #[command(subcommand)]
    pub(crate) which: EvalCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    Recall(recall::Recall),
    Prompts(prompts::Prompts),
    Cochange(cochange::Cochange),
    Imports(imports::EvalImports),
    Locate(locate::Locate),
}

/// The ranked documents of each query, best first.
pub(crate) type Run = BTreeMap<String, Vec<String>>;

impl Eval {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        match self.which {
            EvalCommand::Recall(recall) => recall.run(workspace),
            EvalCommand::Prompts(prompts) => prompts.run(workspace),
            EvalCommand::Cochange(cochange) => cochange.run(),
            EvalCommand::Imports(imports) => imports.run(workspace),
            EvalCommand::Locate(locate) => locate.run(workspace),
        }
    }
}

/// Returns the given folders, or those in `../shared/eval` if there are any.
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
