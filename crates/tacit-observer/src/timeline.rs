//! The steps of a session tree in the order in which they happened.
//!
//! The order of lines in the log does not matter: steps are ordered by time and name. Each
//! conversation (the agent's own and that of each subagent) is a conversation with steps counted for
//! itself, so that what others did at the same time does not come between two steps.

mod read;

use std::collections::BTreeMap;

use tacit_core::log::{CheckRecord, WorkUnitRecord};
use tacit_core::{RepoPath, SessionId, Timestamp};

use crate::application::AppCall;
use crate::file_edit::FileEdit;
use crate::log::LogEntry;
use crate::reverts::GitRevert;
use crate::validation::CheckResult;

/// What happened, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// The steps.
    pub steps: Vec<TimelineStep>,
    /// About how many bytes went through the conversations.
    pub bytes: u64,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineStep {
    /// When.
    pub at: Timestamp,
    /// In which session.
    pub session: SessionId,
    /// In which subagent; none in the main conversation.
    pub agent: Option<String>,
    /// In which conversation.
    pub conversation: usize,
    /// How many calls of tools the conversation has made up to and with this one.
    pub call_number: usize,
    /// What.
    pub kind: StepKind,
}

/// What happened in a step.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// A file was read.
    Read(RepoPath),
    /// Files were changed.
    Edit(Vec<(RepoPath, FileEdit)>),
    /// Something was looked for.
    Search,
    /// A command ran.
    Command(Box<CommandRun>),
    /// A plan with this many items was written down.
    Plan(usize),
    /// Something was done with the running application.
    AppCall(Box<AppCall>),
    /// Another tool was called.
    OtherTool,
    /// The user said something.
    Prompt(String),
    /// Somebody reported the result of a check.
    CheckReport(CheckRecord),
    /// Somebody reported how a unit of work goes.
    UnitReport(WorkUnitRecord),
    /// The session ended.
    SessionEnd,
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandRun {
    /// The tool that ran it, as the client calls it.
    pub tool: String,
    /// The command line.
    pub line: String,
    /// What it printed.
    pub output: String,
    /// Whether the line as a whole succeeded; none if nobody knows.
    pub succeeded: Option<bool>,
    /// What it says about the work.
    pub check: CheckResult,
    /// What it throws away.
    pub(crate) reverts: Option<GitRevert>,
}

impl Timeline {
    /// The steps that the log tells of.
    pub fn of(log: &[LogEntry]) -> Timeline {
        read::timeline(log)
    }

    /// The changes of files that are more than formatting, with the place of their step.
    pub fn changes(&self) -> impl Iterator<Item = (usize, &RepoPath, &FileEdit)> {
        self.steps.iter().enumerate().flat_map(|(step_index, step)| {
            let changed = match &step.kind {
                StepKind::Edit(files) => files.as_slice(),
                _ => &[],
            };
            changed
                .iter()
                .filter(|(_, change)| !change.is_formatting())
                .map(move |(file, change)| (step_index, file, change))
        })
    }

    /// The files that were changed by more than formatting, in order of their names.
    pub fn changed_files(&self) -> Vec<RepoPath> {
        let files: std::collections::BTreeSet<_> =
            self.changes().map(|(_, file, _)| file.clone()).collect();
        files.into_iter().collect()
    }

    /// The commands that ran, with the place of their step.
    pub fn runs(&self) -> impl Iterator<Item = (usize, &CommandRun)> {
        self.steps.iter().enumerate().filter_map(|(step_index, step)| match &step.kind {
            StepKind::Command(run) => Some((step_index, run.as_ref())),
            _ => None,
        })
    }

    /// The last thing the user asked for before a place.
    pub fn task_before(&self, step_index: usize) -> Option<&str> {
        self.steps[..step_index.min(self.steps.len())].iter().rev().find_map(|step| {
            match &step.kind {
                StepKind::Prompt(text) => Some(text.as_str()),
                _ => None,
            }
        })
    }

    /// The first thing the user asked for.
    pub fn task(&self) -> Option<&str> {
        self.steps.iter().find_map(|step| match &step.kind {
            StepKind::Prompt(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// How many calls of tools there were.
    pub fn calls(&self) -> usize {
        let mut last = BTreeMap::new();
        for step in &self.steps {
            last.insert(step.conversation, step.call_number);
        }
        last.values().sum()
    }

    /// The steps of each conversation.
    pub fn conversations(&self) -> impl Iterator<Item = Vec<&TimelineStep>> {
        let count = self.steps.iter().map(|step| step.conversation + 1).max().unwrap_or(0);
        (0..count).map(|conversation| {
            self.steps.iter().filter(|step| step.conversation == conversation).collect()
        })
    }
}
