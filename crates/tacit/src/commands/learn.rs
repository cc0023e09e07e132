//! `tacit learn`: learning from what is there already. One file per subcommand.

mod transcripts;

use clap::Subcommand;
use tacit_app::AppResult;

use crate::app::CliApp;

/// Learn from what is there already.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit learn transcripts                 learn from past sessions of agents")]
pub(crate) struct LearnArgs {
    #[command(subcommand)]
    source: LearnSource,
}

#[derive(Debug, Subcommand)]
enum LearnSource {
    Transcripts(transcripts::LearnTranscriptsArgs),
}

impl LearnArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.source {
            LearnSource::Transcripts(args) => args.run(app),
        }
    }
}
