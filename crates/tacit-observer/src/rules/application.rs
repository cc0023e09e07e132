//! Learns how the running application behaves. What must be done first, what takes time, and what
//! one tool cannot do though another can, follow from a failed call and a later one that succeeded;
//! the way to a state of the application from actions that were repeated; and how a part of it
//! behaves from what the agent says about it.

mod behaviour;
mod contradiction;
mod sequence;
mod shown_text;

use std::collections::BTreeSet;

use tacit_core::{Draft, E2eObservation, MemoryId, ObservationType, Scope, Source};

use super::account::message_sentences;
use super::{RuleInput, RuleOutput, draft};
use crate::application::{AppCall, AppCallKind};
use crate::promotion::{Basis, MemoryCandidate};
use crate::session_tree::SessionTree;
use crate::text::{one_line, quote, stable_key};
use crate::timeline::Timeline;
use crate::timeline::{StepKind, TimelineStep};
use crate::turns::turns;
use behaviour::behaviours;
pub use contradiction::KnownObservation;
pub(crate) use contradiction::contradicted as contradicted_by_calls;
use contradiction::contradicted;
use sequence::repeated_sequences;
pub use shown_text::shown_texts;

/// Maximum number of actions in between: more of them say nothing about any one.
const MAX_BETWEEN: usize = 3;
/// Confidence of a single observation; a second session raises it.
const CONFIDENCE: f64 = 0.75;
/// The tag of all these memories.
const TAG: &str = "e2e";

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    for conversation in input.timeline.conversations() {
        let calls = app_calls(&conversation);
        failures(input, &calls, results);
        sequences(input, &calls, results);
    }
    stated_behaviours(input, results);
}

/// Concludes from calls that failed and later succeeded.
fn failures(input: &RuleInput<'_>, calls: &[(&TimelineStep, &AppCall)], results: &mut RuleOutput) {
    let mut done: Vec<(&str, &str)> = Vec::new();
    for (at, (_, failed)) in calls.iter().enumerate() {
        let (Some(failure), Some(target)) = (&failed.failure, &failed.target) else { continue };
        // The first failure shows what was missing; later ones, that it still was.
        if failed.kind != AppCallKind::Action || done.contains(&(failed.tool.as_str(), target)) {
            continue;
        }
        done.push((&failed.tool, target));
        let about = format!("{} {}", failed.tool, quote(target));
        match conclude(&calls[at..], failed, target, failure) {
            Ok((step, kind, content)) => {
                let seen = Observation { kind, tool: &failed.tool, content, about };
                results.candidates.push(candidate(input, step, seen));
            }
            Err(why) => results.reject(Basis::Observation, about, 1, why),
        }
    }
}

/// Concludes the way to a state of the application from actions that were repeated.
fn sequences(input: &RuleInput<'_>, calls: &[(&TimelineStep, &AppCall)], results: &mut RuleOutput) {
    let all: Vec<&AppCall> = calls.iter().map(|(_, call)| *call).collect();
    for sequence in repeated_sequences(&all) {
        let Some(last) = sequence.last() else { continue };
        let step = calls.iter().rfind(|(_, call)| std::ptr::eq(*call, *last));
        let (Some((step, _)), Some(target)) = (step, &last.target) else { continue };
        let acts: Vec<String> = sequence.iter().map(|call| act(call)).collect();
        let content = format!("To reach {}: {}.", quote(target), acts.join(", then "));
        let seen = Observation {
            kind: ObservationType::TestSequence,
            tool: &last.tool,
            about: content.clone(),
            content,
        };
        results.candidates.push(candidate(input, step, seen));
    }
}

/// Concludes how parts of the application behave from what the agent says at the end of a turn in
/// which it used them.
fn stated_behaviours(input: &RuleInput<'_>, results: &mut RuleOutput) {
    for turn in turns(input.timeline, input.abandoned_approaches) {
        let steps = &input.timeline.steps[turn.first_step..turn.last_step];
        let calls = || {
            steps.iter().filter_map(|step| match &step.kind {
                StepKind::AppCall(call) => Some(call.as_ref()),
                _ => None,
            })
        };
        let targets: BTreeSet<&str> = calls().filter_map(|call| call.target.as_deref()).collect();
        let Some(used) = calls().next_back().filter(|_| !targets.is_empty()) else { continue };
        for content in behaviours(&message_sentences(turn.message), &targets) {
            let seen = Observation {
                kind: ObservationType::UiBehavior,
                tool: &used.tool,
                about: one_line(&content, 100),
                content,
            };
            results.candidates.push(candidate(input, &input.timeline.steps[turn.last_step], seen));
        }
    }
}

/// Returns the stored observations that a session contradicts.
pub(crate) fn contradicted_observations(
    known: &[KnownObservation],
    timeline: &Timeline,
) -> Vec<MemoryId> {
    let mut found: Vec<MemoryId> = Vec::new();
    for conversation in timeline.conversations() {
        let calls = app_calls(&conversation);
        let calls: Vec<&AppCall> = calls.iter().map(|(_, call)| *call).collect();
        found.extend(contradicted(known, &calls));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the calls to the application in some steps.
fn app_calls<'s>(steps: &[&'s TimelineStep]) -> Vec<(&'s TimelineStep, &'s AppCall)> {
    let call = |step: &&'s TimelineStep| match &step.kind {
        StepKind::AppCall(call) => Some((*step, call.as_ref())),
        _ => None,
    };
    steps.iter().filter_map(call).collect()
}

/// Describes a call: the tool and what it acts on.
fn act(call: &AppCall) -> String {
    match &call.target {
        Some(target) => format!("{} on {}", call.tool, quote(target)),
        None => call.tool.clone(),
    }
}

/// Concludes what a failure and the calls after it show.
fn conclude<'s>(
    calls: &[(&'s TimelineStep, &AppCall)],
    failed: &AppCall,
    target: &str,
    failure: &str,
) -> Result<(&'s TimelineStep, ObservationType, String), &'static str> {
    let works = |call: &AppCall| {
        call.kind == AppCallKind::Action
            && call.failure.is_none()
            && call.target.as_deref() == Some(target)
    };
    let Some(end) = calls.iter().position(|(_, call)| works(call)) else {
        return Err("it never worked");
    };
    let (step, worked) = calls[end];
    let before = act(failed);
    let failure = failure.trim_end_matches('.');
    if worked.tool != failed.tool {
        let content = format!("{before} does not work ({failure}); {} does.", worked.tool);
        return Ok((step, ObservationType::McpGotcha, content));
    }
    let between: Vec<&AppCall> = calls[1..end]
        .iter()
        .map(|(_, call)| *call)
        .filter(|call| call.kind == AppCallKind::Action && call.failure.is_none())
        .collect();
    let waited = calls[1..end].iter().any(|(_, call)| call.kind != AppCallKind::Action);
    match between.as_slice() {
        [] if waited => {
            let seconds = (step.at.as_millis() - calls[0].0.at.as_millis()) as f64 / 1000.0;
            let content = format!(
                "{before} needs some time: it failed ({failure}) and worked {seconds:.1} s later, \
                 after only waiting."
            );
            Ok((step, ObservationType::Timing, content))
        }
        [] => Err("it worked the second time with nothing in between"),
        acts if acts.len() <= MAX_BETWEEN => {
            let acts: Vec<String> = acts.iter().map(|call| act(call)).collect();
            let content = format!(
                "{before} works only after {}. Before that it failed ({failure}).",
                acts.join(", then ")
            );
            Ok((step, ObservationType::Precondition, content))
        }
        _ => Err("too many actions in between"),
    }
}

/// An observation of the application.
struct Observation<'s> {
    kind: ObservationType,
    tool: &'s str,
    content: String,
    about: String,
}

fn candidate(input: &RuleInput<'_>, step: &TimelineStep, seen: Observation<'_>) -> MemoryCandidate {
    let Observation { kind, tool, content, about } = seen;
    let step_index = input.timeline.steps.iter().position(|other| std::ptr::eq(other, step));
    let draft = observation_draft(input.tree, kind, tool, content);
    MemoryCandidate {
        basis: Basis::Observation,
        key: stable_key(&["e2e", kind.as_str(), &about]),
        about,
        occurrences: 1,
        at: step.at,
        step_index: step_index.or(Some(input.last_checked_step())),
        draft,
        replaces: false,
    }
}

/// Creates the draft of an observation.
pub(crate) fn observation_draft(
    tree: &SessionTree,
    kind: ObservationType,
    tool: &str,
    content: String,
) -> Draft {
    let details =
        E2eObservation { observation_type: kind, mcp_tool_used: tool.to_owned(), app_state: None };
    let mut draft = draft(tree, "e2e_observation", content, &[], CONFIDENCE);
    draft.details = serde_json::to_value(details).ok();
    draft.source = Some(Source::McpAuto.to_string());
    // The behaviour of an interface does not depend on the work during which it was seen.
    draft.scope = Some(Scope::Global.to_string());
    draft.tags = vec![TAG.to_owned(), tool.replace('_', "-"), kind.as_str().replace('_', "-")];
    draft
}

/// Guesses the type of an observation that an agent put into its own words.
pub(super) fn observation_type(text: &str) -> ObservationType {
    let lower = text.to_lowercase();
    let says = |words: &[&str]| {
        lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
    };
    if says(&["wait", "animation", "animating", "until", "seconds", "ms", "delay", "slow"]) {
        ObservationType::Timing
    } else if says(&["before", "requires", "require", "must", "needs", "first", "enabled"]) {
        ObservationType::Precondition
    } else if says(&["mcp", "tool", "screenshot", "selector"]) {
        ObservationType::McpGotcha
    } else if says(&["then", "steps"]) {
        ObservationType::TestSequence
    } else {
        ObservationType::UiBehavior
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_determine_the_observation_type() {
        for (text, expected) in [
            ("The button is disabled while the modal is animating", "timing"),
            ("Navigating to the panel requires the setting to be on", "precondition"),
            ("The screenshot is black in a minimised window", "mcp_gotcha"),
            ("Open Settings, then Accounts, then Add", "test_sequence"),
            ("Cards are yellow in the paused state, which is right", "ui_behavior"),
        ] {
            assert_eq!(observation_type(text).as_str(), expected, "{text}");
        }
    }
}
