//! `tacit migrate`

use serde_json::json;
use tacit_app::team;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_engine::MoveReport;

use crate::app::CliApp;
use crate::commands::of;

/// The word for the database on this machine.
const LOCAL: &str = "local";

/// Move the project's store to a server, or back.
///
/// Copies memories, history, links, vectors and sessions, compares both stores row by row, and only
/// then uses the new one. An interrupted move continues where it stopped if you repeat the command. The
/// project must have no memories on the server yet; if it has some, use `tacit team join --share`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit migrate --to postgres://ada@db.example/tacit
  tacit migrate --to local")]
pub(crate) struct MigrateArgs {
    /// The address of the database without a password, or `local`.
    #[arg(long, value_name = "URL")]
    to: String,
}

impl MigrateArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let report = match self.to.as_str() {
            LOCAL => team::migrate_to_machine(app)?,
            url => team::migrate_to_server(app, url)?,
        };
        if app.json {
            let value = json!({
                "rows": report.rows, "memories": report.memories,
                "differences": report.differences,
            });
            app.ui.json(&value)?;
        }
        let MoveReport { rows, memories, differences } = report;
        if let Some(first) = differences.first() {
            let (table, source, target) = (first.table, first.source, first.target);
            let message = format!(
                "the copy differs from the source in {}: `{table}` has {source} rows in the source and \
                 {target} in the copy",
                of(differences.len() as u64, "table", "tables")
            );
            return Err(AppError::new(ErrorCode::Failure, message).hint(
                "the store is unchanged; something may have been written meanwhile, so try again",
            ));
        }
        if app.json {
            return Ok(());
        }
        let (memories, rows) = (of(memories, "memory", "memories"), of(rows, "row", "rows"));
        app.ui.line(format!("Moved {memories} ({rows}) and compared every row"))
    }
}
