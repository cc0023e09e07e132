//! `tacit report`

mod details;
mod format;
mod overview;

use clap::ValueEnum;
use serde_json::json;
use tacit_app::human_time;
use tacit_app::report::period::ReportPeriod;
use tacit_app::report::{BenefitReport, report};
use tacit_app::{AppError, AppResult};
use tacit_core::Timestamp;

use crate::app::CliApp;

/// Report the benefit and the cost of memories.
///
/// Counts what hooks showed, with its fates: it helped if a known failure passed on the next try, was
/// acted on or cited, or was ignored; or it turned out wrong. An error is known if an earlier session
/// met it. It is answered if a memory was shown with its first failure. Failed runs and tokens are
/// counted as saved only by comparison with cases of the same errors without a memory, at least 5 on
/// either side; otherwise the report says that there is not enough data. Tokens are estimated, 4 bytes
/// each. Only `report.holdout` measures the benefit: it compares sessions with held-out ones, chosen
/// by chance. docs/report.md explains each figure.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit report                       one screen about the last 30 days
  tacit report --since 90d
  tacit report injections            by layer, with their fates
  tacit report holdout               sessions with memory and held-out ones
  tacit report --json                all sections")]
pub(crate) struct ReportArgs {
    /// The section to show in detail [default: an overview].
    #[arg(value_enum)]
    section: Option<Section>,
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "30d",
        help = format!("The beginning of the period: {}", human_time::FORMS)
    )]
    since: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Section {
    /// Injections by layer, with their fates.
    Injections,
    /// Errors that earlier sessions met, with a memory and without.
    Errors,
    /// Tokens shown and saved.
    Tokens,
    /// Sessions with memory and held-out ones.
    Holdout,
    /// Memories and changes by module.
    Modules,
    /// The best and the dead memories.
    Memories,
    /// Calls to text models, by purpose.
    Models,
}

impl ReportArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let now = app.now();
        let since = human_time::parse(&self.since, now)?;
        if since > now {
            return Err(AppError::usage(format!("`{}` is in the future", self.since))
                .hint("name a time in the past, such as `30d`"));
        }
        let report = report(app, ReportPeriod::new(since, now))?;
        if app.json {
            return app.ui.json(&json!(report));
        }
        let day = |at: Timestamp| -> String {
            at.to_string().chars().take_while(|c| *c != 'T').collect()
        };
        let (since, until) = (day(report.period.since), day(report.period.until));
        app.ui.line(format!("Report from {since} to {until}"))?;
        if let Some(hint) = nothing_to_report(&report) {
            return app.ui.line(hint);
        }
        match self.section {
            None => overview::print(app, &report),
            Some(Section::Injections) => details::injections(app, &report),
            Some(Section::Errors) => details::errors(app, &report),
            Some(Section::Tokens) => details::tokens(app, &report),
            Some(Section::Holdout) => details::holdout(app, &report),
            Some(Section::Modules) => details::modules(app, &report),
            Some(Section::Memories) => details::memories(app, &report),
            Some(Section::Models) => details::models(app, &report),
        }
    }
}

/// Returns the next step if no session started in the period.
fn nothing_to_report(report: &BenefitReport) -> Option<&'static str> {
    match (report.sessions.recorded, report.sessions.started) {
        (0, _) => Some(
            "No session was recorded yet. Hooks record them: `tacit agents` lists your clients, \
             `tacit doctor` checks their hooks.",
        ),
        (_, 0) => Some(
            "No session started in this time. `tacit report --since 1y` looks further back; \
             `tacit doctor` checks the hooks.",
        ),
        _ => None,
    }
}

/// Returns the next step if nothing was shown or judged.
fn next_step(report: &BenefitReport) -> Option<&'static str> {
    let injections = &report.injections;
    match (injections.shown, injections.withheld, injections.fates.judged()) {
        (0, 0, _) => Some(
            "Nothing was shown. Hooks show memories that are verified or borne out: `tacit review` \
             confirms what waits, `tacit remember` adds your own, `tacit why` explains each event.",
        ),
        (0, _, _) => Some("Everything was withheld: every session was held out."),
        (_, _, 0) => Some(
            "No fate is known yet. `tacit maintain` decides them once a session is over, unless too \
             little followed to tell.",
        ),
        _ => None,
    }
}
