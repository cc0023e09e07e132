//! Follows the findings of failing checks until a later run no longer shows them.
//!
//! A finding ends with a passing run that covers it, whatever its command line: the same check, a
//! wider one, or one limited to the failed test. It also ends if the same check fails with other
//! findings of its kind only.

use std::borrow::Cow;
use std::collections::HashMap;

use tacit_core::{CheckKind, RepoPath};

use super::RuleInput;
use super::fix_commands::{
    FixClass, classified_commands, is_format_finding, may_change_something, sed_edits,
};
use crate::command_form::command_calls;
use crate::file_edit::FileEdit;
use crate::findings::{Finding, FindingKind, findings};
use crate::fingerprint::error_lines;
use crate::git_commits::program;
use crate::shell::joined_commands;
use crate::timeline::{CommandRun, StepKind, Timeline};
use crate::validation::{CheckCommand, CheckOutcome};

/// Maximum number of findings of one run that are followed.
const MAX_FINDINGS: usize = 40;
/// Maximum size of a file whose content is followed, in bytes.
const MAX_CONTENT: usize = 256 * 1024;

/// An edit of a file, compared with what the file held before.
pub(super) struct TrackedEdit<'a> {
    pub(super) step_index: usize,
    pub(super) conversation: usize,
    pub(super) file: Cow<'a, RepoPath>,
    pub(super) edit: Cow<'a, FileEdit>,
}

/// A finding that a run showed and a later one does not show.
pub(super) struct EndedFinding<'a> {
    pub(super) finding: Finding,
    /// The last run that showed it.
    pub(super) run: &'a CommandRun,
    pub(super) first_step: usize,
    /// The step of the last run that showed it.
    pub(super) failed_step: usize,
    pub(super) ended_step: usize,
    pub(super) conversation: usize,
    /// The number of runs that showed it.
    pub(super) failures: u32,
    /// The number of runs that showed it although something had been changed.
    pub(super) attempts: u32,
    /// True if the run that ended it passed.
    pub(super) passed: bool,
}

/// A test that failed and passed with nothing changed in between.
pub(super) struct TestFlip<'a> {
    pub(super) test: String,
    pub(super) run: &'a CommandRun,
    pub(super) step_index: usize,
}

/// The findings of a session, and what happened between its runs.
#[derive(Default)]
pub(super) struct FailureHistory<'a> {
    pub(super) ended: Vec<EndedFinding<'a>>,
    /// Findings that no later run ended.
    pub(super) open: Vec<EndedFinding<'a>>,
    /// Findings that disappeared with an abandoned approach.
    pub(super) abandoned: Vec<EndedFinding<'a>>,
    pub(super) flips: Vec<TestFlip<'a>>,
    pub(super) edits: Vec<TrackedEdit<'a>>,
    /// Commands that can change something, with their step.
    pub(super) commands: Vec<(usize, &'a str)>,
    /// Builds that succeeded, with their step.
    builds: Vec<(usize, &'a str)>,
    prompts: Vec<usize>,
}

impl<'a> FailureHistory<'a> {
    /// Reads the history of a session.
    pub(super) fn read(input: &RuleInput<'a>) -> FailureHistory<'a> {
        let mut history =
            FailureHistory { edits: tracked_edits(input.timeline), ..Default::default() };
        // Passing runs with nothing changed since.
        let mut passing: Vec<&CommandRun> = Vec::new();
        for (step_index, step) in input.timeline.steps.iter().enumerate() {
            match &step.kind {
                StepKind::Edit(_) => passing.clear(),
                // The user may have changed something meanwhile.
                StepKind::Prompt(_) => {
                    passing.clear();
                    history.prompts.push(step_index);
                }
                StepKind::Command(run) => {
                    let shown = shown_findings(run);
                    if !shown.is_empty() {
                        let flipped = passing.iter().any(|passed| is_same_call(passed, run));
                        history.fail(run, &shown, (step_index, step.conversation), flipped);
                    } else if run.check.outcome == CheckOutcome::Passed {
                        history.pass(run, step_index);
                        passing.push(run);
                    }
                    let builds = |check: &CheckCommand| check.kind == CheckKind::Build;
                    if run.succeeded == Some(true)
                        && run.check.outcome != CheckOutcome::Failed
                        && !run.check.checks.is_empty()
                        && run.check.checks.iter().all(builds)
                    {
                        history.builds.push((step_index, &run.line));
                    }
                    if formats(run) {
                        history.end_formatting(step_index);
                    }
                    if may_change_something(run) {
                        history.commands.push((step_index, &run.line));
                        passing.clear();
                    }
                }
                _ => {}
            }
            for approach in input
                .abandoned_approaches
                .iter()
                .filter(|approach| approach.last_step == step_index)
            {
                let (gone, open) = std::mem::take(&mut history.open)
                    .into_iter()
                    .partition(|failed| failed.first_step > approach.first_step);
                history.abandoned.extend::<Vec<_>>(gone);
                history.open = open;
                history.edits.retain(|edit| {
                    let within =
                        (approach.first_step..=approach.last_step).contains(&edit.step_index);
                    !(within && approach.files.contains(&*edit.file))
                });
            }
        }
        history
    }

    /// Returns the edits between the last failure and the end of a finding, without formatting.
    /// Edits of other conversations count only if the one that met the finding made none.
    pub(super) fn fix_edits(&self, ended: &EndedFinding<'_>) -> Vec<&TrackedEdit<'a>> {
        let between: Vec<&TrackedEdit<'a>> = self
            .edits
            .iter()
            .filter(|edit| (ended.failed_step..ended.ended_step).contains(&edit.step_index))
            .filter(|edit| !edit.edit.is_formatting())
            .collect();
        let own = between.iter().any(|edit| edit.conversation == ended.conversation);
        between.into_iter().filter(|edit| !own || edit.conversation == ended.conversation).collect()
    }

    /// Returns the commands between the last failure and the end of a finding.
    pub(super) fn fix_commands(&self, ended: &EndedFinding<'_>) -> Vec<&'a str> {
        let between = |step: &usize| (ended.failed_step + 1..=ended.ended_step).contains(step);
        let found = self.commands.iter().filter(|(step, _)| between(step));
        found.map(|(_, line)| *line).collect()
    }

    /// Returns the builds of something else between the last failure and the end of a finding.
    pub(super) fn builds_before(&self, ended: &EndedFinding<'_>) -> Vec<&'a str> {
        if ended.run.check.checks.iter().any(|check| check.kind == CheckKind::Build) {
            return Vec::new();
        }
        let between = |step: &usize| (ended.failed_step + 1..ended.ended_step).contains(step);
        self.builds.iter().filter(|(step, _)| between(step)).map(|(_, line)| *line).collect()
    }

    fn changed_since(&self, step_index: usize, now: usize) -> bool {
        let between = |step: usize| (step_index..now).contains(&step);
        self.edits.iter().any(|edit| between(edit.step_index))
            || self.commands.iter().any(|(step, _)| between(*step))
    }

    fn fail(
        &mut self,
        run: &'a CommandRun,
        shown: &[Finding],
        (step_index, conversation): (usize, usize),
        flipped: bool,
    ) {
        let cut = tacit_core::bytes_cut(&run.output).is_some();
        let (gone, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.open).into_iter().partition(|open| {
                !cut && covers(run, open.run)
                    && shown.iter().any(|one| shows_end(one.kind, open.finding.kind))
                    && !shown.iter().any(|one| same_subject(one, &open.finding))
            });
        self.open = kept;
        for mut ended in gone {
            ended.ended_step = step_index;
            self.ended.push(ended);
        }
        for finding in shown {
            let known = self.open.iter().position(|open| same_subject(&open.finding, finding));
            let Some(known) = known else {
                if flipped && let Some(test) = &finding.test {
                    self.flips.push(TestFlip { test: test.clone(), run, step_index });
                }
                self.open.push(EndedFinding {
                    finding: finding.clone(),
                    run,
                    first_step: step_index,
                    failed_step: step_index,
                    ended_step: step_index,
                    conversation,
                    failures: 1,
                    attempts: 0,
                    passed: false,
                });
                continue;
            };
            let changed = self.changed_since(self.open[known].failed_step, step_index);
            let open = &mut self.open[known];
            if same_message(&open.finding, finding) {
                open.failures += 1;
                open.attempts += u32::from(changed);
            } else {
                // The test fails for another reason now.
                (open.failures, open.attempts) = (1, 0);
            }
            (open.finding, open.run, open.failed_step) = (finding.clone(), run, step_index);
            open.conversation = conversation;
        }
    }

    /// Ends findings about formatting: a formatter needs no check.
    fn end_formatting(&mut self, step_index: usize) {
        let (gone, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|open| is_format_finding(&open.finding) && open.failed_step < step_index);
        self.open = kept;
        for mut ended in gone {
            (ended.ended_step, ended.passed) = (step_index, true);
            self.ended.push(ended);
        }
    }

    fn pass(&mut self, run: &'a CommandRun, step_index: usize) {
        let (gone, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|open| covers(run, open.run) || covers_finding(run, open));
        self.open = kept;
        for mut ended in gone {
            if let Some(test) = &ended.finding.test
                && is_same_call(run, ended.run)
                && !self.changed_since(ended.failed_step, step_index)
                && !self.prompts.iter().any(|step| *step > ended.failed_step)
            {
                self.flips.push(TestFlip { test: test.clone(), run: ended.run, step_index });
            }
            (ended.ended_step, ended.passed) = (step_index, true);
            self.ended.push(ended);
        }
    }
}

/// Returns true if a run with findings of one kind would have shown one of the other: tests run only
/// if they compile.
fn shows_end(shown: FindingKind, open: FindingKind) -> bool {
    shown == open || (shown == FindingKind::Test && open == FindingKind::Compile)
}

/// Returns the findings of a run that did not pass.
fn shown_findings(run: &CommandRun) -> Vec<Finding> {
    let may_fail = match run.check.outcome {
        CheckOutcome::Passed => false,
        CheckOutcome::Failed => !super::error_fix::only_inspects(&run.line),
        CheckOutcome::Unknown => !run.check.checks.is_empty(),
    };
    if !may_fail || looks_elsewhere(&run.line) {
        return Vec::new();
    }
    let mut shown = findings(&run.output);
    shown.truncate(MAX_FINDINGS);
    if shown.is_empty() && run.check.outcome == CheckOutcome::Failed && !run.check.checks.is_empty()
    {
        // What stops a check before it finds anything is an error of the environment.
        shown.extend(error_lines(&run.output, 1).pop().map(|message| Finding {
            kind: FindingKind::Usage,
            tool: "",
            file: None,
            line: None,
            rule: None,
            test: None,
            message,
        }));
    }
    shown
}

/// Returns true if a command that succeeded ran a formatter.
fn formats(run: &CommandRun) -> bool {
    run.succeeded == Some(true)
        && classified_commands(&run.line).iter().any(|(class, _)| *class == FixClass::Format)
}

/// Returns true if a command line looks at another state of the code than the session's own.
fn looks_elsewhere(line: &str) -> bool {
    joined_commands(line).iter().any(|command| {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let apart = |arg: &&str| matches!(*arg, "stash" | "worktree" | "bisect" | "checkout");
        matches!(program(&words), Some(("git", args)) if args.iter().any(apart))
    })
}

/// Returns true if two runs are of the same check with the same variables.
fn is_same_call(one: &CommandRun, other: &CommandRun) -> bool {
    let variables = |run: &CommandRun| -> Vec<String> {
        command_calls(&run.line).iter().flat_map(|call| call.assignments().to_vec()).collect()
    };
    one.check.key == other.check.key && variables(one) == variables(other)
}

/// Returns true if a run checks everything that another one checks.
pub(crate) fn covers(run: &CommandRun, other: &CommandRun) -> bool {
    if run.check.key == other.check.key {
        return true;
    }
    let by_any = |other: &CheckCommand| run.check.checks.iter().any(|check| check.covers(other));
    !other.check.checks.is_empty() && other.check.checks.iter().all(by_any)
}

/// Returns true if a passing run checks what a finding is about: the test by its name, or the file.
fn covers_finding(run: &CommandRun, open: &EndedFinding<'_>) -> bool {
    let finding = &open.finding;
    run.check.checks.iter().any(|check| {
        let kind = match finding.kind {
            FindingKind::Test => check.kind == CheckKind::Test,
            FindingKind::Lint => check.kind == CheckKind::Lint,
            FindingKind::Types => check.kind == CheckKind::Types,
            // A test runs only if it compiles.
            FindingKind::Compile => matches!(check.kind, CheckKind::Test | CheckKind::Build),
            FindingKind::Usage => false,
        };
        let wide = check.filters.is_empty()
            && check.names.is_empty()
            && open.run.check.checks.iter().any(|failed| failed.runner == check.runner);
        let mut limits = check.filters.iter().chain(&check.names);
        kind && (wide || limits.any(|limit| names_subject(limit, finding)))
    })
}

/// Returns true if a filter of a check selects the test or the file of a finding.
fn names_subject(filter: &str, finding: &Finding) -> bool {
    let plain = filter.trim_matches(|c: char| "^$\"'./".contains(c));
    if plain.len() < 3 {
        return false;
    }
    let test = finding.test.as_deref().is_some_and(|test| {
        let leaf = leaf_name(test);
        plain.split(['|', ',', ' ']).any(|part| {
            let part = part.trim_matches(|c: char| "^$()".contains(c));
            part.len() > 2 && (test.contains(part) || part.ends_with(leaf))
        })
    });
    let file = finding.file.as_deref().is_some_and(|file| {
        let file = file.trim_start_matches("./");
        file.starts_with(plain.trim_end_matches("/..."))
            || (file.contains('.')
                && plain.split("::").next().is_some_and(|path| path.ends_with(file)))
    });
    test || file
}

/// Returns the last part of a qualified test name.
pub(super) fn leaf_name(test: &str) -> &str {
    test.rsplit([':', '>', '›']).next().unwrap_or(test).trim()
}

/// Returns true if two findings are about the same test, or the same rule and place in the code.
fn same_subject(one: &Finding, other: &Finding) -> bool {
    if one.kind != other.kind {
        return false;
    }
    match (&one.test, &other.test) {
        (Some(one), Some(other)) => leaf_name(one) == leaf_name(other),
        (None, None) => {
            one.tool == other.tool
                && one.rule == other.rule
                && one.file == other.file
                && same_message(one, other)
        }
        _ => false,
    }
}

fn same_message(one: &Finding, other: &Finding) -> bool {
    let words = |text: &str| -> String { text.chars().filter(|c| !c.is_ascii_digit()).collect() };
    words(&one.message) == words(&other.message)
}

/// Returns all edits in order. A file that was written as a whole is compared with what the session
/// shows of its earlier content.
fn tracked_edits(timeline: &Timeline) -> Vec<TrackedEdit<'_>> {
    let mut contents: HashMap<&RepoPath, String> = HashMap::new();
    let mut edits = Vec::new();
    for (step_index, step) in timeline.steps.iter().enumerate() {
        let conversation = step.conversation;
        match &step.kind {
            StepKind::Edit(files) => {
                for (file, edit) in files {
                    let before = contents.get(file);
                    let tracked = match before {
                        Some(before) if edit.whole_file => Cow::Owned(FileEdit {
                            old: before.clone(),
                            new: edit.new.clone(),
                            whole_file: false,
                        }),
                        _ => Cow::Borrowed(edit),
                    };
                    let after = match before {
                        _ if edit.whole_file => Some(edit.new.clone()),
                        Some(before) if !edit.old.is_empty() => {
                            Some(before.replacen(edit.old.as_str(), &edit.new, 1))
                        }
                        _ => None,
                    };
                    match after.filter(|text| text.len() <= MAX_CONTENT) {
                        Some(after) => drop(contents.insert(file, after)),
                        None => drop(contents.remove(file)),
                    }
                    let file = Cow::Borrowed(file);
                    edits.push(TrackedEdit { step_index, conversation, file, edit: tracked });
                }
            }
            StepKind::Command(run) if run.succeeded == Some(true) => {
                for (file, edit) in sed_edits(&run.line) {
                    let (file, edit) = (Cow::Owned(file), Cow::Owned(edit));
                    edits.push(TrackedEdit { step_index, conversation, file, edit });
                }
            }
            _ => {}
        }
    }
    edits
}
