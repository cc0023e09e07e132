//! Learns what an agent said about a cause, a rule or a lesson, at the end of a turn that taught
//! something, under the heading of a lesson, or as a rule that stands alone. The facts that were observed stand beside the words,
//! which are quoted as evidence and prove nothing by themselves.

mod lines;
mod statements;
#[rustfmt::skip] // The words fill the lines.
mod words;

use std::collections::BTreeSet;

use tacit_core::RepoPath;

use super::{MAX_FILES, RuleInput, RuleOutput};
use crate::files::is_checked;
use crate::git_commits::commit_commands;
use crate::promotion::{Basis, MemoryCandidate};
use crate::text::{one_line, quoted_list, stable_key};
use crate::turns::{ConversationTurn, TeachingSign, prompts, repeats, turns};
use statements::{Account, account};
pub(crate) use statements::{is_name, message_sentences};

const CONFIDENCE: f64 = 0.7;
/// Confidence if no check passed in the turn.
const UNCHECKED_CONFIDENCE: f64 = 0.6;
/// Maximum number of files in which a problem is said to be solved.
const SOLVED_IN: usize = 2;
/// Names that two accounts share if the later one corrects the earlier.
const SHARED_NAMES: usize = 1;

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let turns = turns(input.timeline, input.abandoned_approaches);
    let told: Vec<(&ConversationTurn<'_>, Option<Account>)> =
        turns.iter().map(|turn| (turn, account(turn.message))).collect();
    for (index, (turn, account)) in told.iter().enumerate() {
        let taught = !turn.signs.is_empty();
        let counts = |account: &&Account| {
            taught || account.is_lesson || account.names_cause || account.stands_alone
        };
        let Some(account) = account.as_ref().filter(counts) else {
            if !taught {
                continue;
            }
            let about = one_line(turn.message, 100);
            results.reject(Basis::Account, about, 1, "the last message states no cause or rule");
            continue;
        };
        let answer = told.get(index + 1).filter(|(next, _)| next.first_step == turn.first_step);
        if answer.and_then(|(_, said)| said.as_ref()).is_some_and(|said| said.is_lesson) {
            let why = "the agent put it as a lesson when it was asked";
            results.reject(Basis::Account, one_line(&account.quote, 100), 1, why);
            continue;
        }
        let later = told[index + 1..].iter();
        let overtaken = later.filter(|(later, _)| later.remains).any(|(_, other)| {
            other.as_ref().is_some_and(|other| is_about_the_same(&account.text, &other.text))
        });
        if let Some(why) = objection(input, turn, account, overtaken) {
            results.reject(Basis::Account, one_line(&account.quote, 100), 1, why);
            continue;
        }
        results.candidates.push(candidate(input, turn, account));
    }
}

/// Returns the reason why an account is not kept.
fn objection(
    input: &RuleInput<'_>,
    turn: &ConversationTurn<'_>,
    account: &Account,
    overtaken: bool,
) -> Option<&'static str> {
    if overtaken {
        return Some("the problem remained, and was explained again later");
    }
    let asked = prompts(input.timeline, turn.first_step..turn.last_step);
    if repeats(&account.quote, asked.map(|(_, prompt)| prompt)) {
        return Some("the prompt says so already");
    }
    let is_dropped = |file: &RepoPath| {
        input.abandoned_approaches.iter().any(|approach| {
            approach.first_step >= turn.first_step
                && approach.last_step > turn.last_step
                && approach.files.contains(file)
        })
    };
    if !turn.changed.is_empty() && turn.changed.iter().all(is_dropped) {
        return Some("its change was given up later");
    }
    let mut asked = prompts(input.timeline, turn.first_step..turn.last_step);
    if turn.changed.is_empty() && asked.any(|(_, prompt)| asks_for_reason(prompt)) {
        return Some("it is the reason for a choice of the agent");
    }
    let is_kept = |step_index: usize, file: &RepoPath| {
        !input.abandoned_approaches.iter().any(|approach| {
            (approach.first_step..=approach.last_step).contains(&step_index)
                && approach.files.contains(file)
        })
    };
    let acted = input.timeline.changes().any(|(at, file, _)| is_kept(at, file))
        || input.timeline.runs().any(|(_, run)| !commit_commands(&run.line).is_empty());
    (!acted).then_some("nothing was changed because of it")
}

/// Returns true if the user asks why the agent did something.
fn asks_for_reason(prompt: &str) -> bool {
    let lower = prompt.to_lowercase();
    ["why did you ", "why do you ", "why are you ", "why have you ", "why didn't you "]
        .iter()
        .any(|question| lower.contains(question))
}

fn candidate(
    input: &RuleInput<'_>,
    turn: &ConversationTurn<'_>,
    account: &Account,
) -> MemoryCandidate {
    let files = files(turn, &account.text);
    let fixed = turn.signs.contains(&TeachingSign::FailureFixed);
    let confidence = if fixed { CONFIDENCE } else { UNCHECKED_CONFIDENCE };
    let mut draft = input.draft("gotcha", text(input, turn, account, &files), &files, confidence);
    draft.reasoning =
        Some(one_line(&format!("{} The agent said: “{}”", observed(turn), account.quote), 600));
    MemoryCandidate {
        basis: Basis::Account,
        key: stable_key(&["account", &account.text.to_lowercase()]),
        about: one_line(&account.quote, 100),
        occurrences: 1,
        at: input.time_of(turn.last_step),
        step_index: None,
        draft,
        replaces: false,
    }
}

/// Returns the text of the memory. A problem that was solved is told as such, because it no longer
/// exists.
fn text(
    input: &RuleInput<'_>,
    turn: &ConversationTurn<'_>,
    account: &Account,
    files: &[RepoPath],
) -> String {
    let later = input.timeline.changes().filter(|(step_index, ..)| *step_index > turn.first_step);
    let mut solved: Vec<&str> = later
        .map(|(_, file, _)| file)
        .filter(|file| {
            is_checked(file) && (names(&account.text, file) || files == [(*file).clone()])
        })
        .map(RepoPath::as_str)
        .collect();
    solved.sort_unstable();
    solved.dedup();
    if account.is_problem && (1..=SOLVED_IN).contains(&solved.len()) {
        format!("Solved in {}: {}", quoted_list(&solved), account.text)
    } else {
        account.text.clone()
    }
}

/// Returns the changed files that the account names, or all of them if they are few.
fn files(turn: &ConversationTurn<'_>, text: &str) -> Vec<RepoPath> {
    let is_named = |file: &&RepoPath| names(text, file);
    let named: Vec<RepoPath> = turn.changed.iter().filter(is_named).cloned().collect();
    match named.is_empty() {
        true if turn.changed.len() <= MAX_FILES => turn.changed.clone(),
        true => Vec::new(),
        false => named.into_iter().take(MAX_FILES).collect(),
    }
}

/// Returns true if a text names a file, with or without its ending.
fn names(text: &str, file: &RepoPath) -> bool {
    let name = file.as_str().rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or(name);
    text.contains(name) || (stem.len() > 4 && text.contains(stem))
}

/// Describes what was seen in the turn.
fn observed(turn: &ConversationTurn<'_>) -> String {
    let signs: Vec<&str> = turn
        .signs
        .iter()
        .map(|sign| match sign {
            TeachingSign::FailureFixed => "a check failed and then passed",
            TeachingSign::FailureRepeated => "a check failed repeatedly",
            TeachingSign::ApproachDropped => "an approach was given up",
            TeachingSign::ProblemReported => "the user reported a problem",
        })
        .collect();
    let changed: Vec<&str> = turn.changed.iter().map(RepoPath::as_str).take(MAX_FILES).collect();
    let changed = match changed.is_empty() {
        true => String::new(),
        false => format!(", and {} changed", quoted_list(&changed)),
    };
    let seen =
        if signs.is_empty() { "the agent stated a rule".to_owned() } else { signs.join(", ") };
    format!("In this turn {seen}{changed}.")
}

fn is_about_the_same(one: &str, other: &str) -> bool {
    let names = |text: &str| -> BTreeSet<String> {
        let split = |c: char| c.is_whitespace() || "`(),;\"".contains(c);
        text.split(split).filter(|word| is_name(word)).map(str::to_owned).collect()
    };
    names(one).intersection(&names(other)).count() >= SHARED_NAMES
}
