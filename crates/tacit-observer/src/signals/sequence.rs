//! The shape of a piece of work: its edits and checks in order.
//!
//! Reads are left out because they differ each time. A step has an action (write, edit, check), the
//! role of the file and its directory.

use serde::{Deserialize, Serialize};
use tacit_core::{CheckKind, FileRole, RepoPath};

use crate::files::{directory, role};
use crate::timeline::{StepKind, Timeline};
use crate::validation::CheckOutcome;

/// The action of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SequenceAction {
    /// Writes a whole file.
    Write,
    /// Changes a part of a file.
    Edit,
    /// Runs a check.
    Check(CheckKind),
}

/// A step without details of its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceStep {
    /// The action.
    #[serde(rename = "does")]
    pub action: SequenceAction,
    /// The role of the file; `None` for a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<FileRole>,
    /// The directory of the file, or the runner of the check.
    #[serde(rename = "place")]
    pub location: String,
    /// The file; `None` for a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<RepoPath>,
}

impl SequenceStep {
    /// Returns true if the steps are equal apart from the file.
    pub fn is_similar(&self, other: &SequenceStep) -> bool {
        self.action == other.action && self.role == other.role && self.location == other.location
    }
}

/// Returns the steps of a timeline, each where it occurs first.
pub fn sequence(timeline: &Timeline) -> Vec<SequenceStep> {
    let mut steps: Vec<SequenceStep> = Vec::new();
    let mut add = |step: SequenceStep| {
        if !steps.iter().any(|known| known.is_similar(&step) && known.file == step.file) {
            steps.push(step);
        }
    };
    for step in &timeline.steps {
        match &step.kind {
            StepKind::Edit(files) => {
                for (file, change) in files.iter().filter(|(_, change)| !change.is_formatting()) {
                    add(SequenceStep {
                        action: if change.whole_file {
                            SequenceAction::Write
                        } else {
                            SequenceAction::Edit
                        },
                        role: Some(role(file)),
                        location: directory(file).to_owned(),
                        file: Some(file.clone()),
                    });
                }
            }
            StepKind::Command(run) if run.check.outcome == CheckOutcome::Passed => {
                for check in &run.check.checks {
                    add(SequenceStep {
                        action: SequenceAction::Check(check.kind),
                        role: None,
                        location: check.task.as_ref().unwrap_or(&check.runner).clone(),
                        file: None,
                    });
                }
            }
            _ => {}
        }
    }
    steps
}
