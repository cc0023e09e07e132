//! Settings without which a command fails: a variable of the environment, another way to start the
//! program, or an option that the failure mentions. No known reason is needed, because nothing but
//! the setting differs between the command that failed and the one that worked.

use super::pair::is_bypass;
use super::reason::{Reason, ReasonKind};
use super::{RunCalls, is_at_fault, works};
use crate::command_form::CommandCall;
use crate::findings::{Finding, FindingKind, findings};
use crate::fingerprint::error_lines;
use crate::validation::CheckOutcome;

/// Minimum length of a word that an option and a failure share, in bytes.
const MIN_SHARED: usize = 4;
/// Maximum number of error lines that are read, maximum number of lines of a short output, and
/// minimum number of words in an error.
const MAX_ERRORS: usize = 6;
const MAX_SHORT: usize = 12;
const MIN_WORDS: usize = 3;
/// Parts of variables that change what is printed, skipped or accepted, not what works.
const IRRELEVANT_VARIABLES: [&str; 18] = [
    "BACKTRACE",
    "LOG",
    "DEBUG",
    "VERBOSE",
    "TRACE",
    "COLOR",
    "COLUMNS",
    "TERM",
    "PAGER",
    "CI",
    "UPDATE",
    "ACCEPT",
    "BLESS",
    "REGENERATE",
    "REGEN",
    "SNAPSHOT",
    "SNAPSHOTS",
    "SKIP",
];

/// Returns the failure that a setting of a later command ended, with the command that lacks the
/// setting and the one that has it. `changed` is true if something was changed between two steps.
pub(super) fn missing_setting<'r, 'a>(
    run: &'r RunCalls<'a>,
    later: &'r [RunCalls<'a>],
    changed: impl Fn(usize, usize) -> bool,
) -> Option<(Reason, &'r CommandCall<'a>, &'r CommandCall<'a>)> {
    let failed = run.run.succeeded == Some(false) || run.run.check.outcome == CheckOutcome::Failed;
    if !failed || !run.reasons.is_empty() {
        return None;
    }
    let findings = findings(&run.run.output);
    let error = stated_error(&run.run.output, &findings)?;
    let is_about_code = findings.iter().any(|finding| {
        finding.kind != FindingKind::Usage
            && (finding.test.is_some()
                || finding.file.as_deref().is_some_and(|file| !is_elsewhere(file)))
    });
    let later = later.iter().take_while(|next| !changed(run.step_index, next.step_index));
    for next in later.filter(|next| works(next) && !next.run.output.contains(&error)) {
        for failed in &run.calls {
            let found = next.calls.iter().find(|variant| {
                !is_at_fault(next, variant)
                    && !variant.is_temporary()
                    && !failed.is_temporary()
                    && (differs_in_start(failed, variant)
                        || (!is_about_code && adds_named_option(failed, variant, &run.run.output)))
            });
            if let Some(variant) = found {
                let reason = Reason::new(ReasonKind::Setting, String::new(), error);
                return Some((reason, failed, variant));
            }
        }
    }
    None
}

/// Returns the error that an output states: the message of the first finding, or the first line of an
/// error that is a sentence.
fn stated_error(output: &str, findings: &[Finding]) -> Option<String> {
    let message = findings.iter().map(|finding| finding.message.as_str());
    let lines = error_lines(output, MAX_ERRORS);
    // A short output has nothing but the error.
    let is_short = output.lines().count() <= MAX_SHORT;
    let all = output.lines().filter(|line| is_short && !line.starts_with("Exit code"));
    let stated = message.chain(lines.iter().map(String::as_str)).chain(all);
    let is_sentence = |line: &&str| {
        line.split_whitespace().count() >= MIN_WORDS
            && !line.contains("://")
            && !line.starts_with('[')
    };
    stated.map(without_frame).find(is_sentence).map(str::to_owned)
}

/// Removes what Maven puts around an error: its level, the goal and a reference.
fn without_frame(line: &str) -> &str {
    let line = line.trim().trim_start_matches("[ERROR]").trim();
    let line = line.split(" -> [Help").next().unwrap_or(line);
    let goal = line.split_once(" on project ").and_then(|(_, rest)| rest.split_once(": "));
    goal.map_or(line, |(_, error)| error)
}

/// Returns true if a path belongs to a tool or a library, not to the project.
fn is_elsewhere(file: &str) -> bool {
    ["://", "/vendor/", "node_modules/", "/registry/", "site-packages/", "/pkg/mod/"]
        .iter()
        .any(|part| file.contains(part))
}

/// Returns true if two commands differ only in variables that the variant sets, or in its launcher.
fn differs_in_start(failed: &CommandCall<'_>, variant: &CommandCall<'_>) -> bool {
    if failed.program() != variant.program() || failed.arguments() != variant.arguments() {
        return false;
    }
    let own = failed.assignments();
    let added: Vec<&String> =
        variant.assignments().iter().filter(|word| !own.contains(word)).collect();
    let keeps = own.iter().all(|word| variant.assignments().contains(word));
    if failed.launcher() == variant.launcher() {
        return keeps && !added.is_empty() && added.iter().all(|word| is_relevant(word));
    }
    let only_limits = variant.launcher().first().is_some_and(|word| word.ends_with("timeout"));
    keeps && added.is_empty() && !variant.launcher().is_empty() && !only_limits
}

fn is_relevant(assignment: &str) -> bool {
    let name = assignment.split('=').next().unwrap_or(assignment);
    !name.split('_').any(|part| IRRELEVANT_VARIABLES.contains(&part))
}

/// Returns true if the variant only adds options, one of which the output of the failure mentions.
fn adds_named_option(failed: &CommandCall<'_>, variant: &CommandCall<'_>, output: &str) -> bool {
    let same_start = failed.launcher() == variant.launcher()
        && failed.program() == variant.program()
        && failed.assignments() == variant.assignments();
    let mut own = failed.arguments().iter().peekable();
    let mut added: Vec<&str> = Vec::new();
    for word in variant.arguments() {
        if own.next_if(|own| *own == word).is_some() {
            continue;
        }
        added.push(word);
    }
    let mut after_option = false;
    let only_options = added.iter().all(|word| {
        let is_option = word.starts_with('-');
        let fits = is_option || after_option;
        after_option = is_option && !word.contains('=');
        fits
    });
    let output = output.to_lowercase();
    let is_named = |option: &&str| {
        let name = option.split('=').next().unwrap_or(option).to_lowercase();
        output.contains(&name)
            || name.split(['-', '.']).any(|part| part.len() >= MIN_SHARED && output.contains(part))
    };
    let mut options = added.iter().copied().filter(|word| word.starts_with("--") || word.len() > 2);
    same_start
        && own.peek().is_none()
        && only_options
        && !added.iter().any(|option| is_bypass(option))
        && options.any(|option| is_named(&option))
}
