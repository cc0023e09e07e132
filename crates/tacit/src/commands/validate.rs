//! `tacit validate`

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;
use tacit_core::{SessionId, WorkUnitRef};
use tacit_engine::{Needs, QaReport, Shelf, ValidationReport};

use super::observe::session;
use crate::app::App;
use crate::commands::count;
use crate::error::{CliError, CliResult, Code};

/// The session in which commands report about units that no agent has named.
const OWN_SESSION: &str = "tacit-validate";
/// The largest report that is read, in bytes.
const LARGEST_REPORT: u64 = 4 * 1024 * 1024;

/// Say that the work passed or failed a check that Tacit cannot see.
///
/// What was noted and seen in a session becomes memories when its work passes; nothing does when it
/// fails. Checks that agents run themselves (tests, builds, linters) are recognised without this.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit validate pass                                     the session that is at work here
  tacit validate pass --work-unit spec_042/subtask_3
  tacit validate fail --summary 'the login page is empty'
  tacit validate fail --report qa.json                    learn from what it complains of, once it is fixed

A report is JSON: {\"issues\": [{\"severity\": \"critical|high|medium|low\", \"description\": \"…\",
\"file\": \"…\", \"what_was_tried\": \"…\", \"recommendation\": \"…\"}]}; only severity and description
are needed, and only critical and high are learnt from.")]
pub(crate) struct Validate {
    /// What came of it.
    #[arg(value_name = "pass|fail")]
    result: Outcome,
    /// The unit of work, from the outermost container to the unit: spec_042/subtask_3.
    #[arg(long, value_name = "UNIT")]
    work_unit: Option<String>,
    /// Who gave the unit its name.
    #[arg(long, value_name = "NAME", default_value = "native", requires = "work_unit")]
    methodology: String,
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
    /// A report of what is wrong, as JSON.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Outcome {
    Pass,
    Fail,
}

impl Validate {
    pub(crate) fn run(self, app: &mut App) -> CliResult<()> {
        let passed = self.result == Outcome::Pass;
        let files =
            self.file.iter().map(|file| app.repo_path(file)).collect::<CliResult<Vec<_>>>()?;
        let work_unit =
            self.work_unit.as_deref().map(|typed| unit(&self.methodology, typed)).transpose()?;
        let issues = match &self.report {
            Some(path) => read_report(&app.directory.join(path))?.issues,
            None => Vec::new(),
        };
        let learnt = issues.iter().filter(|issue| issue.is_serious()).count();
        let report = ValidationReport {
            passed,
            command: self.command,
            summary: self.summary,
            files,
            work_unit,
            issues,
        };
        let mut engine = app.engine(Needs::Write(Shelf::Project))?;
        engine.settle_events()?;
        let typed = self.session.as_deref().map(session).transpose()?;
        let own = || -> Option<SessionId> {
            report.work_unit.as_ref().and_then(|_| OWN_SESSION.parse().ok())
        };
        let Some(session) = typed.or_else(|| engine.session_at_work()).or_else(own) else {
            return Err(CliError::new(Code::NotFound, "no session of an agent is at work here")
                .hint("name one with `--session` (`tacit observe sessions` lists them), or the unit with `--work-unit`"));
        };
        let sessions = engine.report_validation(&session, &report, "tacit validate", "validate")?;
        drop(engine);
        app.maintain_in_background();
        let names: Vec<&str> = sessions.iter().map(SessionId::as_str).collect();
        if app.json {
            return Ok(app
                .ui
                .json(&json!({"passed": passed, "sessions": names, "issues": learnt}))?);
        }
        let what = if passed { "passed" } else { "failed" };
        app.ui.line(format!("Recorded that the work {what}, in {}", names.join(", ")))?;
        if learnt > 0 {
            let what = count(learnt, "complaint", "complaints");
            app.ui.line(format!("Noted {what}, to be learnt from once the work passes"))?;
        }
        Ok(())
    }
}

/// A unit of work as it was typed.
fn unit(methodology: &str, typed: &str) -> CliResult<WorkUnitRef> {
    let hierarchy: Vec<String> = typed.split('/').map(str::to_owned).collect();
    let label = hierarchy.join(" / ");
    WorkUnitRef::new(methodology, hierarchy, label).map_err(|problem| {
        CliError::usage(format!("--work-unit {problem}"))
            .hint("write it from the outermost container to the unit, such as `spec_042/subtask_3`")
    })
}

fn read_report(path: &std::path::Path) -> CliResult<QaReport> {
    let shown = path.display();
    let fail = |why: String| CliError::new(Code::Failure, format!("cannot read `{shown}`: {why}"));
    let size = std::fs::metadata(path).map_err(|error| fail(error.to_string()))?.len();
    if size > LARGEST_REPORT {
        return Err(fail(format!("it has {size} bytes; at most {LARGEST_REPORT} are read")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| {
        CliError::usage(format!("`{shown}` is not a report: {error}"))
            .hint("`tacit validate --help` shows what one looks like")
    })
}
