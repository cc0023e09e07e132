//! `tacit maintain`

mod backup;
mod preview;

use std::io::Write;

use serde_json::{Value, json};
use tacit_app::maintain::{MaintenanceReport, MaintenanceRequest, maintain};
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_engine::{RunReport, StoreScope};

use crate::app::CliApp;
use crate::commands::count;

/// The counts of steps in the life of memories, which the summary names.
const LIFE: [&str; 5] = ["archived", "fresh", "purged", "retired", "stale"];

/// Run background work: learn from sessions, prune, embed, index.
///
/// Commands start this in the background when they leave work behind, and hooks when a session ends,
/// with the first session of a day and after 20 sessions. It can be stopped at any time; the next one
/// begins with the steps that were not done. If another `tacit maintain` is running, this one waits for it and does the
/// rest. After a change of `embedding.provider` or of a model, it embeds everything again and then
/// switches over.
///
/// The work is a list of steps. If one fails, the others still run; `logs/maintain.log` beside the
/// store has the reason, and `tacit doctor --quick` and `tacit doctor` report it until the step
/// succeeds.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit maintain
  tacit maintain --dry-run      which memories would be marked, retired, archived or purged, and why
  tacit maintain --backup       back up now, for example before a risky change
  tacit maintain --rebuild      rebuild the index of vectors")]
pub(crate) struct MaintainArgs {
    /// Print nothing.
    #[arg(long, short)]
    quiet: bool,
    /// Rebuild derived files, even if they look intact.
    #[arg(long)]
    rebuild: bool,
    /// Show which memories would change, and why, and change nothing.
    #[arg(long, conflicts_with_all = ["rebuild", "quiet"])]
    dry_run: bool,
    /// Only back up each store now, even if it was already backed up today.
    #[arg(long, conflicts_with_all = ["rebuild", "quiet", "dry_run"])]
    backup: bool,
    /// Exit at once if another `tacit maintain` is running.
    #[arg(long, hide = true)]
    background: bool,
}

impl MaintainArgs {
    /// Returns true if nothing should be printed.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        if self.dry_run {
            return preview::print(app);
        }
        if self.backup {
            return backup::run(app);
        }
        let mut done = Vec::new();
        if let Some(choice) = app.embedder().filter(|_| !self.quiet && !app.json)
            && let Some(why) = choice.degraded
        {
            app.ui.line(match choice.takes_over {
                true => format!("{why} Vectors of another model are kept."),
                false => format!("{why} Vectors of another model are not changed."),
            })?;
        }
        for scope in [StoreScope::Project, StoreScope::Global] {
            if app.places.database(scope).exists() {
                done.extend(self.one(app, scope)?.map(|maintained| (scope, maintained)));
            }
        }
        if !self.quiet {
            self.report(app, &done)?;
        }
        match failure(done) {
            Some(_) if app.json || (self.quiet && self.background) => {
                Err(AppError::already_printed())
            }
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn report(&self, app: &CliApp, done: &[(StoreScope, MaintenanceReport)]) -> AppResult<()> {
        if app.json {
            let values = done.iter().map(|(scope, MaintenanceReport { embedded, failed, run })| {
                let failed = failed.iter().map(|(step, error)| {
                    json!({"step": step, "error": error.message, "hint": error.hint})
                });
                let failed = failed.collect::<Vec<Value>>();
                json!({
                    "store": scope.as_str(), "embedded": embedded, "failed": failed, "run": run,
                })
            });
            return app.ui.json(&values.collect());
        }
        for (scope, MaintenanceReport { embedded, failed, run }) in done {
            let mut what = count(*embedded, "memory", "memories");
            for (name, number) in run.iter().flat_map(RunReport::counts) {
                if LIFE.contains(&name) {
                    what.push_str(&format!(", {number} {name}"));
                }
            }
            let rest = match failed.len() {
                0 => "everything is up to date".to_owned(),
                failed => format!("{} failed", count(failed, "step", "steps")),
            };
            app.ui.line(format!("{}: embedded {what}; {rest}", scope.as_str()))?;
        }
        Ok(())
    }

    /// Maintains one store; returns `None` if another process does.
    fn one(&self, app: &CliApp, scope: StoreScope) -> AppResult<Option<MaintenanceReport>> {
        let mut request = MaintenanceRequest {
            rebuild: self.rebuild,
            wait: &mut || {
                if !self.quiet && !self.background {
                    let scope = scope.as_str();
                    let waits = "another `tacit maintain` is running; waiting for it";
                    writeln!(std::io::stderr(), "{scope}: {waits}")?;
                }
                Ok(!self.background)
            },
            // Ctrl-C ends the process; the next run continues.
            is_cancelled: &|| false,
        };
        maintain(app, scope, &mut request)
    }
}

/// Joins the steps that failed into one error, with the hint of the first.
fn failure(done: Vec<(StoreScope, MaintenanceReport)>) -> Option<AppError> {
    let failed = done.into_iter().flat_map(|(scope, maintained)| {
        maintained.failed.into_iter().map(move |(step, error)| (scope, step, error))
    });
    let failed: Vec<(StoreScope, &str, AppError)> = failed.collect();
    let lines = failed.iter().map(|(scope, step, error)| {
        format!("{}: cannot {step}: {}", scope.as_str(), error.message)
    });
    let message = lines.collect::<Vec<String>>().join("\n");
    let (.., mut error) = failed.into_iter().next()?;
    error.message = message;
    // A usage error of a step is not one of this command.
    if !matches!(error.code, ErrorCode::Busy | ErrorCode::Damaged) {
        error.code = ErrorCode::Failure;
    }
    Some(error)
}
