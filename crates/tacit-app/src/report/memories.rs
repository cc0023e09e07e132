//! The memories that helped most, those that are shown and never used, and those never shown.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tacit_core::{MemoryId, Timestamp};
use tacit_store::Injection;

use super::injections::FateCounts;
use super::period::ReportPeriod;

/// The fewest judged injections from which on a memory that was never used is listed.
pub const LEAST_JUDGED: u64 = 5;
/// The age in days at which a memory that was never shown is listed.
pub const NEVER_SHOWN_DAYS: f64 = 14.0;
/// The most memories in each list.
const LISTED: usize = 20;

/// The best and the dead memories.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct MemoryUseReport {
    /// The number of active memories.
    pub active: u64,
    /// The memories that were of use in the period, best first.
    pub best: Vec<MemoryUse>,
    /// The number of memories that were shown often in the period and never used.
    pub unused_count: u64,
    /// The first of them, those first that took most tokens.
    pub unused: Vec<MemoryUse>,
    /// The number of active memories that are older than two weeks and were never shown or recalled.
    pub never_shown_count: u64,
    /// The first of them, oldest first.
    pub never_shown: Vec<ActiveMemory>,
}

/// The use of a memory in the period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemoryUse {
    /// The identifier.
    pub id: MemoryId,
    /// The shown text, shortened; empty if the memory was purged.
    pub text: String,
    /// The number of times it was shown.
    pub shown: u64,
    /// The approximate number of tokens that it took.
    pub tokens: u64,
    /// The fates.
    pub fates: FateCounts,
}

/// An active memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActiveMemory {
    /// The identifier.
    pub id: MemoryId,
    /// The title or the beginning of its text.
    pub text: String,
    /// The time at which it was stored.
    pub created_at: Timestamp,
    /// The number of times that it was recalled or shown.
    #[serde(skip)]
    pub accessed: u64,
}

impl MemoryUseReport {
    /// Computes the report. `ever_shown` has the memories that were shown at any time.
    #[must_use]
    pub fn new(
        injections: &[Injection],
        active: &[ActiveMemory],
        ever_shown: &BTreeSet<MemoryId>,
        period: &ReportPeriod,
    ) -> MemoryUseReport {
        let mut uses: BTreeMap<MemoryId, MemoryUse> = BTreeMap::new();
        for injection in injections.iter().filter(|one| !one.withheld && period.contains(one.at)) {
            let Some(id) = injection.memory else { continue };
            // The newest injection comes first and has the present text.
            let used = uses.entry(id).or_insert_with(|| MemoryUse {
                id,
                text: injection.text.clone(),
                shown: 0,
                tokens: 0,
                fates: FateCounts::default(),
            });
            used.shown += 1;
            used.tokens += u64::from(injection.tokens);
            used.fates.add(injection.fate.as_ref().map(|judged| judged.fate));
        }
        let mut best: Vec<MemoryUse> =
            uses.values().filter(|one| one.fates.used() > one.fates.wrong()).cloned().collect();
        best.sort_by(|a, b| {
            let worth = |one: &MemoryUse| (one.fates.helped, one.fates.used());
            worth(b).cmp(&worth(a)).then(a.shown.cmp(&b.shown)).then(a.id.cmp(&b.id))
        });
        best.truncate(LISTED);
        let is_unused =
            |one: &MemoryUse| one.fates.used() == 0 && one.fates.judged() >= LEAST_JUDGED;
        let mut unused: Vec<MemoryUse> = uses.into_values().filter(is_unused).collect();
        unused.sort_by_key(|one| (Reverse(one.tokens), one.id));
        let unused_count = unused.len() as u64;
        unused.truncate(LISTED);
        let oldest = period.until.plus_days(-NEVER_SHOWN_DAYS);
        let mut never_shown: Vec<ActiveMemory> = active
            .iter()
            .filter(|one| one.created_at <= oldest && one.accessed == 0)
            .filter(|one| !ever_shown.contains(&one.id))
            .cloned()
            .collect();
        never_shown.sort_by_key(|one| (one.created_at, one.id));
        let never_shown_count = never_shown.len() as u64;
        never_shown.truncate(LISTED);
        MemoryUseReport {
            active: active.len() as u64,
            best,
            unused_count,
            unused,
            never_shown_count,
            never_shown,
        }
    }
}
