//! The overview: one screen of all sections.

use tacit_app::AppResult;
use tacit_app::report::BenefitReport;
use tacit_app::report::holdout::{HoldoutMeasure, HoldoutVerdict};

use super::details::{difference, measure_name};
use super::format::{counted, estimate, number, percent, proportion, sparkline};
use super::next_step;
use crate::app::CliApp;
use crate::render::{cut, visible_line};
use crate::ui::Tone;

/// The width of the labels.
const LABEL: usize = 14;
/// The memories and modules that are named.
const NAMED: usize = 3;
/// The most characters of a memory.
const NAME: usize = 60;

/// Prints the overview.
pub(super) fn print(app: &CliApp, report: &BenefitReport) -> AppResult<()> {
    let line = |label: &str, text: &str| {
        let label = app.ui.paint(Tone::Dim, &format!("{label:<LABEL$}"));
        app.ui.line(format!("{label}{text}"))
    };
    line("sessions", &sessions(report))?;
    if let Some(hint) = next_step(report) {
        app.ui.line("")?;
        app.ui.line(hint)?;
    }
    if report.injections.shown > 0 {
        app.ui.line("")?;
        injections(app, report, &line)?;
    }
    app.ui.line("")?;
    errors(report, &line)?;
    line("saved tokens", &estimate(&report.tokens.saved_on_errors, "tokens"))?;
    line("holdout", &holdout(report))?;
    app.ui.line("")?;
    modules(report, &line)?;
    memories(report, &line)?;
    line("text models", &models(report))?;
    app.ui.line("")?;
    let more = "tacit report injections | errors | tokens | holdout | modules | memories | models";
    app.ui.line(app.ui.paint(Tone::Dim, &format!("More: {more}")))?;
    app.ui.line(app.ui.paint(Tone::Dim, "Use of triggers: tacit triggers usage"))
}

fn sessions(report: &BenefitReport) -> String {
    let counts = &report.sessions;
    let mut text =
        format!("{} started, {} with tool calls", number(counts.started), number(counts.measured));
    if counts.held_out > 0 {
        text.push_str(&format!(", {} held out", number(counts.held_out)));
    }
    if counts.cut {
        text.push_str("; older ones are left out");
    }
    text
}

fn injections(
    app: &CliApp,
    report: &BenefitReport,
    line: &dyn Fn(&str, &str) -> AppResult<()>,
) -> AppResult<()> {
    let injections = &report.injections;
    let share = report.tokens.shown_share.map(|share| format!(", {} of all", percent(share)));
    let shown = counted(injections.shown, "injection", "injections");
    let in_sessions = counted(injections.sessions, "session", "sessions");
    let tokens = counted(injections.tokens, "token", "tokens");
    line("shown", &format!("{shown} in {in_sessions}, {tokens}{}", share.unwrap_or_default()))?;
    let totals = injections.over_time.iter().map(|fates| fates.judged() + fates.not_judged);
    let per_part = match report.period.days_per_part {
        1 => "  by day".to_owned(),
        7 => "  by week".to_owned(),
        days => format!("  {days} days"),
    };
    line(&per_part, &sparkline(app, &totals.collect::<Vec<_>>()))?;
    let fates = &injections.fates;
    if let Some(precision) = fates.precision() {
        let share = percent(precision);
        line(
            "  used",
            &format!(
                "{} of {} judged ({share}): {} helped, {} acted on, {} cited",
                number(fates.used()),
                number(fates.judged()),
                number(fates.helped),
                number(fates.acted_on),
                number(fates.cited)
            ),
        )?;
        line(
            "  not used",
            &format!(
                "{} ignored, {} contradicted, {} flagged; {} not judged",
                number(fates.ignored),
                number(fates.contradicted),
                number(fates.flagged),
                number(fates.not_judged)
            ),
        )?;
    }
    Ok(())
}

fn errors(report: &BenefitReport, line: &dyn Fn(&str, &str) -> AppResult<()>) -> AppResult<()> {
    let errors = &report.errors;
    if errors.cases == 0 {
        return line("known errors", "no error of an earlier session came back");
    }
    let cases = counted(errors.cases, "case", "cases");
    let sessions = counted(errors.sessions, "session", "sessions");
    let answered = errors.recall().map(percent).unwrap_or_default();
    line("known errors", &format!("{cases} in {sessions}, {answered} answered by a memory"))?;
    for (label, group) in
        [("  answered", &errors.with_memory), ("  others", &errors.without_memory)]
    {
        if group.cases > 0 {
            line(label, &format!("{} passed on the next try", proportion(&group.passed_next)))?;
        }
    }
    line("  avoided", &estimate(&errors.avoided_failures, "failed runs"))
}

fn holdout(report: &BenefitReport) -> String {
    let Some(holdout) = &report.holdout else {
        return "no session was held out; `tacit config explain report.holdout`".to_owned();
    };
    let groups = format!(
        "{} with memory, {} held out",
        counted(holdout.with_memory, "session", "sessions"),
        number(holdout.held_out)
    );
    let first = holdout.of(HoldoutMeasure::KnownErrors);
    match first {
        Some(compared) if compared.verdict != HoldoutVerdict::TooFew => {
            format!("{groups}; {}: {}", measure_name(compared.measure), difference(compared))
        }
        _ => format!("{groups}; {} of each are needed", holdout.needed),
    }
}

fn modules(report: &BenefitReport, line: &dyn Fn(&str, &str) -> AppResult<()>) -> AppResult<()> {
    let covered = report.modules.modules.iter().filter(|one| one.memories > 0).count() as u64;
    let uncovered: Vec<String> = report
        .modules
        .uncovered()
        .map(|one| {
            let sessions = counted(one.changed_in, "session", "sessions");
            format!("{} ({sessions})", visible_line(&one.module))
        })
        .collect();
    let mut text = format!("{} with memories", number(covered));
    if !uncovered.is_empty() {
        let named = uncovered.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = uncovered.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(", {more} more") } else { String::new() };
        text.push_str(&format!("; changed without one: {named}{more}"));
    }
    line("modules", &text)
}

fn memories(report: &BenefitReport, line: &dyn Fn(&str, &str) -> AppResult<()>) -> AppResult<()> {
    let memories = &report.memories;
    line(
        "memories",
        &format!(
            "{} active, {} shown often and never used, {} never shown",
            number(memories.active),
            number(memories.unused_count),
            number(memories.never_shown_count)
        ),
    )?;
    for (index, best) in memories.best.iter().take(NAMED).enumerate() {
        let label = if index == 0 { "  best" } else { "" };
        let name = cut(&visible_line(&best.text), NAME);
        let uses = format!("{} of {} used", best.fates.used(), best.shown);
        line(label, &format!("{}  {uses}  {name}", best.id.short()))?;
    }
    Ok(())
}

fn models(report: &BenefitReport) -> String {
    let calls: u64 = report.models.iter().map(|cost| cost.calls).sum();
    if calls == 0 {
        return "no calls".to_owned();
    }
    let tokens = |read: fn(&tacit_app::report::ModelCost) -> u64| {
        number(report.models.iter().map(read).fold(0, u64::saturating_add))
    };
    format!(
        "{}, {} tokens in, {} out",
        counted(calls, "call", "calls"),
        tokens(|cost| cost.tokens_in),
        tokens(|cost| cost.tokens_out)
    )
}
