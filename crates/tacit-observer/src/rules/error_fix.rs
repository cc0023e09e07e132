//! Learns fixes: a command failed, something was changed, and the same command passed.
//!
//! Ignored are failures that disappeared by themselves, fixes spread over many files, errors that
//! turned into others, and tests that were written before the code they test.

use tacit_core::{ErrorFix, ErrorPattern, ErrorResolution, FingerprintDigest, RepoPath};

use super::{RuleInput, RuleOutput};
use crate::file_edit::FileEdit;
use crate::fingerprint::{Fingerprint, error_fingerprint, error_lines};
use crate::git_commits::program;
use crate::promotion::{Basis, MemoryCandidate};
use crate::shell::joined_commands;
use crate::text::{
    MAX_COMMAND, count_times, describe_line_change, quote, quote_command, quoted_list, stable_key,
};
use crate::timeline::{CommandRun, StepKind};
use crate::validation::CheckOutcome;

/// Maximum number of files in a fix: larger changes say nothing about one error.
pub const MAX_FILES: usize = 5;
/// Maximum length of a quoted error, in characters.
const MAX_ERROR: usize = 300;
/// Maximum number of changes to describe.
const DESCRIBED_CHANGES: usize = 2;
/// Failures required before a command alone counts as the fix: one may be chance.
const FAILURES_BEFORE_COMMAND: u32 = 2;
const CONFIDENCE: f64 = 0.8;
/// Tag of memories worth showing at the start of a session once they are confirmed.
const CHEAT_SHEET: &str = "cheat-sheet";

/// Programs that only inspect or move things.
const INSPECTING_PROGRAMS: [&str; 38] = [
    "ls", "cat", "grep", "rg", "find", "fd", "echo", "pwd", "head", "tail", "which", "cd", "wc",
    "stat", "file", "diff", "test", "[", "tree", "ps", "env", "printf", "true", "sleep", "kill",
    "rm", "mkdir", "cp", "mv", "touch", "jq", "awk", "sort", "uniq", "tacit", "less", "du", "df",
];

/// A command that failed and has not passed since.
struct OpenFailure<'a> {
    run: &'a CommandRun,
    fingerprint: Fingerprint,
    failures: u32,
    step_index: usize,
    conversation: usize,
    /// Edits since then, with the conversation that made them.
    changes: Vec<(usize, &'a RepoPath, &'a FileEdit)>,
    commands: Vec<&'a str>,
}

pub(crate) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let mut open: Vec<OpenFailure<'_>> = Vec::new();
    let mut flaky: Vec<&str> = Vec::new();
    // Commands that passed, with no edits since.
    let mut passing: Vec<&str> = Vec::new();
    let mut fixes: Vec<(MemoryCandidate, &str, (FingerprintDigest, String))> = Vec::new();
    for (step_index, step) in input.timeline.steps.iter().enumerate() {
        match &step.kind {
            StepKind::Edit(files) => {
                let edits = files.iter().filter(|(_, change)| !change.is_formatting());
                for (file, change) in edits {
                    passing.clear();
                    for failed in &mut open {
                        failed.changes.push((step.conversation, file, change));
                    }
                }
            }
            StepKind::Command(run) => match run.check.outcome {
                CheckOutcome::Failed if only_inspects(&run.line) => {
                    let why = "the command only inspects things";
                    results.reject(
                        Basis::ErrorRetry,
                        crate::text::one_line(&run.line, 120),
                        1,
                        why,
                    );
                }
                CheckOutcome::Passed if only_inspects(&run.line) => {}
                CheckOutcome::Failed => {
                    if passing.contains(&run.check.key.as_str()) {
                        flaky.push(&run.check.key);
                    }
                    record_failure(run, (step_index, step.conversation), &mut open, results);
                }
                CheckOutcome::Passed => {
                    if let Some(at) =
                        open.iter().position(|failed| failed.run.check.key == run.check.key)
                    {
                        let ended = open.remove(at);
                        if ended.changes.is_empty() && ended.commands.is_empty() {
                            flaky.push(&run.check.key);
                        }
                        let about = about(&ended);
                        match conclude_fix(input, &ended, step_index) {
                            Ok((candidate, how)) => {
                                let resolved = (ended.fingerprint.digest().clone(), how);
                                fixes.push((candidate, &run.check.key, resolved));
                            }
                            Err(why) => {
                                results.reject(Basis::ErrorRetry, about, ended.failures, why);
                            }
                        }
                    } else {
                        for failed in &mut open {
                            failed.commands.push(&run.line);
                        }
                    }
                    passing.push(&run.check.key);
                }
                CheckOutcome::Unknown => {}
            },
            _ => {}
        }
        for approach in
            input.abandoned_approaches.iter().filter(|approach| approach.last_step == step_index)
        {
            // Failures caused by an approach end with the approach.
            let (ended, remaining): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|failed| failed.step_index > approach.first_step);
            open = remaining;
            for failed in ended {
                let why = "the approach that led to it was given up";
                results.reject(Basis::ErrorRetry, about(&failed), failed.failures, why);
            }
            for failed in &mut open {
                failed.changes.retain(|(_, file, _)| !approach.files.contains(file));
            }
        }
    }
    for failed in open {
        results.reject(Basis::ErrorRetry, about(&failed), failed.failures, "it never passed");
    }
    for (candidate, key, resolved) in fixes {
        if flaky.contains(&key) {
            let why = "the command passes and fails with nothing changed in between";
            results.reject(Basis::ErrorRetry, candidate.about, candidate.occurrences, why);
            continue;
        }
        results.resolved.push(resolved);
        results.candidates.push(candidate);
    }
}

/// Records a failed command, and rejects an earlier failure that turned into another error.
fn record_failure<'a>(
    run: &'a CommandRun,
    (step_index, conversation): (usize, usize),
    open: &mut Vec<OpenFailure<'a>>,
    results: &mut RuleOutput,
) {
    let short = run.line.len() <= MAX_COMMAND && !run.line.contains('\n');
    let Some(fingerprint) = error_fingerprint(&run.tool, &run.output).filter(|_| short) else {
        let why = if short {
            "the output shows no error"
        } else {
            "the command is too long to be quoted"
        };
        results.reject(Basis::ErrorRetry, crate::text::one_line(&run.line, 120), 1, why);
        return;
    };
    let mut failures = 1;
    if let Some(at) = open.iter().position(|known| known.run.check.key == run.check.key) {
        let before = open.remove(at);
        if before.fingerprint.digest() == fingerprint.digest() {
            failures += before.failures;
        } else {
            let why = "it turned into another error";
            results.reject(Basis::ErrorRetry, about(&before), before.failures, why);
        }
    }
    let (changes, commands) = (Vec::new(), Vec::new());
    open.push(OpenFailure {
        run,
        fingerprint,
        failures,
        step_index,
        conversation,
        changes,
        commands,
    });
}

fn about(failed: &OpenFailure<'_>) -> String {
    let first = failed.fingerprint.text().lines().next().unwrap_or_default();
    crate::text::one_line(&format!("`{}`: {first}", failed.run.line), 120)
}

/// Returns the candidate and a description of the fix, or the reason why there is none.
fn conclude_fix(
    input: &RuleInput<'_>,
    ended: &OpenFailure<'_>,
    step_index: usize,
) -> Result<(MemoryCandidate, String), String> {
    // Edits of other conversations count only if the one that met the error made none.
    let own = ended.changes.iter().any(|(conversation, ..)| *conversation == ended.conversation);
    let changes: Vec<(&RepoPath, &FileEdit)> = ended
        .changes
        .iter()
        .filter(|(conversation, ..)| !own || *conversation == ended.conversation)
        .map(|(_, file, change)| (*file, *change))
        .collect();
    let mut files: Vec<RepoPath> = changes.iter().map(|(file, _)| (*file).clone()).collect();
    files.sort();
    files.dedup();
    if files.len() > MAX_FILES {
        return Err(format!("{} files were changed in between", files.len()));
    }
    let resolution = match (files.as_slice(), ended.commands.as_slice()) {
        ([], []) => return Err("it passed with nothing changed in between".to_owned()),
        ([], [command]) if ended.failures >= FAILURES_BEFORE_COMMAND => {
            ErrorResolution { commands: vec![(*command).to_owned()], ..ErrorResolution::default() }
        }
        ([], _) => return Err("no file was changed in between".to_owned()),
        _ => {
            let line_changes = changes.iter().rev().filter_map(|(_, change)| change.first_lines());
            let changes = line_changes.take(DESCRIBED_CHANGES).collect();
            ErrorResolution { files: files.clone(), changes, commands: Vec::new() }
        }
    };
    if is_new_test(input, ended) {
        return Err("the test that failed was written in this session".to_owned());
    }
    let earlier: u32 = input
        .past_digests
        .iter()
        .filter(|digest| digest.session != input.digest.session)
        .flat_map(|digest| &digest.errors)
        .filter(|error| error.fingerprint == *ended.fingerprint.digest())
        .map(|error| error.count)
        .sum();
    let how = describe_resolution(&resolution);
    let fix = error_fix(ended, resolution);
    let mut draft = input.draft("error_pattern", text(&fix, &how), &files, CONFIDENCE);
    let fingerprint = ended.fingerprint.digest().clone();
    draft.details = serde_json::to_value(ErrorPattern { fingerprint, fix: Some(fix) }).ok();
    draft.tags = vec![CHEAT_SHEET.to_owned()];
    let joined = files.iter().map(RepoPath::as_str).collect::<Vec<_>>().join("\n");
    let candidate = MemoryCandidate {
        basis: Basis::ErrorRetry,
        key: stable_key(&[
            "error_fix",
            ended.fingerprint.digest().as_str(),
            &ended.run.check.key,
            &joined,
        ]),
        about: about(ended),
        // The final success counts as an occurrence.
        occurrences: ended.failures + earlier + 1,
        at: input.time_of(step_index),
        step_index: Some(step_index),
        draft,
        replaces: false,
    };
    Ok((candidate, how))
}

fn error_fix(ended: &OpenFailure<'_>, resolution: ErrorResolution) -> ErrorFix {
    let error = error_lines(&ended.run.output, 1).pop();
    let error =
        error.unwrap_or_else(|| ended.fingerprint.text().lines().next().unwrap_or_default().into());
    ErrorFix {
        failing_command: ended.run.line.clone(),
        error: crate::text::one_line(&error, MAX_ERROR),
        failed_test: failed_tests(&ended.run.output).first().map(|name| (*name).to_owned()),
        failures: ended.failures,
        resolution,
    }
}

/// Describes the resolution of an error.
fn describe_resolution(resolution: &ErrorResolution) -> String {
    if let Some(command) = resolution.commands.first() {
        return format!("It passed after {} was run.", quote_command(command));
    }
    let changes: Vec<String> = resolution.changes.iter().map(describe_line_change).collect();
    let described =
        if changes.is_empty() { String::new() } else { format!(": {}", changes.join("; ")) };
    let was = if resolution.files.len() == 1 { "was" } else { "were" };
    let files: Vec<&str> = resolution.files.iter().map(RepoPath::as_str).collect();
    format!("It passed after {} {was} changed{described}.", quoted_list(&files))
}

/// Renders the text of the memory.
fn text(fix: &ErrorFix, how: &str) -> String {
    // An assertion says little without the name of its test.
    let test = match &fix.failed_test {
        Some(name) if !fix.error.contains(name) => format!(" (test {})", quote(name)),
        _ => String::new(),
    };
    let seen = match fix.failures {
        0 | 1 => String::new(),
        failures => format!(" {}", count_times(failures as usize)),
    };
    let command = quote_command(&fix.failing_command);
    format!("{command} failed{seen}: {}{test}. {how}", fix.error.trim_end_matches('.'))
}

/// Returns true if every failed test was written earlier in this session.
fn is_new_test(input: &RuleInput<'_>, ended: &OpenFailure<'_>) -> bool {
    let failed = failed_tests(&ended.run.output);
    let is_new = |name: &&str| {
        input.timeline.changes().any(|(step_index, _, change)| {
            step_index < ended.step_index && change.new.contains(name) && !change.old.contains(name)
        })
    };
    !failed.is_empty() && failed.iter().all(is_new)
}

/// Returns the names of the tests that an output reports as failed.
fn failed_tests(output: &str) -> Vec<&str> {
    let mut results = Vec::new();
    for line in output.lines() {
        let line = line.trim();
        let name = if let Some(rest) =
            line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            rest.rsplit("::").next()
        } else if let Some(rest) = line.strip_prefix("FAILED ") {
            rest.split(" - ")
                .next()
                .and_then(|test| test.split_once("::"))
                .map(|(_, name)| name.rsplit("::").next().unwrap_or(name))
        } else if let Some(rest) = line.strip_prefix("--- FAIL: ") {
            rest.split([' ', '/']).next()
        } else if let Some(rest) = line.strip_prefix("● ") {
            rest.rsplit(" › ").next()
        } else {
            line.strip_prefix("FAIL ")
                .and_then(|rest| rest.rsplit_once(" > "))
                .map(|(_, name)| name)
        };
        results.extend(name.map(str::trim).filter(|name| name.len() > 2));
    }
    results
}

/// Returns true if a command only inspects things, so that its failure says nothing about the work.
fn only_inspects(line: &str) -> bool {
    let commands = joined_commands(line);
    commands.iter().all(|command| {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        match program(&words) {
            Some(("git", args)) => !args.contains(&"commit"),
            Some(("sed", args)) => !args.iter().any(|arg| arg.starts_with("-i")),
            Some((name, _)) => INSPECTING_PROGRAMS.contains(&name),
            None => true,
        }
    })
}
