//! Which files held somebody up: read again and again, and never changed.

use std::collections::BTreeMap;

use tacit_core::RepoPath;

use crate::timeline::{Act, Timeline};

/// A file that is read so often without being changed is hard to understand.
pub const CONFUSING_READS: u32 = 4;
/// Whoever does nothing for longer is away.
const LONGEST_DWELL_MS: i64 = 10 * 60 * 1000;

/// A file that held somebody up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeAnomaly {
    /// Which.
    pub file: RepoPath,
    /// How long the steps behind its readings took.
    pub dwell_ms: i64,
    /// How often it was read.
    pub read_count: u32,
}

/// The files of a timeline that held somebody up, in order of their names.
pub fn time_anomalies(timeline: &Timeline) -> Vec<TimeAnomaly> {
    let mut read: BTreeMap<&RepoPath, (i64, u32)> = BTreeMap::new();
    for strand in timeline.strands() {
        for (at, step) in strand.iter().enumerate() {
            if let Act::Read(file) = &step.act {
                let next = strand.get(at + 1).map_or(step.at, |next| next.at);
                let dwell = (next.as_millis() - step.at.as_millis()).clamp(0, LONGEST_DWELL_MS);
                let entry = read.entry(file).or_default();
                entry.0 += dwell;
                entry.1 += 1;
            }
        }
    }
    let changed = timeline.changed_files();
    read.into_iter()
        .filter(|(file, (_, count))| *count >= CONFUSING_READS && !changed.contains(file))
        .map(|(file, (dwell_ms, read_count))| TimeAnomaly {
            file: file.clone(),
            dwell_ms,
            read_count,
        })
        .collect()
}
