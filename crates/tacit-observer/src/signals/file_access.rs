//! Counts how often each file was read and changed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tacit_core::RepoPath;

use crate::timeline::{StepKind, Timeline};

/// The uses of one file in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileAccess {
    /// The file.
    pub file: RepoPath,
    /// The number of reads.
    pub reads: u32,
    /// The number of changes other than formatting.
    pub changes: u32,
}

/// Returns the files of a timeline, sorted by path.
pub fn file_accesses(timeline: &Timeline) -> Vec<FileAccess> {
    let mut used: BTreeMap<&RepoPath, (u32, u32)> = BTreeMap::new();
    for step in &timeline.steps {
        if let StepKind::Read(file) = &step.kind {
            used.entry(file).or_default().0 += 1;
        }
    }
    for (_, file, _) in timeline.changes() {
        used.entry(file).or_default().1 += 1;
    }
    used.into_iter()
        .map(|(file, (reads, changes))| FileAccess { file: file.clone(), reads, changes })
        .collect()
}
