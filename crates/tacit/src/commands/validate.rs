//! `tacit review pass` and `fail`, which machines call as `tacit validate pass|fail`.

use clap::ValueEnum;
use serde_json::json;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_core::SessionId;
use tacit_core::log::CheckRecord;
use tacit_engine::{StoreAccess, StoreScope};

use super::session::session;
use crate::app::CliApp;

/// The session of reports about units that no agent works on.
const OWN_SESSION: &str = "tacit-validate";

/// Report that work passed or failed a check.
///
/// `tacit review pass` and `tacit review fail` do the same for people.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit validate pass
  tacit validate pass --work-unit spec_042/subtask_3
  tacit validate fail --summary 'the login page is empty'")]
pub(crate) struct ValidateArgs {
    /// The result.
    #[arg(value_name = "pass|fail")]
    result: CheckResult,
    #[command(flatten)]
    check: CheckArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckResult {
    Pass,
    Fail,
}

impl ValidateArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        self.check.report(app, self.result == CheckResult::Pass)
    }
}

/// A check of some work.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The unit of work, from the outermost container to the unit: spec_042/subtask_3.
    #[arg(long, value_name = "UNIT")]
    work_unit: Option<String>,
    /// The session [default: the one at work here].
    #[arg(long, value_name = "SESSION", conflicts_with = "work_unit")]
    session: Option<String>,
    /// The command of the check.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// The subject of the check, or what failed.
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// A file it is about (repeat for several).
    #[arg(long, value_name = "FILE")]
    file: Vec<String>,
}

impl CheckArgs {
    /// Records the result. Notes of a session become memories when its work passes.
    pub(super) fn report(self, app: &CliApp, passed: bool) -> AppResult<()> {
        let files =
            self.file.iter().map(|file| app.repo_path(file)).collect::<AppResult<Vec<_>>>()?;
        let work_unit = self.work_unit.as_deref().map(|typed| app.work_unit(typed)).transpose()?;
        let report = CheckRecord {
            passed,
            command: self.command,
            summary: self.summary,
            files,
            work_unit,
            by: Some("tacit validate".to_owned()),
            tool: Some("validate".to_owned()),
        };
        let mut engine = app.engine(StoreAccess::Write(StoreScope::Project))?;
        engine.flush_events()?;
        let typed = self.session.as_deref().map(session).transpose()?;
        let own = || -> Option<SessionId> {
            report.work_unit.as_ref().and_then(|_| OWN_SESSION.parse().ok())
        };
        let Some(session) = typed.or_else(|| engine.current_session()).or_else(own) else {
            return Err(AppError::new(ErrorCode::NotFound, "no session of an agent is at work here")
                .hint("name one with `--session` (`tacit session list` lists them), or the unit with `--work-unit`"));
        };
        let sessions = engine.report_validation(&session, report)?;
        drop(engine);
        app.maintain_in_background();
        let names: Vec<&str> = sessions.iter().map(SessionId::as_str).collect();
        if app.json {
            return app.ui.json(&json!({"passed": passed, "sessions": names}));
        }
        let what = if passed { "passed" } else { "failed" };
        app.ui.line(format!("Recorded that the work {what}, in {}", names.join(", ")))
    }
}
