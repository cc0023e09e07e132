//! Detects backtracks: edits that were replaced a few steps later.

use serde::{Deserialize, Serialize};
use tacit_core::RepoPath;

use crate::timeline::{StepKind, Timeline, TimelineStep};
use crate::validation::CheckOutcome;

/// Maximum number of steps between an edit and its correction.
pub const BACKTRACK_STEPS: usize = 5;

/// The likely cause of a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LikelyCause {
    /// The edit was wrong from the start.
    WrongAssumption,
    /// A file read in between showed a better way.
    MissingContext,
    /// Another file had to change with it.
    CascadingChange,
}

/// An edit that was corrected within a few steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backtrack {
    /// The edited file.
    pub file: RepoPath,
    /// The number of steps until the correction.
    pub within_steps: usize,
    /// The likely cause.
    pub likely_cause: LikelyCause,
    /// Other files changed in between.
    pub between: Vec<RepoPath>,
    /// A description of the correction.
    pub correction: String,
    /// The step of the correction.
    #[serde(skip)]
    pub step_index: usize,
}

/// Finds the backtracks of a timeline.
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
