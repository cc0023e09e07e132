//! Learns commands that do not work here, with the variant that does.
//!
//! A command fails for a reason of the environment, and a near variant works within a few commands.
//! Some failures state a rule of the repository, the shell or a tool and teach without a variant.
//! Slips of one call teach nothing: wrong paths, misspelt names, failures of the network.

mod calls;
mod facts;
mod misuse;
mod pair;
mod reason;
mod setting;

use std::collections::BTreeMap;

use tacit_core::{ErrorFix, ErrorPattern, ErrorResolution, FingerprintDigest, RepoPath};

use super::fix_commands::may_change_something;
use super::{RuleInput, RuleOutput};
use crate::command_form::{CommandCall, command_calls};
use crate::promotion::{Basis, MemoryCandidate};
use crate::shell::CommandSeparator;
use crate::text::stable_key;
use crate::timeline::{CommandRun, FailedCall, StepKind, TimelineStep};
use crate::validation::CheckOutcome;
use pair::{VariantLesson, call_at_fault, is_variant, lesson};
use reason::{Reason, reasons};
use setting::missing_setting;

/// The number of commands within which the variant follows.
const MAX_COMMANDS: usize = 6;
/// The time within which the variant follows, in days.
const MAX_DAYS: f64 = 15.0 / (24.0 * 60.0);
/// The number of bytes up to which the output of a successful line is read: a failure hidden by a
/// pipe leaves little else.
const MAX_HIDDEN: usize = 4_000;
const CONFIDENCE: f64 = 0.75;
/// Tag of memories worth showing at the start of a session once they are confirmed.
const CHEAT_SHEET: &str = "cheat-sheet";
/// Tag of memories about commands that do not work; hooks show them before such a command runs.
pub const VARIANT_TAG: &str = "variant";

/// A command of a conversation.
struct RunCalls<'a> {
    step_index: usize,
    step: &'a TimelineStep,
    run: &'a CommandRun,
    calls: Vec<CommandCall<'a>>,
    reasons: Vec<Reason>,
}

/// A lesson with the files it is about.
struct FoundLesson {
    lesson: VariantLesson,
    files: Vec<RepoPath>,
    step_index: usize,
    occurrences: u32,
}

#[derive(Default)]
struct FoundLessons {
    lessons: Vec<FoundLesson>,
}

impl FoundLessons {
    fn add(&mut self, lesson: VariantLesson, files: Vec<RepoPath>, step_index: usize) {
        match self.lessons.iter_mut().find(|known| known.lesson.subject() == lesson.subject()) {
            Some(known) => known.occurrences += 1,
            None => {
                self.lessons.push(FoundLesson { lesson, files, step_index, occurrences: 1 });
            }
        }
    }
}

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let mut found = FoundLessons::default();
    let mut conversations: BTreeMap<usize, Vec<RunCalls<'_>>> = BTreeMap::new();
    let mut failed_calls: Vec<&FailedCall> = Vec::new();
    let mut last_step = 0;
    for (step_index, step) in input.timeline.steps.iter().enumerate() {
        match &step.kind {
            StepKind::Command(run) => {
                let calls = command_calls(&run.line);
                let reasons = if is_readable(run) { reasons(&run.output) } else { Vec::new() };
                let run = RunCalls { step_index, step, run, calls, reasons };
                conversations.entry(step.conversation).or_default().push(run);
            }
            StepKind::FailedCall(call) => {
                failed_calls.push(call);
                last_step = step_index;
                learn_from_call(input, call, step_index, &mut found);
            }
            _ => {}
        }
    }
    if let Some(lesson) = calls::full_names(&failed_calls) {
        found.add(lesson, Vec::new(), last_step);
    }
    for runs in conversations.values() {
        for (at, run) in runs.iter().enumerate() {
            learn_from_run(input, run, &runs[at + 1..], &mut found);
        }
    }
    for found in found.lessons {
        results.candidates.extend(candidate(input, found));
    }
}

/// Returns true if the output tells a failure of the line, or may show one that a pipe hides.
fn is_readable(run: &CommandRun) -> bool {
    run.succeeded == Some(false) || run.output.len() <= MAX_HIDDEN
}

fn learn_from_call(
    input: &RuleInput<'_>,
    call: &FailedCall,
    step_index: usize,
    found: &mut FoundLessons,
) {
    if let Some(tokens) = calls::tokens_of_large_file(call) {
        if let Some(file) = known_file(input, &call.input) {
            found.add(calls::large_file(&file, tokens), vec![file.clone()], step_index);
        }
    } else if let Some(lesson) = calls::refusal(call) {
        found.add(lesson, Vec::new(), step_index);
    }
}

/// Returns a file of the repository that a call names by its whole path.
fn known_file(input: &RuleInput<'_>, path: &str) -> Option<RepoPath> {
    let is_named =
        |file: &&RepoPath| path.strip_suffix(file.as_str()).is_some_and(|dir| dir.ends_with('/'));
    input.timeline.steps.iter().find_map(|step| match &step.kind {
        StepKind::Read(file) => Some(file).filter(is_named).cloned(),
        StepKind::Edit(files) => files.iter().map(|(file, _)| file).find(is_named).cloned(),
        _ => None,
    })
}

fn learn_from_run(
    input: &RuleInput<'_>,
    run: &RunCalls<'_>,
    later: &[RunCalls<'_>],
    found: &mut FoundLessons,
) {
    if is_readable(run.run) {
        for lesson in facts::stated_rules(&run.calls, &run.run.output) {
            found.add(lesson, Vec::new(), run.step_index);
        }
    }
    let all_later = later;
    let later = within_reach(run, later);
    if let Some(lesson) = misuse::silent_misuse(&run.calls, &run.run.output, || {
        later.iter().flat_map(|run| run.calls.iter().map(|call| (call, run.run.output.as_str())))
    }) {
        found.add(lesson, Vec::new(), run.step_index);
    }
    for reason in &run.reasons {
        let Some(at) = call_at_fault(reason, &run.calls) else { continue };
        let failed = &run.calls[at];
        if failed.is_temporary() {
            continue;
        }
        let fallback = run.calls.get(at + 1).filter(|_| failed.separator == CommandSeparator::Or);
        // What passed works for certain; what failed may lack something else.
        let passed = later.iter().filter(|run| run.run.succeeded == Some(true));
        let variant = fallback
            .into_iter()
            .chain(passed.flat_map(working_calls))
            .chain(later.iter().flat_map(working_calls))
            .find(|variant| !variant.is_temporary() && is_variant(reason, failed, variant));
        learn_variant(run, reason, failed, variant, all_later, found);
    }
    let changed = |from: usize, to: usize| {
        input.timeline.changes().any(|(at, ..)| (from..to).contains(&at))
            || input.timeline.runs().any(|(at, run)| {
                (from + 1..to).contains(&at)
                    && run.succeeded == Some(true)
                    && may_change_something(run)
            })
    };
    if let Some((reason, failed, variant)) = missing_setting(run, later, changed) {
        learn_variant(run, &reason, failed, Some(variant), all_later, found);
    }
}

fn learn_variant(
    run: &RunCalls<'_>,
    reason: &Reason,
    failed: &CommandCall<'_>,
    variant: Option<&CommandCall<'_>>,
    later: &[RunCalls<'_>],
    found: &mut FoundLessons,
) {
    let Some(lesson) = lesson(reason, &run.run.output, failed, variant) else { return };
    // A reason that is gone later in the conversation was not there to stay.
    let is_gone = later
        .iter()
        .flat_map(working_calls)
        .any(|call| call.has_form(&lesson.failing) && !is_variant(reason, failed, call));
    if !is_gone {
        found.add(lesson, Vec::new(), run.step_index);
    }
}

/// Returns the commands of a line that ran without a reason to fail.
fn working_calls<'r, 'a>(run: &'r RunCalls<'a>) -> impl Iterator<Item = &'r CommandCall<'a>> {
    run.calls.iter().filter(|call| works(run) && !is_at_fault(run, call))
}

/// Returns the commands that follow soon enough to be a variant.
fn within_reach<'r, 'a>(run: &RunCalls<'a>, later: &'r [RunCalls<'a>]) -> &'r [RunCalls<'a>] {
    let soon = later
        .iter()
        .take(MAX_COMMANDS)
        .take_while(|next| next.step.at.days_since(run.step.at) <= MAX_DAYS)
        .count();
    &later[..soon]
}

/// Returns true if the programs of a line ran, even if they reported findings.
fn works(run: &RunCalls<'_>) -> bool {
    let reported =
        !run.run.check.checks.is_empty() && run.run.check.outcome == CheckOutcome::Failed;
    run.run.succeeded == Some(true) || reported
}

/// Returns true if the output of a line has a reason why this command of it failed.
fn is_at_fault(run: &RunCalls<'_>, call: &CommandCall<'_>) -> bool {
    run.reasons.iter().any(|reason| {
        call_at_fault(reason, &run.calls).is_some_and(|at| std::ptr::eq(&run.calls[at], call))
    })
}

fn candidate(input: &RuleInput<'_>, found: FoundLesson) -> Option<MemoryCandidate> {
    let FoundLesson { lesson, files, step_index, occurrences } = found;
    let key = stable_key(&["variant", lesson.subject()]);
    let fingerprint = FingerprintDigest::new(key.clone()).ok()?;
    let about = crate::text::one_line(&lesson.text, 120);
    let mut draft = input.draft("error_pattern", lesson.text, &files, CONFIDENCE);
    let fix = ErrorFix {
        failing_command: lesson.failing,
        error: lesson.error,
        failed_test: None,
        failures: occurrences,
        resolution: ErrorResolution {
            files,
            commands: lesson.working.into_iter().collect(),
            ..ErrorResolution::default()
        },
    };
    draft.details = serde_json::to_value(ErrorPattern { fingerprint, fix: Some(fix) }).ok();
    draft.tags = vec![CHEAT_SHEET.to_owned(), VARIANT_TAG.to_owned()];
    let at = input.time_of(step_index);
    let (basis, step_index) = (Basis::Variant, None);
    Some(MemoryCandidate { basis, key, about, occurrences, at, step_index, draft, replaces: false })
}
