//! `tacit work finish`

use serde_json::json;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_core::log::{UnitStatus, WorkUnitRecord};
use tacit_engine::{FinishedWork, RememberResult, StoreAccess, StoreScope};
use tacit_work::consolidate;

use crate::app::CliApp;
use crate::commands::count;
use crate::render::visible;
use tacit_app::filter::split_paths;

#[derive(Debug, clap::Args)]
pub(super) struct WorkFinishArgs {
    /// The unit [default: the current one].
    unit: Option<String>,
    /// The work failed or was given up.
    #[arg(long)]
    failed: bool,
    /// A summary of the work, or why it failed.
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// A decision that was made (repeat for several).
    #[arg(long = "decision", value_name = "TEXT")]
    decisions: Vec<String>,
    /// A changed file that no agent was seen to change (repeat for several).
    #[arg(long = "file", short = 'f', value_name = "PATH")]
    files: Vec<String>,
}

impl WorkFinishArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let by = app.reporter("work finish");
        let files = split_paths(app, &self.files);
        let files = files.iter().map(|path| app.repo_path(path)).collect::<AppResult<Vec<_>>>()?;
        let typed = self.unit.as_deref().map(|unit| app.work_unit(unit)).transpose()?;
        app.methodology()?;
        let mut engine = app.with_generator(app.engine(StoreAccess::Write(StoreScope::Project))?);
        let unit = match typed {
            Some(unit) => unit,
            None => engine.work(&by.here)?.unit().cloned().ok_or_else(|| {
                AppError::new(ErrorCode::NotFound, "the current unit of work is not known")
                    .hint("name the unit: `tacit work finish UNIT`")
            })?,
        };
        let status = if self.failed { UnitStatus::Failed } else { UnitStatus::Succeeded };
        let report = WorkUnitRecord {
            summary: self.summary,
            decisions: self.decisions,
            files,
            ..WorkUnitRecord::new(unit, status)
        };
        let finished = engine.finish_work(&by, &report)?;
        drop(engine);
        let FinishedWork { session, outcome, reflexions, consolidated, next_phase } = finished;
        if app.json {
            return app.ui.json(&json!({
                "work_unit": report.work_unit, "status": status.as_str(), "session": session,
                "outcome": id(&outcome), "reflexions": ids(&reflexions),
                "consolidated": ids(&consolidated.insights), "phase": next_phase,
            }));
        }
        let content = outcome.memory.as_ref().map(|memory| memory.body.content.to_string());
        let text = content.unwrap_or_else(|| {
            format!("{}: {}; it waits for the database", report.work_unit.label(), status.as_str())
        });
        let id = id(&outcome).map(|id| format!(" (id {id})")).unwrap_or_default();
        app.ui.line(format!("{}{id}", visible(&text)))?;
        for (found, what) in [
            (&reflexions, "Remembered what QA had found"),
            (&consolidated.insights, "Learnt from its units"),
        ] {
            for memory in found.iter().filter_map(|remembered| remembered.memory.as_ref()) {
                let text = visible(memory.body.content.as_str());
                app.ui.line(format!("{what}: {text} (id {})", memory.id.short()))?;
            }
        }
        if consolidated.units >= consolidate::MIN_UNITS
            && consolidated.insights.is_empty()
            && !self.failed
        {
            let units = count(consolidated.units, "unit", "units");
            app.ui.line(format!(
                "Nothing new was learnt from its {units}: one failed, they have nothing in common, \
                 or they were examined before."
            ))?;
        }
        if let Some(phase) = next_phase {
            app.ui.line(format!("The phase is now {}.", visible(&phase)))?;
        }
        Ok(())
    }
}

fn id(remembered: &RememberResult) -> Option<String> {
    remembered.memory.as_ref().map(|memory| memory.id.short().to_string())
}

fn ids(remembered: &[RememberResult]) -> Vec<String> {
    remembered.iter().filter_map(id).collect()
}
