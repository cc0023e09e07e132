//! Learns approaches that were given up, with the reason and the alternative. An approach without a
//! name, a reason or an alternative is not worth telling.

mod names;
mod told;

use tacit_core::{DeadEnd, FileRole, RepoPath};

use self::names::used_names;
use self::told::{ToldApproach, told_approaches};
use super::{RuleInput, RuleOutput};
use crate::file_edit::FileEdit;
use crate::files::{directory, role};
use crate::findings::{FindingKind, findings};
use crate::fingerprint::error_lines;
use crate::promotion::{Basis, MemoryCandidate};
use crate::reverts::AbandonedApproach;
use crate::text::{one_line, quote_command, quoted_list, stable_key};
use crate::timeline::{CommandRun, StepKind, TimelineStep};
use crate::validation::CheckOutcome;

const CONFIDENCE: f64 = 0.7;
/// Maximum length of a field, in characters.
const MAX_FIELD: usize = 400;
/// Maximum length of an error or a quoted sentence, in characters.
const MAX_REASON: usize = 240;
/// Maximum number of names and files to tell.
const MAX_NAMES: usize = 3;
const MAX_NAMED_FILES: usize = 2;
/// Number of tool calls after the revert in which the alternative is looked for.
const ALTERNATIVE_CALLS: usize = 40;
/// Number of tool calls between a statement and the revert that it explains.
const STATEMENT_CALLS: usize = 6;

/// Words that tell why something was given up.
const REASONS: [&str; 16] = [
    "because",
    "doesn't",
    "does not",
    "didn't",
    "did not",
    "can't",
    "cannot",
    "breaks",
    "broke",
    "fails",
    "failed",
    "instead of",
    "not supported",
    "wrong",
    "revert",
    "too slow",
];

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let told = told_approaches(input);
    for approach in input.abandoned_approaches {
        let files: Vec<&str> = approach.files.iter().map(RepoPath::as_str).collect();
        let named = quoted_list(&files[..files.len().min(MAX_NAMED_FILES)]);
        let about = one_line(&format!("{named} ({})", approach.how), 120);
        if told.iter().any(|told| told.is_in(&tried(input, approach))) {
            let why = "the agent told what was given up";
            results.reject(Basis::DeadEnd, about, 1, why);
            continue;
        }
        match dead_end(input, approach) {
            Ok(candidate) => results.candidates.push(MemoryCandidate { about, ..candidate }),
            Err(why) => results.reject(Basis::DeadEnd, about, 1, why),
        }
    }
    for approach in told {
        // The same words may have been taken for an account; here the session bears them out.
        results.candidates.retain(|other| {
            let told = other.draft.content.as_str();
            other.basis != Basis::Account
                || !(told.starts_with("Tried ") && told.contains(&approach.name))
        });
        let (what, files) = (approach.what(), vec![approach.file.clone()]);
        let ToldApproach { why, alternative, steps, .. } = approach;
        let told = ToldDeadEnd { what, why, alternative };
        results.candidates.push(told.candidate(input, steps, &files));
    }
}

fn tried<'a>(input: &RuleInput<'a>, approach: &AbandonedApproach) -> Changes<'a> {
    Changes::new(edits(input, approach.first_step..approach.last_step, |file| {
        approach.files.contains(file)
    }))
}

/// An approach, the reason why it was given up, and what took its place, in words.
struct ToldDeadEnd {
    what: String,
    why: String,
    alternative: String,
}

impl ToldDeadEnd {
    /// Returns the candidate for an approach that was begun and given up at these steps.
    fn candidate(
        self,
        input: &RuleInput<'_>,
        (first_step, last_step): (usize, usize),
        files: &[RepoPath],
    ) -> MemoryCandidate {
        let what = one_line(&self.what, MAX_FIELD);
        let alternative = one_line(&self.alternative, MAX_FIELD);
        let why = self.why.trim_end_matches('.');
        let content = format!("Tried and given up: {what}. Why: {why}. Instead: {alternative}.");
        let task = input.timeline.task_before(first_step).unwrap_or("unknown");
        let details = DeadEnd {
            approach_tried: what.clone(),
            why_it_failed: self.why.clone(),
            alternative_used: alternative,
            task_context: one_line(task, MAX_FIELD),
        };
        let mut draft = input.draft("dead_end", content, files, CONFIDENCE);
        draft.details = serde_json::to_value(&details).ok();
        draft.related_files.truncate(20);
        let key = stable_key(&["dead_end", &what]);
        let about = one_line(&what, 120);
        let candidate = input.candidate_at_end(Basis::DeadEnd, key, about, 1, draft);
        MemoryCandidate { at: input.time_of(last_step), ..candidate }
    }
}

/// The changes of an approach or of what replaced it.
struct Changes<'a> {
    edits: Vec<(usize, &'a RepoPath, &'a FileEdit)>,
    /// Names that the new text uses and the replaced text does not.
    names: Vec<String>,
}

impl<'a> Changes<'a> {
    fn new(edits: Vec<(usize, &'a RepoPath, &'a FileEdit)>) -> Changes<'a> {
        let text = |part: fn(&FileEdit) -> &str| {
            edits.iter().map(|(_, _, edit)| part(edit)).collect::<Vec<_>>().join("\n")
        };
        let old = used_names(&text(|edit| &edit.old));
        let mut names = used_names(&text(|edit| &edit.new));
        names.retain(|name| !old.contains(name));
        Changes { edits, names }
    }

    /// Returns the files, the one with the most edits first.
    fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = self.edits.iter().map(|(_, file, _)| file.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        files.sort_by_key(|name| {
            let edits = self.edits.iter().filter(|(_, file, _)| file.as_str() == *name);
            std::cmp::Reverse(edits.count())
        });
        files.truncate(MAX_NAMED_FILES);
        files
    }

    /// Tells the names that `other` does not use, with the files.
    fn describe_names(&self, other: &Changes<'_>) -> Option<String> {
        let own: Vec<&String> =
            self.names.iter().filter(|name| !other.names.contains(name)).take(MAX_NAMES).collect();
        (!own.is_empty())
            .then(|| format!("{} in {}", quoted_list(&own), quoted_list(&self.files())))
    }

    /// Tells the first changed line of code.
    fn describe_line(&self) -> Option<String> {
        let (_, file, line) = self.edits.iter().find_map(|(step_index, file, edit)| {
            let change = edit.first_lines()?;
            let is_code = |line: &Option<String>| {
                line.as_ref().is_none_or(|line| !line.starts_with(['#', '/', '*', '"', '<']))
            };
            (is_code(&change.removed) && is_code(&change.added))
                .then(|| edit.describe().map(|line| (step_index, file, line)))?
        })?;
        Some(format!("{line} in `{file}`"))
    }
}

fn dead_end(
    input: &RuleInput<'_>,
    approach: &AbandonedApproach,
) -> Result<MemoryCandidate, String> {
    let tried = tried(input, approach);
    let objection = user_objection(input, approach);
    let mut alternatives = alternative(input, approach);
    if objection.is_some() {
        // The next prompt is about something else.
        let steps = &input.timeline.steps[approach.last_step..];
        let is_prompt = |step: &TimelineStep| matches!(step.kind, StepKind::Prompt(_));
        let end = steps.iter().position(is_prompt).map(|at| approach.last_step + at);
        alternatives.retain(|(at, ..)| end.is_none_or(|end| *at < end));
    }
    let instead = Changes::new(alternatives);
    if instead.edits.is_empty() && objection.is_none() {
        return Err("no checked alternative took its place".into());
    }
    let Some(what) = tried.describe_names(&instead) else {
        return Err("nothing names the approach".into());
    };
    let restored = || objection.map(|_| "the earlier code".to_owned());
    let Some(alternative) =
        instead.describe_names(&tried).or_else(|| instead.describe_line()).or_else(restored)
    else {
        return Err("nothing names the alternative".into());
    };
    let last_edit = tried.edits.last().map_or(approach.first_step, |(step_index, ..)| *step_index);
    let objection = || objection.map(|said| format!("the user said {}", quote_sentence(said)));
    let why = match said_reason(input, approach, &tried).or_else(objection) {
        Some(said) => said,
        None if prompted_between(input, last_edit, approach.last_step) => {
            return Err("it may have been committed before it was discarded".into());
        }
        None => match failure(input, approach, &tried) {
            Some(failure) => failure,
            None => return Err("nothing tells why it was given up".into()),
        },
    };
    let steps = (approach.first_step, approach.last_step);
    Ok(ToldDeadEnd { what, why, alternative }.candidate(input, steps, &approach.files))
}

/// Returns the edits in a range of steps.
fn edits<'a>(
    input: &RuleInput<'a>,
    range: std::ops::Range<usize>,
    includes: impl Fn(&RepoPath) -> bool,
) -> Vec<(usize, &'a RepoPath, &'a FileEdit)> {
    let changes = input.timeline.changes();
    changes.filter(|(at, file, _)| range.contains(at) && includes(file)).collect()
}

/// Returns the checked edits after the revert that took the place of an approach: in its files or
/// beside them, and not given up as well.
fn alternative<'a>(
    input: &RuleInput<'a>,
    approach: &AbandonedApproach,
) -> Vec<(usize, &'a RepoPath, &'a FileEdit)> {
    let end = input.last_checked_step();
    let steps = &input.timeline.steps;
    let call = steps[approach.last_step].call_number;
    let is_near = |at: usize| {
        steps[at].conversation != steps[approach.last_step].conversation
            || steps[at].call_number <= call + ALTERNATIVE_CALLS
    };
    let is_beside =
        |file: &RepoPath| approach.files.iter().any(|tried| directory(tried) == directory(file));
    let is_kept = |at: usize, file: &RepoPath| {
        !input.abandoned_approaches.iter().any(|other| {
            (other.first_step..other.last_step).contains(&at) && other.files.contains(file)
        })
    };
    // The edit that restores the earlier content belongs to the revert.
    let all = edits(input, approach.last_step + 1..end.max(approach.last_step + 1), is_beside);
    all.into_iter().filter(|(at, file, _)| is_near(*at) && is_kept(*at, file)).collect()
}

/// Returns the failure that ended an approach: an error about its files or names that did not occur
/// again.
fn failure(
    input: &RuleInput<'_>,
    approach: &AbandonedApproach,
    tried: &Changes<'_>,
) -> Option<String> {
    let failed = |run: &CommandRun| run.check.outcome == CheckOutcome::Failed;
    let runs = || input.timeline.runs().filter(|(_, run)| failed(run));
    let during = runs().filter(|(at, _)| (approach.first_step..approach.last_step).contains(at));
    let (_, run) = during.last()?;
    let error = error_of(run)?;
    let again = runs()
        .filter(|(at, _)| *at > approach.last_step || *at < approach.first_step)
        .any(|(_, run)| error_of(run).as_deref() == Some(error.as_str()));
    let is_about = approach.files.iter().any(|file| run.output.contains(file.as_str()))
        || tried.names.iter().any(|name| {
            let parts = name.split(['.', ':', '/']).filter(|part| part.len() > 2);
            parts.into_iter().any(|part| error.contains(part))
        });
    (is_about && !again)
        .then(|| format!("{} failed: {}", quote_command(&run.line), one_line(&error, MAX_REASON)))
}

/// Returns the first error that the output of a command tells about the code.
fn error_of(run: &CommandRun) -> Option<String> {
    let found = findings(&run.output);
    match found.iter().find(|finding| finding.kind != FindingKind::Usage) {
        Some(finding) => Some(match &finding.rule {
            Some(rule) => format!("{} ({rule})", finding.message),
            None => finding.message.clone(),
        }),
        None if found.is_empty() => error_lines(&run.output, 1).pop(),
        None => None,
    }
}

/// Returns true if the user said something between two steps.
fn prompted_between(input: &RuleInput<'_>, from: usize, to: usize) -> bool {
    input.timeline.steps[from..to].iter().any(|step| matches!(step.kind, StepKind::Prompt(_)))
}

/// Returns the words of the user before the revert, or of the agent after it, that tell the reason.
fn said_reason(
    input: &RuleInput<'_>,
    approach: &AbandonedApproach,
    tried: &Changes<'_>,
) -> Option<String> {
    let steps = &input.timeline.steps;
    let revert = &steps[approach.last_step];
    let before = steps[approach.first_step..approach.last_step].iter().rev().find_map(|step| {
        match &step.kind {
            StepKind::Prompt(text) => Some((step, text)),
            _ => None,
        }
    });
    if let Some((step, text)) = before
        && step.conversation == revert.conversation
        && revert.call_number - step.call_number <= STATEMENT_CALLS
        && let Some(sentence) = reason_in(text, tried)
    {
        return Some(format!("the user said {}", quote_sentence(sentence)));
    }
    let after = steps[approach.last_step..].iter().find_map(|step| match &step.kind {
        StepKind::Message(text) if step.conversation == revert.conversation => Some(text),
        _ => None,
    });
    let sentence = reason_in(after?, tried)?;
    Some(format!("the agent said {}", quote_sentence(sentence)))
}

fn quote_sentence(sentence: &str) -> String {
    format!("“{}”", one_line(sentence.trim_end_matches('.'), MAX_REASON))
}

/// Returns the sentence that tells why an approach was given up: it names the approach, and says
/// that something does not work or was taken back.
fn reason_in<'t>(text: &'t str, tried: &Changes<'_>) -> Option<&'t str> {
    sentences(text).find(|sentence| {
        let names = tried.names.iter().any(|name| {
            let last = name.rsplit(['.', ':', '/']).next().unwrap_or(name);
            last.len() > 3 && sentence.contains(last)
        });
        names && sentence.len() > 20 && has_phrase(sentence, &REASONS)
    })
}

/// Returns the sentence with which the user turned an approach down before code was restored.
fn user_objection<'a>(input: &RuleInput<'a>, approach: &AbandonedApproach) -> Option<&'a str> {
    const OBJECTIONS: [&str; 5] =
        ["don't like", "not sure i like", "don't want", "do not want", "rather not"];
    let is_code = |file: &RepoPath| matches!(role(file), FileRole::Source | FileRole::Config);
    let conversation = input.timeline.steps[approach.last_step].conversation;
    let steps = &input.timeline.steps[approach.first_step..approach.last_step];
    let prompts = steps.iter().rev().filter(|step| step.conversation == conversation);
    let mut objections = prompts.filter_map(|step| match &step.kind {
        StepKind::Prompt(text) => sentences(text)
            .find(|sentence| sentence.len() > 20 && has_phrase(sentence, &OBJECTIONS)),
        _ => None,
    });
    objections.next().filter(|_| approach.files.iter().any(is_code))
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '!', '?']).flat_map(|line| line.split(". ")).map(str::trim)
}

/// Returns true if a text has one of some phrases, in any case.
fn has_phrase(text: &str, phrases: &[&str]) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    phrases.iter().any(|phrase| lower.contains(phrase))
}
