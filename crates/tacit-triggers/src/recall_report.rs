//! What measuring recall found, in numbers.

use serde::Serialize;

use crate::transcript::LineCounts;

/// How an entry was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EntryUse {
    ActedOn,
    Read,
    Invoked,
}

/// Opportunities and what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct UseCounts {
    /// How often an entry would have been of use.
    pub opportunities: usize,
    /// How often it was asked for.
    pub invoked: usize,
    /// How often its section was read.
    pub read: usize,
    /// How often it was shown and acted on.
    pub acted_on: usize,
}

impl UseCounts {
    pub(crate) fn count(&mut self, used: Option<EntryUse>) {
        self.opportunities += 1;
        match used {
            Some(EntryUse::Invoked) => self.invoked += 1,
            Some(EntryUse::Read) => self.read += 1,
            Some(EntryUse::ActedOn) => self.acted_on += 1,
            None => {}
        }
    }

    pub(crate) fn add(&mut self, other: UseCounts) {
        self.opportunities += other.opportunities;
        self.invoked += other.invoked;
        self.read += other.read;
        self.acted_on += other.acted_on;
    }

    /// How many opportunities were used.
    pub fn uses(&self) -> usize {
        self.invoked + self.read + self.acted_on
    }

    /// The share of opportunities that were used; none without any.
    pub fn recall(&self) -> Option<f64> {
        (self.opportunities > 0).then(|| self.uses() as f64 / self.opportunities as f64)
    }
}

/// How well entries are recalled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecallReport {
    /// All together.
    pub total: UseCounts,
    /// Each entry, in the order of the index.
    pub entries: Vec<EntryRecall>,
    /// Each session, the earliest first.
    pub sessions: Vec<SessionRecall>,
    /// Each day.
    pub days: Vec<DayRecall>,
    /// How often something was asked for that no entry answers.
    pub unresolved: usize,
    /// What was read.
    pub lines: LineCounts,
}

/// An entry and how it is recalled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryRecall {
    /// The entry.
    pub entry: String,
    /// Its file.
    pub file: String,
    /// The numbers.
    #[serde(flatten)]
    pub counts: UseCounts,
}

/// A session and what it recalled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionRecall {
    /// The session.
    pub session: String,
    /// The day it began.
    pub day: String,
    /// The numbers.
    #[serde(flatten)]
    pub counts: UseCounts,
}

/// A day and what its sessions recalled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DayRecall {
    /// The day.
    pub day: String,
    /// How many sessions began on it.
    pub sessions: usize,
    /// The numbers.
    #[serde(flatten)]
    pub counts: UseCounts,
}
