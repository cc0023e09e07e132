//! An approach that was given up, why, and what took its place.

use tacit_core::DeadEnd;

use super::{RuleInput, RuleOutput};
use crate::fingerprint::error_lines;
use crate::promotion::{Basis, MemoryCandidate};
use crate::reverts::{ABANDONED_STEPS, AbandonedApproach};
use crate::text::{one_line, quoted_list, stable_key};
use crate::validation::CheckOutcome;

const CONFIDENCE: f64 = 0.7;
/// The longest text of a field, in characters.
const MAX_FIELD: usize = 400;
/// How many files and changes are named.
const MAX_NAMED: usize = 4;

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    for approach in input.abandoned_approaches {
        let files: Vec<&str> = approach.files.iter().map(|file| file.as_str()).collect();
        let about = one_line(
            &format!("{} ({})", quoted_list(&files[..files.len().min(MAX_NAMED)]), approach.how),
            120,
        );
        match dead_end(input, approach) {
            Ok(candidate) => results.candidates.push(MemoryCandidate { about, ..candidate }),
            Err(why) => results.reject(Basis::DeadEnd, about, 1, why),
        }
    }
}

fn dead_end(
    input: &RuleInput<'_>,
    approach: &AbandonedApproach,
) -> Result<MemoryCandidate, String> {
    let timeline = input.timeline;
    let tried = describe_changes(input, approach.first_step..approach.last_step, |file| {
        approach.files.contains(file)
    });
    let Some(tried) = tried else { return Err("nothing can be told of what was tried".into()) };
    let failure = timeline
        .runs()
        .filter(|(step_index, run)| {
            (approach.first_step..approach.last_step).contains(step_index)
                && run.check.outcome == CheckOutcome::Failed
        })
        .filter_map(|(_, run)| {
            error_lines(&run.output, 1)
                .pop()
                .map(|describe_changes| (run.line.as_str(), describe_changes))
        })
        .last();
    let why = match failure {
        Some((command, error)) => {
            format!("`{}` failed: {}", one_line(command, 120), one_line(&error, 240))
        }
        None if approach.steps >= ABANDONED_STEPS => {
            format!("it was given up after {} steps; no failing command was seen", approach.steps)
        }
        None => return Err("it was taken back soon, and nothing had failed: perhaps a slip".into()),
    };
    let end = input.last_checked_step();
    let next = input
        .abandoned_approaches
        .iter()
        .map(|other| other.first_step)
        .filter(|from| *from > approach.last_step)
        .min();
    let until = next.unwrap_or(end).min(end);
    let instead = (approach.last_step < until)
        .then(|| describe_changes(input, approach.last_step..until, |_| true))
        .flatten();
    let Some(instead) = instead else {
        return Err("nothing took its place that was checked".into());
    };
    if instead == tried {
        return Err("the same was done again".into());
    }
    let task = one_line(timeline.task_before(approach.first_step).unwrap_or("not told"), MAX_FIELD);
    let details = DeadEnd {
        approach_tried: tried.clone(),
        why_it_failed: why.clone(),
        alternative_used: instead.clone(),
        task_context: task,
    };
    let content = format!("Tried and given up: {tried}. Why: {why}. Instead: {instead}.");
    let mut draft = input.draft("dead_end", content, &approach.files, CONFIDENCE);
    draft.details = serde_json::to_value(&details).ok();
    draft.related_files.truncate(20);
    let key = stable_key(&["dead_end", &tried]);
    let candidate = input.candidate_at_end(Basis::DeadEnd, key, String::new(), 1, draft);
    Ok(MemoryCandidate { at: input.time_of(approach.last_step), ..candidate })
}

/// The changes of a stretch in words: the files, and what the first of them did.
fn describe_changes(
    input: &RuleInput<'_>,
    stretch: std::ops::Range<usize>,
    includes: impl Fn(&tacit_core::RepoPath) -> bool,
) -> Option<String> {
    let changes: Vec<_> = input
        .timeline
        .changes()
        .filter(|(step_index, file, _)| stretch.contains(step_index) && includes(file))
        .filter(|(step_index, file, _)| {
            // What was thrown away later is not what took its place.
            !input.abandoned_approaches.iter().any(|other| {
                stretch.end > other.last_step
                    && (other.first_step..other.last_step).contains(step_index)
                    && other.files.contains(file)
            })
        })
        .collect();
    let mut files: Vec<&str> = changes.iter().map(|(_, file, _)| file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    if files.is_empty() {
        return None;
    }
    let more = files.len().saturating_sub(MAX_NAMED);
    let also = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = quoted_list(&files[..files.len().min(MAX_NAMED)]);
    let what: Vec<String> =
        changes.iter().filter_map(|(_, _, change)| change.describe()).take(2).collect();
    let what = if what.is_empty() { String::new() } else { format!(" ({})", what.join("; ")) };
    Some(one_line(&format!("changing {named}{also}{what}"), MAX_FIELD))
}
