//! The events of a session as the judge reads them: what each agent did, in order, and what it had
//! seen before.

use std::collections::BTreeMap;

use tacit_core::{AgentEvent, EventKind, RepoPath, StartSource, ToolKind, bytes_cut};

use super::guidance::Guidance;
use super::{SessionEvidence, ShownMemory};
use crate::command_form::runs_command;
use crate::log::{LogEntry, LogEvent};
use crate::read_files::read_files;
use crate::shell::simple_commands;
use crate::timeline::{CommandRun, StepKind, Timeline};
use crate::validation::CheckOutcome;

/// The most files of a memory whose use counts: one of many is used by chance.
pub const MAX_GUIDED_FILES: usize = 5;
/// Programs whose output lists files or lines of files.
const FINDERS: [&str; 12] =
    ["ls", "find", "fd", "grep", "egrep", "rg", "ag", "git", "tree", "cat", "head", "sed"];

/// A session as the judge reads it.
pub(super) struct JudgedSession {
    entries: Vec<Entry>,
}

/// An event of a session.
pub(super) struct Entry {
    id: String,
    agent: Option<String>,
    /// The step that the event is; `None` for other events and for repeated reports of a call.
    step: Option<StepKind>,
    /// True if the step is a tool call.
    is_call: bool,
    /// True if the agent's context before it is gone.
    clears: bool,
    /// Everything that it made an agent see or write.
    texts: Vec<String>,
    /// Texts that an agent wrote for others: messages, plans, tasks, messages of commits.
    words: Vec<String>,
    /// The command that is about to run.
    starting: Option<String>,
}

impl JudgedSession {
    pub(super) fn read(evidence: &SessionEvidence<'_>) -> JudgedSession {
        let timeline = Timeline::of_project(evidence.log, evidence.tasks, evidence.app_tools);
        let mut steps: BTreeMap<String, (StepKind, bool)> = BTreeMap::new();
        for step in timeline.steps {
            let is_call = !matches!(
                step.kind,
                StepKind::Prompt(_)
                    | StepKind::Message(_)
                    | StepKind::CheckReport(_)
                    | StepKind::UnitReport(_)
                    | StepKind::SessionEnd
            );
            steps.insert(step.event, (step.kind, is_call));
        }
        let mut log: Vec<&LogEntry> = evidence.log.iter().collect();
        log.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
        log.dedup_by(|a, b| a.id == b.id);
        let entries = log.into_iter().filter_map(|entry| {
            let LogEvent::Client(event) = &entry.event else { return None };
            let (step, is_call) = match steps.remove(&entry.id) {
                Some((step, is_call)) => (Some(step), is_call),
                None => (None, false),
            };
            Some(Entry::read(entry, event, step, is_call))
        });
        JudgedSession { entries: entries.collect() }
    }

    /// Returns the time in which an agent could use a memory: until it forgot it, or was shown it
    /// again. `None` if the log does not have the event with which it was shown.
    pub(super) fn window(
        &self,
        shown: &ShownMemory<'_>,
        all: &[ShownMemory<'_>],
    ) -> Option<Window<'_>> {
        let place = |event: &str| self.entries.iter().position(|entry| entry.id == event);
        let start = place(shown.event)?;
        let again = all.iter().filter(|other| {
            other.memory.id == shown.memory.id
                && other.agent == shown.agent
                && other.event != shown.event
        });
        let again = again.filter_map(|other| place(other.event)).filter(|at| *at > start).min();
        let own = |entry: &Entry| entry.agent.as_deref() == shown.agent;
        let forgotten = (start + 1..self.entries.len())
            .find(|at| self.entries[*at].clears && own(&self.entries[*at]));
        let end = [again, forgotten].into_iter().flatten().min().unwrap_or(self.entries.len());
        let entries = self.entries.as_slice();
        Some(Window { entries, start, end, agent: shown.agent.map(str::to_owned) })
    }
}

impl Entry {
    fn read(entry: &LogEntry, event: &AgentEvent, step: Option<StepKind>, is_call: bool) -> Entry {
        let clears = match &event.kind {
            EventKind::Compacted { .. } => true,
            EventKind::SessionStarted { source, .. } => {
                matches!(source, StartSource::Compact | StartSource::Clear)
            }
            _ => false,
        };
        let starting = match &event.kind {
            EventKind::ToolStarting { .. } => entry.subject.clone(),
            _ => None,
        };
        let mut texts = texts_of(&event.kind);
        // The call that starts is reported again when it ends.
        texts.extend(entry.subject.clone().filter(|_| starting.is_none()));
        Entry {
            id: entry.id.clone(),
            agent: event.agent.as_ref().map(|agent| agent.id.clone()),
            step,
            is_call,
            clears,
            texts,
            words: words_of(&event.kind),
            starting,
        }
    }

    /// Returns the command that ran.
    pub(super) fn run(&self) -> Option<&CommandRun> {
        match self.step.as_ref()? {
            StepKind::Command(run) => Some(run),
            _ => None,
        }
    }

    /// Returns the files that the step opened or changed.
    pub(super) fn files(&self) -> Vec<String> {
        match &self.step {
            Some(StepKind::Read(file)) => vec![file.to_string()],
            Some(StepKind::Edit(files)) => files.iter().map(|(file, _)| file.to_string()).collect(),
            Some(StepKind::Command(run)) => {
                let read = read_files(&run.line).into_iter();
                read.map(|file| file.trim_start_matches("./").to_owned()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the step.
    pub(super) fn step(&self) -> Option<&StepKind> {
        self.step.as_ref()
    }

    /// Returns the texts that the agent wrote for others.
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns true if the step may have listed more than the log kept.
    fn hides_listing(&self) -> bool {
        let lists = match &self.step {
            Some(StepKind::Search) => true,
            Some(StepKind::Command(run)) => simple_commands(&run.line)
                .iter()
                .any(|words| words.first().is_some_and(|word| FINDERS.contains(&word.as_str()))),
            _ => false,
        };
        lists && self.texts.iter().any(|text| bytes_cut(text).is_some())
    }
}

/// The time in which an agent could use a memory.
pub(super) struct Window<'s> {
    entries: &'s [Entry],
    /// The event with which the memory was shown.
    start: usize,
    /// The first event after the window.
    end: usize,
    agent: Option<String>,
}

impl<'s> Window<'s> {
    /// Iterates over the agent's events, each with its place and the number of calls up to it.
    pub(super) fn events(&self) -> impl Iterator<Item = (usize, usize, &'s Entry)> {
        let mut calls = 0;
        let entries = self.entries;
        let agent = self.agent.clone();
        let own = (self.start + 1..self.end).filter(move |at| entries[*at].agent == agent);
        own.map(move |at| {
            calls += usize::from(entries[at].is_call);
            (at, calls, &entries[at])
        })
    }

    /// Iterates over the agent's events before the memory was shown.
    pub(super) fn earlier(&self) -> impl Iterator<Item = &'s Entry> {
        self.entries[..=self.start].iter().filter(|entry| entry.agent == self.agent)
    }

    /// Returns the event with which the memory was shown.
    pub(super) fn trigger(&self) -> &'s Entry {
        &self.entries[self.start]
    }

    /// Returns the number of the agent's tool calls.
    pub(super) fn calls(&self) -> usize {
        self.events().map(|(_, calls, _)| calls).last().unwrap_or(0)
    }

    /// Returns the failed command after which the memory was shown.
    pub(super) fn failure(&self) -> Option<&'s CommandRun> {
        self.trigger().run().filter(|run| has_failed(run))
    }

    /// Returns the command line for which the memory was shown, before it ran or after it failed.
    pub(super) fn occasion(&self) -> Option<&'s str> {
        let failed = || self.failure().map(|run| run.line.as_str());
        self.trigger().starting.as_deref().or_else(failed)
    }

    /// Returns true if the agent ran a command of this form.
    pub(super) fn ran(&self, form: &str) -> bool {
        self.events()
            .any(|(_, _, entry)| entry.run().is_some_and(|run| runs_command(&run.line, form)))
    }

    /// Returns true if anything in the session before a place named a file, or if something that the
    /// log did not keep may have named it since the memory was shown.
    pub(super) fn knew_file(&self, file: &RepoPath, before: usize) -> bool {
        let name = file.as_str().rsplit('/').next().unwrap_or(file.as_str());
        let names = |text: &String| has_word(text, name);
        self.entries[..before].iter().any(|entry| entry.texts.iter().any(names))
            || self.entries[self.start..before].iter().any(Entry::hides_listing)
    }

    /// Returns true if anything in the session before a place had a command, or if a file that may
    /// have it was opened.
    pub(super) fn knew_command(&self, form: &str, before: usize) -> bool {
        let words = form.trim_end_matches(['…', ' ']);
        let has = |text: &String| text.contains(words) || runs_command(text, form);
        let is_trigger =
            self.trigger().starting.as_deref().is_some_and(|line| runs_command(line, form));
        is_trigger
            || self.entries[..before].iter().any(|entry| {
                entry.texts.iter().any(has)
                    || entry.files().iter().any(|file| may_name_commands(file))
            })
    }

    /// Iterates over everything that was seen or written in the session before a place.
    pub(super) fn texts_before(&self, before: usize) -> impl Iterator<Item = &'s str> {
        self.entries[..before].iter().flat_map(|entry| entry.texts.iter().map(String::as_str))
    }

    /// Returns true if the agent opened a file by a place.
    pub(super) fn opened(&self, files: &[RepoPath], before: usize) -> bool {
        let is_one = |opened: String| files.iter().any(|file| file.as_str() == opened);
        self.entries[..before].iter().any(|entry| entry.files().into_iter().any(is_one))
    }
}

/// Returns true if the session shows enough to tell if a memory was used.
pub(super) fn could_show_use(window: &Window<'_>, guidance: &Guidance) -> bool {
    let any = |test: &dyn Fn(&Entry) -> bool| window.entries.iter().any(test);
    let messages = any(&|entry| matches!(entry.step, Some(StepKind::Message(_))));
    let opens = any(&|entry| matches!(entry.step, Some(StepKind::Read(_) | StepKind::Edit(_))));
    let runs = any(&|entry| entry.run().is_some());
    messages
        || (opens && !guidance.files.is_empty() && guidance.files.len() <= MAX_GUIDED_FILES)
        || (runs && !guidance.commands.is_empty())
}

/// Returns true if a command failed, as a check or as a whole.
pub(super) fn has_failed(run: &CommandRun) -> bool {
    run.check.outcome == CheckOutcome::Failed || run.succeeded == Some(false)
}

/// Returns true if a command passed: as a check if it is one, otherwise as a whole.
pub(super) fn has_passed(run: &CommandRun) -> bool {
    match run.check.checks.is_empty() {
        true => run.succeeded == Some(true) && run.check.outcome != CheckOutcome::Failed,
        false => run.check.outcome == CheckOutcome::Passed,
    }
}

/// Returns true for a file that may tell how to run things.
fn may_name_commands(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file).to_lowercase();
    const ENDINGS: [&str; 7] = [".md", ".mdc", ".yml", ".yaml", ".toml", ".json", ".sh"];
    ENDINGS.iter().any(|ending| name.ends_with(ending))
        || ["makefile", "gnumakefile", "justfile", "rakefile", "taskfile"].contains(&name.as_str())
}

/// Returns true if a text has a word that is not part of a longer one.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
        })
}

/// Returns everything that an event made an agent see or write.
fn texts_of(kind: &EventKind) -> Vec<String> {
    let mut texts = Vec::new();
    match kind {
        EventKind::PromptSubmitted { prompt, .. } => texts.push(prompt.clone()),
        EventKind::ToolFinished { tool, outcome, .. } => {
            texts.extend(input_texts(&tool.kind));
            texts.extend(outcome.text.clone());
        }
        EventKind::ToolFailed { tool, failure, .. } => {
            texts.extend(input_texts(&tool.kind));
            texts.push(failure.error.clone());
        }
        EventKind::BatchFinished { calls } => {
            for call in calls {
                texts.extend(call.result.clone());
                texts.extend(call.failure.as_ref().map(|failure| failure.error.clone()));
            }
        }
        EventKind::TurnStopped { last_message, .. }
        | EventKind::SubagentStopped { last_message, .. } => texts.extend(last_message.clone()),
        EventKind::Compacted { summary, .. } => texts.extend(summary.clone()),
        _ => {}
    }
    texts
}

fn input_texts(kind: &ToolKind) -> Vec<String> {
    match kind {
        ToolKind::Shell { command, .. } => vec![command.clone()],
        ToolKind::Read { file } => vec![file.clone()],
        ToolKind::Edit { file, old, new } => vec![file.clone(), old.clone(), new.clone()],
        ToolKind::Write { file, content } => vec![file.clone(), content.clone()],
        ToolKind::Patch { files, patch } => files.iter().cloned().chain([patch.clone()]).collect(),
        ToolKind::Search { pattern, path } => {
            path.iter().cloned().chain([pattern.clone()]).collect()
        }
        ToolKind::Mcp { input, .. } | ToolKind::Other { input } => strings(input),
        ToolKind::Agent { prompt, .. } => vec![prompt.clone()],
        ToolKind::Skill { args, .. } => args.iter().cloned().collect(),
    }
}

/// Returns the texts that an agent wrote for others.
fn words_of(kind: &EventKind) -> Vec<String> {
    match kind {
        EventKind::TurnStopped { last_message, .. }
        | EventKind::SubagentStopped { last_message, .. } => last_message.iter().cloned().collect(),
        EventKind::ToolFinished { tool, .. } | EventKind::ToolFailed { tool, .. } => {
            match &tool.kind {
                ToolKind::Shell { command, .. } => {
                    let commits = ["git commit", "gh pr create", "gh pr edit"];
                    let is_message = commits.iter().any(|form| runs_command(command, form));
                    is_message.then(|| command.clone()).into_iter().collect()
                }
                kind @ (ToolKind::Mcp { .. }
                | ToolKind::Other { .. }
                | ToolKind::Agent { .. }
                | ToolKind::Skill { .. }) => input_texts(kind),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// Returns the texts in a value, without the names of fields.
fn strings(value: &serde_json::Value) -> Vec<String> {
    use serde_json::Value;
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(values) => open.extend(values),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    found
}
