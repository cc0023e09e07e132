//! `tacit learn`: what the project had before its memory. One file per subcommand.

pub(super) mod git;
pub(super) mod transcripts;

use clap::Subcommand;
use tacit_app::AppResult;

use crate::app::CliApp;

/// Learn from the project's past.
///
/// Memories that are inferred wait for `tacit review`, and agents are not shown them unasked before.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit learn git                     from the commits and the committed files
  tacit learn transcripts             from past sessions of agents
  tacit learn git --dry-run           show what would be learnt")]
pub(crate) struct LearnArgs {
    #[command(subcommand)]
    source: LearnSource,
}

#[derive(Debug, Subcommand)]
enum LearnSource {
    Git(git::LearnGitArgs),
    Transcripts(transcripts::LearnTranscriptsArgs),
}

impl LearnArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.source {
            LearnSource::Git(args) => args.run(app),
            LearnSource::Transcripts(args) => args.run(app),
        }
    }
}
