//! Converts log entries to steps. Each call counts once, and files have their final names.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tacit_core::{
    AgentEvent, EventKind, FailureCause, RepoPath, SessionId, ToolKind, ToolUse, bytes_cut,
    normalise_path,
};

use super::{CommandRun, FailedCall, StepKind, Timeline, TimelineStep};
use crate::application::{AppTools, read_app_call};
use crate::file_edit::FileEdit;
use crate::git_commits::program;
use crate::log::{LogEntry, LogEvent};
use crate::reverts::git_reverts;
use crate::shell::joined_commands;
use crate::tasks::TaskDefinitions;

/// Reads the steps of a log, in whatever order its entries are.
pub(super) fn timeline(
    log: &[LogEntry],
    tasks: &TaskDefinitions,
    app_tools: &AppTools,
) -> Timeline {
    let mut log: Vec<&LogEntry> = log.iter().collect();
    log.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    log.dedup_by(|a, b| a.id == b.id);
    let mut reader = Reader {
        root: worktree_root(&log),
        tasks,
        app_tools,
        elsewhere: TaskDefinitions::default(),
        moves: FileMoves::default(),
        conversations: BTreeMap::default(),
        seen_calls: HashSet::default(),
        timeline: Timeline::default(),
    };
    for entry in log {
        reader.read(entry);
    }
    let Reader { mut timeline, moves, root, .. } = reader;
    timeline.root = root;
    for step in &mut timeline.steps {
        rename(step, &moves);
    }
    timeline
}

/// Files that were moved or removed.
#[derive(Default)]
struct FileMoves {
    moved: BTreeMap<RepoPath, RepoPath>,
    removed: HashSet<RepoPath>,
}

impl FileMoves {
    fn move_file(&mut self, from: RepoPath, to: RepoPath) {
        self.removed.remove(&to);
        for target in self.moved.values_mut().filter(|target| **target == from) {
            target.clone_from(&to);
        }
        self.moved.remove(&to);
        self.moved.insert(from, to);
    }

    /// Returns the final name of a file, or `None` if it was removed.
    fn final_name(&self, file: &RepoPath) -> Option<RepoPath> {
        let name = self.moved.get(file).unwrap_or(file);
        (!self.removed.contains(name)).then(|| name.clone())
    }
}

fn rename(step: &mut TimelineStep, moves: &FileMoves) {
    match &mut step.kind {
        StepKind::Read(file) => match moves.final_name(file) {
            Some(final_name) => *file = final_name,
            None => step.kind = StepKind::OtherTool,
        },
        StepKind::Edit(files) => {
            let kept = std::mem::take(files).into_iter();
            files
                .extend(kept.filter_map(|(file, change)| Some((moves.final_name(&file)?, change))));
            if files.is_empty() {
                step.kind = StepKind::OtherTool;
            }
        }
        _ => {}
    }
}

struct Reader<'t> {
    timeline: Timeline,
    conversations: BTreeMap<(SessionId, Option<String>), (usize, usize)>,
    seen_calls: HashSet<(SessionId, String)>,
    moves: FileMoves,
    root: Option<PathBuf>,
    tasks: &'t TaskDefinitions,
    app_tools: &'t AppTools,
    /// The tasks of any other directory: none that are known.
    elsewhere: TaskDefinitions,
}

impl Reader<'_> {
    fn read(&mut self, entry: &LogEntry) {
        let bytes_before = self.timeline.bytes;
        let act = match &entry.event {
            LogEvent::Check(check) => Some(StepKind::CheckReport(check.clone())),
            LogEvent::Unit(unit) => Some(StepKind::UnitReport(unit.clone())),
            LogEvent::Client(event) => self.client_event(entry, event),
        };
        let Some(act) = act else { return };
        let agent = match &entry.event {
            LogEvent::Client(event) => event.agent.as_ref().map(|agent| agent.id.clone()),
            _ => None,
        };
        let next = self.conversations.len();
        let (conversation, number) =
            self.conversations.entry((entry.session.clone(), agent.clone())).or_insert((next, 0));
        let is_call = !matches!(
            act,
            StepKind::Prompt(_)
                | StepKind::Message(_)
                | StepKind::CheckReport(_)
                | StepKind::UnitReport(_)
                | StepKind::SessionEnd
        );
        *number += usize::from(is_call);
        let (conversation, call_number) = (*conversation, *number);
        self.timeline.steps.push(TimelineStep {
            event: entry.id.clone(),
            at: entry.at,
            session: entry.session.clone(),
            agent,
            conversation,
            call_number,
            bytes: self.timeline.bytes - bytes_before,
            kind: act,
        });
    }

    fn client_event(&mut self, entry: &LogEntry, event: &AgentEvent) -> Option<StepKind> {
        match &event.kind {
            EventKind::PromptSubmitted { prompt, automatic, .. } => {
                self.count(prompt);
                // An agent writes the tasks of its subagents.
                let is_typed = !automatic && event.agent.is_none();
                is_typed.then(|| StepKind::Prompt(prompt.clone()))
            }
            EventKind::SessionEnded { .. } => Some(StepKind::SessionEnd),
            EventKind::TurnStopped { last_message, .. }
            | EventKind::SubagentStopped { last_message, .. } => {
                let message = last_message.as_deref().unwrap_or_default();
                self.count(message);
                (!message.is_empty()).then(|| StepKind::Message(message.to_owned()))
            }
            EventKind::ToolFinished { tool, outcome, .. } => {
                if !self.is_new(entry, tool) {
                    return None;
                }
                let text = outcome.text.as_deref().unwrap_or_default();
                self.count(text);
                self.count_input(&tool.kind);
                let succeeded = match (outcome.interrupted, outcome.exit_code) {
                    (true, _) => None,
                    (false, code) => Some(code.is_none_or(|code| code == 0)),
                };
                self.call(entry, event, tool, text, succeeded)
            }
            EventKind::ToolFailed { tool, failure, .. } => {
                if !self.is_new(entry, tool) {
                    return None;
                }
                self.count(&failure.error);
                self.count_input(&tool.kind);
                match (failure.cause, tool.kind.command()) {
                    (FailureCause::Ran, Some(_)) if !failure.is_interrupt => {
                        self.call(entry, event, tool, &failure.error, Some(false))
                    }
                    _ => Some(failed_call(
                        self.app_tools,
                        tool,
                        &failure.error,
                        failure.is_interrupt,
                    )),
                }
            }
            _ => None,
        }
    }

    /// Returns true if this call was not reported before.
    fn is_new(&mut self, entry: &LogEntry, tool: &ToolUse) -> bool {
        match &tool.id {
            Some(id) => self.seen_calls.insert((entry.session.clone(), id.clone())),
            None => true,
        }
    }

    fn call(
        &mut self,
        entry: &LogEntry,
        event: &AgentEvent,
        tool: &ToolUse,
        text: &str,
        succeeded: Option<bool>,
    ) -> Option<StepKind> {
        Some(match &tool.kind {
            ToolKind::Shell { command, background } => {
                let succeeded = succeeded.filter(|_| !background);
                if succeeded == Some(true) {
                    self.follow_moves(command, event.cwd.as_deref());
                }
                let check = self.tasks_in(event.cwd.as_deref()).evaluate(command, text, succeeded);
                let reverts =
                    git_reverts(command, |word| self.repo_path(event.cwd.as_deref(), word));
                StepKind::Command(Box::new(CommandRun {
                    tool: tool.name.clone(),
                    line: command.trim().to_owned(),
                    output: text.to_owned(),
                    succeeded,
                    check,
                    reverts,
                }))
            }
            ToolKind::Search { .. } => StepKind::Search,
            ToolKind::Read { .. } => match self.files(entry, event, &tool.kind).pop() {
                Some((file, _)) => StepKind::Read(file),
                None => StepKind::OtherTool,
            },
            kind if kind.changes_files() => {
                let files: Vec<(RepoPath, FileEdit)> = self
                    .files(entry, event, kind)
                    .into_iter()
                    .filter_map(|(file, named)| Some((file, FileEdit::from_tool(kind, &named)?)))
                    .collect();
                for (file, _) in &files {
                    self.moves.removed.remove(file);
                }
                if files.is_empty() { StepKind::OtherTool } else { StepKind::Edit(files) }
            }
            ToolKind::Other { input } => {
                plan_items(input).map_or(StepKind::OtherTool, StepKind::Plan)
            }
            kind => other_call(self.app_tools, kind, text, false),
        })
    }

    /// Returns the files of a call as memories name them, each with its name in the call.
    fn files(
        &self,
        entry: &LogEntry,
        event: &AgentEvent,
        kind: &ToolKind,
    ) -> Vec<(RepoPath, String)> {
        let named = kind.files();
        let first = entry.subject.as_deref().and_then(|subject| RepoPath::new(subject).ok());
        let mut files = Vec::new();
        for (index, name) in named.iter().enumerate() {
            let file = match (&first, index) {
                (first, 0) => first.clone(),
                _ => self.repo_path(event.cwd.as_deref(), name),
            };
            files.extend(file.map(|file| (file, name.clone())));
        }
        files
    }

    /// Returns the tasks that a directory knows.
    fn tasks_in(&self, cwd: Option<&Path>) -> &TaskDefinitions {
        let is_root =
            |cwd: &Path| Some(cwd) == self.root.as_deref() || self.tasks.is_root_path(cwd);
        if cwd.is_none_or(is_root) { self.tasks } else { &self.elsewhere }
    }

    fn repo_path(&self, cwd: Option<&Path>, name: &str) -> Option<RepoPath> {
        let root = self.root.as_deref()?;
        let absolute = normalise_path(&cwd.unwrap_or(root).join(name));
        RepoPath::new(absolute.strip_prefix(root).ok()?.to_str()?).ok()
    }

    /// Follows files that a command moves or removes.
    fn follow_moves(&mut self, line: &str, cwd: Option<&Path>) {
        for command in joined_commands(line) {
            let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
            let Some((name, args)) = program(&words) else { continue };
            let (verb, args) = match (name, args) {
                ("git", [verb @ ("mv" | "rm"), args @ ..]) => (*verb, args),
                ("mv" | "rm", args) => (name, args),
                _ => continue,
            };
            let operands: Vec<RepoPath> = args
                .iter()
                .filter(|word| !word.starts_with('-'))
                .filter_map(|word| self.repo_path(cwd, word))
                .collect();
            match (verb, operands.as_slice()) {
                ("mv", [from, to]) => self.moves.move_file(from.clone(), to.clone()),
                ("rm", files) => self.moves.removed.extend(files.iter().cloned()),
                _ => {}
            }
        }
    }

    /// Counts the bytes of a conversation, including those cut from the log.
    fn count(&mut self, text: &str) {
        self.timeline.bytes += text.len() as u64 + bytes_cut(text).unwrap_or(0);
    }

    fn count_input(&mut self, kind: &ToolKind) {
        match kind {
            ToolKind::Shell { command: text, .. }
            | ToolKind::Write { content: text, .. }
            | ToolKind::Patch { patch: text, .. }
            | ToolKind::Agent { prompt: text, .. } => self.count(text),
            ToolKind::Edit { old, new, .. } => {
                self.count(old);
                self.count(new);
            }
            ToolKind::Mcp { input, .. } | ToolKind::Other { input } => {
                self.count(&input.to_string());
            }
            _ => {}
        }
    }
}

/// Reads a call of any other tool.
fn other_call(tools: &AppTools, kind: &ToolKind, text: &str, failed: bool) -> StepKind {
    let ToolKind::Mcp { server, tool, input } = kind else { return StepKind::OtherTool };
    read_app_call(tools, server, tool, input, text, failed)
        .map_or(StepKind::OtherTool, |call| StepKind::AppCall(Box::new(call)))
}

/// Reads a failed call of a tool that is not a command, or a command that did not run.
fn failed_call(app_tools: &AppTools, tool: &ToolUse, error: &str, interrupted: bool) -> StepKind {
    match other_call(app_tools, &tool.kind, error, !interrupted) {
        StepKind::OtherTool if !interrupted => StepKind::FailedCall(Box::new(FailedCall {
            tool: tool.name.clone(),
            input: input_of(&tool.kind),
            error: error.to_owned(),
        })),
        kind => kind,
    }
}

/// Returns the input that tells one call of a tool from another.
fn input_of(kind: &ToolKind) -> String {
    match kind {
        ToolKind::Shell { command, .. } => command.clone(),
        ToolKind::Agent { prompt, .. } => prompt.clone(),
        ToolKind::Mcp { input, .. } | ToolKind::Other { input } => input.to_string(),
        kind => kind.files().first().cloned().unwrap_or_default(),
    }
}

/// Returns the number of items if the call writes a plan.
fn plan_items(input: &Value) -> Option<usize> {
    ["todos", "plan"].iter().find_map(|name| Some(input.get(name)?.as_array()?.len()))
}

/// Finds the root of the worktree from a file that is named both relative and absolute.
fn worktree_root(log: &[&LogEntry]) -> Option<PathBuf> {
    log.iter().find_map(|entry| {
        let LogEvent::Client(event) = &entry.event else { return None };
        let (EventKind::ToolFinished { tool, .. } | EventKind::ToolFailed { tool, .. }) =
            &event.kind
        else {
            return None;
        };
        let named = tool.kind.files().first()?;
        let subject = RepoPath::new(entry.subject.as_deref()?).ok()?;
        let absolute = normalise_path(&event.cwd.as_deref()?.join(named));
        let depth = Path::new(subject.as_str()).components().count();
        absolute
            .ends_with(subject.as_str())
            .then(|| absolute.ancestors().nth(depth))?
            .map(Path::to_path_buf)
    })
}
