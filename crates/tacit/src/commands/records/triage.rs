//! `tacit records triage`

use tacit_app::AppResult;
use tacit_app::records::{ExcerptDirectory, TriageResult, private_directory, read_session};

use super::settings;
use crate::app::CliApp;

/// Find the records that a session is worth.
///
/// For each such category, an excerpt of the session is written to a directory that only you can
/// read. The data for agents stands between `<triage_data>` marks; `--json` prints the data alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records triage session.jsonl
  tacit records triage - --json < session.jsonl
  tacit records triage session.jsonl --no-files")]
pub(crate) struct RecordsTriageArgs {
    /// The transcript of the session, one JSON object per line; `-` is standard input.
    #[arg(value_name = "TRANSCRIPT")]
    transcript: String,
    /// Write no excerpts.
    #[arg(long)]
    no_files: bool,
}

impl RecordsTriageArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let (session, settings) = (read_session(app, &self.transcript)?, settings(app));
        let directory = private_directory(app);
        let excerpts = ExcerptDirectory { directory: &directory, suffix: None };
        let excerpts = (!self.no_files).then_some(&excerpts);
        let triage = TriageResult::of(&session, &settings, &app.config().records, excerpts);
        if app.json {
            return app.ui.json(&triage.data);
        }
        if triage.found.is_empty() {
            return app.ui.line("Nothing in this session is worth a record.");
        }
        app.ui.lines(triage.lines())?;
        app.ui.lines(triage.problems.iter().map(|problem| format!("note: {problem}")))?;
        app.ui.line(format!("\n{}", triage.block()))
    }
}
