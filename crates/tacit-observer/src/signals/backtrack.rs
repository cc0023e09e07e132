//! Which edits were corrected at once: what was just written was replaced a few steps later.

use serde::{Deserialize, Serialize};
use tacit_core::RepoPath;

use crate::timeline::{StepKind, Timeline, TimelineStep};
use crate::validation::CheckOutcome;

/// A correction comes within so many steps of what it corrects.
pub const BACKTRACK_STEPS: usize = 5;

/// Why an edit was likely to be corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LikelyCause {
    /// It was wrong from the start.
    WrongAssumption,
    /// Something was read in between that told better.
    MissingContext,
    /// Another file had to change with it.
    CascadingChange,
}

/// An edit that was corrected at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backtrack {
    /// The file.
    pub file: RepoPath,
    /// After how many steps.
    pub within_steps: usize,
    /// Why.
    pub likely_cause: LikelyCause,
    /// Files that were changed in between.
    pub between: Vec<RepoPath>,
    /// What the correction did, in words.
    pub correction: String,
    /// The place of the correction.
    #[serde(skip)]
    pub step_index: usize,
}

/// The corrections of a timeline.
pub fn backtracks(timeline: &Timeline) -> Vec<Backtrack> {
    let mut found = Vec::new();
    for conversation in timeline.conversations() {
        for (at, step) in conversation.iter().enumerate() {
            let StepKind::Edit(files) = &step.kind else { continue };
            for (file, change) in files {
                let earlier = conversation[..at].iter().rev().take_while(|earlier| {
                    earlier.call_number + BACKTRACK_STEPS >= step.call_number
                });
                let corrected = earlier.enumerate().find_map(|(back, earlier)| {
                    let StepKind::Edit(before) = &earlier.kind else { return None };
                    let corrects = before.iter().any(|(f, b)| f == file && change.corrects(b));
                    corrects.then_some((at - 1 - back, earlier))
                });
                let Some((from, earlier)) = corrected else { continue };
                let Some(correction) = change.describe() else { continue };
                let (likely_cause, between) = cause(&conversation[from + 1..at], file);
                found.push(Backtrack {
                    file: file.clone(),
                    within_steps: step.call_number - earlier.call_number,
                    likely_cause,
                    between,
                    correction,
                    step_index: timeline
                        .steps
                        .iter()
                        .position(|other| std::ptr::eq(other, *step))
                        .unwrap_or(0),
                });
            }
        }
    }
    found
}

fn cause(between: &[&TimelineStep], file: &RepoPath) -> (LikelyCause, Vec<RepoPath>) {
    let mut others: Vec<RepoPath> = Vec::new();
    let mut read = false;
    let mut failed = false;
    for step in between {
        match &step.kind {
            StepKind::Edit(files) => others.extend(
                files
                    .iter()
                    .filter(|(other, change)| other != file && !change.is_formatting())
                    .map(|(f, _)| f.clone()),
            ),
            StepKind::Read(_) | StepKind::Search => read = true,
            StepKind::Command(run) => failed |= run.check.outcome == CheckOutcome::Failed,
            _ => {}
        }
    }
    others.sort();
    others.dedup();
    let cause = if !others.is_empty() {
        LikelyCause::CascadingChange
    } else if read && !failed {
        LikelyCause::MissingContext
    } else {
        LikelyCause::WrongAssumption
    };
    (cause, others)
}
