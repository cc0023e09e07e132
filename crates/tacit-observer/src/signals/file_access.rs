//! Which files were used, and how.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tacit_core::RepoPath;

use crate::timeline::{StepKind, Timeline};

/// A file that is read so often without being changed is hard to understand.
pub const CONFUSING_READS: u32 = 4;

/// How one file was used in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileAccess {
    /// Which.
    pub file: RepoPath,
    /// How often it was read.
    pub reads: u32,
    /// How often it was changed by more than formatting.
    pub changes: u32,
}

impl FileAccess {
    /// Returns true if the file held somebody up: it was read again and again, and never changed.
    pub(crate) fn is_confusing(&self) -> bool {
        self.reads >= CONFUSING_READS && self.changes == 0
    }
}

/// The files of a timeline, in order of their names.
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
