//! `tacit records retire`

use super::{checked_reason, index_now, say, settings};
use crate::app::App;
use crate::error::CliResult;
use tacit_app::records::{folder, patience};

/// Take a record out of use.
///
/// It is no longer recalled, and can be removed after `records.grace_days`; until then, `tacit records restore` brings it back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records retire use-wal-mode --reason \"no longer true\"
  tacit records retire decisions/use-wal-mode --reason \"no longer true\" --json")]
pub(crate) struct Retire {
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

impl Retire {
    pub(super) fn run(self, app: &mut App) -> CliResult<()> {
        let reason = checked_reason(&self.reason)?;
        let (folder, settings) = (folder(app), settings(app));
        let stored = {
            let writer = folder.writer(&settings, app.now(), patience(app))?;
            writer.retire(&self.name, reason, self.hash.as_deref())?
        };
        let notes = index_now(app);
        say(app, "Retired", &stored, &notes)
    }
}
