//! `tacit restore`

use tacit_app::AppResult;
use tacit_engine::StoreAccess;

use crate::app::CliApp;

/// Bring forgotten or archived memories back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit list --status retired
  tacit restore a1b2c3d4")]
pub(crate) struct RestoreArgs {
    /// The ids; the beginning of one is enough where it is clear.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
}

impl RestoreArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let restored = engine.restore_all(&ids)?;
        drop(engine);
        app.print_changed("Restored", &restored)
    }
}
