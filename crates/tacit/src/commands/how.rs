//! `tacit how`

use tacit_app::AppResult;
use tacit_triggers::Operator;

use crate::app::App;
use crate::commands::when::answer;

/// Print how something is done here.
///
/// As `tacit when`, for the `/how` lines of the index.
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
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        answer(app, Operator::How, &self.query)
    }
}
