//! `tacit report`: what came of what is kept. One file per report.

mod recall;

use clap::Subcommand;
use tacit_app::AppResult;

use crate::app::App;

/// What came of what is kept: is it used when it would help?
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit report recall
  tacit report recall --by session --since 2026-11-01")]
pub(crate) struct Report {
    #[command(subcommand)]
    which: Which,
}

#[derive(Debug, Subcommand)]
enum Which {
    Recall(recall::Recall),
}

impl Report {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        match self.which {
            Which::Recall(recall) => recall.run(app),
        }
    }
}
