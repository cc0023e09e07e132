//! `tacit restore`

mod backup;

pub(crate) use backup::to_json as backup_to_json;

use tacit_app::AppResult;
use tacit_engine::StoreAccess;

use crate::app::{CliApp, StoreScopeArg};

/// Bring back forgotten memories, or a backup.
///
/// `tacit maintain` backs up each store once a day if something changed, and keeps the backups of
/// seven days and four weeks (`backups.daily`, `backups.weekly`); `tacit maintain --backup` makes one now, which is kept
/// until you delete it. `--backup` replaces the project's
/// database, or with `--global` your own, with a backup. The current database stays beside it, and the
/// command says how to go back to it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit list --status retired
  tacit restore a1b2c3d4
  tacit restore --backups                  list the backups
  tacit restore --backup latest
  tacit restore --backup 2026-11-18 --global")]
pub(crate) struct RestoreArgs {
    /// The ids; the beginning of one is enough where it is clear.
    #[arg(value_name = "ID", required_unless_present_any = ["backup", "backups"])]
    ids: Vec<String>,
    /// Backup to restore: a date, a name that `--backups` lists, or `latest`.
    #[arg(long, value_name = "BACKUP", conflicts_with_all = ["ids", "backups"])]
    backup: Option<String>,
    /// List the backups of both stores.
    #[arg(long, conflicts_with = "ids")]
    backups: bool,
    #[command(flatten)]
    scope: StoreScopeArg,
}

impl RestoreArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        if self.backups {
            return backup::list(app);
        }
        if let Some(name) = &self.backup {
            return backup::restore(app, self.scope.scope(), name);
        }
        let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let restored = engine.restore_all(&ids)?;
        drop(engine);
        app.print_changed("Restored", &restored)
    }
}
