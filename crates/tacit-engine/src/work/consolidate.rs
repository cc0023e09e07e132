//! What many units of work taught together, once all of them are done.

use std::collections::BTreeMap;

use tacit_core::{
    BuiltinType, Details, Draft, Memory, RepoPath, Scope, Source, WorkUnitOutcome, WorkUnitRef,
    clean,
};
use tacit_models::Prompt;
use tacit_store::{Filter, ListOrder, WorkUnitFilter};

use super::outcome::GENERATOR;
use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::generation::Purpose;
use crate::remember::Remembered;

/// From how many units on they are looked at together.
pub const LARGE: usize = 10;
/// How many insights there are at least and at most.
const FEWEST: usize = 2;
const MOST: usize = 5;
/// How sure they are.
const CONFIDENCE: f64 = 0.85;
/// The tag of what was learnt this way.
const TAG: &str = "consolidation";
/// How many outcomes are looked at.
const LOOKED_AT: usize = 1_000;
/// A file changed in this share of the units attracts changes.
const HOTSPOT: f64 = 0.3;
/// Two files belong together if so much of what changes either changes both, so often.
const TOGETHER: f64 = 0.8;
const TOGETHER_UNITS: usize = 3;
/// How long an insight may be, in characters.
const SHORTEST: usize = 20;
const LONGEST: usize = 400;
/// How many tokens a model may write.
const MOST_TOKENS: u32 = 400;

/// What a model is asked.
const TASK: &str = include_str!("../../prompts/consolidation.md");

/// What was learnt from many units together.
#[derive(Debug, Default)]
pub struct Consolidated {
    /// How many units there were.
    pub units: usize,
    /// What was learnt; nothing if there are too few, some failed, or it was done before.
    pub insights: Vec<Remembered>,
}

/// A unit inside the one that is done.
struct Part {
    label: String,
    outcome: WorkUnitOutcome,
}

impl Engine<'_> {
    /// Learns from the units inside one that is done, if there are many and each succeeded in the
    /// end. Each unit is consolidated once.
    pub(crate) fn consolidate(&mut self, unit: &WorkUnitRef) -> EngineResult<Consolidated> {
        let parts = self.parts(unit)?;
        let units = parts.len();
        if units < LARGE || parts.iter().any(|part| !part.outcome.succeeded) {
            return Ok(Consolidated { units, insights: Vec::new() });
        }
        let (insights, generator) = match self.written_insights(&parts) {
            Some((insights, name)) => (insights, name),
            None => (insights(unit.label(), &parts), GENERATOR.to_owned()),
        };
        let files = frequent_files(&parts);
        let drafts = insights.into_iter().map(|content| Draft {
            content,
            kind: Some(BuiltinType::ModuleInsight.to_string()),
            confidence: Some(CONFIDENCE),
            scope: Some(Scope::Global.to_string()),
            work_unit: Some(unit.clone()),
            related_files: files.iter().map(ToString::to_string).collect(),
            tags: tags(unit),
            source: Some(Source::ObserverInferred.to_string()),
            generator: Some(generator.clone()),
            ..Draft::default()
        });
        let path = unit.hierarchy().join("/");
        let name = format!("consolidate {} {path} {units}", unit.methodology());
        let insights = self.remember_once(&name, drafts)?;
        Ok(Consolidated { units, insights })
    }

    /// The newest outcome of each unit inside another.
    fn parts(&self, unit: &WorkUnitRef) -> EngineResult<Vec<Part>> {
        let filter = Filter {
            types: vec![BuiltinType::WorkUnitOutcome.into()],
            work_unit: Some(WorkUnitFilter {
                methodology: Some(unit.methodology().to_owned()),
                hierarchy: unit.hierarchy().to_vec(),
            }),
            ..Filter::default()
        };
        let found = self.list(Some(Shelf::Project), &filter, ListOrder::Changed, LOOKED_AT, 0)?;
        let mut parts: BTreeMap<Vec<String>, Part> = BTreeMap::new();
        for found in found {
            let Some((path, part)) = part(&found.memory) else { continue };
            if path != unit.hierarchy() {
                parts.entry(path).or_insert(part);
            }
        }
        Ok(parts.into_values().collect())
    }

    /// What a model makes of the units, if one is configured and says what can be used.
    fn written_insights(&self, parts: &[Part]) -> Option<(Vec<String>, String)> {
        let name = self.generator.as_ref()?.name().to_owned();
        let list: Vec<String> = parts.iter().map(line).collect();
        let user = format!("{} finished units:\n{}", parts.len(), list.join("\n"));
        let user = tacit_redact::redact(&user).text.into_owned();
        let prompt = Prompt {
            system: TASK.to_owned(),
            user,
            max_tokens: MOST_TOKENS,
            temperature: Some(0.0),
        };
        let said = self.generate(Purpose::Consolidation, &prompt).ok()?;
        Some((read_insights(&said.text)?, name))
    }
}

fn part(memory: &Memory) -> Option<(Vec<String>, Part)> {
    let subject = &memory.said.subject;
    let Details::WorkUnitOutcome(outcome) = subject.details() else { return None };
    let unit = subject.placement().work_unit()?;
    let part = Part { label: unit.label().to_owned(), outcome: outcome.clone() };
    Some((unit.hierarchy().to_vec(), part))
}

fn tags(unit: &WorkUnitRef) -> Vec<String> {
    let first = unit.hierarchy().first().map(String::as_str).unwrap_or_default();
    let own = tacit_core::Tag::new(first).ok().map(|tag| tag.to_string());
    std::iter::once(TAG.to_owned()).chain(own).collect()
}

fn line(part: &Part) -> String {
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
fn read_insights(answer: &str) -> Option<Vec<String>> {
    let text = clean(answer).text.into_owned();
    let marks = |c: char| c.is_ascii_digit() || "-*•.) ".contains(c);
    let insights: Vec<String> = text
        .lines()
        .map(|line| line.trim().trim_start_matches(marks).trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    let fits = |line: &String| (SHORTEST..=LONGEST).contains(&line.chars().count());
    let usable = (FEWEST..=MOST).contains(&insights.len()) && insights.iter().all(fits);
    usable.then_some(insights)
}

/// How many units changed each file.
fn counts(parts: &[Part]) -> Vec<(&RepoPath, usize)> {
    let mut counts: BTreeMap<&RepoPath, usize> = BTreeMap::new();
    for file in parts.iter().flat_map(|part| &part.outcome.files_modified) {
        *counts.entry(file).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn frequent_files(parts: &[Part]) -> Vec<RepoPath> {
    const FILES: usize = 64;
    counts(parts).into_iter().take(FILES).map(|(file, _)| file.clone()).collect()
}

/// What the numbers alone tell, a sentence each.
fn insights(label: &str, parts: &[Part]) -> Vec<String> {
    let units = parts.len();
    let counts = counts(parts);
    let mut insights = Vec::new();
    let hot: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count as f64 >= HOTSPOT * units as f64 && *count > 1)
        .take(3)
        .map(|(file, count)| format!("`{file}` ({count})"))
        .collect();
    if !hot.is_empty() {
        insights.push(format!(
            "Of the {units} units of {label}, many changed the same files: {}.",
            hot.join(", ")
        ));
    }
    insights.extend(coupled(label, parts, &counts));
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
    insights.truncate(MOST);
    insights
}

/// The two files that most clearly change together.
fn coupled(label: &str, parts: &[Part], counts: &[(&RepoPath, usize)]) -> Option<String> {
    let often: Vec<_> = counts.iter().filter(|(_, count)| *count >= TOGETHER_UNITS).collect();
    let mut best: Option<(usize, String)> = None;
    for (at, (one, one_count)) in often.iter().enumerate() {
        for (other, other_count) in &often[at + 1..] {
            let changes =
                |part: &&Part, file: &RepoPath| part.outcome.files_modified.contains(file);
            let both = parts.iter().filter(|p| changes(p, one) && changes(p, other)).count();
            let either = one_count + other_count - both;
            let coupled = both >= TOGETHER_UNITS && both as f64 >= TOGETHER * either as f64;
            if coupled && best.as_ref().is_none_or(|(most, _)| both > *most) {
                let said = format!(
                    "In {label}, `{one}` and `{other}` were changed together in {both} of the \
                     {either} units that changed either."
                );
                best = Some((both, said));
            }
        }
    }
    best.map(|(_, said)| said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(count: usize) -> Vec<Part> {
        (0..count)
            .map(|number| {
                let mut files = vec![format!("src/{number}.rs").parse().unwrap()];
                if number < 4 {
                    files.extend(["src/a.rs".parse().unwrap(), "src/b.rs".parse().unwrap()]);
                }
                Part {
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
    fn numbers_become_sentences() {
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
            read_insights(good).unwrap(),
            ["The auth module is coupled to tokens.", "Tests must run in their order here."]
        );
        let long = format!("{}\n{}", "a ".repeat(300), "b ".repeat(30));
        let many = "A sentence of some length.\n".repeat(6);
        for bad in
            ["", "One sentence of some length.", "Sure!\nHere are the insights.", &long, &many]
        {
            assert_eq!(read_insights(bad), None, "{bad}");
        }
    }
}
