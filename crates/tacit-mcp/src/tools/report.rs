//! `report_validation` and `report_work_unit`: how the work goes, for what is learnt from it.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_core::WorkUnitRef;
use tacit_engine::{Complexity, Needs, Shelf, ValidationReport};

use super::{Effect, Spec, object, one_of, text, texts};
use crate::answer::{Answer, Refusal, Told, field, read};
use crate::desk::Desk;

pub(super) const VALIDATION: Spec = Spec {
    name: "report_validation",
    title: "Report a check",
    description: "Say that a check (tests, build, review) passed or failed, where Tacit cannot see \
                  it. Notes of a session become memories when its checks pass.",
    input: validation_input,
    output,
    effect: Effect::Adds,
    run: validation,
};

pub(super) const WORK_UNIT: Spec = Spec {
    name: "report_work_unit",
    title: "Report a unit of work",
    description: "For orchestrators: say that a unit of work (story, subtask, ticket) started, \
                  succeeded or failed.",
    input: work_unit_input,
    output,
    effect: Effect::Adds,
    run: work_unit,
};

/// The most bytes of a text in a report.
const LONGEST: usize = 4_096;

fn output() -> Value {
    object(json!({"session": text("")}), &["session"])
}

fn validation_input() -> Value {
    object(
        json!({
            "passed": {"type": "boolean"},
            "command": text(""),
            "summary": text("What was checked; when it failed, what failed"),
            "files": texts(""),
            "work_unit": texts("Its hierarchy, if not this session's"),
        }),
        &["passed"],
    )
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

fn validation(desk: &Desk<'_>, arguments: Map<String, Value>) -> Told {
    let report: Validation = read(arguments)?;
    short("command", report.command.as_deref())?;
    short("summary", report.summary.as_deref())?;
    let files = desk.files(report.files)?;
    let unit = |hierarchy: Vec<String>| unit(None, hierarchy, None, "work_unit");
    let work_unit = report.work_unit.map(unit).transpose()?;
    let what = if report.passed { "passed" } else { "failed" };
    let report = ValidationReport {
        passed: report.passed,
        command: report.command,
        summary: report.summary,
        files,
        work_unit,
        issues: Vec::new(),
    };
    let mut engine = desk.engine(Needs::Write(Shelf::Project))?;
    let session = desk.session(&engine);
    let sessions = engine.report_validation(&session, &report, &desk.client, VALIDATION.name)?;
    let session = sessions.first().unwrap_or(&session);
    Ok(Answer {
        text: format!("Recorded that the check {what}."),
        value: json!({"session": session.as_str()}),
    })
}

fn work_unit_input() -> Value {
    object(
        json!({
            "hierarchy": texts("From the outermost container to the unit"),
            "status": one_of(&["started", "succeeded", "failed"]),
            "methodology": {"type": "string", "default": "native"},
            "label": text(""),
            "summary": text("What was done, decided, or went wrong"),
            "complexity": one_of(&["trivial", "standard", "complex"]),
            "files": texts(""),
        }),
        &["hierarchy", "status"],
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkUnit {
    hierarchy: Vec<String>,
    status: Status,
    methodology: Option<String>,
    label: Option<String>,
    summary: Option<String>,
    complexity: Option<Complexity>,
    files: Option<Vec<String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Started,
    Succeeded,
    Failed,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Status::Started => "started",
            Status::Succeeded => "succeeded",
            Status::Failed => "failed",
        }
    }
}

fn work_unit(desk: &Desk<'_>, arguments: Map<String, Value>) -> Told {
    let report: WorkUnit = read(arguments)?;
    short("summary", report.summary.as_deref())?;
    let files = desk.files(report.files)?;
    let unit = unit(report.methodology, report.hierarchy, report.label, "hierarchy")?;
    let body = json!({
        "work_unit": unit, "status": report.status.as_str(), "summary": report.summary,
        "complexity": report.complexity, "files": files, "by": desk.client,
    });
    let subject = Some(unit.hierarchy().join("/"));
    let mut engine = desk.engine(Needs::Write(Shelf::Project))?;
    let session = desk.record_event(&mut engine, "work_unit", WORK_UNIT.name, subject, &body)?;
    Ok(Answer {
        text: format!("Recorded that the unit of work {}.", report.status.as_str()),
        value: json!({"session": session.as_str()}),
    })
}

/// A unit of work as agents name it.
fn unit(
    methodology: Option<String>,
    hierarchy: Vec<String>,
    label: Option<String>,
    name: &str,
) -> Result<WorkUnitRef, Refusal> {
    let methodology = methodology.unwrap_or_else(|| "native".to_owned());
    let label = label.unwrap_or_else(|| hierarchy.join(" / "));
    WorkUnitRef::new(methodology, hierarchy, label).map_err(|problem| field(name, problem))
}

fn short(name: &str, text: Option<&str>) -> Result<(), Refusal> {
    match text.map_or(0, str::len) {
        0..=LONGEST => Ok(()),
        long => {
            Err(Refusal::error(format!("`{name}` is {long} bytes long; at most {LONGEST} fit")))
        }
    }
}
