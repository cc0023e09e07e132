//! `tacit work qa`

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;
use tacit_app::{AppError, AppResult};
use tacit_core::WorkUnitRef;
use tacit_engine::{QaReportResult, StoreAccess, StoreScope};
use tacit_redact::redact;
use tacit_work::{QaIssue, QaSeverity, TestRun};

use crate::app::CliApp;
use crate::commands::count;
use crate::render::visible;

/// Most bytes of a report that are read.
const MOST_BYTES: u64 = 4 * 1024 * 1024;
const HINT: &str = "docs/methodologies.md describes reports and lists the known test runners";

/// Read a QA report or the output of a test runner.
///
/// Critical and high issues become notes of the session, which agents see at once. They become
/// memories when the work proves to be fixed: by a report for the same unit of work that passed, by
/// `tacit work finish`, or by checks that passed in the same session.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit work qa qa.json
  tacit work qa - --work-unit 042/3 < qa.json
  cargo test 2>&1 | tacit work qa -

docs/methodologies.md describes the form of a report.")]
pub(crate) struct QaArgs {
    /// The report as JSON, or the output of a test runner; `-` is standard input.
    file: PathBuf,
    /// The unit of work [default: the report's own, or the current one].
    #[arg(long, value_name = "UNIT")]
    work_unit: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    passed: Option<bool>,
    #[serde(default, alias = "workUnit")]
    work_unit: Option<Unit>,
    #[serde(default)]
    issues: Vec<Issue>,
    #[serde(default, rename = "summary")]
    _summary: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Unit {
    Typed(String),
    Whole(WorkUnitRef),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Issue {
    severity: QaSeverity,
    description: String,
    file: Option<String>,
    module: Option<String>,
    #[serde(alias = "whatWasTried")]
    what_was_tried: Option<String>,
    recommendation: Option<String>,
}

impl QaArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let QaArgs { file, work_unit } = self;
        let text = read(app, &file)?;
        // No runner begins like a report.
        let (verdict, own_unit, issues) = if text.trim_start().starts_with(['{', '[']) {
            let report = parse(&file, &text)?;
            let issues = report.issues.into_iter().enumerate();
            let issues =
                issues.map(|(at, issue)| issue.checked(app, at)).collect::<AppResult<_>>()?;
            (report.passed, report.work_unit, issues)
        } else {
            let run = TestRun::read(&redact(&text).text).ok_or_else(|| {
                let name = file.display();
                AppError::usage(format!(
                    "`{name}` is neither a QA report nor the output of a known test runner"
                ))
                .hint(HINT)
            })?;
            (Some(run.passed), None, run.issues)
        };
        let by = app.reporter("qa report");
        let typed = match (work_unit, own_unit) {
            (Some(typed), _) | (None, Some(Unit::Typed(typed))) => Some(app.work_unit(&typed)?),
            (None, Some(Unit::Whole(unit))) => Some(unit),
            (None, None) => None,
        };
        let mut engine = app.with_generator(app.engine(StoreAccess::Write(StoreScope::Project))?);
        let unit = match typed {
            Some(unit) => Some(unit),
            None => engine.work(&by.here)?.unit().cloned(),
        };
        let severe = issues.iter().any(QaIssue::is_severe);
        let passed = verdict.unwrap_or(!severe);
        let noted = engine.report_qa(&by, unit.as_ref(), passed, &issues)?;
        drop(engine);
        let QaReportResult { session, pending: held, remembered } = noted;
        let kept = remembered.iter().filter_map(|remembered| remembered.memory.as_ref());
        if app.json {
            let kept: Vec<String> = kept.map(|memory| memory.id.short().to_string()).collect();
            return app.ui.json(&json!({
                "passed": passed, "work_unit": unit, "session": session, "held": held,
                "remembered": kept,
            }));
        }
        let of = unit.map(|unit| format!(" of {}", unit.label())).unwrap_or_default();
        let verdict = if passed { "passed" } else { "failed" };
        let issues = count(issues.len(), "issue", "issues");
        app.ui.line(visible(&format!("QA{of} {verdict}, with {issues}.")))?;
        app.ui
            .lines(held.iter().map(|text| format!("Held until it is fixed: {}", visible(text))))?;
        for memory in kept {
            let text = visible(memory.body.content.as_str());
            app.ui.line(format!(
                "Remembered, now that it is fixed: {text} (id {})",
                memory.id.short()
            ))?;
        }
        Ok(())
    }
}

fn read(app: &CliApp, file: &Path) -> AppResult<String> {
    let mut text = String::new();
    let result = if file.as_os_str() == "-" {
        std::io::stdin().lock().take(MOST_BYTES).read_to_string(&mut text)
    } else {
        tacit_fs::open_user_path(&app.directory.join(file))
            .and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text))
    };
    let name = file.display();
    result.map_err(|error| AppError::usage(format!("cannot read `{name}`: {error}")).hint(HINT))?;
    Ok(text)
}

fn parse(file: &Path, text: &str) -> AppResult<Report> {
    let json = &mut serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(json).map_err(|error| {
        let (path, inner) = (error.path().to_string(), error.into_inner());
        let field = if path == "." { String::new() } else { format!("{path}: ") };
        let name = file.display();
        AppError::usage(format!("`{name}` is not a QA report: {field}{inner}")).hint(HINT)
    })
}

impl Issue {
    fn checked(self, app: &CliApp, at: usize) -> AppResult<QaIssue> {
        let file = self.file.as_deref().filter(|file| !file.is_empty());
        let file = file.map(|file| app.repo_path(file)).transpose().map_err(|mut error| {
            error.message = format!("issues[{at}].file: {}", error.message);
            error
        })?;
        if self.description.trim().is_empty() {
            return Err(AppError::usage(format!("issues[{at}].description: is empty")));
        }
        Ok(QaIssue {
            severity: self.severity,
            description: self.description,
            file,
            module: self.module.filter(|module| !module.trim().is_empty()),
            what_was_tried: self.what_was_tried,
            recommendation: self.recommendation,
        })
    }
}
