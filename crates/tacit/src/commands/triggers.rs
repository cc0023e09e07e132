//! `tacit triggers`: the index of triggers and the decision files it opens. One file per
//! subcommand.

mod add;
mod compress;
mod list;
mod migrate;
mod stats;
mod usage;
mod validate;

use clap::Subcommand;
use tacit_app::AppResult;
use tacit_app::triggers::{corpus, layout, no_index};
use tacit_triggers::Corpus;
use tacit_triggers::commit::recover;

use crate::app::CliApp;

/// Manage the triggers of `when` and `how`.
///
/// The index is a markdown file that agents read in every session; each line opens a section of a
/// decision file (`tacit when`, `tacit how`). `triggers.index` and `triggers.decisions` configure the
/// paths of the files.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit triggers list
  tacit triggers add writing mock tests --file testing.md --body \"Patch where it is used.\"
  tacit triggers validate --fix
  tacit triggers compress \"How to Encode Paths\"
  tacit triggers migrate --dry-run
  tacit triggers stats
  tacit triggers usage --by day")]
pub(crate) struct TriggersArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::TriggersListArgs),
    Add(add::TriggersAddArgs),
    Validate(validate::TriggersValidateArgs),
    Compress(compress::TriggersCompressArgs),
    Migrate(migrate::TriggersMigrateArgs),
    Stats(stats::TriggersStatsArgs),
    Usage(usage::TriggersUsageArgs),
}

impl TriggersArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.action {
            Action::List(list) => list.run(app),
            Action::Add(add) => add.run(app),
            Action::Validate(validate) => validate.run(app),
            Action::Compress(compress) => compress.run(app),
            Action::Migrate(migrate) => migrate.run(app),
            Action::Stats(stats) => stats.run(app),
            Action::Usage(usage) => usage.run(app),
        }
    }
}

/// Reads the index and the decision files; fails if there is no index.
fn indexed(app: &CliApp) -> AppResult<Corpus> {
    let corpus = corpus(app, app.config())?;
    if corpus.indexes.is_empty() { Err(no_index(app.config())) } else { Ok(corpus) }
}

/// Reads them for a command that writes, after rolling back the edits of a killed process.
fn writable(app: &CliApp) -> AppResult<Corpus> {
    recover(app.worktree())?;
    indexed(app)
}
