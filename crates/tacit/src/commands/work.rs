//! `tacit work`: the unit of work, its phase, and results of QA. One file per subcommand.

mod finish;
mod methodology;
mod phase;
mod qa;

use clap::Subcommand;
use serde_json::{Value, json};
use tacit_app::{AppError, AppResult};
use tacit_core::Problem;
use tacit_core::log::{UnitStatus, WorkUnitRecord};
use tacit_engine::{StoreAccess, StoreScope};
use tacit_work::{CurrentWork, UnitSource};

use crate::app::CliApp;
use crate::render::visible;

/// Declare units of work, phases and QA results.
///
/// A unit of work is a spec, a story or a ticket, whatever the methodology calls it. Memories are
/// placed in it, and unfinished work is resumed in it. If none is declared, it is read from the name
/// of the branch and from spec files: `feature/ABC-123-login`, `12-cart`, `story/1.2`,
/// `openspec/changes/NAME`, `specs/012-NAME`, `docs/stories/1.2.story.md`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit work start 042/3                     subtask 3 of spec 042
  tacit work start epic=3/story=3.2          levels by name
  tacit work status
  tacit work phase coding
  cargo test 2>&1 | tacit work qa -
  tacit work finish --decision \"Keep the old table until the next release\"
  tacit work finish 042/3 --failed --summary \"The schema cannot hold two currencies\"")]
pub(crate) struct WorkArgs {
    #[command(subcommand)]
    action: WorkAction,
}

#[derive(Debug, Subcommand)]
enum WorkAction {
    /// Declare that a unit of work begins.
    #[command(after_help = "Examples:
  tacit work start checkout/3
  tacit work start epic-1/story-2")]
    Start {
        /// The unit, from the outermost level to the innermost, with slashes between.
        unit: String,
        /// The complexity: trivial, standard or complex.
        #[arg(long, value_name = "WORD")]
        complexity: Option<String>,
    },
    /// Declare that a unit of work is done or failed, and remember its outcome.
    #[command(after_help = "Examples:
  tacit work finish
  tacit work finish --failed")]
    Finish(finish::WorkFinishArgs),
    /// Show the current unit of work and how it is known.
    #[command(after_help = "Examples:
  tacit work status
  tacit work status --json")]
    Status,
    Phase(phase::PhaseArgs),
    Qa(qa::QaArgs),
    Methodology(methodology::MethodologyArgs),
}

impl WorkArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.action {
            WorkAction::Start { unit, complexity } => start(app, &unit, complexity),
            WorkAction::Finish(args) => args.run(app),
            WorkAction::Status => status(app),
            WorkAction::Phase(args) => args.run(app),
            WorkAction::Qa(args) => args.run(app),
            WorkAction::Methodology(args) => args.run(app),
        }
    }
}

fn start(app: &CliApp, typed: &str, complexity: Option<String>) -> AppResult<()> {
    let unit = app.work_unit(typed)?;
    let complexity = complexity.map(|word| word.parse()).transpose();
    let complexity =
        complexity.map_err(|problem: Problem| AppError::usage(format!("complexity: {problem}")))?;
    let report =
        WorkUnitRecord { complexity, ..WorkUnitRecord::new(unit.clone(), UnitStatus::Started) };
    let by = app.reporter("work start");
    let session = app.engine(StoreAccess::Write(StoreScope::Project))?.report_work(&by, &report)?;
    if app.json {
        return app.ui.json(&json!({"work_unit": unit, "session": session}));
    }
    let on = by.here.branch.map(|branch| format!(" on `{branch}`")).unwrap_or_default();
    app.ui.line(format!("Started {}{on}.", visible(unit.label())))
}

fn status(app: &CliApp) -> AppResult<()> {
    let methodology = app.methodology()?;
    let here = app.here();
    let work = app.engine(StoreAccess::Read(StoreScope::Project))?.work(&here)?;
    if app.json {
        let mut value = to_json(&work);
        value["methodology"] = json!(methodology.id());
        value["branch"] = json!(here.branch);
        return app.ui.json(&value);
    }
    app.ui.line(format!("methodology  {}", visible(methodology.name())))?;
    let unit = match &work.unit {
        None => "none; `tacit work start UNIT` declares one".to_owned(),
        Some((unit, UnitSource::Declared(at))) => {
            format!("{} (declared {})", unit.label(), tacit_app::human_time::ago(*at, app.now()))
        }
        Some((unit, UnitSource::Inferred(from))) => {
            format!("{} (inferred from {from})", unit.label())
        }
    };
    app.ui.line(format!("work unit    {}", visible(&unit)))?;
    if let Some(complexity) = &work.complexity {
        app.ui.line(format!("complexity   {complexity}"))?;
    }
    let phase = work.phase.map_or_else(|| "none".into(), |(own, it)| format!("{own} ({it})"));
    app.ui.line(format!("phase        {}", visible(&phase)))
}

/// Renders the current work as JSON.
pub(super) fn to_json(work: &CurrentWork) -> Value {
    let known_by = work.unit.as_ref().map(|(_, known_by)| match known_by {
        UnitSource::Declared(at) => json!({"declared_at": at}),
        UnitSource::Inferred(from) => json!({"inferred_from": from}),
    });
    json!({
        "work_unit": work.unit(), "known_by": known_by, "complexity": work.complexity,
        "phase": work.phase.as_ref().map(|(own, _)| own), "universal_phase": work.phase(),
    })
}
