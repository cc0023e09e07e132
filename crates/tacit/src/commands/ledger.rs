//! `tacit ledger`

use serde_json::json;
use tacit_app::human_time;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_engine::{DailyTotal, ModelCall, ModelCalls};

use crate::app::CliApp;
use crate::commands::{count, footer};
use crate::filter_args::at_least_one;
use crate::render;
use crate::ui::Tone;

/// List calls to text models, with tokens and times.
///
/// Each call is a line, with totals by day and purpose below. Tacit calls no model unless
/// `generation.provider` names one; `generation.daily.calls` and `generation.daily.tokens` limit a
/// day.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit ledger
  tacit ledger --since 1d
  tacit ledger --json")]
pub(crate) struct LedgerArgs {
    /// Number of calls to list, the latest; totals count all.
    #[arg(long, short = 'n', value_name = "COUNT", default_value = "20", value_parser = at_least_one)]
    limit: usize,
    #[arg(long, value_name = "WHEN", help = format!("Only calls made since: {}", human_time::FORMS))]
    since: Option<String>,
}

impl LedgerArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let ledger = app.places.ledger();
        let mut calls = ledger.read().map_err(|error| {
            let path = ledger.path().display();
            AppError::new(ErrorCode::Failure, format!("cannot read `{path}`: {error}"))
        })?;
        if let Some(since) = &self.since {
            let since = human_time::parse(since, app.now())?;
            calls.calls.retain(|call| call.at >= since);
        }
        let totals = calls.totals();
        let listed = &calls.calls[calls.calls.len().saturating_sub(self.limit)..];
        if app.json {
            let ModelCalls { unreadable, .. } = calls;
            return app
                .ui
                .json(&json!({"calls": listed, "totals": totals, "unreadable": unreadable}));
        }
        if calls.calls.is_empty() {
            app.ui.line("No calls.")?;
        } else {
            print_calls(app, listed)?;
            app.ui.footer(footer(0, listed.len(), calls.calls.len()))?;
            app.ui.line("")?;
            print_totals(app, &totals)?;
        }
        if calls.unreadable > 0 {
            let what = count(calls.unreadable, "line", "lines");
            let warning = format!("{what} of `{}` cannot be read", ledger.path().display());
            app.ui.line(app.ui.paint(Tone::Warn, &warning))?;
        }
        Ok(())
    }
}

fn print_calls(app: &CliApp, calls: &[ModelCall]) -> AppResult<()> {
    for call in calls {
        let outcome = render::visible(&call.outcome);
        let outcome = match call.succeeded() {
            true => outcome,
            false => app.ui.paint(Tone::Warn, &outcome),
        };
        let at = app.ui.paint(Tone::Dim, &call.at.to_string());
        app.ui.line(format!(
            "{at}  {}  {}/{}  {} in, {} out, {} ms  {outcome}",
            render::visible(&call.purpose),
            render::visible(&call.provider),
            render::visible(&call.model),
            call.tokens_in,
            call.tokens_out,
            call.ms,
        ))?;
    }
    Ok(())
}

fn print_totals(app: &CliApp, totals: &[DailyTotal]) -> AppResult<()> {
    for total in totals {
        let calls = count(usize::try_from(total.calls).unwrap_or(usize::MAX), "call", "calls");
        let failed = match total.failed {
            0 => String::new(),
            failed => format!(" ({failed} failed)"),
        };
        app.ui.line(format!(
            "{}  {}  {calls}{failed}, {} tokens in, {} out",
            app.ui.paint(Tone::Strong, &total.day),
            render::visible(&total.purpose),
            total.tokens_in,
            total.tokens_out,
        ))?;
    }
    Ok(())
}
