//! `tacit records restore`

use super::{index_now, say, settings};
use crate::app::App;
use crate::error::CliResult;
use tacit_app::records::{folder, patience};

/// Bring a retired or archived record back into use.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records restore use-wal-mode
  tacit records restore decisions/use-wal-mode --json")]
pub(crate) struct Restore {
    /// The name of the record, or the path of its file.
    #[arg(value_name = "NAME")]
    name: String,
    /// The MD5 of the file as it was read.
    #[arg(long, value_name = "MD5")]
    hash: Option<String>,
}

impl Restore {
    pub(super) fn run(self, app: &mut App) -> CliResult<()> {
        let (folder, settings) = (folder(app), settings(app));
        let stored = {
            let writer = folder.writer(&settings, app.now(), patience(app))?;
            writer.restore(&self.name, self.hash.as_deref())?
        };
        let notes = index_now(app);
        say(app, "Restored", &stored, &notes)
    }
}
