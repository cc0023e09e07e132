//! An approach that was given up, why, and what took its place.

use tacit_core::DeadEnd;

use super::{Found, Scene};
use crate::fingerprint::telling_lines;
use crate::promotion::{Basis, Candidate};
use crate::reverts::{ABANDONED_STEPS, Abandoned};
use crate::text::{key, line, names};
use crate::validation::Outcome;

const CONFIDENCE: f64 = 0.7;
/// The longest text of a field, in characters.
const LONGEST: usize = 400;
/// How many files and changes are named.
const NAMED: usize = 4;

pub(super) fn infer(scene: &Scene<'_>, found: &mut Found) {
    for approach in scene.abandoned {
        let files: Vec<&str> = approach.files.iter().map(|file| file.as_str()).collect();
        let about =
            line(&format!("{} ({})", names(&files[..files.len().min(NAMED)]), approach.how), 120);
        match given_up(scene, approach) {
            Ok(candidate) => found.candidates.push(Candidate { about, ..candidate }),
            Err(why) => found.drop(Basis::DeadEnd, about, 1, why),
        }
    }
}

fn given_up(scene: &Scene<'_>, approach: &Abandoned) -> Result<Candidate, String> {
    let timeline = scene.timeline;
    let tried = told(scene, approach.from..approach.upto, |file| approach.files.contains(file));
    let Some(tried) = tried else { return Err("nothing can be told of what was tried".into()) };
    let failure = timeline
        .runs()
        .filter(|(place, run)| {
            (approach.from..approach.upto).contains(place) && run.checked.outcome == Outcome::Failed
        })
        .filter_map(|(_, run)| {
            telling_lines(&run.output, 1).pop().map(|told| (run.line.as_str(), told))
        })
        .last();
    let why = match failure {
        Some((command, error)) => format!("`{}` failed: {}", line(command, 120), line(&error, 240)),
        None if approach.steps >= ABANDONED_STEPS => {
            format!("it was given up after {} steps; no failing command was seen", approach.steps)
        }
        None => return Err("it was taken back soon, and nothing had failed: perhaps a slip".into()),
    };
    let end = scene.end();
    let next =
        scene.abandoned.iter().map(|other| other.from).filter(|from| *from > approach.upto).min();
    let until = next.unwrap_or(end).min(end);
    let instead =
        (approach.upto < until).then(|| told(scene, approach.upto..until, |_| true)).flatten();
    let Some(instead) = instead else {
        return Err("nothing took its place that was checked".into());
    };
    if instead == tried {
        return Err("the same was done again".into());
    }
    let task = line(timeline.task_before(approach.from).unwrap_or("not told"), LONGEST);
    let details = DeadEnd {
        approach_tried: tried.clone(),
        why_it_failed: why.clone(),
        alternative_used: instead.clone(),
        task_context: task,
    };
    let content = format!("Tried and given up: {tried}. Why: {why}. Instead: {instead}.");
    let mut draft = scene.draft("dead_end", content, &approach.files, CONFIDENCE);
    draft.details = serde_json::to_value(&details).ok();
    draft.related_files.truncate(20);
    let key = key(&["dead_end", &tried]);
    let candidate = scene.at_end(Basis::DeadEnd, key, String::new(), 1, draft);
    Ok(Candidate { at: scene.at(approach.upto), ..candidate })
}

/// The changes of a stretch in words: the files, and what the first of them did.
fn told(
    scene: &Scene<'_>,
    stretch: std::ops::Range<usize>,
    is_meant: impl Fn(&tacit_core::RepoPath) -> bool,
) -> Option<String> {
    let changes: Vec<_> = scene
        .timeline
        .changes()
        .filter(|(place, file, _)| stretch.contains(place) && is_meant(file))
        .filter(|(place, file, _)| {
            // What was thrown away later is not what took its place.
            !scene.abandoned.iter().any(|other| {
                stretch.end > other.upto
                    && (other.from..other.upto).contains(place)
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
    let more = files.len().saturating_sub(NAMED);
    let also = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = names(&files[..files.len().min(NAMED)]);
    let what: Vec<String> =
        changes.iter().filter_map(|(_, _, change)| change.told()).take(2).collect();
    let what = if what.is_empty() { String::new() } else { format!(" ({})", what.join("; ")) };
    Some(line(&format!("changing {named}{also}{what}"), LONGEST))
}
