//! The steps of a session tree, ordered by time.
//!
//! The order of log entries does not matter. Each conversation (the main agent's and each
//! subagent's) counts its own steps, so that parallel work does not come between two steps.

mod read;

use std::collections::BTreeMap;
use std::path::PathBuf;

use tacit_core::log::{CheckRecord, WorkUnitRecord};
use tacit_core::{RepoPath, SessionId, Timestamp};

use crate::application::{AppCall, AppTools};
use crate::file_edit::FileEdit;
use crate::log::LogEntry;
use crate::reverts::GitRevert;
use crate::tasks::TaskDefinitions;
use crate::validation::CheckResult;

/// The steps of a session tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// The steps, ordered by time.
    pub steps: Vec<TimelineStep>,
    /// The approximate number of bytes in the conversations.
    pub bytes: u64,
    /// The root of the worktree, if the log shows it.
    pub(crate) root: Option<PathBuf>,
}

/// A step of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineStep {
    /// The identifier of its log entry.
    pub event: String,
    /// The time of the step.
    pub at: Timestamp,
    /// The session it belongs to.
    pub session: SessionId,
    /// The subagent, or `None` in the main conversation.
    pub agent: Option<String>,
    /// The index of the conversation.
    pub conversation: usize,
    /// The number of tool calls in the conversation, this one included.
    pub call_number: usize,
    /// The number of bytes that it added to the conversation.
    pub bytes: u64,
    /// The kind of step with its data.
    pub kind: StepKind,
}

/// The kind of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// Read a file.
    Read(RepoPath),
    /// Changed files.
    Edit(Vec<(RepoPath, FileEdit)>),
    /// Searched the code.
    Search,
    /// Ran a command.
    Command(Box<CommandRun>),
    /// Wrote a plan with this many items.
    Plan(usize),
    /// Used the running application.
    AppCall(Box<AppCall>),
    /// Called another tool.
    OtherTool,
    /// Called a tool other than a command, which failed.
    FailedCall(Box<FailedCall>),
    /// The last message of an agent in a turn.
    Message(String),
    /// A prompt of the user.
    Prompt(String),
    /// A reported result of a check.
    CheckReport(CheckRecord),
    /// A reported status of a unit of work.
    UnitReport(WorkUnitRecord),
    /// The end of the session.
    SessionEnd,
}

/// A call of a tool other than a command that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCall {
    /// The tool as the client calls it.
    pub tool: String,
    /// The file, pattern or other input that the call is about; empty if unknown.
    pub input: String,
    /// The error that the tool reported.
    pub error: String,
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandRun {
    /// The tool that ran it, as the client calls it.
    pub tool: String,
    /// The command line.
    pub line: String,
    /// The output.
    pub output: String,
    /// True if the line as a whole succeeded; `None` if unknown.
    pub succeeded: Option<bool>,
    /// The checks it ran and their outcome.
    pub check: CheckResult,
    /// The changes it discards, sets aside or restores, in order.
    pub(crate) reverts: Vec<GitRevert>,
}

impl Timeline {
    /// Reads the steps from a log; the names of tasks tell what they check.
    pub fn from_log(log: &[LogEntry]) -> Timeline {
        Timeline::of_project(log, &TaskDefinitions::default(), &AppTools::default())
    }

    /// Reads the steps from a log, with the tasks that the project defines and the tools that drive
    /// its application.
    pub fn of_project(log: &[LogEntry], tasks: &TaskDefinitions, app_tools: &AppTools) -> Timeline {
        read::timeline(log, tasks, app_tools)
    }

    /// Iterates over edits other than formatting, with the index of their step.
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

    /// Returns the files changed by more than formatting, sorted by path.
    pub fn changed_files(&self) -> Vec<RepoPath> {
        let files: std::collections::BTreeSet<_> =
            self.changes().map(|(_, file, _)| file.clone()).collect();
        files.into_iter().collect()
    }

    /// Iterates over the commands that ran, with the index of their step.
    pub fn runs(&self) -> impl Iterator<Item = (usize, &CommandRun)> {
        self.steps.iter().enumerate().filter_map(|(step_index, step)| match &step.kind {
            StepKind::Command(run) => Some((step_index, run.as_ref())),
            _ => None,
        })
    }

    /// Returns the last prompt before a step.
    pub fn task_before(&self, step_index: usize) -> Option<&str> {
        self.steps[..step_index.min(self.steps.len())].iter().rev().find_map(|step| {
            match &step.kind {
                StepKind::Prompt(text) => Some(text.as_str()),
                _ => None,
            }
        })
    }

    /// Returns the first prompt.
    pub fn task(&self) -> Option<&str> {
        self.steps.iter().find_map(|step| match &step.kind {
            StepKind::Prompt(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Counts the tool calls.
    pub fn calls(&self) -> usize {
        let mut last = BTreeMap::new();
        for step in &self.steps {
            last.insert(step.conversation, step.call_number);
        }
        last.values().sum()
    }

    /// Iterates over the steps of each conversation.
    pub fn conversations(&self) -> impl Iterator<Item = Vec<&TimelineStep>> {
        let count = self.steps.iter().map(|step| step.conversation + 1).max().unwrap_or(0);
        (0..count).map(|conversation| {
            self.steps.iter().filter(|step| step.conversation == conversation).collect()
        })
    }
}
