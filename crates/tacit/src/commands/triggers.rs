//! `tacit triggers`: the index of triggers and the decision files it opens. One file per
//! subcommand.

mod add;
mod compress;
mod list;
mod migrate;
mod stats;
mod validate;

use clap::Subcommand;
use tacit_app::AppResult;
use tacit_app::triggers::{corpus, layout, no_index};
use tacit_triggers::Corpus;
use tacit_triggers::commit::recover;

use crate::app::App;

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
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
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

/// Everything, where there must be an index.
fn indexed(app: &App) -> AppResult<Corpus> {
    let corpus = corpus(app, app.config())?;
    if corpus.indexes.is_empty() { Err(no_index(app.config())) } else { Ok(corpus) }
}

/// The same for commands that write: what a process that died had begun is taken back first.
fn writable(app: &App) -> AppResult<Corpus> {
    recover(app.worktree())?;
    indexed(app)
}
