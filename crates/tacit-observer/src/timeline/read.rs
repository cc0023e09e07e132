//! From the lines of a log to steps: each call once, files by the name they have at the end.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tacit_core::{
    AgentEvent, EventKind, FailureCause, RepoPath, SessionId, ToolKind, ToolUse, bytes_cut,
    normalise_path,
};

use super::{Act, Run, Step, Timeline};
use crate::application::acted;
use crate::change::Change;
use crate::git_commits::program;
use crate::log::{LogEntry, Logged};
use crate::reverts::git_revert;
use crate::shell::joined_commands;
use crate::validation::checked;

/// The steps that a log tells of, whatever order its lines are in.
pub(super) fn timeline(log: &[LogEntry]) -> Timeline {
    let mut log: Vec<&LogEntry> = log.iter().collect();
    log.sort_by(|a, b| a.moment().cmp(&b.moment()));
    log.dedup_by(|a, b| a.id == b.id);
    let mut reader = Reader { root: roots(&log), ..Reader::default() };
    for entry in log {
        reader.read(entry);
    }
    let Reader { mut timeline, names, .. } = reader;
    for step in &mut timeline.steps {
        rename(step, &names);
    }
    timeline
}

/// What became of files by moving and removing them.
#[derive(Default)]
struct Names {
    moved: BTreeMap<RepoPath, RepoPath>,
    gone: HashSet<RepoPath>,
}

impl Names {
    fn move_file(&mut self, from: RepoPath, to: RepoPath) {
        self.gone.remove(&to);
        for target in self.moved.values_mut().filter(|target| **target == from) {
            target.clone_from(&to);
        }
        self.moved.remove(&to);
        self.moved.insert(from, to);
    }

    /// The name a file has at the end; none if it is gone.
    fn now(&self, file: &RepoPath) -> Option<RepoPath> {
        let name = self.moved.get(file).unwrap_or(file);
        (!self.gone.contains(name)).then(|| name.clone())
    }
}

fn rename(step: &mut Step, names: &Names) {
    match &mut step.act {
        Act::Read(file) => match names.now(file) {
            Some(now) => *file = now,
            None => step.act = Act::Called,
        },
        Act::Changed(files) => {
            let kept = std::mem::take(files).into_iter();
            files.extend(kept.filter_map(|(file, change)| Some((names.now(&file)?, change))));
            if files.is_empty() {
                step.act = Act::Called;
            }
        }
        _ => {}
    }
}

#[derive(Default)]
struct Reader {
    timeline: Timeline,
    strands: BTreeMap<(SessionId, Option<String>), (usize, usize)>,
    told: HashSet<(SessionId, String)>,
    names: Names,
    root: Option<PathBuf>,
}

impl Reader {
    fn read(&mut self, entry: &LogEntry) {
        let act = match &entry.what {
            Logged::Check(check) => Some(Act::Reported(check.clone())),
            Logged::Unit(unit) => Some(Act::Unit(unit.clone())),
            Logged::Told(event) => self.told(entry, event),
        };
        let Some(act) = act else { return };
        let agent = match &entry.what {
            Logged::Told(event) => event.agent.as_ref().map(|agent| agent.id.clone()),
            _ => None,
        };
        let next = self.strands.len();
        let (strand, number) =
            self.strands.entry((entry.session.clone(), agent.clone())).or_insert((next, 0));
        let is_call = !matches!(act, Act::Said(_) | Act::Reported(_) | Act::Unit(_) | Act::Ended);
        *number += usize::from(is_call);
        let (strand, number) = (*strand, *number);
        let session = entry.session.clone();
        let step = Step { at: entry.at, session, agent, strand, number, act };
        self.timeline.steps.push(step);
    }

    fn told(&mut self, entry: &LogEntry, event: &AgentEvent) -> Option<Act> {
        match &event.kind {
            EventKind::PromptSubmitted { prompt, automatic, .. } => {
                self.count(prompt);
                (!automatic).then(|| Act::Said(prompt.clone()))
            }
            EventKind::SessionEnded { .. } => Some(Act::Ended),
            EventKind::TurnStopped { last_message, .. }
            | EventKind::SubagentStopped { last_message, .. } => {
                self.count(last_message.as_deref().unwrap_or_default());
                None
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
                    _ => Some(called(&tool.kind, &failure.error, !failure.is_interrupt)),
                }
            }
            _ => None,
        }
    }

    /// Whether nobody told of this call before.
    fn is_new(&mut self, entry: &LogEntry, tool: &ToolUse) -> bool {
        match &tool.id {
            Some(id) => self.told.insert((entry.session.clone(), id.clone())),
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
    ) -> Option<Act> {
        Some(match &tool.kind {
            ToolKind::Shell { command, background } => {
                let succeeded = succeeded.filter(|_| !background);
                if succeeded == Some(true) {
                    self.follow_moves(command, event.cwd.as_deref());
                }
                let checked = checked(command, text, succeeded);
                let reverts = git_revert(command, |word| self.inside(event.cwd.as_deref(), word));
                Act::Ran(Box::new(Run {
                    tool: tool.name.clone(),
                    line: command.trim().to_owned(),
                    output: text.to_owned(),
                    succeeded,
                    checked,
                    reverts,
                }))
            }
            ToolKind::Search { .. } => Act::Searched,
            ToolKind::Read { .. } => match self.files(entry, event, &tool.kind).pop() {
                Some((file, _)) => Act::Read(file),
                None => Act::Called,
            },
            kind if kind.changes_files() => {
                let files: Vec<(RepoPath, Change)> = self
                    .files(entry, event, kind)
                    .into_iter()
                    .filter_map(|(file, named)| Some((file, Change::of(kind, &named)?)))
                    .collect();
                for (file, _) in &files {
                    self.names.gone.remove(file);
                }
                if files.is_empty() { Act::Called } else { Act::Changed(files) }
            }
            ToolKind::Other { input } => planned(input).map_or(Act::Called, Act::Planned),
            kind => called(kind, text, false),
        })
    }

    /// The files of a call as memories name them, each with the name it was given.
    fn files(
        &self,
        entry: &LogEntry,
        event: &AgentEvent,
        kind: &ToolKind,
    ) -> Vec<(RepoPath, String)> {
        let named = kind.files();
        let first = entry.subject.as_deref().and_then(|subject| RepoPath::new(subject).ok());
        let mut files = Vec::new();
        for (place, name) in named.iter().enumerate() {
            let file = match (&first, place) {
                (first, 0) => first.clone(),
                _ => self.inside(event.cwd.as_deref(), name),
            };
            files.extend(file.map(|file| (file, name.clone())));
        }
        files
    }

    fn inside(&self, cwd: Option<&Path>, name: &str) -> Option<RepoPath> {
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
                .filter_map(|word| self.inside(cwd, word))
                .collect();
            match (verb, operands.as_slice()) {
                ("mv", [from, to]) => self.names.move_file(from.clone(), to.clone()),
                ("rm", files) => self.names.gone.extend(files.iter().cloned()),
                _ => {}
            }
        }
    }

    /// Counts what went through the conversation, with what was cut from the log.
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

/// A call of a tool that neither reads, changes nor runs anything here.
fn called(kind: &ToolKind, text: &str, failed: bool) -> Act {
    let ToolKind::Mcp { server, tool, input } = kind else { return Act::Called };
    acted(server, tool, input, text, failed)
        .map_or(Act::Called, |acted| Act::Acted(Box::new(acted)))
}

/// How many items a plan has, if the call writes one down.
fn planned(input: &Value) -> Option<usize> {
    ["todos", "plan"].iter().find_map(|name| Some(input.get(name)?.as_array()?.len()))
}

/// The root of the worktree, told by a file that is named both ways.
fn roots(log: &[&LogEntry]) -> Option<PathBuf> {
    log.iter().find_map(|entry| {
        let Logged::Told(event) = &entry.what else { return None };
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
