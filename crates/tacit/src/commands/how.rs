//! `tacit how`

use tacit_app::AppResult;
use tacit_triggers::Operator;

use crate::app::CliApp;
use crate::commands::when::answer;

/// Print how something is done here.
///
/// Opens a section of the decision files, like `tacit when`, by the `/how` lines of the index.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit how encode paths
  tacit how .How to Encode Paths    a section by its heading
  tacit how ..data-processing.md    a whole decision file")]
pub(crate) struct HowArgs {
    /// The trigger, or `.Section Title`, or `..file.md`.
    #[arg(required = true, value_name = "TRIGGER")]
    query: Vec<String>,
}

impl HowArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        answer(app, Operator::How, &self.query)
    }
}
