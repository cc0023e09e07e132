//! Learns what work in a module costs: tokens, and steps compared with the plan.

use tacit_core::{ContextCost, TaskCalibration};

use super::{RuleInput, RuleOutput};
use crate::promotion::{Basis, MemoryCandidate};
use crate::text::stable_key;

/// Number of latest sessions in a module to average over.
pub(super) const AVERAGED_SESSIONS: usize = 30;
/// Minimum number of sessions.
pub(super) const MIN_SAMPLES: usize = 3;
/// Ratios of actual to planned steps that count as accurate.
const ACCURATE_RATIOS: std::ops::RangeInclusive<f64> = 0.8..=1.25;
const CONFIDENCE: f64 = 0.75;

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let Some(module) = input.digest.module.as_deref() else { return };
    let here = input.digests_in_module(module);
    // Reported numbers are not mixed with estimates.
    let reported: Vec<u64> = here.iter().filter_map(|digest| digest.reported_tokens).collect();
    if reported.len() >= MIN_SAMPLES {
        cost(input, module, reported, "as the client reported", results);
    } else {
        let tokens = here.iter().map(|digest| digest.tokens).filter(|tokens| *tokens > 0);
        cost(input, module, tokens.collect(), "estimated from the log", results);
    }
    if input.digest.plan.is_some() {
        let methodology = &input.digest.methodology;
        let same = here.iter().filter(|digest| digest.methodology == *methodology);
        let plans: Vec<(u32, u32)> = same.filter_map(|digest| digest.plan).collect();
        calibration(input, module, &plans, results);
    }
}

fn cost(
    input: &RuleInput<'_>,
    module: &str,
    mut tokens: Vec<u64>,
    known_by: &str,
    results: &mut RuleOutput,
) {
    let about = format!("tokens of work in `{module}`");
    let count = tokens.len();
    if !results.has_enough(&about, count) {
        return;
    }
    tokens.sort_unstable();
    let average = tokens.iter().sum::<u64>() as f64 / count as f64;
    let p90 = percentile_90(&tokens) as f64;
    let content = format!(
        "A session in `{module}` takes about {} tokens of context, in the worst tenth {} or more \
         ({known_by}).",
        rounded(average),
        rounded(p90)
    );
    let details = ContextCost {
        module: module.to_owned(),
        average_tokens_per_session: average.round(),
        p90_tokens_per_session: p90,
        sample_count: count as u32,
    };
    let details = serde_json::to_value(details).ok();
    results.candidates.push(average_candidate(
        input,
        module,
        about,
        count,
        "context_cost",
        content,
        details,
    ));
}

fn calibration(
    input: &RuleInput<'_>,
    module: &str,
    plans: &[(u32, u32)],
    results: &mut RuleOutput,
) {
    let about = format!("plans for work in `{module}`");
    let count = plans.len();
    if !results.has_enough(&about, count) {
        return;
    }
    let mean = |pick: fn(&(u32, u32)) -> u32| {
        plans.iter().map(|plan| f64::from(pick(plan))).sum::<f64>() / count as f64
    };
    let (planned, actual) = (mean(|plan| plan.0), mean(|plan| plan.1));
    let ratio = actual / planned;
    if ACCURATE_RATIOS.contains(&ratio) {
        let why = format!("plans were accurate (×{ratio:.2})");
        results.reject(Basis::FileAccess, about, count as u32, why);
        return;
    }
    let how = if ratio > 1.0 { "more" } else { "fewer" };
    let content = format!("Tasks in `{module}` take {how} steps than planned: about ×{ratio:.1}.");
    let hundredth = |value: f64| (value * 100.0).round() / 100.0;
    let details = TaskCalibration {
        module: module.to_owned(),
        methodology: input.digest.methodology.clone(),
        average_actual_steps: hundredth(actual),
        average_planned_steps: hundredth(planned),
        ratio: hundredth(ratio),
        sample_count: count as u32,
    };
    let details = serde_json::to_value(details).ok();
    let kind = "task_calibration";
    results.candidates.push(average_candidate(input, module, about, count, kind, content, details));
}

fn average_candidate(
    input: &RuleInput<'_>,
    module: &str,
    about: String,
    count: usize,
    kind: &str,
    content: String,
    details: Option<serde_json::Value>,
) -> MemoryCandidate {
    let mut draft = input.draft(kind, content, &[], CONFIDENCE);
    draft.related_modules = vec![module.to_owned()];
    draft.scope = Some("module".to_owned());
    draft.details = details;
    let key = stable_key(&[kind, module]);
    let candidate = input.candidate_at_end(Basis::FileAccess, key, about, count as u32, draft);
    MemoryCandidate { replaces: true, ..candidate }
}

/// Returns the value that nine tenths of the sorted numbers do not exceed.
fn percentile_90(numbers: &[u64]) -> u64 {
    let step_index = (numbers.len() * 9).div_ceil(10).max(1) - 1;
    numbers.get(step_index).copied().unwrap_or(0)
}

/// Rounds to two significant digits: more would suggest false precision.
fn rounded(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.0}");
    }
    let scale = 10_f64.powf(value.log10().floor() - 1.0);
    format!("{:.0}", (value / scale).round() * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_exact_and_rounding_keeps_two_digits() {
        for (numbers, expected) in [
            (vec![5], 5),
            (vec![1, 2, 3], 3),
            ((1..=10).collect(), 9),
            ((1..=11).collect(), 10),
            ((1..=30).collect(), 27),
        ] {
            assert_eq!(percentile_90(&numbers), expected, "{numbers:?}");
        }
        assert_eq!(
            ["7", "12", "1200", "130000"],
            [7.2, 12.0, 1_234.0, 129_800.0].map(rounded).each_ref().map(String::as_str)
        );
    }
}
