//! The sections in detail.

use tacit_app::AppResult;
use tacit_app::report::BenefitReport;
use tacit_app::report::errors::CaseGroup;
use tacit_app::report::holdout::{HoldoutComparison, HoldoutMeasure, HoldoutVerdict};
use tacit_app::report::memories::MemoryUse;
use tacit_app::report::modules::ModuleBasis;
use tacit_app::report::statistics::Interval;

use super::format::{
    counted, decimal, estimate, number, or_dash, percent, proportion, signed, sparkline,
};
use super::next_step;
use crate::app::CliApp;
use crate::render::visible_line;
use crate::ui::Tone;

/// Prints the injections by layer.
pub(super) fn injections(app: &CliApp, report: &BenefitReport) -> AppResult<()> {
    let injections = &report.injections;
    if let Some(hint) = next_step(report) {
        app.ui.line(hint)?;
    }
    if injections.shown == 0 {
        return Ok(());
    }
    let header = ["layer", "shown", "tokens", "helped", "acted on", "cited", "ignored", "wrong"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows[0].extend(["not judged".to_owned(), "over time".to_owned()]);
    for layer in &injections.layers {
        let fates = &layer.fates;
        let counts = [
            layer.shown,
            layer.tokens,
            fates.helped,
            fates.acted_on,
            fates.cited,
            fates.ignored,
            fates.wrong(),
            fates.not_judged,
        ];
        let mut row = vec![layer_name(&layer.layer)];
        row.extend(counts.map(number));
        row.push(sparkline(app, &layer.over_time));
        rows.push(row);
    }
    table(app, &rows)?;
    app.ui.line("")?;
    let days = report.period.days_per_part;
    let parts = if days == 1 { "day".to_owned() } else { format!("{days} days") };
    let list = |read: fn(&tacit_app::report::injections::FateCounts) -> u64| {
        sparkline(app, &injections.over_time.iter().map(read).collect::<Vec<_>>())
    };
    app.ui.line(format!("Each {parts}: used {}", list(|fates| fates.used())))?;
    app.ui.line(format!(
        "{:>width$} ignored {}",
        "",
        list(|fates| fates.ignored),
        width = parts.len() + 6
    ))?;
    if injections.withheld > 0 {
        let withheld = counted(injections.withheld, "injection was", "injections were");
        app.ui.line(format!("{withheld} withheld in held-out sessions and not counted above."))?;
    }
    if injections.cut {
        app.ui.line("Older ones are left out: there are too many.")?;
    }
    Ok(())
}

/// Prints how known errors went with a memory and without.
pub(super) fn errors(app: &CliApp, report: &BenefitReport) -> AppResult<()> {
    let errors = &report.errors;
    if errors.cases == 0 {
        return app.ui.line("No error of an earlier session came back.");
    }
    let sessions = counted(errors.sessions, "session", "sessions");
    let cases = counted(errors.cases, "error", "errors");
    app.ui.line(format!("{cases} of earlier sessions came back, in {sessions}."))?;
    app.ui.line("")?;
    let row = |name: &str, group: &CaseGroup| {
        vec![
            name.to_owned(),
            number(group.cases),
            proportion(&group.passed_next),
            or_dash(group.mean_repeats),
            number(group.resolved),
            or_dash(group.mean_calls),
            or_dash(group.mean_tokens),
        ]
    };
    let header = ["", "cases", "passed on the next try", "repeats", "resolved", "calls", "tokens"];
    table(
        app,
        &[
            header.map(str::to_owned).to_vec(),
            row("answered with a memory", &errors.with_memory),
            row("others", &errors.without_memory),
        ],
    )?;
    app.ui.line("")?;
    app.ui.line(format!(
        "Failed runs avoided: {}",
        estimate(&errors.avoided_failures, "failed runs")
    ))?;
    app.ui.line(format!("Tokens saved: {}", estimate(&errors.saved_tokens, "tokens")))?;
    app.ui.line("The two rows are no random choice; `tacit report holdout` is.")
}

/// Prints the tokens shown and saved.
pub(super) fn tokens(app: &CliApp, report: &BenefitReport) -> AppResult<()> {
    let tokens = &report.tokens;
    let share = tokens.shown_share.map(|share| format!(", {} of", percent(share)));
    let all = number(tokens.sessions);
    app.ui.line(format!("shown      {}", counted(tokens.shown, "token", "tokens")))?;
    app.ui.line(format!(
        "sessions   {all} tokens{}",
        match share {
            Some(share) => format!("{share} them shown by hooks"),
            None => String::new(),
        }
    ))?;
    app.ui.line(format!(
        "re-reads   {} of unchanged files",
        counted(tokens.rereads, "read", "reads")
    ))?;
    app.ui.line(format!(
        "saved      on known errors: {}",
        estimate(&tokens.saved_on_errors, "tokens")
    ))?;
    let saved = match &tokens.saved_per_session {
        None => "not enough data: no session was held out".to_owned(),
        Some(saved) => match saved.interval {
            None => "not enough data: too few sessions were held out".to_owned(),
            Some(interval) => {
                format!("{} tokens, {}", signed(saved.mean), interval_text(interval))
            }
        },
    };
    app.ui.line(format!("           per session: {saved}"))?;
    app.ui.line("Tokens are estimated at 4 bytes each, from the log of the sessions.")
}

/// Prints the comparison with held-out sessions.
pub(super) fn holdout(app: &CliApp, report: &BenefitReport) -> AppResult<()> {
    let Some(holdout) = &report.holdout else {
        return app.ui.lines([
            "No session was held out, so the benefit is not measured.",
            "`tacit config set report.holdout 0.1` withholds memories from one session in ten.",
        ]);
    };
    app.ui.line(format!(
        "{} with memory, {} held out, in which there was something to show.",
        counted(holdout.with_memory, "session", "sessions"),
        number(holdout.held_out)
    ))?;
    app.ui.line("")?;
    let header = ["", "with memory", "held out", "difference", "conclusion"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for compared in &holdout.measures {
        rows.push(vec![
            measure_name(compared.measure).to_owned(),
            value(compared.measure, compared.with_memory),
            value(compared.measure, compared.held_out),
            match compared.interval {
                Some(_) => difference(compared),
                None => "-".to_owned(),
            },
            conclusion(compared.verdict).to_owned(),
        ]);
    }
    table(app, &rows)?;
    app.ui.line("")?;
    if holdout.with_memory.min(holdout.held_out) < holdout.needed {
        let needed = holdout.needed;
        app.ui.line(format!("Too few sessions: an interval needs {needed} in each group."))?;
    }
    app.ui.line("Intervals are at 95 %: of 20 measures without any effect, one looks like one.")
}

/// Prints the coverage of modules.
pub(super) fn modules(app: &CliApp, report: &BenefitReport) -> AppResult<()> {
    let modules = &report.modules;
    let header = ["module", "memories", "changed in"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for one in &modules.modules {
        rows.push(vec![
            visible_line(&one.module),
            number(one.memories),
            counted(one.changed_in, "session", "sessions"),
        ]);
    }
    table(app, &rows)?;
    app.ui.line("")?;
    if modules.quiet > 0 {
        let quiet = counted(modules.quiet, "module has", "modules have");
        app.ui.line(format!("{quiet} neither."))?;
    }
    if modules.general > 0 {
        let general = counted(modules.general, "memory is", "memories are");
        app.ui.line(format!("{general} about no file or module."))?;
    }
    match modules.basis {
        ModuleBasis::Graph => Ok(()),
        ModuleBasis::Directories => app.ui.line(
            "Directories stand for modules: there is no code graph (`tacit code index` builds one).",
        ),
    }
}

/// Prints the best and the dead memories.
pub(super) fn memories(app: &CliApp, report: &BenefitReport) -> AppResult<()> {
    let memories = &report.memories;
    let used = |heading: &str, list: &[MemoryUse]| -> AppResult<()> {
        app.ui.line(app.ui.paint(Tone::Strong, heading))?;
        if list.is_empty() {
            app.ui.line("  none")?;
        }
        for one in list {
            let counts = format!(
                "{} helped, {} used of {} shown, {} tokens",
                one.fates.helped,
                one.fates.used(),
                one.shown,
                one.tokens
            );
            let id = app.ui.paint(Tone::Id, &one.id.short().to_string());
            app.ui.line(format!("  {id}  {counts}"))?;
            if !one.text.is_empty() {
                let text = app.ui.fit(&visible_line(&one.text), 12);
                app.ui.line(format!("            {text}"))?;
            }
        }
        Ok(())
    };
    used("Best", &memories.best)?;
    app.ui.line("")?;
    used("Shown often, never used", &memories.unused)?;
    if memories.unused_count > memories.unused.len() as u64 {
        app.ui.line(format!("  of {}", number(memories.unused_count)))?;
    }
    app.ui.line("")?;
    app.ui.line(app.ui.paint(Tone::Strong, "Never shown or recalled in two weeks or more"))?;
    if memories.never_shown.is_empty() {
        app.ui.line("  none")?;
    }
    for one in &memories.never_shown {
        let id = app.ui.paint(Tone::Id, &one.id.short().to_string());
        let text = app.ui.fit(&visible_line(&one.text), 12);
        app.ui.line(format!("  {id}  {text}"))?;
    }
    if memories.never_shown_count > memories.never_shown.len() as u64 {
        app.ui.line(format!("  of {}", number(memories.never_shown_count)))?;
    }
    Ok(())
}

/// Prints the calls of text models.
pub(super) fn models(app: &CliApp, report: &BenefitReport) -> AppResult<()> {
    if report.models.is_empty() {
        return app.ui.line("No text model was called.");
    }
    let header = ["purpose", "calls", "failed", "tokens in", "out"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for cost in &report.models {
        let counts = [cost.calls, cost.failed, cost.tokens_in, cost.tokens_out];
        rows.push([vec![visible_line(&cost.purpose)], counts.map(number).to_vec()].concat());
    }
    table(app, &rows)?;
    app.ui.line("Each call: tacit ledger")
}

/// Returns the name of a measure.
pub(super) fn measure_name(measure: HoldoutMeasure) -> &'static str {
    match measure {
        HoldoutMeasure::KnownErrors => "known errors per session",
        HoldoutMeasure::SessionsWithKnownErrors => "sessions with a known error",
        HoldoutMeasure::FailedRunsUntilPass => "failed runs until a check passes",
        HoldoutMeasure::ToolCalls => "tool calls per session",
        HoldoutMeasure::Tokens => "tokens per session",
        HoldoutMeasure::Rereads => "re-reads per session",
    }
}

/// Formats a difference with its interval.
pub(super) fn difference(compared: &HoldoutComparison) -> String {
    let Some(value) = compared.difference else { return "-".to_owned() };
    let is_share = compared.measure == HoldoutMeasure::SessionsWithKnownErrors;
    let scaled = |value: f64| if is_share { value * 100.0 } else { value };
    let unit = if is_share { " points" } else { "" };
    match compared.interval {
        None => format!("{}{unit}", signed(scaled(value))),
        Some(Interval { low, high }) => {
            let interval = Interval { low: scaled(low), high: scaled(high) };
            format!("{}{unit}, {}", signed(scaled(value)), interval_text(interval))
        }
    }
}

fn interval_text(interval: Interval) -> String {
    let zero = if interval.includes_zero() { ", includes zero" } else { "" };
    format!("interval {} to {}{zero}", signed(interval.low), signed(interval.high))
}

fn value(measure: HoldoutMeasure, value: Option<f64>) -> String {
    match (measure, value) {
        (_, None) => "-".to_owned(),
        (HoldoutMeasure::SessionsWithKnownErrors, Some(share)) => percent(share),
        (_, Some(value)) => decimal(value),
    }
}

fn conclusion(verdict: HoldoutVerdict) -> &'static str {
    match verdict {
        HoldoutVerdict::TooFew => "too few sessions",
        HoldoutVerdict::NotShown => "no difference shown",
        HoldoutVerdict::Less => "less with memory",
        HoldoutVerdict::More => "more with memory",
    }
}

/// Returns the name of a layer; unknown ones keep their word.
fn layer_name(layer: &str) -> String {
    let name = match layer {
        "session_started" => "session start",
        "prompt_submitted" => "prompt",
        "tool_starting" => "command",
        "guard" => "guard, stopped",
        "guard_asked" => "guard, asked",
        "tool_finished" => "file or output",
        "tool_failed" | "batch_finished" => "failure",
        "turn_stopped" => "end of a turn",
        "subagent_started" => "subagent",
        "compacted" => "compaction",
        other => return visible_line(other),
    };
    name.to_owned()
}

/// Prints rows with aligned columns: the first and the last to the left, numbers to the right.
fn table(app: &CliApp, rows: &[Vec<String>]) -> AppResult<()> {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    for (index, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let is_text = column == 0 || column + 1 == columns;
            if is_text { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let line = line.trim_end();
        match index {
            0 => app.ui.line(app.ui.paint(Tone::Dim, line))?,
            _ => app.ui.line(line)?,
        }
    }
    Ok(())
}
