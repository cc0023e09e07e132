//! Finds reverts, and the commits that they revert.

use crate::commit::{CommitIndex, Past, PastCommit, ids_in};
use crate::text::has_phrase;

/// A commit that reverts another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Revert {
    /// The position of the revert.
    pub(super) at: usize,
    /// The position of the reverted commit, if the history has it.
    pub(super) target: Option<usize>,
    /// The subject of the reverted commit.
    pub(super) subject: String,
    /// The words of the revert's own subject that tell more than the reverted one.
    pub(super) told: String,
    /// True if the revert itself does it another way.
    pub(super) replaces: bool,
}

impl Revert {
    fn new(at: usize, target: Option<usize>, subject: String) -> Revert {
        Revert { at, target, subject, told: String::new(), replaces: false }
    }
}

/// Returns the revert that a commit is, if it names what it reverts.
pub(super) fn find_revert(past: &Past, index: &CommitIndex<'_>, at: usize) -> Option<Revert> {
    let commit = &past.commits[at];
    let subject = commit.subject();
    let lower = subject.to_lowercase();
    let begins = revert_words(&lower).is_some();
    // A commit with another subject that says so does it another way.
    let says = commit.body().contains("This reverts commit ");
    if !begins && !says {
        return None;
    }
    let named = target_by_id(past, index, at, commit);
    if let Some((quoted, told)) = quoted_subject(subject).filter(|_| begins) {
        let target = named.or_else(|| last_before(index.by_subject(&quoted), at));
        return Some(Revert { told, ..Revert::new(at, target, quoted) });
    }
    if let Some(target) = named {
        // `Revert the check in commit 1a2b3c4` takes back a part, and its words name another thing.
        let is_part = has_phrase(&lower, &["part", "partial", "partially", "partly", "some", "in"]);
        if begins && (is_part || !says) {
            return None;
        }
        let subject = past.commits[target].subject().to_owned();
        return Some(Revert { replaces: !begins, ..Revert::new(at, Some(target), subject) });
    }
    // `Revert the subject` without quotes.
    let rest = &subject[subject.len() - revert_words(&lower)?.len()..];
    let rest = rest.trim_start_matches([':', ' ']).trim();
    let target = last_before(index.by_subject(rest), at)?;
    Some(Revert::new(at, Some(target), rest.to_owned()))
}

/// Returns the text after the word that begins a revert, perhaps after an area such as `clock: `.
fn revert_words(lower: &str) -> Option<&str> {
    let starts =
        ["reverted ", "reverts ", "revert: ", "revert ", "revert(", "back out ", "backout "];
    let own = |text: &'_ str| -> Option<usize> {
        starts.iter().find(|start| text.starts_with(**start)).map(|start| start.len())
    };
    if let Some(length) = own(lower) {
        return lower.get(length..);
    }
    let (area, rest) = lower.split_once(": ")?;
    if area.len() > 40 || area.contains(' ') {
        return None;
    }
    rest.get(own(rest)?..)
}

/// Returns the quoted subject in a revert's subject, and the words after it.
fn quoted_subject(subject: &str) -> Option<(String, String)> {
    for (open, close) in [('"', '"'), ('“', '”'), ('\'', '\''), ('`', '`')] {
        let Some(start) = subject.find(open) else { continue };
        let inner = &subject[start + open.len_utf8()..];
        let Some(end) = inner.rfind(close) else { continue };
        let quoted = inner[..end].trim();
        if quoted.split_whitespace().count() < 2 {
            continue;
        }
        let rest = inner[end + close.len_utf8()..].trim();
        let is_number = rest.starts_with("(#") || rest.starts_with("(!");
        let told = if is_number { "" } else { rest.trim_matches(['(', ')', '-', ':', '.', ' ']) };
        return Some((quoted.to_owned(), told.to_owned()));
    }
    None
}

/// Returns the earlier commit that a message says it reverts.
fn target_by_id(
    past: &Past,
    index: &CommitIndex<'_>,
    at: usize,
    commit: &PastCommit,
) -> Option<usize> {
    let text = &commit.message;
    let marks = ["This reverts commit ", "This reverts commits ", "reverts commit ", "reverts "];
    let after = marks.iter().find_map(|mark| text.split_once(mark)).map(|(_, after)| after);
    let near = after.map(|after| &after[..after.floor_char_boundary(80)]);
    let subject = commit.subject();
    let candidates = near.into_iter().flat_map(ids_in).chain(ids_in(subject));
    let mut found = candidates.filter_map(|id| index.by_id(id)).filter(|target| *target < at);
    found.next().or_else(|| {
        // A message that reverts by its own words and names one commit.
        let mut named = ids_in(commit.body()).filter_map(|id| index.by_id(id));
        let only = named.next().filter(|_| named.next().is_none())?;
        let shares = past.commits[only].files.iter().any(|file| commit.files.contains(file));
        (only < at && shares).then_some(only)
    })
}

fn last_before(positions: &[usize], at: usize) -> Option<usize> {
    positions.iter().rev().copied().find(|position| *position < at)
}

/// Returns true for subjects of commits whose revert teaches nothing: releases, merges, updates of
/// dependencies, texts, and reverts.
pub(super) fn is_routine(subject: &str) -> bool {
    const ROUTINE: &[&str] = &[
        "revert",
        "reapply",
        "reland",
        "merge",
        "bump",
        "release",
        "version",
        "changelog",
        "update dependency",
        "update dependencies",
        "upgrade dependencies",
        "chore(deps)",
        "build(deps)",
        "chore(release)",
        "prepare for",
        "translation",
        "translations",
        "typo",
        "typos",
        "whitespace",
        "copyright",
        "gitignore",
        "readme",
        "wip",
        "dump",
        "backport",
        "checkpoint",
        "squash",
        "experiment",
        "news",
        "fix build",
        "indentation",
    ];
    let lower = subject.to_lowercase();
    has_phrase(&lower, ROUTINE) || lower.split_whitespace().count() < 2
}
