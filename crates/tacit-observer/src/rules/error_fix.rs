//! Learns fixes: a check showed a finding, something was changed, and a later run no longer shows it.
//!
//! Only pairs that explain themselves are kept: the error is the finding of a checker, and the
//! change is told by the lines that share its names, by the command that ended it, or, if the error
//! came back, by the changed file. Ignored are rules of linters (`house_rules` collects them),
//! compile errors of half-done edits, tests that were written before their code, changed values in
//! tests, and tests that pass and fail by themselves.

use std::collections::BTreeSet;

use tacit_core::log::NoteRecord;
use tacit_core::{
    CommitSha, ErrorFix, ErrorPattern, ErrorResolution, FileRole, FingerprintDigest, RepoPath,
};

use super::api_fact::{api_fact, describe, is_about_interface};
use super::failures::{EndedFinding, FailureHistory, TestFlip, TrackedEdit, leaf_name};
use super::fix_commands::{FixClass, classified_commands, fits, is_task, preparing_command};
use super::fix_lines::{TELLING, ToldChange, can_fix, changes_code, is_printed_file, told_change};
use super::{RuleInput, RuleOutput};
use crate::files::role;
use crate::findings::{Finding, FindingKind};
use crate::fingerprint::{error_fingerprint, finding_fingerprint};
use crate::git_commits::program;
use crate::promotion::{Basis, MemoryCandidate};
use crate::shell::joined_commands;
use crate::text::{
    MAX_COMMAND, count_times, describe_line_change, display_command, one_line, quote,
    quote_command, quoted_list, stable_key,
};

/// Maximum number of files in a fix: larger changes say nothing about one error.
pub const MAX_FILES: usize = 5;
/// Maximum length of a quoted error, in characters.
const MAX_ERROR: usize = 200;
/// Maximum number of files that are told if no line tells the fix.
const NAMED_FILES: usize = 2;
/// Times that a test must flip in one session to count as flaky.
const FLIPS: usize = 2;
const CONFIDENCE: f64 = 0.8;
/// Tag of memories worth showing at the start of a session once they are confirmed.
const CHEAT_SHEET: &str = "cheat-sheet";

/// Programs that only inspect or move things.
const INSPECTING_PROGRAMS: [&str; 38] = [
    "ls", "cat", "grep", "rg", "find", "fd", "echo", "pwd", "head", "tail", "which", "cd", "wc",
    "stat", "file", "diff", "test", "[", "tree", "ps", "env", "printf", "true", "sleep", "kill",
    "rm", "mkdir", "cp", "mv", "touch", "jq", "awk", "sort", "uniq", "tacit", "less", "du", "df",
];

/// A fix with its text.
struct ToldFix {
    text: String,
    resolution: ErrorResolution,
    files: Vec<RepoPath>,
    /// The description of the fix alone.
    how: String,
}

pub(crate) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let history = FailureHistory::read(input);
    let flaky = flaky_tests(input, &history, results);
    let mut told: BTreeSet<String> = BTreeSet::new();
    for ended in &history.ended {
        let about = about(ended);
        match conclude_fix(input, &history, ended, &flaky) {
            Ok((candidate, how)) => {
                // Several findings that one change ended are one lesson.
                if told.insert(how.clone()) {
                    results.resolved.extend(candidate.fingerprint().map(|print| (print, how)));
                    results.candidates.push(candidate);
                } else {
                    let why = "the same change is recorded with another finding";
                    results.reject(Basis::ErrorRetry, about, ended.failures, why);
                }
            }
            Err(why) => results.reject(Basis::ErrorRetry, about, ended.failures, why),
        }
    }
    for failed in &history.abandoned {
        let why = "the approach that led to it was given up";
        results.reject(Basis::ErrorRetry, about(failed), failed.failures, why);
    }
    for failed in &history.open {
        results.reject(Basis::ErrorRetry, about(failed), failed.failures, "it never passed");
    }
}

fn about(failed: &EndedFinding<'_>) -> String {
    let text = format!("`{}`: {}", display_command(&failed.run.line), error_text(&failed.finding));
    one_line(&text, 120)
}

/// Learns tests that pass and fail by themselves, and returns the names of all that did so in any
/// session.
fn flaky_tests(
    input: &RuleInput<'_>,
    history: &FailureHistory<'_>,
    results: &mut RuleOutput,
) -> BTreeSet<String> {
    let past: Vec<&String> = input
        .past_digests
        .iter()
        .filter(|digest| digest.session != input.digest.session)
        .flat_map(|digest| &digest.flaky)
        .collect();
    let mut names: BTreeSet<String> = past.iter().map(|name| (*name).clone()).collect();
    for flip in &history.flips {
        if !results.flaky.contains(&flip.test) {
            results.flaky.push(flip.test.clone());
        }
        names.insert(flip.test.clone());
    }
    for test in results.flaky.clone() {
        let flips: Vec<&TestFlip<'_>> =
            history.flips.iter().filter(|flip| flip.test == test).collect();
        let earlier = past.iter().filter(|name| **name == &test).count();
        let Some(last) = flips.last() else { continue };
        if flips.len() < FLIPS && earlier == 0 {
            let why = "it failed and passed with nothing changed, once so far";
            results.reject(Basis::ErrorRetry, format!("test `{test}`"), 1, why);
            continue;
        }
        let command = display_command(&last.run.line);
        let content = format!(
            "Test {} is flaky: it failed and passed with nothing changed in between ({}).",
            quote(&test),
            quote(&command)
        );
        let mut draft = input.draft("gotcha", content, &[], CONFIDENCE);
        draft.tags = vec![CHEAT_SHEET.to_owned(), "flaky".to_owned()];
        results.candidates.push(MemoryCandidate {
            basis: Basis::ErrorRetry,
            key: stable_key(&["flaky", leaf_name(&test)]),
            about: format!("flaky test `{test}`"),
            occurrences: u32::try_from(flips.len() + earlier).unwrap_or(u32::MAX).max(2),
            at: input.time_of(last.step_index),
            step_index: Some(last.step_index),
            draft,
            replaces: false,
        });
    }
    names
}

/// Returns the candidate and a description of the fix, or the reason why there is none.
fn conclude_fix(
    input: &RuleInput<'_>,
    history: &FailureHistory<'_>,
    ended: &EndedFinding<'_>,
    flaky: &BTreeSet<String>,
) -> Result<(MemoryCandidate, String), String> {
    let finding = &ended.finding;
    if finding.test.as_ref().is_some_and(|test| flaky.contains(test)) {
        return Err("the test passes and fails with nothing changed in between".to_owned());
    }
    let fingerprint = fingerprint(ended).ok_or("the output shows no error")?;
    let earlier: u32 = input
        .past_digests
        .iter()
        .filter(|digest| digest.session != input.digest.session)
        .flat_map(|digest| &digest.errors)
        .filter(|error| error.fingerprint == fingerprint)
        .map(|error| error.count)
        .sum();
    let recurs = ended.attempts > 0 || earlier > 0;
    let fix = tell_fix(input, history, ended, recurs)?;
    let mut draft = input.draft("error_pattern", fix.text, &fix.files, CONFIDENCE);
    let details = ErrorFix {
        failing_command: display_command(&ended.run.line),
        error: one_line(&error_text(finding), MAX_ERROR),
        failed_test: finding.test.as_deref().map(|test| leaf_name(test).to_owned()),
        failures: ended.failures,
        resolution: fix.resolution,
    };
    let pattern = ErrorPattern { fingerprint: fingerprint.clone(), fix: Some(details) };
    draft.details = serde_json::to_value(pattern).ok();
    draft.tags = vec![CHEAT_SHEET.to_owned()];
    let candidate = MemoryCandidate {
        basis: Basis::ErrorRetry,
        key: stable_key(&["error_fix", fingerprint.as_str()]),
        about: about(ended),
        // The final success counts as an occurrence.
        occurrences: ended.failures + earlier + 1,
        at: input.time_of(ended.ended_step),
        step_index: Some(ended.ended_step),
        draft,
        replaces: false,
    };
    Ok((candidate, fix.how))
}

/// Returns the fingerprint of a finding, or that of the output if no checker printed a finding.
fn fingerprint(ended: &EndedFinding<'_>) -> Option<FingerprintDigest> {
    if ended.finding.tool.is_empty() {
        let print = error_fingerprint(&ended.run.tool, &ended.run.output)?;
        return Some(print.digest().clone());
    }
    finding_fingerprint(&ended.finding)
}

/// Tells what ended a finding, or why it teaches nothing.
fn tell_fix(
    input: &RuleInput<'_>,
    history: &FailureHistory<'_>,
    ended: &EndedFinding<'_>,
    recurs: bool,
) -> Result<ToldFix, String> {
    let finding = &ended.finding;
    if display_command(&ended.run.line).len() > MAX_COMMAND || ended.run.line.contains("<<") {
        return Err("the command is too long to be quoted".to_owned());
    }
    let edits = history.fix_edits(ended);
    let fixing: Vec<&TrackedEdit<'_>> =
        edits.iter().copied().filter(|edit| can_fix(&edit.file)).collect();
    let commands = history.fix_commands(ended);
    if fixing.is_empty() && commands.is_empty() && history.builds_before(ended).is_empty() {
        return Err("it passed with nothing changed in between".to_owned());
    }
    let builds = history.builds_before(ended);
    if let Some(fix) = command_fix(ended, &fixing, &commands, &builds, recurs) {
        return Ok(fix);
    }
    if fixing.is_empty() {
        return Err("no file was changed in between".to_owned());
    }
    let earlier: Vec<&TrackedEdit<'_>> =
        history.edits.iter().filter(|edit| edit.step_index < ended.first_step).collect();
    if let Some(fact) = api_fact(finding, &earlier, &fixing) {
        let text = describe(finding, &fact);
        let (files, changes) = (vec![fact.file.clone()], vec![fact.change]);
        let resolution = ErrorResolution { files: files.clone(), changes, commands: Vec::new() };
        return Ok(ToldFix { how: text.clone(), text, resolution, files });
    }
    match finding.kind {
        FindingKind::Lint => return Err("house rules cover lint findings".to_owned()),
        FindingKind::Compile | FindingKind::Types => {
            // Code that does not compile is half done, unless the project is set up wrongly.
            if !fixing
                .iter()
                .all(|edit| matches!(role(&edit.file), FileRole::Config | FileRole::Lock))
            {
                return Err("it is an error of the session's own edit".to_owned());
            }
        }
        FindingKind::Test if is_about_interface(&finding.message) => {
            return Err("it is an error of the session's own edit".to_owned());
        }
        FindingKind::Test if is_new_test(finding, &earlier) && !is_setup_fix(finding, &fixing) => {
            return Err("the test that failed was written in this session".to_owned());
        }
        FindingKind::Usage if !fixing.iter().all(|edit| role(&edit.file) == FileRole::Config) => {
            return Err("it is an error of the command".to_owned());
        }
        FindingKind::Test | FindingKind::Usage => {}
    }
    if !changes_code(&fixing) {
        return Err("only values in tests, comments or imports were changed".to_owned());
    }
    change_fix(input, ended, &fixing, recurs)
}

/// Tells a fix by the lines that explain it, or by its files if the error came back.
fn change_fix(
    input: &RuleInput<'_>,
    ended: &EndedFinding<'_>,
    fixing: &[&TrackedEdit<'_>],
    recurs: bool,
) -> Result<ToldFix, String> {
    let finding = &ended.finding;
    let mut files: Vec<RepoPath> = fixing.iter().map(|edit| (*edit.file).clone()).collect();
    files.sort();
    files.dedup();
    if files.len() > MAX_FILES {
        return Err(format!("{} files were changed in between", files.len()));
    }
    let told = told_change(finding, &ended.run.output, fixing);
    let (files, changes, how) = match told {
        Some(told) => {
            // A change of the product that ends a failed test, or one in another file than the
            // finding, can be needed again.
            let printed = finding.file.as_deref();
            let elsewhere = role(&told.file) != FileRole::Test
                && (finding.kind == FindingKind::Test
                    || !printed.is_some_and(|file| is_printed_file(&told.file, file)));
            if !recurs && !elsewhere && !shows_setup(ended, &told, fixing) {
                return Err("it was met once and is settled by this change".to_owned());
            }
            let how = format!(
                "It passed after `{}` was changed: {}.",
                told.file,
                describe_line_change(&told.change)
            );
            (vec![told.file], vec![told.change], how)
        }
        None if recurs && files.len() <= NAMED_FILES && !error_text(finding).is_empty() => {
            let was = if files.len() == 1 { "was" } else { "were" };
            let names: Vec<&str> = files.iter().map(RepoPath::as_str).collect();
            let commit = commit_of(input, ended, &files)
                .map_or(String::new(), |sha| format!(" (commit {})", sha.as_str()));
            let how = format!("It passed after {} {was} changed{commit}.", quoted_list(&names));
            (files, Vec::new(), how)
        }
        None => return Err("no changed line tells what ended it".to_owned()),
    };
    let text = format!("{} {how}", failure_text(ended));
    let resolution = ErrorResolution { files: files.clone(), changes, commands: Vec::new() };
    Ok(ToldFix { text, resolution, files, how })
}

/// Tells a fix by the command that ended it: one that is known to end such errors, the only one
/// between a failure that came back and the pass, or, if nothing else happened, the last one that
/// installs, generates or builds something.
fn command_fix(
    ended: &EndedFinding<'_>,
    fixing: &[&TrackedEdit<'_>],
    commands: &[&str],
    builds: &[&str],
    recurs: bool,
) -> Option<ToldFix> {
    let fitting = commands.iter().rev().find_map(|line| {
        let mut classified = classified_commands(line);
        classified.retain(|(class, command)| {
            // That a formatter formats is no news; the project's own task for it is.
            let news = *class != FixClass::Format || recurs || is_task(command);
            news && fits(*class, &ended.finding)
        });
        classified.pop().map(|(_, command)| command)
    });
    let only = match commands {
        [only] if fixing.is_empty() && ended.passed && (recurs || ended.failures > 1) => {
            Some(display_command(only)).filter(|line| {
                line.len() <= MAX_COMMAND && line != &display_command(&ended.run.line)
            })
        }
        _ => None,
    };
    let prepared = || {
        let classified: Option<Vec<String>> =
            commands.iter().map(|line| preparing_command(line)).collect();
        let last = classified?.pop();
        last.or_else(|| builds.last().map(|line| display_command(line)))
            .filter(|command| command.len() <= MAX_COMMAND)
    };
    let alone = fixing.is_empty() && ended.passed;
    let command = fitting.or(only).or_else(|| alone.then(prepared).flatten())?;
    let how = format!("{} ended it.", quote_command(&command));
    let text = format!("{} {how}", failure_text(ended));
    let resolution = ErrorResolution { commands: vec![command], ..ErrorResolution::default() };
    Some(ToldFix { text, resolution, files: Vec::new(), how })
}

/// Renders the failure: the command, the test and the message.
fn failure_text(ended: &EndedFinding<'_>) -> String {
    let command = quote_command(&display_command(&ended.run.line));
    let seen = match ended.failures {
        0 | 1 => String::new(),
        failures => format!(" {}", count_times(failures as usize)),
    };
    let message = clean_message(&ended.finding.message);
    match &ended.finding.test {
        Some(test) if message.is_empty() => {
            format!("Test {} failed{seen} ({command}).", quote(leaf_name(test)))
        }
        Some(test) => {
            format!("Test {} failed{seen} ({command}): {message}.", quote(leaf_name(test)))
        }
        None => format!("{command} failed{seen}: {message}."),
    }
}

/// Returns a message as a clause on one line: without absolute paths in brackets and without an
/// announcement of more text.
pub(super) fn clean_message(message: &str) -> String {
    let mut message = message.to_owned();
    while let Some(at) = message.find(" (/")
        && let Some(end) = message[at..].find(')')
    {
        message.replace_range(at..=at + end, "");
    }
    let announced =
        message.trim_end().strip_suffix(':').map(|rest| match rest.rsplit_once([';', ',']) {
            Some((before, _)) => before.to_owned(),
            None => rest.to_owned(),
        });
    one_line(announced.unwrap_or(message).trim_end_matches(['.', ' ', ':']), MAX_ERROR)
}

/// Returns the message of a finding, or the name of its test.
fn error_text(finding: &Finding) -> String {
    match &finding.test {
        _ if !finding.message.is_empty() => finding.message.clone(),
        Some(test) => format!("test {test} failed"),
        None => String::new(),
    }
}

/// Returns the first commit after the end of a finding with one of the files.
fn commit_of<'a>(
    input: &'a RuleInput<'_>,
    ended: &EndedFinding<'_>,
    files: &[RepoPath],
) -> Option<&'a CommitSha> {
    let since = input.time_of(ended.failed_step);
    let commits = input.tree.notes.iter().filter_map(|note| match &note.record {
        NoteRecord::Commit(commit)
            if note.at >= since && note.files.iter().any(|file| files.contains(file)) =>
        {
            Some((note.at, &commit.sha))
        }
        _ => None,
    });
    commits.min_by_key(|(at, _)| *at).map(|(_, sha)| sha)
}

/// Words of messages that compare a result with what a test expects.
const EXPECTATIONS: [&str; 10] =
    ["expected", "want", "assert", "should", "to equal", "to be", " got", "!=", "==", "mismatch"];

/// Returns true if a test failed for a reason other than its expectation, and only tests or only the
/// configuration was changed: they show what a test needs here.
fn is_setup_fix(finding: &Finding, fixing: &[&TrackedEdit<'_>]) -> bool {
    let message = finding.message.to_lowercase();
    !message.is_empty()
        && !EXPECTATIONS.iter().any(|word| message.contains(word))
        && [FileRole::Test, FileRole::Config]
            .into_iter()
            .any(|changed| fixing.iter().all(|edit| role(&edit.file) == changed))
}

/// Returns true if a change in a test shows what tests need here, rather than what they expect: the
/// message itself, without the name of the test, leads to a line that asserts nothing.
fn shows_setup(ended: &EndedFinding<'_>, told: &ToldChange, fixing: &[&TrackedEdit<'_>]) -> bool {
    let finding = &ended.finding;

    let asserts = |line: &Option<String>| {
        let line = line.as_deref().unwrap_or_default().to_lowercase();
        ["assert", "expect", "should", "t.error", "t.fatal", "want", "require."]
            .iter()
            .any(|word| line.contains(word))
    };
    if is_setup_fix(finding, fixing) {
        return told.change.added.is_some() && !asserts(&told.change.removed);
    }
    let unnamed = Finding { test: None, ..finding.clone() };
    let by_message = told_change(&unnamed, &ended.run.output, fixing);
    finding.kind == FindingKind::Test
        && told.change.added.is_some()
        && fixing.iter().all(|edit| role(&edit.file) == FileRole::Test)
        && by_message.is_some_and(|by| by.change == told.change && by.relevance >= TELLING)
        && !asserts(&told.change.removed)
        && !asserts(&told.change.added)
}

/// Returns true if a failed test was written in this session.
fn is_new_test(finding: &Finding, earlier: &[&TrackedEdit<'_>]) -> bool {
    let Some(name) = finding.test.as_deref().map(leaf_name) else { return false };
    // Subtests and parameters follow the name of the test.
    let name = name.split(['/', '[', '(']).next().unwrap_or(name).trim();
    // `com.shop.OrderTest.isPaid` is written as `isPaid`.
    let name = if name.contains(' ') { name } else { name.rsplit('.').next().unwrap_or(name) };
    !name.is_empty()
        && earlier.iter().any(|edit| edit.edit.new.contains(name) && !edit.edit.old.contains(name))
}

/// Returns true if a command only inspects things, so that its failure says nothing about the work.
pub(crate) fn only_inspects(line: &str) -> bool {
    joined_commands(line).iter().all(|command| {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        inspects(&words)
    })
}

/// Returns true if a simple command only inspects or moves things.
pub(super) fn inspects(words: &[&str]) -> bool {
    match program(words) {
        Some(("git", args)) => !args.contains(&"commit"),
        Some(("sed", args)) => !args.iter().any(|arg| arg.starts_with("-i")),
        Some(("docker" | "docker-compose" | "podman", args)) => {
            let looks = ["ps", "ls", "images", "inspect", "logs", "version", "info", "config"];
            args.iter().any(|arg| looks.contains(arg))
        }
        Some((name, _)) => INSPECTING_PROGRAMS.contains(&name),
        None => true,
    }
}
