//! Turns of a conversation, with the signs that they taught something: a failure turned into a pass
//! or came back, an approach was dropped, or the user reported a problem.

use std::collections::BTreeSet;

use tacit_core::{RepoPath, tokenize};

use crate::reverts::{AbandonedApproach, abandoned_approaches};
use crate::timeline::{StepKind, Timeline, TimelineStep};
use crate::validation::CheckOutcome;

/// The signs that a turn taught something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TeachingSign {
    /// A check failed, something was changed, and the check passed.
    FailureFixed,
    /// A check failed repeatedly.
    FailureRepeated,
    /// An approach was given up.
    ApproachDropped,
    /// The user reported a problem or corrected the agent.
    ProblemReported,
}

/// A turn with the message that ended it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationTurn<'a> {
    /// The index of the first step, usually the prompt.
    pub first_step: usize,
    /// The index of the message that ended the turn.
    pub last_step: usize,
    /// The last message of the agent.
    pub message: &'a str,
    /// The signs that it taught something, each once.
    pub signs: Vec<TeachingSign>,
    /// The files that were changed, sorted by path.
    pub changed: Vec<RepoPath>,
    /// True if the user says that an earlier problem remains.
    pub remains: bool,
}

/// Returns the finished turns of the main conversations, in order.
pub fn turns<'a>(
    timeline: &'a Timeline,
    abandoned: &[AbandonedApproach],
) -> Vec<ConversationTurn<'a>> {
    let mut found: Vec<ConversationTurn<'a>> = Vec::new();
    let mut first_step = 0;
    for (step_index, step) in timeline.steps.iter().enumerate() {
        if step.agent.is_some() {
            continue;
        }
        let StepKind::Message(message) = &step.kind else { continue };
        let turn = first_step..step_index;
        first_step = step_index + 1;
        // An agent that was held back and did nothing more ends the same turn with other words.
        let only_spoke = timeline.steps[turn.clone()].iter().all(|step| step.agent.is_some());
        if let Some(held_back) = found.last().filter(|_| only_spoke).cloned() {
            found.push(ConversationTurn { last_step: step_index, message, ..held_back });
            continue;
        }
        let signs = signs(timeline, turn.clone(), abandoned);
        let mut changed: Vec<RepoPath> = timeline
            .changes()
            .filter(|(at, ..)| turn.contains(at))
            .map(|(_, file, _)| file.clone())
            .collect();
        changed.sort();
        changed.dedup();
        let remains = prompts(timeline, turn.clone()).any(|(_, prompt)| says_it_remains(prompt));
        found.push(ConversationTurn {
            first_step: turn.start,
            last_step: step_index,
            message,
            signs,
            changed,
            remains,
        });
    }
    found
}

/// Returns the signs that the steps after the last finished turn taught something. There are none
/// if the agent changed nothing and ran nothing.
pub fn signs_of_open_turn(timeline: &Timeline) -> Vec<TeachingSign> {
    let is_end =
        |step: &TimelineStep| step.agent.is_none() && matches!(step.kind, StepKind::Message(_));
    let first = timeline.steps.iter().rposition(is_end).map_or(0, |at| at + 1);
    let acts = |step: &TimelineStep| matches!(step.kind, StepKind::Edit(_) | StepKind::Command(_));
    if !timeline.steps[first..].iter().any(acts) {
        return Vec::new();
    }
    signs(timeline, first..timeline.steps.len(), &abandoned_approaches(timeline))
}

fn signs(
    timeline: &Timeline,
    turn: std::ops::Range<usize>,
    abandoned: &[AbandonedApproach],
) -> Vec<TeachingSign> {
    let mut signs = Vec::new();
    let mut failed: Vec<(&str, usize)> = Vec::new();
    for (step_index, run) in timeline.runs().filter(|(at, _)| turn.contains(at)) {
        if run.check.checks.is_empty() {
            continue;
        }
        let known = failed.iter_mut().find(|(key, _)| *key == run.check.key);
        match (run.check.outcome, known) {
            (CheckOutcome::Failed, Some((_, last))) => {
                if timeline.changes().any(|(at, ..)| (*last..step_index).contains(&at)) {
                    signs.push(TeachingSign::FailureRepeated);
                }
                *last = step_index;
            }
            (CheckOutcome::Failed, None) => failed.push((&run.check.key, step_index)),
            (CheckOutcome::Passed, _) => {
                let ended =
                    timeline.runs().any(|(at, earlier)| {
                        (turn.start..step_index).contains(&at)
                            && earlier.check.outcome == CheckOutcome::Failed
                            && earlier.check.checks.iter().any(|check| {
                                run.check.checks.iter().any(|passed| passed.covers(check))
                            })
                    });
                if ended {
                    signs.push(TeachingSign::FailureFixed);
                }
            }
            (CheckOutcome::Unknown, _) => {}
        }
    }
    if abandoned.iter().any(|approach| turn.contains(&approach.last_step)) {
        signs.push(TeachingSign::ApproachDropped);
    }
    let reported = prompts(timeline, turn.clone()).any(|(step_index, prompt)| {
        let is_first = timeline.steps[..step_index]
            .iter()
            .all(|step| step.agent.is_some() || !matches!(step.kind, StepKind::Prompt(_)));
        reports_problem(prompt, is_first)
    });
    if reported {
        signs.push(TeachingSign::ProblemReported);
    }
    signs.sort_unstable();
    signs.dedup();
    signs
}

/// Iterates over the prompts of the user in some steps, with their indexes.
pub(crate) fn prompts(
    timeline: &Timeline,
    turn: std::ops::Range<usize>,
) -> impl Iterator<Item = (usize, &str)> {
    timeline.steps[turn.clone()].iter().zip(turn).filter_map(|(step, at)| match &step.kind {
        StepKind::Prompt(prompt) if step.agent.is_none() => Some((at, prompt.as_str())),
        _ => None,
    })
}

/// Returns true if nearly all words of a text stand in prompts.
pub(crate) fn repeats<'p>(text: &str, prompts: impl Iterator<Item = &'p str>) -> bool {
    let prompts: Vec<_> = prompts.map(tokenize).collect();
    let asked: BTreeSet<&str> = prompts.iter().flat_map(|prompt| prompt.iter()).collect();
    let said = tokenize(text);
    let said = said.distinct();
    let shared = said.iter().filter(|word| asked.contains(*word)).count();
    !said.is_empty() && shared * 10 >= said.len() * 8
}

/// Longer prompts are read at the beginning only, in bytes.
const MAX_REPORT: usize = 4_000;
/// Words with which people report a problem. A first prompt needs one of the first group, because
/// the others are common in tasks.
const FAILURE_WORDS: [&str; 22] = [
    "error",
    "errors",
    "fail",
    "fails",
    "failed",
    "failing",
    "failure",
    "broken",
    "bug",
    "crash",
    "crashes",
    "crashed",
    "regression",
    "traceback",
    "panic",
    "exception",
    "fehler",
    "kaputt",
    "erreur",
    "ошибка",
    "오류",
    "错误",
];
const PROBLEM_WORDS: [&str; 26] = [
    "wrong",
    "doesn't",
    "didn't",
    "isn't",
    "wasn't",
    "don't",
    "can't",
    "cannot",
    "won't",
    "still",
    "again",
    "why",
    "issue",
    "problem",
    "incorrect",
    "missing",
    "unexpected",
    "instead",
    "stuck",
    "hangs",
    "never",
    "ignored",
    "not",
    "nicht",
    "immer",
    "pas",
];

/// Returns true if a prompt reports that something is wrong. `is_first` is true for the prompt that
/// opens a session.
fn reports_problem(prompt: &str, is_first: bool) -> bool {
    if is_specification(prompt) {
        return false;
    }
    let lower = prompt[..prompt.floor_char_boundary(MAX_REPORT)].to_lowercase().replace('’', "'");
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|word| {
        FAILURE_WORDS.contains(&word)
            || word.ends_with("error")
            || word.ends_with("exception")
            || (!is_first && PROBLEM_WORDS.contains(&word))
    })
}

/// Returns true if a prompt hands over a role, a summary or a plan that fixes nothing.
fn is_specification(prompt: &str) -> bool {
    let start = prompt.trim_start();
    let start = start[..start.floor_char_boundary(400)].to_lowercase();
    if let Some(plan) = start.strip_prefix("implement the following plan") {
        let heading = plan.lines().find(|line| line.starts_with('#')).unwrap_or_default();
        return !["fix", "bug", "error", "fail"].iter().any(|word| heading.contains(word));
    }
    start.starts_with("you are ")
        || start.starts_with("this session is being continued")
        || start.starts_with('<')
}

fn says_it_remains(prompt: &str) -> bool {
    let lower = prompt.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|word| matches!(word, "still" | "again" | "same" | "persists" | "remains"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_told_from_tasks() {
        for (prompt, is_first, expected) in [
            ("the build still fails on Windows", false, true),
            ("Why does it print the value twice?", false, true),
            ("I see `TypeError: x is undefined` when I open the page", true, true),
            ("Add a flag that skips the missing files", true, false),
            ("Looks good, commit it", false, false),
            ("Implement the following plan:\n# Fix the failing test", true, true),
            ("Implement the following plan:\n# Add a page\n\nIt must not fail.", true, false),
            ("You are a reviewer. Report errors.", true, false),
        ] {
            assert_eq!(reports_problem(prompt, is_first), expected, "{prompt}");
        }
    }
}
