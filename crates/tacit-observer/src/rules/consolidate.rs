//! What the units of a large piece of work have in common, once all of them are done.

use std::collections::BTreeMap;

use tacit_core::{Draft, RepoPath, Source, WorkUnitOutcome, WorkUnitRef};

use super::GENERATOR;
use crate::session_tree::CONSOLIDATED_UNITS;
use crate::text::{counted, line};

/// A file that at least this many units changed, and this share of them, is where the work is.
const HOT_UNITS: usize = 3;
const HOT_SHARE: f64 = 0.3;
/// How many conclusions are drawn at most.
const MOST: usize = 5;
const CONFIDENCE: f64 = 0.85;

/// Conclusions from the outcomes of all units of a piece of work; none if there are few units or not
/// all succeeded.
pub fn consolidate(root: &WorkUnitRef, outcomes: &[WorkUnitOutcome]) -> Vec<Draft> {
    if outcomes.len() < CONSOLIDATED_UNITS || outcomes.iter().any(|outcome| !outcome.succeeded) {
        return Vec::new();
    }
    let all = outcomes.len();
    let many = |count: usize| count >= HOT_UNITS && count as f64 >= HOT_SHARE * all as f64;
    let mut files: BTreeMap<&RepoPath, usize> = BTreeMap::new();
    let mut pairs: BTreeMap<(&RepoPath, &RepoPath), usize> = BTreeMap::new();
    for outcome in outcomes {
        let mut changed: Vec<&RepoPath> = outcome.files_modified.iter().collect();
        changed.sort();
        changed.dedup();
        for (at, file) in changed.iter().enumerate() {
            *files.entry(file).or_default() += 1;
            for other in &changed[at + 1..] {
                *pairs.entry((file, other)).or_default() += 1;
            }
        }
    }
    let label = root.label();
    let mut drafts: Vec<(usize, Draft)> = Vec::new();
    for ((a, b), count) in &pairs {
        let either = files[a].max(files[b]);
        if many(*count) && 10 * count >= 8 * either {
            let content = format!(
                "`{a}` and `{b}` are coupled: in {label}, {count} of {all} units changed both."
            );
            drafts.push((2 * count, draft(root, content, &[a, b])));
        }
    }
    for (file, count) in &files {
        if many(*count) {
            let content = format!(
                "`{file}` is where work of this kind meets: {count} of {all} units of {label} changed it."
            );
            drafts.push((*count, draft(root, content, &[file])));
        }
    }
    for outcome in outcomes.iter().filter(|outcome| outcome.retry_count >= 2) {
        if let [file, ..] = outcome.files_modified.as_slice() {
            let content = format!(
                "Work on `{file}` in {label} took {} before it succeeded.",
                counted(outcome.retry_count as usize + 1, "attempt", "attempts")
            );
            drafts.push((outcome.retry_count as usize, draft(root, content, &[file])));
        }
    }
    drafts.sort_by(|(x, a), (y, b)| y.cmp(x).then_with(|| a.content.cmp(&b.content)));
    drafts.dedup_by(|(_, a), (_, b)| a.content == b.content);
    drafts.into_iter().take(MOST).map(|(_, draft)| draft).collect()
}

fn draft(root: &WorkUnitRef, content: String, files: &[&RepoPath]) -> Draft {
    let name = root.hierarchy().first().map(|name| line(name, 60).replace([' ', ','], "-"));
    Draft {
        content,
        kind: Some("module_insight".to_owned()),
        confidence: Some(CONFIDENCE),
        tags: std::iter::once("consolidation".to_owned()).chain(name).collect(),
        related_files: files.iter().map(ToString::to_string).collect(),
        work_unit: Some(root.clone()),
        source: Some(Source::ObserverInferred.to_string()),
        generator: Some(GENERATOR.to_owned()),
        ..Draft::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(files: &[&str]) -> WorkUnitOutcome {
        WorkUnitOutcome {
            succeeded: true,
            files_modified: files.iter().map(|file| RepoPath::new(*file).unwrap()).collect(),
            key_decisions: vec![],
            steps_taken: 3,
            context_tokens_used: None,
            retry_count: 0,
            failure_reason: None,
        }
    }

    #[test]
    fn ten_units_and_all_done() {
        let root = WorkUnitRef::new("native", vec!["spec_1".into()], "Spec 1").unwrap();
        for (units, failed, expected) in [(9, 0, 0), (10, 0, 1), (10, 1, 0), (11, 0, 1)] {
            let mut outcomes: Vec<WorkUnitOutcome> = (0..units)
                .map(|number| outcome(if number < 4 { &["src/hub.rs"] } else { &[] }))
                .collect();
            for outcome in outcomes.iter_mut().take(failed) {
                outcome.succeeded = false;
            }
            assert_eq!(
                consolidate(&root, &outcomes).len(),
                expected,
                "{units} units, {failed} failed"
            );
        }
    }
}
