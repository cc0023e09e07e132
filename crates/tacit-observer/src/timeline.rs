//! The steps of a session tree in the order in which they happened.
//!
//! The order of lines in the log does not matter: steps are ordered by time and name. Each
//! conversation (the agent's own and that of each subagent) is a strand with steps counted for
//! itself, so that what others did at the same time does not come between two steps.

mod read;

use std::collections::BTreeMap;

use tacit_core::log::{CheckRecord, WorkUnitRecord};
use tacit_core::{RepoPath, SessionId, Timestamp};

use crate::application::Acted;
use crate::change::Change;
use crate::log::LogEntry;
use crate::reverts::GitRevert;
use crate::validation::Checked;

/// What happened, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// The steps.
    pub steps: Vec<Step>,
    /// About how many bytes went through the conversations.
    pub bytes: u64,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// When.
    pub at: Timestamp,
    /// In which session.
    pub session: SessionId,
    /// In which subagent; none in the main conversation.
    pub agent: Option<String>,
    /// In which conversation.
    pub strand: usize,
    /// How many calls of tools the conversation has made up to and with this one.
    pub number: usize,
    /// What.
    pub act: Act,
}

/// What happened in a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// A file was read.
    Read(RepoPath),
    /// Files were changed.
    Changed(Vec<(RepoPath, Change)>),
    /// Something was looked for.
    Searched,
    /// A command ran.
    Ran(Box<Run>),
    /// A plan with this many items was written down.
    Planned(usize),
    /// Something was done with the running application.
    Acted(Box<Acted>),
    /// Another tool was called.
    Called,
    /// The user said something.
    Said(String),
    /// Somebody reported the result of a check.
    Reported(CheckRecord),
    /// Somebody reported how a unit of work goes.
    Unit(WorkUnitRecord),
    /// The session ended.
    Ended,
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The tool that ran it, as the client calls it.
    pub tool: String,
    /// The command line.
    pub line: String,
    /// What it printed.
    pub output: String,
    /// Whether the line as a whole succeeded; none if nobody knows.
    pub succeeded: Option<bool>,
    /// What it says about the work.
    pub checked: Checked,
    /// What it throws away.
    pub(crate) reverts: Option<GitRevert>,
}

impl Timeline {
    /// The steps that the log tells of.
    pub fn of(log: &[LogEntry]) -> Timeline {
        read::timeline(log)
    }

    /// The changes of files that are more than formatting, with the place of their step.
    pub fn changes(&self) -> impl Iterator<Item = (usize, &RepoPath, &Change)> {
        self.steps.iter().enumerate().flat_map(|(place, step)| {
            let changed = match &step.act {
                Act::Changed(files) => files.as_slice(),
                _ => &[],
            };
            changed
                .iter()
                .filter(|(_, change)| !change.is_formatting())
                .map(move |(file, change)| (place, file, change))
        })
    }

    /// The files that were changed by more than formatting, in order of their names.
    pub fn changed_files(&self) -> Vec<RepoPath> {
        let files: std::collections::BTreeSet<_> =
            self.changes().map(|(_, file, _)| file.clone()).collect();
        files.into_iter().collect()
    }

    /// The commands that ran, with the place of their step.
    pub fn runs(&self) -> impl Iterator<Item = (usize, &Run)> {
        self.steps.iter().enumerate().filter_map(|(place, step)| match &step.act {
            Act::Ran(run) => Some((place, run.as_ref())),
            _ => None,
        })
    }

    /// The last thing the user asked for before a place.
    pub fn task_before(&self, place: usize) -> Option<&str> {
        self.steps[..place.min(self.steps.len())].iter().rev().find_map(|step| match &step.act {
            Act::Said(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The first thing the user asked for.
    pub fn task(&self) -> Option<&str> {
        self.steps.iter().find_map(|step| match &step.act {
            Act::Said(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// How many calls of tools there were.
    pub fn calls(&self) -> usize {
        let mut last = BTreeMap::new();
        for step in &self.steps {
            last.insert(step.strand, step.number);
        }
        last.values().sum()
    }

    /// The steps of each conversation.
    pub fn strands(&self) -> impl Iterator<Item = Vec<&Step>> {
        let count = self.steps.iter().map(|step| step.strand + 1).max().unwrap_or(0);
        (0..count).map(|strand| self.steps.iter().filter(|step| step.strand == strand).collect())
    }
}
