//! `tacit records archive`

use super::{checked_reason, index_now, say, settings};
use crate::app::App;
use crate::error::CliResult;
use tacit_app::records::{folder, patience};

/// Take a record out of use and keep it.
///
/// It is no longer recalled, and is never removed; `tacit records restore` brings it back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records archive use-wal-mode --reason \"kept for the audit\"
  tacit records archive decisions/use-wal-mode --reason \"kept for the audit\" --json")]
pub(crate) struct Archive {
    /// The name of the record, or the path of its file.
    #[arg(value_name = "NAME")]
    name: String,
    /// Why.
    #[arg(long, short, value_name = "TEXT")]
    reason: String,
    /// The MD5 of the file as it was read.
    #[arg(long, value_name = "MD5")]
    hash: Option<String>,
}

impl Archive {
    pub(super) fn run(self, app: &mut App) -> CliResult<()> {
        let reason = checked_reason(&self.reason)?;
        let (folder, settings) = (folder(app), settings(app));
        let stored = {
            let writer = folder.writer(&settings, app.now(), patience(app))?;
            writer.archive(&self.name, reason, self.hash.as_deref())?
        };
        let notes = index_now(app);
        say(app, "Archived", &stored, &notes)
    }
}
