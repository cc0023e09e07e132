//! What was changed and run, in order: the shape of a piece of work, without its particulars.
//!
//! Reading is left out: what one looks at differs each time. A step is what was done (a file made,
//! changed, a check run), the role of the file and its directory.

use serde::{Deserialize, Serialize};
use tacit_core::{CheckKind, FileRole, RepoPath};

use crate::files::{directory, role};
use crate::timeline::{StepKind, Timeline};
use crate::validation::CheckOutcome;

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SequenceAction {
    /// A file is written as a whole.
    Write,
    /// A part of a file is changed.
    Edit,
    /// A check is run.
    Check(CheckKind),
}

/// A step of a piece of work, without its particulars.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceStep {
    /// What is done.
    #[serde(rename = "does")]
    pub action: SequenceAction,
    /// What the file is for; none for a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<FileRole>,
    /// The directory of the file; for a check, who runs it.
    #[serde(rename = "place")]
    pub location: String,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<RepoPath>,
}

impl SequenceStep {
    /// Whether it is the same step, whatever the file is called.
    pub fn is_similar(&self, other: &SequenceStep) -> bool {
        self.action == other.action && self.role == other.role && self.location == other.location
    }
}

/// The shape of the work: each step where it first comes.
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
                        location: check.runner.clone(),
                        file: None,
                    });
                }
            }
            _ => {}
        }
    }
    steps
}
