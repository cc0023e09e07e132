//! Which files were used shortly one after the other.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use tacit_core::{RepoPath, Timestamp};

use crate::timeline::{StepKind, Timeline};

/// Two files belong together if so few steps lie between their uses.
pub const CO_ACCESS_STEPS: usize = 3;

/// Two files that were used shortly one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoAccess {
    /// The one whose name comes first.
    pub a: RepoPath,
    /// The other.
    pub b: RepoPath,
    /// Whether `a` was used before `b`, the first time.
    pub a_first: bool,
    /// How many steps lay between, at least.
    pub step_delta: usize,
    /// How long it took, then.
    pub time_delta_ms: i64,
}

/// The pairs of a timeline, in order of their names; each counts once in a tree.
pub fn co_accesses(timeline: &Timeline) -> Vec<CoAccess> {
    let mut pairs: BTreeMap<(RepoPath, RepoPath), CoAccess> = BTreeMap::new();
    for conversation in timeline.conversations() {
        let mut recent: VecDeque<(usize, Timestamp, &RepoPath)> = VecDeque::new();
        for step in conversation {
            let used: Vec<&RepoPath> = match &step.kind {
                StepKind::Read(file) => vec![file],
                StepKind::Edit(files) => files.iter().map(|(file, _)| file).collect(),
                _ => continue,
            };
            while recent
                .front()
                .is_some_and(|(number, ..)| number + CO_ACCESS_STEPS < step.call_number)
            {
                recent.pop_front();
            }
            for (number, at, earlier) in &recent {
                for file in used.iter().filter(|file| *file != earlier) {
                    note(
                        &mut pairs,
                        earlier,
                        file,
                        step.call_number - number,
                        step.at.as_millis() - at.as_millis(),
                    );
                }
            }
            for (index, file) in used.iter().enumerate() {
                for other in used[..index].iter().filter(|other| *other != file) {
                    note(&mut pairs, other, file, 0, 0);
                }
                recent.push_back((step.call_number, step.at, file));
            }
        }
    }
    pairs.into_values().collect()
}

fn note(
    pairs: &mut BTreeMap<(RepoPath, RepoPath), CoAccess>,
    first: &RepoPath,
    second: &RepoPath,
    step_delta: usize,
    time_delta_ms: i64,
) {
    let a_first = first < second;
    let (a, b) = if a_first { (first, second) } else { (second, first) };
    let pair = pairs.entry((a.clone(), b.clone())).or_insert_with(|| CoAccess {
        a: a.clone(),
        b: b.clone(),
        a_first,
        step_delta,
        time_delta_ms,
    });
    if step_delta < pair.step_delta {
        (pair.step_delta, pair.time_delta_ms) = (step_delta, time_delta_ms);
    }
}
