//! `report_validation` and `report_work_unit`: reports on the work, which the observer learns from.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_core::WorkUnitRef;
use tacit_core::log::{CheckRecord, Complexity, UnitStatus, WorkUnitRecord};
use tacit_engine::{Reporter, StoreAccess, StoreScope};

use super::{Effect, ToolSpec, object, text, texts};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolAnswer, ToolError, ToolResult, read};

pub(super) const VALIDATION: ToolSpec = ToolSpec {
    name: "report_validation",
    title: "Report a check",
    description: "Report that a check (tests, build, review) passed or failed, if Tacit cannot see \
                  it.",
    input: || {
        object(
            json!({
                "passed": {"type": "boolean"},
                "command": text(""),
                "summary": text("What was checked, or failed"),
                "files": texts(""),
                "work_unit": texts("Its hierarchy, if not this session's"),
            }),
            &["passed"],
        )
    },
    output,
    effect: Effect::Adds,
    run: validation,
};

pub(super) const WORK_UNIT: ToolSpec = ToolSpec {
    name: "report_work_unit",
    title: "Report work",
    description: "For orchestrators: report that a unit of work (story, ticket) started, \
                  succeeded or failed.",
    input: || {
        object(
            json!({
                "hierarchy": texts("From the outermost container to the unit"),
                "status": {"type": "string", "enum": UnitStatus::ALL},
                "methodology": text(""),
                "label": text(""),
                "summary": text("What was done, decided, or went wrong"),
                "complexity": {"type": "string", "enum": Complexity::ALL},
                "files": texts(""),
            }),
            &["hierarchy", "status"],
        )
    },
    output,
    effect: Effect::Adds,
    run: work_unit,
};

/// The most bytes of a text in a report.
const MAX_TEXT: usize = 4_096;

fn output() -> Value {
    object(json!({"session": text("")}), &["session"])
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Validation {
    passed: bool,
    command: Option<String>,
    summary: Option<String>,
    files: Option<Vec<String>>,
    work_unit: Option<Vec<String>>,
}

fn validation(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let report: Validation = read(arguments)?;
    check_length("command", report.command.as_deref())?;
    check_length("summary", report.summary.as_deref())?;
    let files = ctx.files(report.files)?;
    let what = if report.passed { "passed" } else { "failed" };
    let mut engine = ctx.engine(StoreAccess::Write(StoreScope::Project))?;
    let unit = |hierarchy| engine.methodology().unit_of(hierarchy);
    let work_unit = report
        .work_unit
        .map(unit)
        .transpose()
        .map_err(|problem| ToolError::error(problem.to_string()))?;
    let report = CheckRecord {
        passed: report.passed,
        command: report.command,
        summary: report.summary,
        files,
        work_unit,
        by: Some(ctx.client.clone()),
        tool: Some(VALIDATION.name.to_owned()),
    };
    let session = ctx.session(&engine);
    let sessions = engine.report_validation(&session, report)?;
    let session = sessions.first().unwrap_or(&session);
    Ok(ToolAnswer::message(
        format!("Recorded that the check {what}."),
        json!({"session": session.as_str()}),
    ))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkUnit {
    hierarchy: Vec<String>,
    status: UnitStatus,
    methodology: Option<String>,
    label: Option<String>,
    summary: Option<String>,
    complexity: Option<Complexity>,
    files: Option<Vec<String>>,
}

fn work_unit(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let report: WorkUnit = read(arguments)?;
    check_length("summary", report.summary.as_deref())?;
    let status = report.status;
    let mut engine = ctx.engine(StoreAccess::Write(StoreScope::Project))?;
    let own = engine.methodology();
    let id = report.methodology.unwrap_or_else(|| own.id().to_owned());
    // The active methodology can label only its own units.
    let label = match report.label {
        Some(label) => label,
        None if id == own.id() => own
            .unit_of(report.hierarchy.clone())
            .map_err(|problem| ToolError::error(problem.to_string()))?
            .label()
            .to_owned(),
        None => report.hierarchy.join(" / "),
    };
    let unit = WorkUnitRef::new(id, report.hierarchy, label)
        .map_err(|problem| ToolError::error(problem.to_string()))?;
    let report = WorkUnitRecord {
        summary: report.summary,
        files: ctx.files(report.files)?,
        complexity: report.complexity,
        ..WorkUnitRecord::new(unit, status)
    };
    let by = Reporter {
        here: ctx.here(&engine),
        client: ctx.client.clone(),
        tool: WORK_UNIT.name.to_owned(),
    };
    ctx.check_cancelled()?;
    let session = match status {
        UnitStatus::Started => engine.report_work(&by, &report)?,
        UnitStatus::Succeeded | UnitStatus::Failed => engine.finish_work(&by, &report)?.session,
    };
    Ok(ToolAnswer::message(
        format!("Recorded that the unit of work {}.", status.as_str()),
        json!({"session": session.as_str()}),
    ))
}

fn check_length(name: &str, text: Option<&str>) -> Result<(), ToolError> {
    match text.map_or(0, str::len) {
        0..=MAX_TEXT => Ok(()),
        length => Err(ToolError::error(format!(
            "`{name}` is {length} bytes long; the limit is {MAX_TEXT}"
        ))),
    }
}
