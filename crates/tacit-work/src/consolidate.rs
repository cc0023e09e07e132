//! Insights from many units of work together, once all of them are done.

use std::collections::BTreeMap;

use tacit_core::{
    BuiltinType, Details, Draft, Memory, RepoPath, Scope, Source, Tag, WorkUnitOutcome,
    WorkUnitRef, clean,
};

use crate::ModelQuestion;
use crate::completion::GENERATOR;

/// From how many units on they are looked at together.
pub const MIN_UNITS: usize = 10;
/// The fewest and the most insights.
const MIN_INSIGHTS: usize = 2;
const MAX_INSIGHTS: usize = 5;
/// The confidence of consolidated memories.
const CONFIDENCE: f64 = 0.85;
/// The tag of what was learnt this way.
const TAG: &str = "consolidation";
/// A file changed in this share of the units attracts changes.
const HOTSPOT_SHARE: f64 = 0.3;
/// Two files belong together if so much of what changes either changes both, so often.
const CO_CHANGE_SHARE: f64 = 0.8;
const CO_CHANGE_UNITS: usize = 3;
/// The most files that an insight names.
const MAX_FILES: usize = 64;
/// The length of an insight, in characters.
const MIN_INSIGHT: usize = 20;
const MAX_INSIGHT: usize = 400;
/// The most tokens a model may write.
const MAX_TOKENS: u32 = 400;

/// The task of the model.
const TASK: &str = include_str!("../prompts/consolidation.md");

/// A finished unit inside a larger one.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedPart {
    label: String,
    outcome: WorkUnitOutcome,
}

/// The newest outcome of each unit inside another; `outcomes` have the newest first.
pub fn parts<'m>(
    unit: &WorkUnitRef,
    outcomes: impl IntoIterator<Item = &'m Memory>,
) -> Vec<FinishedPart> {
    let mut parts: BTreeMap<&[String], FinishedPart> = BTreeMap::new();
    for memory in outcomes {
        let subject = &memory.body.subject;
        if let Details::WorkUnitOutcome(outcome) = subject.details()
            && let Some(inner) = subject.placement().work_unit()
            && inner.hierarchy() != unit.hierarchy()
        {
            let part =
                || FinishedPart { label: inner.label().to_owned(), outcome: outcome.clone() };
            parts.entry(inner.hierarchy()).or_insert_with(part);
        }
    }
    parts.into_values().collect()
}

/// Returns true if there is something to learn: many units, each of which succeeded in the end.
pub fn is_due(parts: &[FinishedPart]) -> bool {
    parts.len() >= MIN_UNITS && parts.iter().all(|part| part.outcome.succeeded)
}

/// The drafts of what the parts of a unit teach: the sentences of a model with its name, or what
/// the numbers tell.
pub fn drafts(
    unit: &WorkUnitRef,
    parts: &[FinishedPart],
    written: Option<(Vec<String>, String)>,
) -> Vec<Draft> {
    let (insights, generator) =
        written.unwrap_or_else(|| (insights(unit.label(), parts), GENERATOR.to_owned()));
    let files: Vec<String> = change_counts(parts)
        .into_iter()
        .take(MAX_FILES)
        .map(|(file, _)| file.to_string())
        .collect();
    insights
        .into_iter()
        .map(|content| Draft {
            content,
            kind: Some(BuiltinType::ModuleInsight.to_string()),
            confidence: Some(CONFIDENCE),
            scope: Some(Scope::Global.to_string()),
            work_unit: Some(unit.clone()),
            related_files: files.clone(),
            tags: tags(unit),
            source: Some(Source::ObserverInferred.to_string()),
            generator: Some(generator.clone()),
            ..Draft::default()
        })
        .collect()
}

/// Asks a model for what the parts teach.
pub fn question(parts: &[FinishedPart]) -> ModelQuestion {
    let list: Vec<String> = parts.iter().map(line).collect();
    let about = format!("{} finished units:\n{}", parts.len(), list.join("\n"));
    ModelQuestion { task: TASK, about, max_tokens: MAX_TOKENS }
}

fn tags(unit: &WorkUnitRef) -> Vec<String> {
    let first = unit.hierarchy().first().map(String::as_str).unwrap_or_default();
    let inner = Tag::new(first).ok().map(|tag| tag.to_string());
    std::iter::once(TAG.to_owned()).chain(inner).collect()
}

fn line(part: &FinishedPart) -> String {
    let files: Vec<&str> = part.outcome.files_modified.iter().map(RepoPath::as_str).collect();
    format!(
        "{}: {} steps, {} retries, files: {}, decisions: {}",
        part.label,
        part.outcome.steps_taken,
        part.outcome.retry_count,
        files.join(", "),
        part.outcome.key_decisions.join("; ")
    )
}

/// The sentences of an answer; none if they are not what was asked for.
pub fn read(answer: &str) -> Option<Vec<String>> {
    let text = clean(answer).text.into_owned();
    let marks = |c: char| c.is_ascii_digit() || "-*•.) ".contains(c);
    let insights: Vec<String> = text
        .lines()
        .map(|line| line.trim().trim_start_matches(marks).trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    let fits = |line: &String| (MIN_INSIGHT..=MAX_INSIGHT).contains(&line.chars().count());
    let usable =
        (MIN_INSIGHTS..=MAX_INSIGHTS).contains(&insights.len()) && insights.iter().all(fits);
    usable.then_some(insights)
}

/// Counts the units that changed each file.
fn change_counts(parts: &[FinishedPart]) -> Vec<(&RepoPath, usize)> {
    let mut change_counts: BTreeMap<&RepoPath, usize> = BTreeMap::new();
    for file in parts.iter().flat_map(|part| &part.outcome.files_modified) {
        *change_counts.entry(file).or_default() += 1;
    }
    let mut change_counts: Vec<_> = change_counts.into_iter().collect();
    change_counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    change_counts
}

/// Says what the numbers alone tell, a sentence each.
fn insights(label: &str, parts: &[FinishedPart]) -> Vec<String> {
    let units = parts.len();
    let change_counts = change_counts(parts);
    let mut insights = Vec::new();
    let hot: Vec<String> = change_counts
        .iter()
        .filter(|(_, count)| *count as f64 >= HOTSPOT_SHARE * units as f64 && *count > 1)
        .take(3)
        .map(|(file, count)| format!("`{file}` ({count})"))
        .collect();
    if !hot.is_empty() {
        insights.push(format!(
            "Of the {units} units of {label}, many changed the same files: {}.",
            hot.join(", ")
        ));
    }
    insights.extend(co_change_insight(label, parts, &change_counts));
    let hard: Vec<&str> =
        parts.iter().filter(|p| p.outcome.retry_count > 0).map(|p| p.label.as_str()).collect();
    if !hard.is_empty() {
        let named: Vec<&str> = hard.iter().take(5).copied().collect();
        insights.push(format!(
            "{} of the {units} units of {label} failed before they succeeded: {}.",
            hard.len(),
            named.join(", ")
        ));
    }
    let mut steps: Vec<u32> = parts.iter().map(|part| part.outcome.steps_taken).collect();
    steps.sort_unstable();
    if let (Some(most), middle) = (steps.last().filter(|most| **most > 0), steps[units / 2]) {
        insights.push(format!(
            "A unit of {label} took about {middle} steps, and {most} at most, over {units} units."
        ));
    }
    let mut decisions: Vec<&str> = Vec::new();
    for decision in parts.iter().flat_map(|part| &part.outcome.key_decisions) {
        if !decisions.contains(&decision.as_str()) && decisions.len() < 5 {
            decisions.push(decision);
        }
    }
    if !decisions.is_empty() {
        insights
            .push(format!("Decided in {label}: {}.", decisions.join("; ").trim_end_matches('.')));
    }
    insights.truncate(MAX_INSIGHTS);
    insights
}

/// The two files that most clearly change together.
fn co_change_insight(
    label: &str,
    parts: &[FinishedPart],
    change_counts: &[(&RepoPath, usize)],
) -> Option<String> {
    let often: Vec<_> =
        change_counts.iter().filter(|(_, count)| *count >= CO_CHANGE_UNITS).collect();
    let mut best: Option<(usize, String)> = None;
    for (at, (one, one_count)) in often.iter().enumerate() {
        for (other, other_count) in &often[at + 1..] {
            let changes =
                |part: &&FinishedPart, file: &RepoPath| part.outcome.files_modified.contains(file);
            let both = parts.iter().filter(|p| changes(p, one) && changes(p, other)).count();
            let either = one_count + other_count - both;
            let co_change_insight =
                both >= CO_CHANGE_UNITS && both as f64 >= CO_CHANGE_SHARE * either as f64;
            if co_change_insight && best.as_ref().is_none_or(|(most, _)| both > *most) {
                let sentence = format!(
                    "In {label}, `{one}` and `{other}` were changed together in {both} of the \
                     {either} units that changed either."
                );
                best = Some((both, sentence));
            }
        }
    }
    best.map(|(_, sentence)| sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(count: usize) -> Vec<FinishedPart> {
        (0..count)
            .map(|number| {
                let mut files = vec![format!("src/{number}.rs").parse().unwrap()];
                if number < 4 {
                    files.extend(["src/a.rs".parse().unwrap(), "src/b.rs".parse().unwrap()]);
                }
                FinishedPart {
                    label: format!("Subtask {number}"),
                    outcome: WorkUnitOutcome {
                        succeeded: true,
                        files_modified: files,
                        key_decisions: if number == 2 { vec!["keep it".into()] } else { vec![] },
                        steps_taken: number as u32,
                        context_tokens_used: None,
                        context_tokens_from: None,
                        retry_count: u32::from(number == 3),
                        failure_reason: None,
                    },
                }
            })
            .collect()
    }

    #[test]
    fn counts_become_sentences() {
        assert_eq!(
            insights("Spec 7", &parts(12)),
            [
                "Of the 12 units of Spec 7, many changed the same files: `src/a.rs` (4), `src/b.rs` (4).",
                "In Spec 7, `src/a.rs` and `src/b.rs` were changed together in 4 of the 4 units that \
                 changed either.",
                "1 of the 12 units of Spec 7 failed before they succeeded: Subtask 3.",
                "A unit of Spec 7 took about 6 steps, and 11 at most, over 12 units.",
                "Decided in Spec 7: keep it.",
            ]
        );
    }

    #[test]
    fn answers_are_read_strictly() {
        let good =
            "1. The auth module is coupled to tokens.\n\n- Tests must run in their order here.";
        assert_eq!(
            read(good).unwrap(),
            ["The auth module is coupled to tokens.", "Tests must run in their order here."]
        );
        let long = format!("{}\n{}", "a ".repeat(300), "b ".repeat(30));
        let many = "A sentence of some length.\n".repeat(6);
        for bad in
            ["", "One sentence of some length.", "Sure!\nHere are the insights.", &long, &many]
        {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
