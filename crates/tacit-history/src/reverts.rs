//! Approaches that were reverted for a reason, as dead ends.
//!
//! Only a revert that stays, whose message tells why, and whose files still exist is worth a lesson.
//! Reverts of releases, merges, updates and accidents are none, nor is what was done again later.

mod reason;
mod replacement;
mod target;

use tacit_core::DeadEnd;

use crate::commit::{CommitIndex, Past, PastCommit};
use crate::lesson::{Lesson, LessonKind};
use crate::text::{one_line, quoted};
use reason::reason;
use replacement::{RevertFate, fate};
use target::{Revert, find_revert, is_routine};

/// The most characters of a subject, and of all named files.
const MAX_SUBJECT: usize = 140;
const MAX_FILES: usize = 5;
/// The confidence of a reason that the message states, and of one with a named replacement.
const CONFIDENCE: f64 = 0.6;
const CONFIDENCE_REPLACED: f64 = 0.7;
/// Seconds after which the worth of a dead end is halved.
const HALF_LIFE: f64 = 3.0 * 365.0 * 86_400.0;
/// A revert of a commit with more files is an event in the project, not an approach.
const MAX_TOUCHED: usize = 40;

/// Returns the dead ends of a history.
pub(crate) fn dead_ends(past: &Past, index: &CommitIndex<'_>) -> Vec<Lesson> {
    let reverts: Vec<Revert> =
        (0..past.commits.len()).filter_map(|at| find_revert(past, index, at)).collect();
    let newest = past.commits.iter().map(|commit| commit.at).max().unwrap_or(0);
    reverts.iter().filter_map(|revert| dead_end(past, index, &reverts, revert, newest)).collect()
}

fn dead_end(
    past: &Past,
    index: &CommitIndex<'_>,
    reverts: &[Revert],
    revert: &Revert,
    newest: i64,
) -> Option<Lesson> {
    let commit = &past.commits[revert.at];
    let target = revert.target.map(|at| &past.commits[at]);
    if is_routine(&revert.subject) {
        return None;
    }
    let reason = reason(&revert.told, commit.body())?;
    let fate = fate(past, index, reverts, revert);
    if fate == RevertFate::Again {
        return None;
    }
    let files = existing_files(past, target.unwrap_or(commit), commit);
    if files.is_empty() {
        return None;
    }
    let subject = one_line(&revert.subject, MAX_SUBJECT);
    let own = |commit: &PastCommit| {
        format!("{} ({})", quoted(commit.subject(), MAX_SUBJECT), commit.short_id())
    };
    let (instead, replacement) = match fate {
        _ if revert.replaces => (own(commit), None),
        RevertFate::Replaced(at) => {
            let other = &past.commits[at];
            (own(other), Some(other))
        }
        _ => match reason.instead {
            Some(told) => (told, None),
            None => ("the earlier code".to_owned(), None),
        },
    };
    let tried = match target {
        Some(target) => format!("“{subject}” ({})", target.short_id()),
        None => format!("“{subject}”"),
    };
    let why = reason.why.trim_end_matches('.').to_owned();
    let content = format!(
        "Tried and given up: {tried}, reverted in {} ({}). Why: “{why}”. Instead: {instead}.",
        commit.short_id(),
        year(commit.at),
    );
    let commits = [commit].into_iter().chain(target).chain(replacement);
    let age = newest.saturating_sub(commit.at).max(0) as f64 / HALF_LIFE;
    let is_replaced = replacement.is_some() || revert.replaces;
    let told = if is_replaced { 1.3 } else { 1.0 };
    Some(Lesson {
        kind: LessonKind::DeadEnd,
        key: commit.id.clone(),
        title: format!("Reverted: {}", one_line(&revert.subject, 100)),
        content,
        details: Some(DeadEnd {
            approach_tried: subject.clone(),
            why_it_failed: why,
            alternative_used: instead,
            task_context: subject,
        }),
        files,
        commits: commits.map(|commit| commit.id.clone()).collect(),
        sources: Vec::new(),
        confidence: if is_replaced { CONFIDENCE_REPLACED } else { CONFIDENCE },
        worth: told * (-age).exp2(),
    })
}

/// Returns the existing files of an approach, those that its revert touched too first.
fn existing_files(past: &Past, target: &PastCommit, revert: &PastCommit) -> Vec<String> {
    if target.files.len() > MAX_TOUCHED {
        return Vec::new();
    }
    let both = target.files.iter().filter(|file| revert.files.contains(file));
    let mut files: Vec<String> = both
        .filter_map(|file| past.path(*file))
        .filter(|path| !is_beside_the_point(path))
        .map(str::to_owned)
        .collect();
    files.truncate(MAX_FILES);
    files
}

/// Returns true for files that almost every change touches.
fn is_beside_the_point(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    ["changelog", "changes", "news", "history", "authors", "readme"]
        .iter()
        .any(|start| name.starts_with(start))
        || name.ends_with(".lock")
        || name == "package-lock.json"
}

fn year(at: i64) -> i64 {
    // Months and leap seconds do not matter for a year, except in the first hours of January.
    let days = at.div_euclid(86_400);
    let era = (days + 719_468).div_euclid(146_097);
    let day = (days + 719_468).rem_euclid(146_097);
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // The era's years begin in March.
    year_of_era + era * 400 + i64::from(day_of_year >= 306)
}
