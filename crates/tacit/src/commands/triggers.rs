//! `tacit triggers`: the index of triggers and the decision files it opens. One file per
//! subcommand.

mod add;
mod compress;
mod list;
mod migrate;
mod stats;
mod validate;

use std::path::PathBuf;

use clap::Subcommand;
use tacit_core::Config;
use tacit_triggers::Corpus;
use tacit_triggers::commit::recover;
use tacit_triggers::files::{FilesError, Layout, load};

use crate::app::App;
use crate::error::{CliError, CliResult, Code};

/// The index of `/when` and `/how` triggers: list, add, check, shorten, migrate.
///
/// The index is a markdown file whose lines an agent reads in every session; each opens a section
/// of a decision file (`tacit when`, `tacit how`). Where the files are is configured by
/// `triggers.index` and `triggers.decisions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit triggers list
  tacit triggers add writing mock tests --file testing.md --body \"Patch where it is used.\"
  tacit triggers validate --fix
  tacit triggers compress \"How to Encode Paths\"
  tacit triggers migrate --dry-run
  tacit triggers stats")]
pub(crate) struct Triggers {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::List),
    Add(add::Add),
    Validate(validate::Validate),
    Compress(compress::Compress),
    Migrate(migrate::Migrate),
    Stats(stats::Stats),
}

impl Triggers {
    pub(crate) fn run(self, app: &mut App) -> CliResult<()> {
        match self.action {
            Action::List(list) => list.run(app),
            Action::Add(add) => add.run(app),
            Action::Validate(validate) => validate.run(app),
            Action::Compress(compress) => compress.run(app),
            Action::Migrate(migrate) => migrate.run(app),
            Action::Stats(stats) => stats.run(app),
        }
    }
}

/// Where the files are, as configured when we started.
pub(super) fn layout(app: &App) -> Layout {
    layout_of(app, app.config())
}

/// Where the files are: in the worktree we are in, since they belong to what is checked out.
pub(super) fn layout_of(app: &App, config: &Config) -> Layout {
    let names = |text: &str| -> Vec<String> {
        text.split(',')
            .map(|name| name.trim().trim_start_matches("./").trim_end_matches('/').to_owned())
            .filter(|name| !name.is_empty())
            .collect()
    };
    Layout {
        root: root(app),
        decisions: names(&config.triggers_decisions),
        indexes: names(&config.triggers_index),
    }
}

fn root(app: &App) -> PathBuf {
    app.repository.as_ref().map_or_else(|| app.places.root.clone(), |r| r.worktree.clone())
}

/// Everything there is to recall by trigger.
pub(super) fn corpus(app: &App) -> CliResult<Corpus> {
    Ok(load(&layout(app))?)
}

/// Everything, where there must be an index.
fn indexed(app: &App) -> CliResult<Corpus> {
    let corpus = corpus(app)?;
    if corpus.indexes.is_empty() { Err(no_index(app)) } else { Ok(corpus) }
}

/// The same for commands that write: what a process that died had begun is taken back first.
fn writable(app: &App) -> CliResult<Corpus> {
    recover(&root(app))?;
    indexed(app)
}

/// That there is no index here.
pub(super) fn no_index(app: &App) -> CliError {
    let path = &app.config().triggers_index;
    CliError::new(Code::NotFound, format!("there is no index of triggers at `{path}`")).hint(
        "`tacit triggers add` starts one; `tacit config set triggers.index FILE` says where it is",
    )
}

impl From<FilesError> for CliError {
    fn from(error: FilesError) -> CliError {
        let message = error.to_string();
        match error {
            FilesError::Read { .. } | FilesError::Write { .. } => {
                CliError::new(Code::Failure, message)
                    .hint("check that it is a file, and the permissions of it and of its directory")
            }
            FilesError::Changed { .. } => CliError::new(Code::Refused, message)
                .hint("nothing was changed; run the command again"),
            FilesError::Busy { .. } => {
                CliError::new(Code::Busy, message).hint("nothing was changed; try again")
            }
        }
    }
}
