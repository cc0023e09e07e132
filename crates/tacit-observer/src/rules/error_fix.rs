//! A command failed, something was changed, the same command passed: what failed, where the fix was
//! and what changed.
//!
//! Not concluded are: failures that went away by themselves, fixes spread over many files, errors
//! that turned into others, and tests that failed because what they test was still to be written.

use tacit_core::{ErrorFix, ErrorPattern, ErrorResolution, FingerprintDigest, RepoPath};

use super::{RuleInput, RuleOutput};
use crate::file_edit::FileEdit;
use crate::fingerprint::{Fingerprint, error_fingerprint, error_lines};
use crate::git_commits::program;
use crate::promotion::{Basis, MemoryCandidate};
use crate::shell::joined_commands;
use crate::text::{
    LONGEST_COMMAND, count_times, describe_line_change, quote, quote_command, quoted_list,
    stable_key,
};
use crate::timeline::{CommandRun, StepKind};
use crate::validation::CheckOutcome;

/// A change of more files than this tells nothing about one error.
pub const MOST_FILES: usize = 5;
/// The longest error that is quoted, in characters.
const LONGEST_ERROR: usize = 300;
/// How many changes are put into words.
const TOLD_CHANGES: usize = 2;
/// An error that only a command ended must have come up so often: once may be chance.
const SEEN_BEFORE_COMMAND: u32 = 2;
const CONFIDENCE: f64 = 0.8;
/// What marks a memory as worth seeing when a session starts, once it is confirmed.
const CHEAT_SHEET: &str = "cheat-sheet";

/// Programs that look at things or move them about.
const LOOKING: [&str; 38] = [
    "ls", "cat", "grep", "rg", "find", "fd", "echo", "pwd", "head", "tail", "which", "cd", "wc",
    "stat", "file", "diff", "test", "[", "tree", "ps", "env", "printf", "true", "sleep", "kill",
    "rm", "mkdir", "cp", "mv", "touch", "jq", "awk", "sort", "uniq", "tacit", "less", "du", "df",
];

/// A command that failed and has not passed since.
struct OpenFailure<'a> {
    run: &'a CommandRun,
    print: Fingerprint,
    failures: u32,
    step_index: usize,
    conversation: usize,
    /// Changes since, with the conversation that made them.
    changes: Vec<(usize, &'a RepoPath, &'a FileEdit)>,
    commands: Vec<&'a str>,
}

pub(crate) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let mut open: Vec<OpenFailure<'_>> = Vec::new();
    let mut flaky: Vec<&str> = Vec::new();
    // Commands that passed with nothing changed since.
    let mut passing: Vec<&str> = Vec::new();
    let mut fixes: Vec<(MemoryCandidate, &str, (FingerprintDigest, String))> = Vec::new();
    for (step_index, step) in input.timeline.steps.iter().enumerate() {
        match &step.kind {
            StepKind::Edit(files) => {
                let real = files.iter().filter(|(_, change)| !change.is_formatting());
                for (file, change) in real {
                    passing.clear();
                    for failed in &mut open {
                        failed.changes.push((step.conversation, file, change));
                    }
                }
            }
            StepKind::Command(run) => match run.check.outcome {
                CheckOutcome::Failed if is_looking(&run.line) => {
                    let why = "the command only looks at things";
                    results.reject(
                        Basis::ErrorRetry,
                        crate::text::one_line(&run.line, 120),
                        1,
                        why,
                    );
                }
                CheckOutcome::Passed if is_looking(&run.line) => {}
                CheckOutcome::Failed => {
                    if passing.contains(&run.check.key.as_str()) {
                        flaky.push(&run.check.key);
                    }
                    failed(run, (step_index, step.conversation), &mut open, results);
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
                        match fix(input, &ended, step_index) {
                            Ok((candidate, how)) => {
                                let resolved = (ended.print.digest().clone(), how);
                                fixes.push((candidate, &run.check.key, resolved));
                            }
                            Err(why) => {
                                results.reject(Basis::ErrorRetry, about, ended.failures, why)
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
            // What failed because of an approach is over when the approach is.
            let (over, kept): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|failed| failed.step_index > approach.first_step);
            open = kept;
            for failed in over {
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

fn failed<'a>(
    run: &'a CommandRun,
    (step_index, conversation): (usize, usize),
    open: &mut Vec<OpenFailure<'a>>,
    results: &mut RuleOutput,
) {
    let short = run.line.len() <= LONGEST_COMMAND && !run.line.contains('\n');
    let Some(print) = error_fingerprint(&run.tool, &run.output).filter(|_| short) else {
        let why = if short { "it says nothing" } else { "the command is too long to be quoted" };
        results.reject(Basis::ErrorRetry, crate::text::one_line(&run.line, 120), 1, why);
        return;
    };
    let mut failures = 1;
    if let Some(at) = open.iter().position(|known| known.run.check.key == run.check.key) {
        let before = open.remove(at);
        if before.print.digest() == print.digest() {
            failures += before.failures;
        } else {
            let why = "it turned into another error";
            results.reject(Basis::ErrorRetry, about(&before), before.failures, why);
        }
    }
    let (changes, commands) = (Vec::new(), Vec::new());
    open.push(OpenFailure { run, print, failures, step_index, conversation, changes, commands });
}

fn about(failed: &OpenFailure<'_>) -> String {
    let first = failed.print.text().lines().next().unwrap_or_default();
    crate::text::one_line(&format!("`{}`: {first}", failed.run.line), 120)
}

/// The lesson, if there is one, and what put an end to the error, in words.
fn fix(
    input: &RuleInput<'_>,
    ended: &OpenFailure<'_>,
    step_index: usize,
) -> Result<(MemoryCandidate, String), String> {
    // What others changed at the same time is theirs, if whoever met the error changed something.
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
    if files.len() > MOST_FILES {
        return Err(format!("{} files were changed in between", files.len()));
    }
    let resolution = match (files.as_slice(), ended.commands.as_slice()) {
        ([], []) => return Err("it passed with nothing changed in between".to_owned()),
        ([], [command]) if ended.failures >= SEEN_BEFORE_COMMAND => {
            ErrorResolution { commands: vec![(*command).to_owned()], ..ErrorResolution::default() }
        }
        ([], _) => return Err("no file was changed in between".to_owned()),
        _ => {
            let told = changes.iter().rev().filter_map(|(_, change)| change.first_lines());
            let changes = told.take(TOLD_CHANGES).collect();
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
        .filter(|error| error.fingerprint == *ended.print.digest())
        .map(|error| error.count)
        .sum();
    let how = resolved_by(&resolution);
    let fix = seen_fix(ended, resolution);
    let mut draft = input.draft("error_pattern", text(&fix, &how), &files, CONFIDENCE);
    let fingerprint = ended.print.digest().clone();
    draft.details = serde_json::to_value(ErrorPattern { fingerprint, fix: Some(fix) }).ok();
    draft.tags = vec![CHEAT_SHEET.to_owned()];
    let joined = files.iter().map(RepoPath::as_str).collect::<Vec<_>>().join("\n");
    let candidate = MemoryCandidate {
        basis: Basis::ErrorRetry,
        key: stable_key(&[
            "error_fix",
            ended.print.digest().as_str(),
            &ended.run.check.key,
            &joined,
        ]),
        about: about(ended),
        // That it is gone was seen as well.
        occurrences: ended.failures + earlier + 1,
        at: input.time_of(step_index),
        step_index: Some(step_index),
        draft,
        replaces: false,
    };
    Ok((candidate, how))
}

fn seen_fix(ended: &OpenFailure<'_>, resolution: ErrorResolution) -> ErrorFix {
    let told = error_lines(&ended.run.output, 1).pop();
    let told = told.unwrap_or_else(|| ended.print.text().lines().next().unwrap_or_default().into());
    ErrorFix {
        failing_command: ended.run.line.clone(),
        error: crate::text::one_line(&told, LONGEST_ERROR),
        failed_test: failed_tests(&ended.run.output).first().map(|name| (*name).to_owned()),
        failures: ended.failures,
        resolution,
    }
}

/// Renders the resolution of an error.
fn resolved_by(resolution: &ErrorResolution) -> String {
    if let Some(command) = resolution.commands.first() {
        return format!("It passed after {} was run.", quote_command(command));
    }
    let told: Vec<String> = resolution.changes.iter().map(describe_line_change).collect();
    let what = if told.is_empty() { String::new() } else { format!(": {}", told.join("; ")) };
    let was = if resolution.files.len() == 1 { "was" } else { "were" };
    let files: Vec<&str> = resolution.files.iter().map(RepoPath::as_str).collect();
    format!("It passed after {} {was} changed{what}.", quoted_list(&files))
}

/// What is remembered.
fn text(fix: &ErrorFix, how: &str) -> String {
    // An assertion says little without the test it is in.
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

/// Whether every test that failed was written in this session before it did.
fn is_new_test(input: &RuleInput<'_>, ended: &OpenFailure<'_>) -> bool {
    let failed = failed_tests(&ended.run.output);
    let is_new = |name: &&str| {
        input.timeline.changes().any(|(step_index, _, change)| {
            step_index < ended.step_index && change.new.contains(name) && !change.old.contains(name)
        })
    };
    !failed.is_empty() && failed.iter().all(is_new)
}

/// The names of the tests of which an output says that they failed.
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

/// Whether a command only looks at things: that it fails says nothing about the work.
fn is_looking(line: &str) -> bool {
    let commands = joined_commands(line);
    commands.iter().all(|command| {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        match program(&words) {
            Some(("git", args)) => !args.contains(&"commit"),
            Some(("sed", args)) => !args.iter().any(|arg| arg.starts_with("-i")),
            Some((name, _)) => LOOKING.contains(&name),
            None => true,
        }
    })
}
