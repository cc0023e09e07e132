//! Cues of candidates: what was seen before something was learnt, so that the same situation leads to
//! the memory next time.

use std::collections::BTreeSet;

use tacit_core::{Cue, ErrorPattern, Tokens, task_of_prompt, tokenize};

use crate::promotion::{Basis, MemoryCandidate};
use crate::text::one_line;
use crate::timeline::{StepKind, Timeline};

/// The most characters of a cue; `one_line` marks a cut with one more.
const MAX_CHARACTERS: usize = Cue::MOST_CHARACTERS - 1;
/// The least number of different words of a cue: fewer fit too many situations.
const MIN_WORDS: usize = 4;
/// The least share of a cue's words that the memory's own text does not have. A cue that repeats
/// the memory leads nowhere that its text does not.
const MIN_NEW: f64 = 0.4;

/// Adds cues to candidates that were learnt from one situation: the task that the user had set, the
/// command that failed and its error.
pub(crate) fn add_cues(candidates: &mut [MemoryCandidate], timeline: &Timeline) {
    for candidate in candidates.iter_mut().filter(|candidate| is_from_one_situation(candidate)) {
        let text = candidate.draft.title.iter().chain([&candidate.draft.content]);
        let text: Vec<&str> = text.map(String::as_str).collect();
        let own = tokenize(&text.join("\n"));
        let own: BTreeSet<&str> = own.iter().collect();
        let mut cues = Vec::new();
        for cue in failure(candidate).into_iter().flatten().chain(task(candidate, timeline, &own)) {
            let cue = one_line(&cue, MAX_CHARACTERS);
            if leads_further(&tokenize(&cue), &own) && !cues.contains(&cue) {
                cues.push(cue);
            }
        }
        candidate.draft.cues.extend(cues);
    }
}

/// Returns true if one prompt and one failure say when the memory helps. Statistics of many sessions
/// have no such moment.
fn is_from_one_situation(candidate: &MemoryCandidate) -> bool {
    let statistic = matches!(
        candidate.basis,
        Basis::FileAccess
            | Basis::CoAccess
            | Basis::Sequence
            | Basis::TimeAnomaly
            | Basis::HouseRule
    );
    !statistic && !candidate.replaces
}

/// Returns the command that failed and its error.
fn failure(candidate: &MemoryCandidate) -> Option<[String; 2]> {
    let details = candidate.draft.details.clone()?;
    let fix = serde_json::from_value::<ErrorPattern>(details).ok()?.fix?;
    Some([fix.failing_command, fix.error])
}

/// Returns the task that the user had set when the candidate was learnt: that of the last prompt
/// that is specific. A prompt that the memory itself quotes is passed over.
fn task(candidate: &MemoryCandidate, timeline: &Timeline, own: &BTreeSet<&str>) -> Option<String> {
    let end = candidate.step_index.unwrap_or(timeline.steps.len()).min(timeline.steps.len());
    timeline.steps[..end].iter().rev().find_map(|step| match &step.kind {
        StepKind::Prompt(prompt) if step.agent.is_none() && step.at <= candidate.at => {
            task_of_prompt(prompt).filter(|task| leads_further(&tokenize(task), own))
        }
        _ => None,
    })
}

fn leads_further(cue: &Tokens, own: &BTreeSet<&str>) -> bool {
    let words: BTreeSet<&str> = cue.iter().collect();
    let new = words.iter().filter(|word| !own.contains(*word)).count();
    words.len() >= MIN_WORDS && new as f64 >= MIN_NEW * words.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_are_specific_and_say_something_new() {
        let memory = tokenize("Raise `max_connections` together with the workers of the queue");
        let own: BTreeSet<&str> = memory.iter().collect();
        for (cue, leads) in [
            ("the checkout page times out when the sale starts", true),
            ("fix the tests", false),
            ("raise max_connections together with the workers", false),
            ("pg_dump: error: connection to server failed", true),
        ] {
            assert_eq!(leads_further(&tokenize(cue), &own), leads, "{cue}");
        }
    }
}
