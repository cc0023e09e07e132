//! The fate of a reverted approach: done again, replaced, or left.

use std::collections::BTreeSet;

use super::target::Revert;
use crate::commit::{CommitIndex, Past, ids_in, subject_key};
use crate::text::{has_phrase, words};

/// The most commits after a revert in which its replacement is looked for.
const LATER: usize = 3_000;
/// The share of words from which on two subjects mean the same.
const SAME_SUBJECT: f64 = 0.6;
/// Words of a subject that does the same once more.
const AGAIN: [&str; 7] =
    ["reland", "reapply", "re-apply", "re-land", "relanding", "again", "unrevert"];
/// The shortest subject that is looked for in other messages, in characters.
const MIN_NAMED: usize = 24;

/// The fate of an approach after its revert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RevertFate {
    /// The approach was done again, or its revert was reverted.
    Again,
    /// The commit that does it another way.
    Replaced(usize),
    /// No later commit names it.
    Left,
}

/// Returns the fate of what a commit reverted.
pub(super) fn fate(
    past: &Past,
    index: &CommitIndex<'_>,
    reverts: &[Revert],
    revert: &Revert,
) -> RevertFate {
    let commit = &past.commits[revert.at];
    let own = subject_key(commit.subject());
    let is_reverted =
        |other: &Revert| other.target == Some(revert.at) || subject_key(&other.subject) == own;
    if reverts.iter().any(|other| other.at > revert.at && is_reverted(other)) {
        return RevertFate::Again;
    }
    // The same subject later: it was landed again, and perhaps reverted again with its own reason.
    if index.by_subject(&revert.subject).iter().any(|at| *at > revert.at) {
        return RevertFate::Again;
    }
    let subject = subject_key(&revert.subject);
    let tried: BTreeSet<String> = words(&subject).into_iter().collect();
    let target = revert.target.map(|at| past.commits[at].id.as_str());
    let end = past.commits.len().min(revert.at + 1 + LATER);
    let later = revert.at + 1..end;
    for (at, other) in later.clone().zip(&past.commits[later]) {
        if !other.files.iter().any(|file| commit.files.contains(file)) {
            continue;
        }
        let lower = other.subject().to_lowercase();
        let names = ids_in(&other.message)
            .any(|id| target.is_some_and(|t| t.starts_with(id)) || commit.id.starts_with(id))
            || (subject.chars().count() >= MIN_NAMED
                && other.message.to_lowercase().contains(&subject));
        let is_same = || {
            let others: BTreeSet<String> = words(&lower).into_iter().collect();
            let both = tried.intersection(&others).count();
            let all = tried.union(&others).count();
            all > 0 && both as f64 / all as f64 >= SAME_SUBJECT
        };
        if has_phrase(&lower, &AGAIN) && names {
            return RevertFate::Again;
        }
        if is_same() {
            return RevertFate::Again;
        }
        if names && !lower.contains("revert") {
            return RevertFate::Replaced(at);
        }
    }
    RevertFate::Left
}
