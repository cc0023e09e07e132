//! Learns the files that nearly every session in a module reads.

use std::collections::BTreeMap;

use tacit_core::{PrefetchPattern, RepoPath};

use super::{RuleInput, RuleOutput};
use crate::digest::SessionDigest;
use crate::promotion::{Basis, MemoryCandidate};
use crate::text::{quoted_list, stable_key};

/// Share of sessions above which a file is always read.
const ALWAYS: f64 = 0.8;
/// Share of sessions above which a file is frequently read.
const FREQUENTLY: f64 = 0.5;
/// Maximum number of files of each kind to name.
const MAX_FILES: usize = 8;
const CONFIDENCE: f64 = 0.75;

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let Some(module) = input.digest.module.as_deref() else { return };
    let sessions = input.digests_in_module(module);
    let about = format!("files for work in `{module}`");
    let count = sessions.len();
    if !results.has_enough(&about, count) {
        return;
    }
    let (always, frequently) = shares(&sessions);
    if always.is_empty() {
        let why = "no file is read in more than 80% of sessions";
        results.reject(Basis::FileAccess, about, count as u32, why);
        return;
    }
    let list: Vec<&str> = always.iter().map(RepoPath::as_str).collect();
    let also: Vec<&str> = frequently.iter().map(RepoPath::as_str).collect();
    let also =
        if also.is_empty() { String::new() } else { format!(", and often {}", quoted_list(&also)) };
    let content =
        format!("Work in `{module}` usually starts by reading {}{also}.", quoted_list(&list));
    let files: Vec<RepoPath> = always.iter().chain(&frequently).cloned().collect();
    let mut draft = input.draft("prefetch_pattern", content, &files, CONFIDENCE);
    draft.related_modules = vec![module.to_owned()];
    draft.details = serde_json::to_value(PrefetchPattern {
        always_read_files: always,
        frequently_read_files: frequently,
        module_trigger: module.to_owned(),
        session_count: count as u32,
    })
    .ok();
    let key = stable_key(&["prefetch", module]);
    let candidate = input.candidate_at_end(Basis::FileAccess, key, about, count as u32, draft);
    results.candidates.push(MemoryCandidate { replaces: true, ..candidate });
}

/// Returns the files that are always and those that are frequently read, sorted by path.
fn shares(sessions: &[&SessionDigest]) -> (Vec<RepoPath>, Vec<RepoPath>) {
    let mut readers: BTreeMap<&RepoPath, usize> = BTreeMap::new();
    for digest in sessions {
        for used in digest.files.iter().filter(|used| used.reads > 0) {
            *readers.entry(&used.file).or_default() += 1;
        }
    }
    let share = |count: usize| count as f64 / sessions.len() as f64;
    let pick = |range: &dyn Fn(f64) -> bool| -> Vec<RepoPath> {
        let picked = readers.iter().filter(|(_, count)| range(share(**count)));
        picked.take(MAX_FILES).map(|(file, _)| (*file).clone()).collect()
    };
    (pick(&|share| share > ALWAYS), pick(&|share| share > FREQUENTLY && share <= ALWAYS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_must_exceed_their_thresholds() {
        let session = |files: &[&str]| -> SessionDigest {
            let files: Vec<_> = files
                .iter()
                .map(|file| serde_json::json!({"file": file, "reads": 1, "changes": 0}))
                .collect();
            serde_json::from_value(serde_json::json!({
                "session": "s", "at": "2026-11-15T10:30:00Z", "validated": true, "module": "a", "methodology": "native",
                "task": "", "files": files, "pairs": [], "errors": [], "sequence": [],
                "tokens": 0, "plan": null
            }))
            .unwrap()
        };
        // Of ten sessions, `nine` is read in 9, `eight` in 8, `six` in 6, `five` in 5.
        let sessions: Vec<SessionDigest> = (0..10)
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
