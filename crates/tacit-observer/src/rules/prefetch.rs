//! Files that nearly every session in a module reads.

use std::collections::BTreeMap;

use tacit_core::{PrefetchPattern, RepoPath};

use super::{Found, Scene};
use crate::digest::Digest;
use crate::promotion::{Basis, Candidate};
use crate::text::{key, names};

/// A file is always read if more than this share of sessions reads it.
const ALWAYS: f64 = 0.8;
/// And frequently, if more than this share does.
const FREQUENTLY: f64 = 0.5;
/// How many files of each kind are named.
const MOST: usize = 8;
const CONFIDENCE: f64 = 0.75;

pub(super) fn infer(scene: &Scene<'_>, found: &mut Found) {
    let Some(module) = scene.digest.module.as_deref() else { return };
    let sessions = scene.in_module(module);
    let about = format!("files for work in `{module}`");
    let count = sessions.len();
    if !found.has_enough(&about, count) {
        return;
    }
    let (always, frequently) = shares(&sessions);
    if always.is_empty() {
        let why = "no file is read in more than 80% of sessions";
        found.drop(Basis::FileAccess, about, count as u32, why);
        return;
    }
    let list: Vec<&str> = always.iter().map(RepoPath::as_str).collect();
    let also: Vec<&str> = frequently.iter().map(RepoPath::as_str).collect();
    let also =
        if also.is_empty() { String::new() } else { format!(", and often {}", names(&also)) };
    let content = format!("Work in `{module}` begins with reading {}{also}.", names(&list));
    let files: Vec<RepoPath> = always.iter().chain(&frequently).cloned().collect();
    let mut draft = scene.draft("prefetch_pattern", content, &files, CONFIDENCE);
    draft.related_modules = vec![module.to_owned()];
    draft.details = serde_json::to_value(PrefetchPattern {
        always_read_files: always,
        frequently_read_files: frequently,
        module_trigger: module.to_owned(),
        session_count: count as u32,
    })
    .ok();
    let key = key(&["prefetch", module]);
    let candidate = scene.at_end(Basis::FileAccess, key, about, count as u32, draft);
    found.candidates.push(Candidate { replaces: true, ..candidate });
}

/// The files that are always and those that are frequently read, in order of their names.
fn shares(sessions: &[&Digest]) -> (Vec<RepoPath>, Vec<RepoPath>) {
    let mut readers: BTreeMap<&RepoPath, usize> = BTreeMap::new();
    for digest in sessions {
        for used in digest.files.iter().filter(|used| used.reads > 0) {
            *readers.entry(&used.file).or_default() += 1;
        }
    }
    let share = |count: usize| count as f64 / sessions.len() as f64;
    let pick = |range: &dyn Fn(f64) -> bool| -> Vec<RepoPath> {
        let picked = readers.iter().filter(|(_, count)| range(share(**count)));
        picked.take(MOST).map(|(file, _)| (*file).clone()).collect()
    };
    (pick(&|share| share > ALWAYS), pick(&|share| share > FREQUENTLY && share <= ALWAYS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_at_and_above_the_limits() {
        let session = |files: &[&str]| -> Digest {
            let files: Vec<_> = files
                .iter()
                .map(|file| serde_json::json!({"file": file, "reads": 1, "changes": 0}))
                .collect();
            serde_json::from_value(serde_json::json!({
                "session": "s", "at": "2026-11-15T10:30:00Z", "validated": true, "module": "a", "methodology": "native",
                "task": "", "files": files, "pairs": [], "errors": [], "backtracks": [], "confusing": [], "sequence": [],
                "tokens": 0, "plan": null
            }))
            .unwrap()
        };
        // Of ten sessions, `nine` is read in 9, `eight` in 8, `six` in 6, `five` in 5.
        let sessions: Vec<Digest> = (0..10)
            .map(|number| {
                let named = [("nine", 9), ("eight", 8), ("six", 6), ("five", 5)];
                session(
                    &named
                        .iter()
                        .filter(|(_, n)| number < *n)
                        .map(|(name, _)| *name)
                        .collect::<Vec<_>>(),
                )
            })
            .collect();
        let (always, frequently) = shares(&sessions.iter().collect::<Vec<_>>());
        assert_eq!(always.iter().map(RepoPath::as_str).collect::<Vec<_>>(), ["nine"]);
        assert_eq!(frequently.iter().map(RepoPath::as_str).collect::<Vec<_>>(), ["eight", "six"]);
    }
}
