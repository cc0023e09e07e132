//! What the running application was seen to do: what has to be done before something works, what
//! takes time, and what a tool cannot do though another can. Each is told by a call that failed and
//! the same, or its like, that did what was asked.

use tacit_core::{E2eObservation, ObservationType, Scope, Source};

use super::{RuleInput, RuleOutput};
use crate::application::{AppCall, AppCallKind};
use crate::promotion::{Basis, MemoryCandidate};
use crate::text::{quote, stable_key};
use crate::timeline::{StepKind, TimelineStep};

/// So many things may be done in between: more of them tell nothing about one.
const MOST_BETWEEN: usize = 3;
/// The confidence of what was seen once; a second session that sees it raises it.
const CONFIDENCE: f64 = 0.75;
/// The tag of all of them.
const TAG: &str = "e2e";

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    for conversation in input.timeline.conversations() {
        let calls: Vec<(&TimelineStep, &AppCall)> = conversation
            .iter()
            .filter_map(|step| match &step.kind {
                StepKind::AppCall(call) => Some((*step, call.as_ref())),
                _ => None,
            })
            .collect();
        let mut done: Vec<(&str, &str)> = Vec::new();
        for (at, (_, failed)) in calls.iter().enumerate() {
            let (Some(failure), Some(target)) = (&failed.failure, &failed.target) else { continue };
            // The first failure tells what was missing; those that follow, that it still was.
            if failed.kind != AppCallKind::Action || done.contains(&(failed.tool.as_str(), target))
            {
                continue;
            }
            done.push((&failed.tool, target));
            let about = format!("{} {}", failed.tool, quote(target));
            match seen(&calls[at..], failed, target, failure) {
                Ok((step, kind, content)) => {
                    results.candidates.push(candidate(input, step, failed, kind, content, about));
                }
                Err(why) => results.reject(Basis::Observation, about, 1, why),
            }
        }
    }
}

/// What a failure and what came after it show.
fn seen<'s>(
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
    let before = format!("{} on {}", failed.tool, quote(target));
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
                 after waiting alone."
            );
            Ok((step, ObservationType::Timing, content))
        }
        [] => Err("it worked the second time, with nothing in between"),
        acts if acts.len() <= MOST_BETWEEN => {
            let acts: Vec<String> = acts
                .iter()
                .map(|call| match &call.target {
                    Some(target) => format!("{} on {}", call.tool, quote(target)),
                    None => call.tool.clone(),
                })
                .collect();
            let content = format!(
                "Before {before} works: {}. Without that it failed ({failure}).",
                acts.join(", then ")
            );
            Ok((step, ObservationType::Precondition, content))
        }
        _ => Err("too much was done in between"),
    }
}

fn candidate(
    input: &RuleInput<'_>,
    step: &TimelineStep,
    failed: &AppCall,
    kind: ObservationType,
    content: String,
    about: String,
) -> MemoryCandidate {
    let step_index = input.timeline.steps.iter().position(|other| std::ptr::eq(other, step));
    let details = E2eObservation {
        observation_type: kind,
        mcp_tool_used: failed.tool.clone(),
        app_state: None,
    };
    let mut draft = input.draft("e2e_observation", content, &[], CONFIDENCE);
    draft.details = serde_json::to_value(details).ok();
    draft.source = Some(Source::McpAuto.to_string());
    // How an interface behaves does not depend on the work during which it was seen.
    draft.scope = Some(Scope::Global.to_string());
    draft.tags =
        vec![TAG.to_owned(), failed.tool.replace('_', "-"), kind.as_str().replace('_', "-")];
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

/// What an observation that an agent put into its own words is good for.
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
