//! `tacit validate`

use clap::ValueEnum;
use serde_json::json;
use tacit_app::{AppError, AppResult, Code};
use tacit_core::SessionId;
use tacit_core::log::CheckRecord;
use tacit_engine::{StoreAccess, StoreScope};

use super::observe::session;
use crate::app::App;

/// The session in which commands report about units that no agent has named.
const OWN_SESSION: &str = "tacit-validate";

/// Say that the work passed or failed a check that Tacit cannot see.
///
/// What was noted and seen in a session becomes memories when its work passes; nothing does when it
/// fails. Checks that agents run themselves (tests, builds, linters) are recognised without this.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit validate pass                                     the session that is at work here
  tacit validate pass --work-unit spec_042/subtask_3
  tacit validate fail --summary 'the login page is empty'

What QA found in detail is reported by `tacit qa`.")]
pub(crate) struct Validate {
    /// What came of it.
    #[arg(value_name = "pass|fail")]
    result: Outcome,
    /// The unit of work, from the outermost container to the unit: spec_042/subtask_3.
    #[arg(long, value_name = "UNIT")]
    work_unit: Option<String>,
    /// The session; the one that is at work here, if it is not said.
    #[arg(long, value_name = "SESSION", conflicts_with = "work_unit")]
    session: Option<String>,
    /// What was run.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// What was checked, or what failed.
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// A file it is about (repeat for several).
    #[arg(long, value_name = "FILE")]
    file: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Outcome {
    Pass,
    Fail,
}

impl Validate {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        let passed = self.result == Outcome::Pass;
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
            return Err(AppError::new(Code::NotFound, "no session of an agent is at work here")
                .hint("name one with `--session` (`tacit observe sessions` lists them), or the unit with `--work-unit`"));
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
